//! Collecting the cells of a field from rows that arrive one by one.

use serde::ser::Error as _;
use tdb_cells::files::{write_float, write_whole};
use tdb_cells::{Column, FieldInfo, Gathered};
use tdb_schema::value::{holds_bytes, is_padded, parse};
use tdb_schema::{CellValNum, Enumeration};
use tdb_tile::{Bug, Code, Datatype};

pub(super) type Problem = serde::de::value::Error;

pub(super) type CellResult = Result<(), Problem>;

/// The cells of a field collected so far.
#[derive(Debug)]
pub(super) struct Draft {
    pub(super) field: FieldInfo,
    values: Vec<u8>,
    /// End of each cell in `values`.
    ends: Vec<usize>,
    valid: Vec<bool>,
}

impl Draft {
    pub(super) fn new(field: FieldInfo) -> Self {
        Self {
            field,
            values: Vec::new(),
            ends: Vec::new(),
            valid: Vec::new(),
        }
    }

    /// Returns the bytes of the collected values.
    pub(super) fn bytes(&self) -> usize {
        self.values.len()
    }

    /// Ends a row, in which each field must have one cell; a missing member is null.
    pub(super) fn end_row(&mut self, rows: usize) -> CellResult {
        let name = &self.field.name;
        if self.ends.len() > rows {
            return Err(Problem::custom(format!("there are two members {name:?}")));
        }
        if self.ends.len() < rows {
            if !self.field.nullable {
                return Err(Problem::custom(format!("there is no member {name:?}")));
            }
            self.null()?;
        }
        Ok(())
    }

    /// Takes the collected cells out as a column.
    pub(super) fn take(&mut self) -> Result<Column, Bug> {
        let ends = std::mem::take(&mut self.ends);
        let starts = std::iter::once(0).chain(ends);
        let offsets = starts.flat_map(|start| (start as u64).to_le_bytes());
        let is_var = self.field.cell_val_num == CellValNum::Var;
        let mut validity = None;
        if self.valid.contains(&false) {
            let mut bits = vec![0_u8; self.valid.len().div_ceil(8)];
            for (row, _) in self.valid.iter().enumerate().filter(|(_, valid)| **valid) {
                let byte = bits.get_mut(row / 8);
                *byte.ok_or_else(|| Bug::new("a row beyond the validity of all rows"))? |=
                    1 << (row % 8);
            }
            validity = Some(bits.into());
        }
        let gathered = Gathered {
            values: std::mem::take(&mut self.values).into(),
            offsets: is_var.then(|| offsets.collect()),
            validity,
        };
        self.valid.clear();
        Ok(gathered.column(&self.field))
    }

    pub(super) fn null(&mut self) -> CellResult {
        if !self.field.nullable {
            return Err(Problem::custom("got null, but the field is not nullable"));
        }
        if let CellValNum::Fixed(values) = self.field.cell_val_num {
            let size = self.field.datatype.size().saturating_mul(values as usize);
            self.values
                .resize(self.values.len().saturating_add(size), 0);
        }
        self.end(false)
    }

    /// Ends a cell, and checks that it has the size of the field's cells.
    pub(super) fn end(&mut self, is_valid: bool) -> CellResult {
        let start = self.ends.last().copied().unwrap_or(0);
        let mut size = self.values.len() - start;
        if let CellValNum::Fixed(values) = self.field.cell_val_num {
            let unit = self.field.datatype.size();
            if is_padded(self.field.datatype, self.field.cell_val_num) {
                size = size.max(unit.saturating_mul(values as usize));
                self.values.resize(start.saturating_add(size), 0);
            }
            if size != unit.saturating_mul(values as usize) {
                let given = size.checked_div(unit).unwrap_or(0);
                let what = format!("got {given} values, expected {values} per cell");
                return Err(Problem::custom(what));
            }
        }
        self.ends.push(self.values.len());
        self.valid.push(is_valid);
        Ok(())
    }

    pub(super) fn whole(&mut self, value: i128) -> CellResult {
        let datatype = self.field.datatype;
        self.check_number()?;
        if datatype == Datatype::Bool {
            return Err(Problem::custom(format!("{value} is not a valid bool")));
        }
        write_whole(value, datatype, &mut self.values).map_err(Problem::custom)
    }

    pub(super) fn flag(&mut self, value: bool) -> CellResult {
        if self.field.datatype == Datatype::Bool && self.field.enumeration.is_none() {
            self.values.push(value.into());
            return Ok(());
        }
        let name = self.field.datatype.name();
        Err(Problem::custom(format!("got {value}, expected {name}")))
    }

    pub(super) fn float(&mut self, value: f64) -> CellResult {
        self.check_number()?;
        write_float(value, self.field.datatype, &mut self.values).map_err(Problem::custom)
    }

    fn check_number(&self) -> CellResult {
        if self.field.enumeration.is_some() {
            return Err(Problem::custom("got a number, expected a label"));
        }
        let datatype = self.field.datatype;
        if holds_bytes(datatype) && self.field.datatype.size() == 1 {
            let name = datatype.name();
            return Err(Problem::custom(format!("got a number, expected {name}")));
        }
        Ok(())
    }

    pub(super) fn text(&mut self, text: &str) -> CellResult {
        let datatype = self.field.datatype;
        if let Some(labels) = self.field.enumeration.clone() {
            return self.label(text.as_bytes(), text, &labels);
        }
        if datatype.is_datetime() || datatype.is_time() {
            return parse(datatype, text, &mut self.values).map_err(Problem::custom);
        }
        if holds_bytes(datatype) && datatype.size() == 1 {
            self.values.extend_from_slice(text.as_bytes());
            return Ok(());
        }
        let name = datatype.name();
        Err(Problem::custom(format!("got text, expected {name}")))
    }

    pub(super) fn raw(&mut self, bytes: &[u8]) -> CellResult {
        if holds_bytes(self.field.datatype) && self.field.enumeration.is_none() {
            self.values.extend_from_slice(bytes);
            return Ok(());
        }
        let name = self.field.datatype.name();
        Err(Problem::custom(format!("got bytes, expected {name}")))
    }

    fn label(&mut self, label: &[u8], shown: &str, labels: &Enumeration) -> CellResult {
        let index = labels.index_of(label).ok_or_else(|| {
            let name = labels.name();
            Problem::custom(format!("the enumeration {name:?} has no value {shown:?}"))
        })?;
        write_whole(index as i128, self.field.datatype, &mut self.values).map_err(Problem::custom)
    }
}
