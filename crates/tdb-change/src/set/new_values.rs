//! New values of attributes, and applying them to the cells of a batch.

use bytes::Bytes;
use tdb_cells::{Batch, Column};
use tdb_open::{Array, Error, Result, Value};
use tdb_schema::names::UnknownName;
use tdb_schema::value::{holds_bytes, is_padded};
use tdb_schema::{ArraySchema, Attribute, CellValNum};
use tdb_tile::{Bug, Code, Datatype};

use super::expression::ValueExpression;

/// A new value for an attribute.
#[derive(Clone, Debug)]
pub(super) struct NewValue {
    pub(super) attribute: String,
    pub(super) gets: Gets,
}

/// Kind of a new value.
#[derive(Clone, Debug)]
pub(super) enum Gets {
    Null,
    /// The same stored value for every cell.
    Bytes(Bytes),
    ValueExpression(ValueExpression),
}

/// Returns the stored form of a cell of an attribute. With `ticks`, text for dates and times is a raw number of ticks.
pub(super) fn stored(
    array: &Array,
    attribute: &Attribute,
    value: &Value,
    ticks: bool,
) -> Result<Bytes> {
    let name = &attribute.name;
    let what = format!("attribute {name:?}");
    if let Some(labels) = &attribute.enumeration {
        let labels = array
            .engine()
            .newest_enumeration(labels)
            .map_err(|error| array.failed(error))?;
        let mut label = value.stored(labels.datatype(), ticks, &what)?;
        fill_up(&mut label, labels.datatype(), labels.cell_val_num());
        let index = labels.index_of(&label).ok_or_else(|| {
            let known = labels
                .iter()
                .filter_map(|label| std::str::from_utf8(label).ok());
            let text = String::from_utf8_lossy(&label);
            Error::from(UnknownName::new("label", &text, known))
        })?;
        let bytes = (index as u64).to_le_bytes();
        let size = attribute.datatype.size();
        return Ok(Bytes::copy_from_slice(bytes.get(..size).unwrap_or(&bytes)));
    }
    let is_one = attribute.cell_val_num == CellValNum::Fixed(1) || holds_bytes(attribute.datatype);
    let mut bytes = match value {
        Value::Text(text) if !is_one => list(attribute, text, ticks, &what)?,
        value => value.stored(attribute.datatype, ticks, &what)?,
    };
    fill_up(&mut bytes, attribute.datatype, attribute.cell_val_num);
    let found = bytes.len() as u64;
    let wanted = attribute.cell_size().unwrap_or(found);
    if found != wanted {
        let datatype = attribute.datatype.name();
        return Err(Error::invalid(format!(
            "{what}: cells have {wanted} bytes of {datatype}, and {found} are given"
        )));
    }
    Ok(bytes.into())
}

/// Pads text with NUL bytes up to the cell size of a field of fixed size.
fn fill_up(text: &mut Vec<u8>, datatype: Datatype, values: CellValNum) {
    if let CellValNum::Fixed(values) = values
        && is_padded(datatype, CellValNum::Fixed(values))
    {
        let size = datatype.size().saturating_mul(values as usize);
        text.resize(text.len().max(size), 0);
    }
}

/// Parses a list of numbers: `[1, 2, 3]`.
fn list(attribute: &Attribute, text: &str, ticks: bool, what: &str) -> Result<Vec<u8>> {
    let within = text
        .trim()
        .strip_prefix('[')
        .and_then(|text| text.strip_suffix(']'))
        .ok_or_else(|| {
            Error::invalid(format!(
                "{what}: a list of numbers is wanted, like [1, 2, 3]"
            ))
        })?;
    let mut bytes = Vec::new();
    for number in within.split(',').filter(|number| !number.trim().is_empty()) {
        let number = Value::from(number.trim());
        bytes.extend(number.stored(attribute.datatype, ticks, what)?);
    }
    Ok(bytes)
}

/// Returns the cells of a batch, with new values for the chosen ones. Expressions use the old values.
pub(super) fn with_values(
    schema: &ArraySchema,
    batch: &Batch,
    is_meant: &mut dyn FnMut(usize) -> Result<bool, Bug>,
    values: &[NewValue],
) -> Result<Batch> {
    let meant = (0..batch.rows)
        .map(is_meant)
        .collect::<Result<Vec<bool>, Bug>>()?;
    let columns = batch.columns.iter().map(|column| {
        let mut last_first = values.iter().rev();
        let value = last_first.find(|value| value.attribute == column.name);
        match value.map(|value| &value.gets) {
            None => Ok(column.clone()),
            Some(Gets::Null) => Ok(replaced(column, &meant, &|_| None)?),
            Some(Gets::Bytes(bytes)) => Ok(replaced(column, &meant, &|_| Some(&bytes[..]))?),
            Some(Gets::ValueExpression(worked_out)) => {
                let values = worked_out.values(&column.name, schema, batch, &meant)?;
                let value = |row: usize| values.get(row)?.as_deref();
                Ok(replaced(column, &meant, &value)?)
            }
        }
    });
    Ok(Batch {
        rows: batch.rows,
        columns: columns.collect::<Result<_>>()?,
    })
}

/// Returns a column with new values for the chosen cells; `None` is null.
fn replaced<'a>(
    column: &Column,
    meant: &[bool],
    value: &dyn Fn(usize) -> Option<&'a [u8]>,
) -> Result<Column, Bug> {
    let (mut values, mut offsets) = (Vec::new(), vec![0_u64]);
    let mut validity = vec![0_u8; meant.len().div_ceil(8)];
    for (row, is_meant) in meant.iter().enumerate() {
        let cell = column
            .cell(row)
            .ok_or_else(|| Bug::new("a column has fewer cells than its batch"))?;
        let new = value(row).filter(|_| *is_meant);
        let (cell, is_valid) = match (is_meant, new) {
            (false, _) => (cell, column.is_valid(row)),
            (true, Some(value)) => (value, true),
            // A null cell of fixed size still takes its bytes.
            (true, None) if column.offsets.is_none() => (cell, false),
            (true, None) => (&[][..], false),
        };
        values.extend_from_slice(cell);
        offsets.push(values.len() as u64);
        if let Some(byte) = validity.get_mut(row / 8) {
            *byte |= u8::from(is_valid) << (row % 8);
        }
    }
    let offsets: Vec<u8> = offsets.iter().flat_map(|at| at.to_le_bytes()).collect();
    Ok(Column {
        values: values.into(),
        offsets: column.offsets.is_some().then(|| offsets.into()),
        validity: column.nullable.then(|| validity.into()),
        ..column.clone()
    })
}
