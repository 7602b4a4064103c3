//! Converts Arrow arrays into columns. Memory is shared where the bytes are the same.

use std::collections::HashMap;

use arrow_array::ArrayRef;
use arrow_array::cast::AsArray;
use arrow_schema::{DataType, Field};
use arrow_select::take::take;
use bytes::Bytes;
use tdb_cells::files::{InputError, InputPlace, indexes, labels_of, shown_type, wanted};
use tdb_cells::{Column, FieldInfo};
use tdb_schema::{CellValNum, Enumeration};
use tdb_tile::{Bug, Datatype};

use super::datatypes::said_type;
use super::form::{ConvertedCells, Form, is_ascii};
use super::numbers::{dated, shared};

/// Converts the arrays of one column into cells of a field.
#[derive(Debug)]
pub(super) struct ColumnConverter {
    field: FieldInfo,
    form: Form,
    /// Index of each label of an enumerated field.
    labels: Option<HashMap<Vec<u8>, Vec<u8>>>,
}

impl ColumnConverter {
    /// # Errors
    /// [`InputError::Column`] if the field cannot store values of this type.
    pub(super) fn try_new(column: &Field, field: &FieldInfo) -> Result<Self, InputError> {
        let (datatype, values) = shown_type(field);
        let data_type = column.data_type();
        let (plain, said) = match data_type {
            DataType::Dictionary(_, values) => (&**values, None),
            data_type => (data_type, said_type(column.metadata())),
        };
        let said = said.map(|(datatype, _)| datatype);
        let form = Form::of(plain, said, datatype, values).ok_or_else(|| {
            let what = format!(
                "it holds {data_type}, and the field takes {}",
                wanted(field)
            );
            InputError::column(&field.name, what)
        })?;
        Ok(Self {
            field: field.clone(),
            form,
            labels: labels_of(field).map(|labels| indexes(labels, field.datatype)),
        })
    }

    /// Converts an array, whose first cell has number `first`.
    pub(super) fn column(&self, array: &ArrayRef, first: u64) -> Result<Column, InputError> {
        let Some(dictionary) = array.as_any_dictionary_opt() else {
            return self.plain(array, first);
        };
        let unpacked = take(&dictionary.values(), dictionary.keys(), None)
            .map_err(|error| InputError::column(&self.field.name, error.to_string()))?;
        self.plain(&unpacked, first)
    }

    /// Converts an array that is not a dictionary.
    pub(super) fn plain(&self, array: &ArrayRef, first: u64) -> Result<Column, InputError> {
        let wrong = |(row, what): (usize, String)| self.fail(first, row, what);
        let mut cells = self.form.cells(array).map_err(wrong)?;
        if let Some(labels) = &self.labels {
            cells = self.indexes(&cells, labels, array.len(), first)?;
        }
        let validity = self.validity(&mut cells, first)?;
        Ok(Column {
            name: self.field.name.clone(),
            datatype: self.field.datatype,
            cell_val_num: self.field.cell_val_num,
            nullable: self.field.nullable,
            values: cells.values,
            offsets: cells.offsets,
            validity,
            enumeration: None,
        })
    }

    /// Whether all cells are ASCII; `None` unless they are var-sized texts or bytes that are taken from the array as
    /// they are.
    pub(super) fn is_ascii(&self, array: &ArrayRef) -> Option<bool> {
        match (&self.form, &self.labels) {
            (Form::Bytes { size: None, .. }, None) => is_ascii(array),
            _ => None,
        }
    }

    fn fail(&self, first: u64, row: usize, what: String) -> InputError {
        InputError::Cell {
            field: self.field.name.clone(),
            place: InputPlace::Row(first + row as u64),
            what,
            hint: None,
        }
    }

    /// Returns the validity bits. In a field that is not nullable, a null becomes NaT, or is an error if the field has
    /// no NaT.
    fn validity(
        &self,
        cells: &mut ConvertedCells,
        first: u64,
    ) -> Result<Option<Bytes>, InputError> {
        let Some(nulls) = cells.nulls.take().filter(|nulls| nulls.null_count() > 0) else {
            return Ok(None);
        };
        if self.field.nullable {
            cells.blank(&nulls)?;
            let bits = nulls.inner().sliced();
            return Ok(Some(shared(bits)));
        }
        let is_time = self.field.datatype.is_datetime() || self.field.datatype.is_time();
        if !(is_time && self.field.cell_val_num == CellValNum::Fixed(1) && self.labels.is_none()) {
            let row = (0..nulls.len())
                .find(|row| nulls.is_null(*row))
                .ok_or_else(|| Bug::new("nulls were counted, and there is none"))?;
            let what = "is null, and the field is not nullable".to_owned();
            return Err(self.fail(first, row, what));
        }
        cells.values = dated(&cells.values, &nulls);
        Ok(None)
    }

    /// Replaces labels by their indexes.
    fn indexes(
        &self,
        cells: &ConvertedCells,
        labels: &HashMap<Vec<u8>, Vec<u8>>,
        rows: usize,
        first: u64,
    ) -> Result<ConvertedCells, InputError> {
        let enumeration = self.field.enumeration.as_deref();
        let as_column = Column {
            name: String::new(),
            datatype: enumeration.map_or(Datatype::Blob, Enumeration::datatype),
            cell_val_num: enumeration.map_or(CellValNum::Var, Enumeration::cell_val_num),
            nullable: true,
            values: cells.values.clone(),
            offsets: cells.offsets.clone(),
            validity: None,
            enumeration: None,
        };
        let mut indexes = Vec::new();
        for row in 0..rows {
            let label = as_column
                .cell(row)
                .ok_or_else(|| Bug::new("a column has fewer labels than cells"))?;
            let is_null = cells.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row));
            match labels.get(label) {
                Some(index) if !is_null => indexes.extend_from_slice(index),
                _ if is_null => indexes.resize(indexes.len() + self.field.datatype.size(), 0),
                _ => {
                    let name = enumeration.map_or("", Enumeration::name);
                    let label = String::from_utf8_lossy(label);
                    let what = format!("{label:?} is not a label of enumeration {name:?}");
                    return Err(self.fail(first, row, what));
                }
            }
        }
        Ok(ConvertedCells {
            values: indexes.into(),
            offsets: None,
            nulls: cells.nulls.clone(),
        })
    }
}
