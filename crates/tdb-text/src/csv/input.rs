//! Comma-separated values, from a reader of bytes to columns.

use std::io::Read;

use tdb_cells::files::{BatchReader, ColumnGuess, Input, InputError, InputOptions, by_name};
use tdb_cells::{Batch, FieldInfo};
use tdb_tile::Bug;

use super::records::Records;
use crate::text::cell::{CellReader, bytes_of, take_batch, zoned};
use crate::text::missing::Missing;
use crate::text::row_lines::RowLines;
use crate::text::typed::ColumnLook;

/// A file of comma-separated values with the names of the columns in its first line.
///
/// Nothing between two commas is null, and `""` an empty text, or null where the field has no empty cells. Lines end
/// with a line feed, with a carriage return before it or not; empty ones are passed over, unless there is one column
/// alone.
///
/// [`InputOptions::delimiter`], if there is none, is what of `,`, `;`, a tabulator and `|` divides the first lines into
/// as many fields each. [`InputOptions::missing`] are texts for missing cells.
pub struct CsvInput<R> {
    records: Records<R>,
    /// The names of the columns that are read.
    names: Vec<String>,
    /// Which columns of the file those are.
    kept: Vec<bool>,
    options: InputOptions,
}

impl<R: Read> CsvInput<R> {
    /// Reads the first line.
    ///
    /// # Errors
    /// No names, or one twice; columns that are chosen and not there; where the input fails.
    pub fn try_new(input: R, options: InputOptions) -> Result<Self, InputError> {
        let mut records = Records::new(input, &options);
        if options.delimiter.is_none() {
            records.sniff()?;
        }
        let Some(mut names) = records.first()? else {
            return Err(InputError::Unfit {
                what: "the input is empty".to_owned(),
                hint: "the first line has the names of the columns",
            });
        };
        // The null of a single column has nothing around it.
        records.takes_empty_lines = names.len() == 1;
        name_columns(&mut names, &options);
        let chosen = options.columns.names(&names)?;
        Ok(Self {
            records,
            kept: chosen.iter().map(Option::is_some).collect(),
            names: chosen.into_iter().flatten().collect(),
            options,
        })
    }
}

/// Names columns that have no name, as pandas leaves those of an index: the first one gets the name for that, others that
/// of their place, from 1.
fn name_columns(names: &mut [String], options: &InputOptions) {
    let columns = &options.columns;
    let Some(index) = columns.index.as_ref().filter(|_| !columns.mentions("")) else {
        return;
    };
    for place in 0..names.len() {
        let name = if place == 0 {
            index.clone()
        } else {
            format!("column_{}", place.saturating_add(1))
        };
        let is_free = !names.contains(&name);
        if let Some(nameless) = names
            .get_mut(place)
            .filter(|name| name.is_empty() && is_free)
        {
            *nameless = name;
        }
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
        let missing = Missing::of(&self.options);
        let reader =
            |field| CellReader::new(field, self.options.ticks).with_missing(missing.clone());
        Ok(Box::new(CsvCells {
            columns: columns.map(reader).collect(),
            kept: self.kept,
            names: self.names,
            records: self.records,
            batch_bytes: self.options.batch_bytes,
            lines: RowLines::default(),
            rows: 0,
        }))
    }

    fn guess(mut self: Box<Self>) -> Result<Vec<ColumnGuess>, InputError> {
        let missing = Missing::of(&self.options);
        let look = |name: &String| ColumnLook::new(name, &self.options, missing.clone());
        let mut guesses: Vec<ColumnLook> = self.names.iter().map(look).collect();
        let mut rows = 0_u64;
        while let Some(block) = self.records.block(self.kept.len(), usize::MAX)? {
            block.columns(&self.kept, &self.names, &mut guesses, ColumnLook::see)?;
            rows = rows.saturating_add(block.rows() as u64);
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
    names: Vec<String>,
    /// Which columns of the file those are.
    kept: Vec<bool>,
    batch_bytes: usize,
    lines: RowLines,
    rows: u64,
}

impl<R: Read + Send> BatchReader for CsvCells<R> {
    fn next(&mut self) -> Result<Option<Batch>, InputError> {
        let mut rows = 0_usize;
        let most = (self.batch_bytes / 4).max(1);
        while let Some(block) = self.records.block(self.kept.len(), most)? {
            block.columns(
                &self.kept,
                &self.names,
                &mut self.columns,
                CellReader::append,
            )?;
            for line in block.lines() {
                self.lines.note(self.rows, *line);
                self.rows = self.rows.saturating_add(1);
            }
            rows = rows.saturating_add(block.rows());
            if bytes_of(&self.columns) >= self.batch_bytes {
                break;
            }
        }
        self.records.let_go();
        Ok(take_batch(&mut self.columns, rows))
    }

    fn line(&self, row: u64) -> Option<u64> {
        self.lines.of(row)
    }

    fn zoned(&self) -> Vec<String> {
        zoned(&self.columns)
    }
}
