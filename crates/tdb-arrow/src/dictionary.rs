//! Converts enumerated fields into Arrow dictionaries.

use std::sync::Arc;

use arrow_array::{ArrayRef, BinaryArray, LargeStringArray, make_array};
use arrow_buffer::{BooleanBuffer, Buffer, MutableBuffer};
use arrow_schema::DataType;
use bytes::Bytes;
use tdb_cells::files::{ConversionError, labels_of, read_index};
use tdb_cells::{Column, FieldInfo};
use tdb_schema::value::{is_padded, unpadded};
use tdb_schema::{CellValNum, Enumeration};
use tdb_tile::Datatype;

use crate::array;
use crate::cells::ColumnCells;
use crate::element::{ArrowTarget, Element};

/// Converts the values of a field's enumeration, if its cells are indexes that Arrow can represent.
pub(crate) fn labels(
    field: &FieldInfo,
    target: ArrowTarget,
) -> Result<Option<ArrayRef>, ConversionError> {
    let Some(enumeration) = labels_of(field) else {
        return Ok(None);
    };
    let column = column(enumeration);
    let element = Element::new(enumeration.datatype(), target);
    let data_type = element.of_cells(&column.name, column.datatype, column.cell_val_num)?;
    let cells = ColumnCells {
        column: &column,
        count: enumeration.len(),
        first: 0,
    };
    let (datatype, values) = (enumeration.datatype(), enumeration.cell_val_num());
    let is_text = datatype == Datatype::Char || is_padded(datatype, values);
    let is_text = is_text && target.is_for_queries;
    if let Some(labels) = is_text.then(|| text_labels(enumeration)).flatten() {
        return Ok(Some(labels));
    }
    if matches!(data_type, DataType::FixedSizeBinary(_)) && !target.has_fixed_labels {
        let labels = BinaryArray::from_iter_values(enumeration.iter());
        return Ok(Some(Arc::new(labels)));
    }
    match array::array(&cells, &element, &data_type, cells.validity()) {
        Ok(labels) => Ok(Some(labels)),
        Err(ConversionError::NotUtf8 { field, cell }) => Err(ConversionError::ValueNotUtf8 {
            enumeration: field,
            value: cell,
        }),
        Err(error) => Err(error),
    }
}

/// Converts labels into text, without padding NUL bytes; `None` if some are not UTF-8.
fn text_labels(enumeration: &Enumeration) -> Option<ArrayRef> {
    let (datatype, values) = (enumeration.datatype(), enumeration.cell_val_num());
    let labels: Option<Vec<&str>> = enumeration
        .iter()
        .map(|label| {
            let label = unpadded(datatype, values, label);
            std::str::from_utf8(label).ok()
        })
        .collect();
    Some(Arc::new(LargeStringArray::from(labels?)))
}

/// The values of an enumeration as a column.
fn column(enumeration: &Enumeration) -> Column {
    let values: Vec<&[u8]> = enumeration.iter().collect();
    let mut end = 0_u64;
    let starts = std::iter::once(0).chain(values.iter().map(|value| {
        end += value.len() as u64;
        end
    }));
    let offsets: Vec<u8> = starts.flat_map(u64::to_le_bytes).collect();
    Column {
        name: enumeration.name().to_owned(),
        datatype: enumeration.datatype(),
        cell_val_num: enumeration.cell_val_num(),
        nullable: false,
        values: Bytes::from(values.concat()),
        offsets: (enumeration.cell_val_num() == CellValNum::Var).then(|| Bytes::from(offsets)),
        validity: None,
        enumeration: None,
    }
}

/// Converts the cells of an enumerated field; an index without a label becomes null.
pub(crate) fn array(
    cells: &ColumnCells<'_>,
    labels: &ArrayRef,
    data_type: &DataType,
) -> Result<ArrayRef, ConversionError> {
    let (indexes, validity) = if are_labelled(cells, labels.len()) {
        (Buffer::from(cells.column.values.clone()), cells.validity())
    } else {
        let labelled = LabelledIndexes::new(cells, labels.len());
        (labelled.indexes, Some(labelled.validity))
    };
    let data = cells.build(data_type, vec![indexes], vec![labels.to_data()], validity)?;
    Ok(make_array(data))
}

/// Whether each index, also those of null cells, has a label: the greatest one is compared, as if it had no sign, since
/// that is found without looking at one index after the other.
fn are_labelled(cells: &ColumnCells<'_>, labels: usize) -> bool {
    let (datatype, values) = (cells.column.datatype, &*cells.column.values);
    let bytes = cells.count.checked_mul(datatype.size());
    let Some(values) = bytes.and_then(|bytes| values.get(..bytes)) else {
        return false;
    };
    let greatest: Option<u64> = match datatype.size() {
        1 => values.iter().copied().max().map(u64::from),
        2 => greatest_of::<2, _>(values, u16::from_le_bytes).map(u64::from),
        4 => greatest_of::<4, _>(values, u32::from_le_bytes).map(u64::from),
        8 => greatest_of::<8, _>(values, u64::from_le_bytes),
        _ => return false,
    };
    // Without its sign, a negative index is at least the first number that a signed one cannot be.
    let positive = match (datatype.is_signed(), datatype.size()) {
        (true, 1) => 1 << 7,
        (true, 2) => 1 << 15,
        (true, 4) => 1 << 31,
        (true, _) => 1 << 63,
        (false, _) => u64::MAX,
    };
    greatest.is_none_or(|greatest| greatest < positive.min(labels as u64))
}

fn greatest_of<const SIZE: usize, T: Ord>(
    values: &[u8],
    number: impl Fn([u8; SIZE]) -> T,
) -> Option<T> {
    let (cells, _) = values.as_chunks::<SIZE>();
    cells.iter().map(|cell| number(*cell)).max()
}

/// Indexes of which some have no label.
struct LabelledIndexes {
    /// The indexes; 0 for cells without a label. Arrow's kernels also compute with the indexes of null cells: those
    /// that concatenate dictionaries add to them, which must not overflow.
    indexes: Buffer,
    /// Whether a cell is valid and has a label.
    validity: Buffer,
}

impl LabelledIndexes {
    fn new(cells: &ColumnCells<'_>, labels: usize) -> Self {
        let datatype = cells.column.datatype;
        let mut indexes = MutableBuffer::from(cells.column.values.to_vec());
        let mut remaining = indexes.chunks_exact_mut(datatype.size()).take(cells.count);
        // `collect_bool` calls this in order, so the iterator keeps pace.
        let is_valid = |cell| {
            let Some(index) = remaining.next() else {
                return false;
            };
            let label = read_index(index, datatype.is_signed());
            let is_labelled = label.is_some_and(|label| label < labels as u64);
            if !is_labelled {
                index.fill(0);
            }
            is_labelled && cells.column.is_valid(cell)
        };
        let validity = BooleanBuffer::collect_bool(cells.count, is_valid).into_inner();
        Self {
            indexes: indexes.into(),
            validity,
        }
    }
}
