//! Cells one by one, for formats of text.

use tdb_query::Column;
use tdb_schema::CellValNum;
use tdb_schema::value::{Cell, Value, holds_text, read_cell};
use tdb_tile::Datatype;

use crate::dictionary::{index, is_index};
use crate::{ConversionError, Options};

/// The cell of `column` at `row`, which is number `cell` of the result, with its label if it is
/// enumerated. `None` is null, a date or time that is none, or an index without a label.
///
/// # Errors
/// [`ConversionError::NotUtf8`]; a column that does not hold so many cells.
pub fn cell_of(
    column: &Column,
    row: usize,
    cell: u64,
    options: Options,
) -> Result<Option<Cell<'_>>, ConversionError> {
    if !column.is_valid(row) {
        return Ok(None);
    }
    let bytes = column
        .cell(row)
        .ok_or_else(|| ConversionError::column(&column.name, "holds too few cells"))?;
    let (datatype, values) = (column.datatype, column.cell_val_num);
    let enumeration = column.enumeration.as_ref();
    let Some(enumeration) = enumeration.filter(|_| is_index(datatype, values)) else {
        let shown = read(datatype, values, bytes, options);
        return shown.ok_or_else(|| ConversionError::NotUtf8 {
            field: column.name.clone(),
            cell,
        });
    };
    let index = index(bytes, datatype.is_signed()).and_then(|index| usize::try_from(index).ok());
    let Some((index, label)) = index.and_then(|i| Some((i, enumeration.value(i)?))) else {
        return Ok(None);
    };
    let (datatype, values) = (enumeration.datatype(), enumeration.cell_val_num());
    read(datatype, values, label, options).ok_or_else(|| ConversionError::ValueNotUtf8 {
        enumeration: enumeration.name().to_owned(),
        value: index as u64,
    })
}

/// What stored bytes say; the outer `None` where text is not UTF-8.
fn read(
    datatype: Datatype,
    values: CellValNum,
    bytes: &[u8],
    options: Options,
) -> Option<Option<Cell<'_>>> {
    if options.binary_strings && holds_text(datatype) {
        return Some(Some(Cell::One(Value::Bytes(bytes))));
    }
    match read_cell(datatype, values, bytes) {
        Cell::One(Value::Bytes(_)) if holds_text(datatype) && values.is_var() => None,
        Cell::One(Value::NotATime) if !options.ticks => Some(None),
        Cell::One(value) if options.ticks => Some(Some(Cell::One(value.as_ticks()))),
        Cell::Many(values) if options.ticks => {
            let values = values.into_iter().map(Value::as_ticks);
            Some(Some(Cell::Many(values.collect())))
        }
        cell => Some(Some(cell)),
    }
}
