//! Formats cells for people.

use std::ops::Range;

use tdb_cells::files::{ConversionError, OutputOptions};
use tdb_cells::{Batch, FieldInfo};

use super::column::{ColumnText, TextCells};
use super::syntax::{NULL, Syntax};

/// Formats the cells of a result for people: text unchanged, bytes as text if they are valid text.
#[derive(Debug)]
pub struct PlainText {
    columns: Vec<ColumnText>,
    text: Vec<u8>,
}

impl PlainText {
    /// Creates a formatter for results with these fields.
    #[must_use]
    pub fn new(fields: &[FieldInfo], options: OutputOptions) -> Self {
        let columns = fields
            .iter()
            .map(|field| ColumnText::new(field, options, Syntax::Plain));
        Self {
            columns: columns.collect(),
            text: Vec::new(),
        }
    }

    /// Calls `each` with the text of each cell of one column of a batch; `None` for null, NaT, or an index without a
    /// label. `first` is the number of the batch's first cell in the result, for errors.
    ///
    /// # Errors
    /// [`ConversionError::NotUtf8`]; [`ConversionError::Column`] if the column has fewer cells.
    pub fn for_each(
        &mut self,
        batch: &Batch,
        column: usize,
        rows: Range<usize>,
        first: u64,
        each: &mut dyn FnMut(Option<&str>),
    ) -> Result<(), ConversionError> {
        let columns = batch.columns.get(column).zip(self.columns.get_mut(column));
        let Some((cells, column)) = columns else {
            return Ok(());
        };
        let cells = TextCells::new(cells);
        for row in rows {
            self.text.clear();
            let number = first + row as u64;
            let written = column.append(&cells, row, &mut self.text);
            written.map_err(|problem| column.fail(problem, number))?;
            let text = std::str::from_utf8(&self.text);
            each(text.ok().filter(|_| self.text != [NULL]));
        }
        Ok(())
    }
}
