//! JSON lines.

use std::io::Write;

use tdb_query::{Batch, FieldInfo};

use crate::cell::write_json_text;
use crate::{BatchWriter, ConversionError, Options, cell_of, write_json};

/// Writes JSON lines: an object per cell, with the fields as keys.
#[derive(Debug)]
pub struct JsonLinesWriter<W: Write> {
    out: W,
    options: Options,
    cells: u64,
    /// What stands before each value: `{"a":`, `,"b":`.
    keys: Vec<Vec<u8>>,
}

impl<W: Write> JsonLinesWriter<W> {
    /// A writer of these fields.
    ///
    /// # Errors
    /// None in practice: nothing is written yet.
    pub fn try_new(
        out: W,
        fields: &[FieldInfo],
        options: Options,
    ) -> Result<Self, ConversionError> {
        let mut keys = Vec::new();
        for (column, field) in fields.iter().enumerate() {
            let mut key = if column == 0 {
                b"{".to_vec()
            } else {
                b",".to_vec()
            };
            write_json_text(&field.name, &mut key)?;
            key.push(b':');
            keys.push(key);
        }
        Ok(Self {
            out,
            options,
            cells: 0,
            keys,
        })
    }
}

impl<W: Write> BatchWriter for JsonLinesWriter<W> {
    fn write(&mut self, batch: &Batch) -> Result<(), ConversionError> {
        for row in 0..batch.rows {
            for (key, column) in self.keys.iter().zip(&batch.columns) {
                self.out.write_all(key)?;
                let cell = cell_of(column, row, self.cells, self.options)?;
                write_json(cell.as_ref(), &mut self.out)?;
            }
            self.out.write_all(if self.keys.is_empty() {
                b"{}\n"
            } else {
                b"}\n"
            })?;
            self.cells = self.cells.saturating_add(1);
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<(), ConversionError> {
        Ok(self.out.flush()?)
    }
}
