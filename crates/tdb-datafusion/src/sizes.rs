//! Sizes of columns and of single rows, in bytes, before a function makes new ones of them.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, StructArray};
use arrow_schema::DataType;
use datafusion::arrow::compute::cast;
use datafusion::arrow::compute::kernels::length::length;
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::ColumnarValue;

/// Maximum bytes of a value that is neither text nor a list.
pub(crate) const ELEMENT: u128 = 16;

/// Bytes of a value of a view, without the text.
const VIEW: u64 = 16;

/// Bytes of an offset of a list.
const OFFSET: u64 = 4;

/// Returns the bytes of the values of a column. Of a slice, only its own values count.
pub(crate) fn bytes_of(array: &dyn Array) -> Result<u64> {
    let rows = array.len() as u64;
    Ok(match array.data_type() {
        DataType::Utf8View => rows * VIEW + array.as_string_view().total_bytes_len() as u64,
        DataType::BinaryView => rows * VIEW + array.as_binary_view().total_bytes_len() as u64,
        DataType::List(_) => of_list(
            array.as_list::<i32>().offsets(),
            array.as_list::<i32>().values(),
        )?,
        DataType::LargeList(_) => of_list(
            array.as_list::<i64>().offsets(),
            array.as_list::<i64>().values(),
        )?,
        DataType::FixedSizeList(_, _) => bytes_of(array.as_fixed_size_list().values())?,
        DataType::Map(_, _) => {
            let entries: ArrayRef = Arc::new(array.as_map().entries().clone());
            of_list(array.as_map().offsets(), &entries)?
        }
        DataType::Struct(_) => of_struct(array.as_struct())?,
        _ => array.to_data().get_slice_memory_size()? as u64,
    })
}

/// Returns the bytes of the elements between the first and the last offset.
fn of_list<O: Copy + TryInto<usize>>(offsets: &[O], values: &ArrayRef) -> Result<u64> {
    let at = |offset: Option<&O>| offset.and_then(|offset| (*offset).try_into().ok());
    let (start, end) = (
        at(offsets.first()).unwrap_or(0),
        at(offsets.last()).unwrap_or(values.len()),
    );
    let elements = bytes_of(&values.slice(start, end - start))?;
    Ok(elements + offsets.len() as u64 * OFFSET)
}

fn of_struct(array: &StructArray) -> Result<u64> {
    let fields = array.columns().iter();
    fields.map(bytes_of_array).sum()
}

fn bytes_of_array(array: &ArrayRef) -> Result<u64> {
    bytes_of(array)
}

/// Argument of a function, with what its rows take.
pub(crate) struct Argument {
    values: ArrayRef,
    /// Values of integers; lengths of text and of lists.
    numbers: Option<ArrayRef>,
    /// Whether there is one value for all rows.
    is_scalar: bool,
}

impl Argument {
    pub(crate) fn new(argument: &ColumnarValue) -> Result<Self> {
        let (values, is_scalar) = match argument {
            ColumnarValue::Array(array) => (Arc::clone(array), false),
            ColumnarValue::Scalar(value) => (ScalarValue::to_array(value)?, true),
        };
        let kind = values.data_type();
        let numbers = if kind.is_integer() {
            Some(cast(&values, &DataType::Int64)?)
        } else if kind.is_string() || kind.is_binary() || is_list(kind) {
            Some(cast(&length(&values)?, &DataType::Int64)?)
        } else {
            None
        };
        Ok(Self {
            values,
            numbers,
            is_scalar,
        })
    }

    /// Returns the bytes of a number of rows.
    pub(crate) fn bytes(&self, rows: usize) -> Result<u128> {
        let bytes = u128::from(bytes_of(&self.values)?);
        Ok(if self.is_scalar {
            bytes * rows as u128
        } else {
            bytes
        })
    }

    pub(crate) fn is_scalar(&self) -> bool {
        self.is_scalar
    }

    pub(crate) fn row(&self, row: usize) -> usize {
        if self.is_scalar { 0 } else { row }
    }

    pub(crate) fn values(&self) -> &ArrayRef {
        &self.values
    }

    /// Returns an integer, the bytes of a text, or the number of elements of a list; `None` for null and other types.
    pub(crate) fn number(&self, row: usize) -> Option<i64> {
        let numbers = self.numbers.as_ref()?.as_primitive::<Int64Type>();
        let row = self.row(row);
        (row < numbers.len() && numbers.is_valid(row)).then(|| numbers.value(row))
    }

    /// Returns the bytes of the value of a row.
    pub(crate) fn row_bytes(&self, row: usize) -> Result<u128> {
        let kind = self.values.data_type();
        if kind.is_string() || kind.is_binary() {
            return Ok(at_least_none(self.number(row).unwrap_or(0)));
        }
        let row = self.row(row);
        if kind.is_nested() && row < self.values.len() {
            return Ok(bytes_of(&self.values.slice(row, 1))?.into());
        }
        Ok(ELEMENT)
    }

    /// Returns a maximum of the elements of the list of a row, those of inner lists included.
    pub(crate) fn elements(&self, row: usize) -> Result<u128> {
        let inner = match self.values.data_type() {
            DataType::List(field)
            | DataType::LargeList(field)
            | DataType::FixedSizeList(field, _) => field.data_type(),
            _ => return Ok(0),
        };
        if inner.is_nested() {
            return self.row_bytes(row);
        }
        Ok(at_least_none(self.number(row).unwrap_or(0)))
    }
}

fn is_list(kind: &DataType) -> bool {
    matches!(
        kind,
        DataType::List(_) | DataType::LargeList(_) | DataType::FixedSizeList(_, _)
    )
}

/// Returns a number that a user gave, 0 for negative ones.
pub(crate) fn at_least_none(number: i64) -> u128 {
    u128::try_from(number).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use arrow_array::types::Int32Type;
    use arrow_array::{ListArray, StringArray, StringViewArray};

    use super::*;

    #[test]
    fn slices_count_their_own_values() {
        let text = StringArray::from(vec!["a", "bcd", "ef"]);
        let whole = bytes_of(&text).unwrap();
        assert!(bytes_of(&text.slice(0, 1)).unwrap() < whole);
        let views = StringViewArray::from(vec!["a".repeat(1000), "b".to_owned()]);
        assert_eq!(bytes_of(&views).unwrap(), 1001 + 32);
        assert_eq!(bytes_of(&views.slice(1, 1)).unwrap(), 1 + 16);
        let long: Vec<Option<i32>> = (0..1000).map(Some).collect();
        let lists = ListArray::from_iter_primitive::<Int32Type, _, _>([Some(long), Some(vec![])]);
        assert_eq!(bytes_of(&lists).unwrap(), 4000 + 12);
        assert_eq!(bytes_of(&lists.slice(1, 1)).unwrap(), 8);
    }

    #[test]
    fn rows_have_bytes_and_elements() {
        let lists = ListArray::from_iter_primitive::<Int32Type, _, _>([Some(vec![Some(1); 5])]);
        let argument = Argument::new(&ColumnarValue::Array(Arc::new(lists))).unwrap();
        assert_eq!(argument.elements(0).unwrap(), 5);
        assert_eq!(argument.row_bytes(0).unwrap(), 20 + 8);
        let text = Argument::new(&ColumnarValue::Scalar(ScalarValue::from("abc"))).unwrap();
        assert_eq!(text.row_bytes(7).unwrap(), 3);
        assert_eq!(text.number(7), Some(3));
        let null = Argument::new(&ColumnarValue::Scalar(ScalarValue::Null)).unwrap();
        assert_eq!(null.number(0), None);
    }
}
