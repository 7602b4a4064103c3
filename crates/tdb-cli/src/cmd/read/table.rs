//! A result as a table for people.

use std::io::Write;

use tdb_arrow::{BatchWriter, ConversionError, Options, cell_of};
use tdb_query::{Batch, FieldInfo};
use tdb_schema::value::holds_bytes;

use crate::output::Output;
use crate::paint::{Role, Table};
use crate::present;

/// Rows that are aligned with each other.
const ALIGNED: usize = 4096;

/// Writes a result as a table: on a terminal the first screen of it.
pub(super) struct TableWriter {
    out: Output,
    options: Options,
    right: Vec<bool>,
    table: Table,
    cells: u64,
    /// There was more than fits on the screen.
    is_cut: bool,
}

impl TableWriter {
    pub(super) fn new(out: Output, fields: &[FieldInfo], options: Options) -> Self {
        let right: Vec<bool> = fields
            .iter()
            .map(|field| !holds_bytes(field.datatype) && field.enumeration.is_none())
            .collect();
        let mut table = Table::plain(&right);
        table.painted(fields.iter().map(|field| (Role::Title, field.name.clone())));
        Self {
            out,
            options,
            right,
            table,
            cells: 0,
            is_cut: false,
        }
    }

    /// Writes the rows that are aligned with each other.
    fn write_rows(&mut self) -> Result<(), ConversionError> {
        let table = std::mem::replace(&mut self.table, Table::plain(&self.right));
        let look = self.out.look;
        Ok(table.write(&mut self.out, look)?)
    }
}

impl BatchWriter for TableWriter {
    fn write(&mut self, batch: &Batch) -> Result<(), ConversionError> {
        for row in 0..batch.rows {
            let height = self.out.look.height;
            if height.is_some_and(|height| self.cells >= height as u64) {
                self.is_cut = true;
                return Ok(());
            }
            let mut cells = Vec::with_capacity(batch.columns.len());
            for column in &batch.columns {
                let cell = cell_of(column, row, self.cells, self.options)?;
                let role = if cell.is_none() {
                    Role::Dim
                } else {
                    Role::Plain
                };
                cells.push((role, present::plain(cell.as_ref(), self.options.ticks)));
            }
            self.table.painted(cells);
            self.cells = self.cells.saturating_add(1);
            if self.cells.is_multiple_of(ALIGNED as u64) {
                self.write_rows()?;
            }
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<(), ConversionError> {
        self.write_rows()?;
        self.out.flush()?;
        if self.is_cut {
            let how = "--format csv gives all, --range and --where some";
            self.out.note(&format!("there are more cells: {how}"));
        }
        Ok(())
    }
}
