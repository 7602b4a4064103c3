//! Enumerated fields: their cells are indexes in the array and labels in files.

use std::collections::HashMap;
use std::sync::Arc;

use tdb_schema::value::holds_bytes;
use tdb_schema::{CellValNum, Enumeration};
use tdb_tile::Datatype;

use crate::{Column, FieldInfo};

/// The labels of a field, if its cells are indexes: one integer each.
#[must_use]
pub fn labels_of(field: &FieldInfo) -> Option<&Arc<Enumeration>> {
    let datatype = field.datatype;
    let is_index = datatype.is_integer()
        && datatype != Datatype::Bool
        && field.cell_val_num == CellValNum::Fixed(1);
    field.enumeration.as_ref().filter(|_| is_index)
}

/// The type of a field's cells in a file: that of the labels, if it has labels.
#[must_use]
pub fn shown_type(field: &FieldInfo) -> (Datatype, CellValNum) {
    match labels_of(field) {
        Some(labels) => (labels.datatype(), labels.cell_val_num()),
        None => (field.datatype, field.cell_val_num),
    }
}

/// Maps every label, in stored form, to its index as a value of the datatype `index`.
#[must_use]
pub fn indexes(labels: &Enumeration, index: Datatype) -> HashMap<Vec<u8>, Vec<u8>> {
    let labels = labels.iter().enumerate().map(|(number, label)| {
        let mut bytes = (number as u64).to_le_bytes().to_vec();
        bytes.truncate(index.size());
        (label.to_vec(), bytes)
    });
    labels.collect()
}

/// Reads a little-endian integer of up to eight bytes; `None` if it is negative or longer.
#[must_use]
pub fn read_index(bytes: &[u8], is_signed: bool) -> Option<u64> {
    let mut wide = [0; 8];
    wide.get_mut(..bytes.len())?.copy_from_slice(bytes);
    let is_negative = is_signed && bytes.last().is_some_and(|byte| byte & 0x80 != 0);
    (!is_negative).then(|| u64::from_le_bytes(wide))
}

/// Whether a cell is not null and, in an enumerated column, its value is the index of a label.
#[must_use]
pub fn has_value(column: &Column, row: usize) -> bool {
    let Some(labels) = &column.enumeration else {
        return column.is_valid(row);
    };
    let index = |cell| read_index(cell, column.datatype.is_signed());
    let is_label = |index| index < labels.len() as u64;
    column.is_valid(row) && column.cell(row).and_then(index).is_some_and(is_label)
}

/// Describes the values that a field accepts, for error messages.
#[must_use]
pub fn wanted(field: &FieldInfo) -> String {
    let (datatype, values) = shown_type(field);
    match (labels_of(field), values) {
        (Some(labels), _) => {
            let name = labels.name();
            format!(
                "labels of the enumeration {name:?}, which are {datatype} (or, with their codes, {})",
                field.datatype
            )
        }
        (None, CellValNum::Fixed(1)) => datatype.to_string(),
        (None, CellValNum::Fixed(n)) => format!("{n} values of {datatype} in each cell"),
        (None, CellValNum::Var) if holds_bytes(datatype) => format!("{datatype} of any length"),
        (None, CellValNum::Var) => format!("lists of {datatype}"),
    }
}
