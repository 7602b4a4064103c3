//! Comma-separated values, from a reader of bytes to columns.

use std::io::Read;

use tdb_cells::files::{BatchReader, ColumnGuess, Input, InputError, InputOptions, Place, by_name};
use tdb_cells::{Batch, FieldInfo};
use tdb_tile::Bug;

use super::records::Records;
use crate::text::cell::{CellReader, Token, bytes_of, take_batch};
use crate::text::guess::TextGuess;
use crate::text::row_lines::RowLines;

/// A file of comma-separated values with the names of the columns in its first line.
///
/// Nothing between two commas is null, and `""` an empty text, or null where the field has no empty cells. Lines end
/// with a line feed, with a carriage return before it or not; empty ones are passed over, unless there is one column
/// alone.
pub struct CsvInput<R> {
    records: Records<R>,
    names: Vec<String>,
    options: InputOptions,
}

impl<R: Read> CsvInput<R> {
    /// Reads the first line.
    ///
    /// # Errors
    /// No names, or one twice; where the input fails.
    pub fn try_new(input: R, options: InputOptions) -> Result<Self, InputError> {
        let mut records = Records::new(input, options);
        if !records.next()? {
            return Err(InputError::Unfit {
                what: "the input is empty".to_owned(),
                hint: "the first line has the names of the columns",
            });
        }
        let names = records.fields().map(|field| Ok(field?.0.to_owned()));
        let names: Vec<String> = names.collect::<Result<_, InputError>>()?;
        // The null of a single column has nothing around it.
        records.takes_empty_lines = names.len() == 1;
        Ok(Self {
            records,
            names,
            options,
        })
    }
}

impl<R: Read + Send> Input for CsvInput<R> {
    fn names(&self) -> &[String] {
        &self.names
    }

    fn cells<'a>(
        self: Box<Self>,
        fields: &[FieldInfo],
    ) -> Result<Box<dyn BatchReader + 'a>, InputError>
    where
        Self: 'a,
    {
        let places = by_name(&self.names, fields)?;
        let columns = places.iter().filter_map(|place| fields.get(*place));
        Ok(Box::new(CsvCells {
            columns: columns
                .map(|field| CellReader::new(field, self.options.ticks))
                .collect(),
            records: self.records,
            batch_bytes: self.options.batch_bytes,
            lines: RowLines::default(),
            rows: 0,
        }))
    }

    fn guess(mut self: Box<Self>) -> Result<Vec<ColumnGuess>, InputError> {
        let mut guesses: Vec<TextGuess> =
            self.names.iter().map(|name| TextGuess::new(name)).collect();
        let mut rows = 0_u64;
        while self.records.next()? {
            self.records.check_count(guesses.len())?;
            let line = Place::Line(self.records.line);
            for (field, guess) in self.records.fields().zip(&mut guesses) {
                let seen = guess.see(token(field?));
                seen.map_err(|what| InputError::record(line, what))?;
            }
            rows = rows.saturating_add(1);
        }
        let guesses = guesses.into_iter().map(|guess| guess.finish(rows));
        Ok(guesses.collect::<Result<_, Bug>>()?)
    }
}

/// The cells of a file, once it is known what they are to be.
struct CsvCells<R> {
    records: Records<R>,
    /// In the order of the file.
    columns: Vec<CellReader>,
    batch_bytes: usize,
    lines: RowLines,
    rows: u64,
}

impl<R: Read + Send> BatchReader for CsvCells<R> {
    fn next(&mut self) -> Result<Option<Batch>, InputError> {
        let mut rows = 0_usize;
        let mut start = self.records.consumed;
        while self.records.next()? {
            self.records.check_count(self.columns.len())?;
            for (field, column) in self.records.fields().zip(&mut self.columns) {
                column
                    .append(token(field?))
                    .map_err(|what| InputError::Cell {
                        field: column.column.field().name.clone(),
                        place: Place::Line(self.records.line),
                        what,
                    })?;
            }
            self.lines.note(self.rows, self.records.line);
            self.rows = self.rows.saturating_add(1);
            rows = rows.saturating_add(1);
            // Looking at all columns each time would cost more than it tells.
            if self.records.consumed.saturating_sub(start) >= self.batch_bytes as u64 / 4 {
                if bytes_of(&self.columns) >= self.batch_bytes {
                    break;
                }
                start = self.records.consumed;
            }
        }
        self.records.let_go();
        Ok(take_batch(&mut self.columns, rows))
    }

    fn line(&self, row: u64) -> Option<u64> {
        self.lines.of(row)
    }
}

/// What a field between commas stands for.
fn token((text, is_quoted): (&str, bool)) -> Token<'_> {
    match text {
        "" if !is_quoted => Token::Null,
        text => Token::Field(text),
    }
}
