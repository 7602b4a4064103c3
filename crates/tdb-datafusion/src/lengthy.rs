//! Functions whose output size depends on a number in their input, such as `lpad('x', 2000000000)`: they reserve
//! memory of the session first. DataFusion 55.2 counts the memory that operators keep, but not that of functions.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, FieldRef};
use datafusion::arrow::compute::cast;
use datafusion::arrow::compute::kernels::length::length;
use datafusion::common::{Result, ScalarValue, exec_datafusion_err};
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryPool};
use datafusion::functions::{string, unicode};
use datafusion::functions_nested::range::{gen_series_udf, range_udf};
use datafusion::functions_nested::repeat::array_repeat_udf;
use datafusion::logical_expr::{
    ColumnarValue, Documentation, Expr, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF,
    ScalarUDFImpl, Signature,
};

/// Kind of output, which determines its size per row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Makes {
    /// Text of the length in the second argument, filled with characters of the third.
    Filled,
    /// The first argument, repeated as often as the second says.
    Repeated,
    /// Elements from the first argument to the second, or from 0 to the only one; the third is the step.
    Series,
}

/// Bytes of an element of a list, and maximum bytes of a character.
const ELEMENT: u64 = 8;
const CHARACTER: u64 = 4;

/// Function of DataFusion that reserves memory before it runs.
#[derive(Debug)]
pub(crate) struct Lengthy {
    function: Arc<ScalarUDF>,
    makes: Makes,
    pool: Arc<dyn MemoryPool>,
}

impl PartialEq for Lengthy {
    fn eq(&self, other: &Self) -> bool {
        self.function == other.function
    }
}

impl Eq for Lengthy {}

impl Hash for Lengthy {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.function.hash(state);
    }
}

/// Returns these functions, with the pool that they reserve memory from.
pub(crate) fn lengthy_functions(
    pool: &Arc<dyn MemoryPool>,
) -> impl Iterator<Item = Arc<ScalarUDF>> {
    let functions = [
        (unicode::lpad(), Makes::Filled),
        (unicode::rpad(), Makes::Filled),
        (string::repeat(), Makes::Repeated),
        (array_repeat_udf(), Makes::Repeated),
        (range_udf(), Makes::Series),
        (gen_series_udf(), Makes::Series),
    ]
    .map(|(function, makes)| Lengthy {
        function,
        makes,
        pool: Arc::clone(pool),
    });
    functions
        .into_iter()
        .map(|function| Arc::new(ScalarUDF::from(function)))
}

impl Lengthy {
    /// Returns the maximum number of bytes that a call produces; arguments of other types count as 0.
    fn bytes(&self, args: &ScalarFunctionArgs) -> Result<u64> {
        let columns = args
            .args
            .iter()
            .map(Column::new)
            .collect::<Result<Vec<_>>>()?;
        let mut sum = 0_u64;
        for row in 0..args.number_rows {
            let value = |place: usize| columns.get(place).and_then(|column| column.value(row));
            let bytes = match self.makes {
                Makes::Filled => {
                    // Spaces by default.
                    let filling = columns.get(2).map_or(1, |filling| filling.size(row));
                    let character = filling.clamp(1, CHARACTER);
                    value(1).map_or(0, at_least_none).saturating_mul(character)
                }
                Makes::Repeated => {
                    let size = columns.first().map_or(0, |first| first.size(row));
                    value(1).map_or(0, at_least_none).saturating_mul(size)
                }
                Makes::Series => {
                    let (from, to) = match (value(0), value(1)) {
                        (Some(to), None) => (0, to),
                        (Some(from), Some(to)) => (from, to),
                        (None, _) => continue,
                    };
                    let step = value(2).map_or(1, i64::unsigned_abs);
                    let elements = from.abs_diff(to).checked_div(step).unwrap_or(0);
                    elements.saturating_mul(ELEMENT)
                }
            };
            // A sum that overflows is more than any memory.
            sum = sum.saturating_add(bytes);
        }
        Ok(sum)
    }
}

fn at_least_none(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

/// Argument as numbers: the values of integers, the lengths of text.
struct Column {
    numbers: Option<ArrayRef>,
    is_text: bool,
    /// Whether there is one value for all rows.
    is_scalar: bool,
}

impl Column {
    fn new(argument: &ColumnarValue) -> Result<Self> {
        let (array, is_scalar) = match argument {
            ColumnarValue::Array(array) => (Arc::clone(array), false),
            ColumnarValue::Scalar(value) => (ScalarValue::to_array(value)?, true),
        };
        let is_text = matches!(
            array.data_type(),
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View
        );
        let numbers = if is_text {
            Some(length(&array)?)
        } else if array.data_type().is_integer() {
            Some(array)
        } else {
            None
        };
        let whole = numbers.map(|numbers| cast(&numbers, &DataType::Int64));
        Ok(Self {
            numbers: whole.transpose()?,
            is_text,
            is_scalar,
        })
    }

    fn value(&self, row: usize) -> Option<i64> {
        let numbers = self.numbers.as_ref()?.as_primitive::<Int64Type>();
        let row = if self.is_scalar { 0 } else { row };
        (row < numbers.len() && numbers.is_valid(row)).then(|| numbers.value(row))
    }

    /// Returns the bytes of a value; those of an element for other types.
    fn size(&self, row: usize) -> u64 {
        match self.value(row) {
            Some(length) if self.is_text => at_least_none(length),
            _ => ELEMENT,
        }
    }
}

impl ScalarUDFImpl for Lengthy {
    fn name(&self) -> &str {
        self.function.name()
    }

    fn aliases(&self) -> &[String] {
        self.function.aliases()
    }

    fn signature(&self) -> &Signature {
        self.function.signature()
    }

    fn schema_name(&self, args: &[Expr]) -> Result<String> {
        self.function.schema_name(args)
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        self.function.return_type(types)
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs<'_>) -> Result<FieldRef> {
        self.function.return_field_from_args(args)
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        self.function.coerce_types(types)
    }

    fn is_strict(&self) -> bool {
        self.function.inner().is_strict()
    }

    fn documentation(&self) -> Option<&Documentation> {
        self.function.documentation()
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let bytes = usize::try_from(self.bytes(&args)?)
            .map_err(|_| exec_datafusion_err!("{} makes more than any memory", self.name()))?;
        let memory = MemoryConsumer::new(self.name()).register(&self.pool);
        memory.try_grow(bytes)?;
        self.function.invoke_with_args(args)
    }
}
