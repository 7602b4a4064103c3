//! Writes rows as lines of text.

use std::io::Write;

use tdb_cells::files::{ConversionError, OutputOptions};
use tdb_cells::{Batch, FieldInfo};

use super::column::{ColumnText, TextCells};
use super::syntax::Syntax;

/// Number of bytes that are buffered before they are written.
const FULL: usize = 1 << 16;

/// Writes the rows of a result as lines of text.
#[derive(Debug)]
pub(crate) struct Lines<W> {
    pub(crate) out: W,
    columns: Vec<ColumnText>,
    /// Text before each cell, by column.
    before: Vec<Vec<u8>>,
    /// Text at the end of each line.
    end: &'static [u8],
    /// Number of rows written so far.
    rows: u64,
    text: Vec<u8>,
}

impl<W: Write> Lines<W> {
    pub(crate) fn new(
        out: W,
        fields: &[FieldInfo],
        options: OutputOptions,
        syntax: Syntax,
        before: Vec<Vec<u8>>,
        end: &'static [u8],
    ) -> Self {
        let columns = fields
            .iter()
            .map(|field| ColumnText::new(field, options, syntax));
        Self {
            out,
            columns: columns.collect(),
            before,
            end,
            rows: 0,
            text: Vec::new(),
        }
    }

    /// Writes all rows of a batch.
    pub(crate) fn write(&mut self, batch: &Batch) -> Result<(), ConversionError> {
        let result = self.append(batch);
        // The lines before an invalid one are valid.
        self.out.write_all(&self.text)?;
        self.text.clear();
        result
    }

    fn append(&mut self, batch: &Batch) -> Result<(), ConversionError> {
        let mut cells: Vec<TextCells<'_>> = batch.columns.iter().map(TextCells::new).collect();
        for row in 0..batch.rows {
            let start = self.text.len();
            for ((cells, column), before) in
                cells.iter_mut().zip(&mut self.columns).zip(&self.before)
            {
                self.text.extend_from_slice(before);
                let written = column.append(cells, row, &mut self.text);
                if let Err(problem) = written {
                    self.text.truncate(start);
                    return Err(column.fail(problem, self.rows));
                }
            }
            self.text.extend_from_slice(self.end);
            self.rows += 1;
            if self.text.len() >= FULL {
                self.out.write_all(&self.text)?;
                self.text.clear();
            }
        }
        Ok(())
    }
}
