//! The way in: files, batch by batch, as cells that [`tdb_write::Writer`] takes.

mod arrow;
mod arrow_guess;
#[cfg(any(feature = "csv", feature = "json"))]
mod builder;
#[cfg(any(feature = "csv", feature = "json"))]
mod cell;
mod convert;
#[cfg(feature = "csv")]
mod csv;
mod error;
mod form;
mod guess;
#[cfg(feature = "ipc")]
mod ipc;
#[cfg(feature = "json")]
mod json;
#[cfg(any(feature = "csv", feature = "json"))]
mod lines;
#[cfg(feature = "npy")]
mod npy;
mod numbers;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(feature = "csv")]
mod records;
mod size;
#[cfg(any(feature = "csv", feature = "json"))]
mod text_guess;

use std::collections::HashMap;

use tdb_cells::{Batch, FieldInfo};
use tdb_schema::names::UnknownName;

#[cfg(feature = "parquet")]
pub use self::parquet::parquet_input;
pub use arrow::{ArrowInput, panics_are_errors};
#[cfg(feature = "csv")]
pub use csv::CsvInput;
pub use error::{InputError, Place};
pub use guess::{ColumnGuess, Labels};
#[cfg(feature = "ipc")]
pub use ipc::{ipc_file_input, ipc_stream_input};
#[cfg(feature = "json")]
pub use json::JsonLinesInput;
#[cfg(any(feature = "csv", feature = "json"))]
use lines::Lines;
#[cfg(feature = "npy")]
pub use npy::{NpyShape, npy_input};

/// How files are read.
#[derive(Clone, Copy, Debug)]
pub struct InputOptions {
    /// Dates and times are raw 64-bit numbers.
    pub ticks: bool,
    /// What stands between the fields of CSV.
    pub delimiter: u8,
    /// Bytes of cells that a batch has at most, more or less.
    pub batch_bytes: usize,
    /// Bytes that one line of text may have.
    pub record_bytes: usize,
    /// Bytes that one batch of Arrow or Parquet may take: its cells one by one, and what they are unpacked from.
    pub memory: u64,
}

impl Default for InputOptions {
    fn default() -> Self {
        Self {
            ticks: false,
            delimiter: b',',
            batch_bytes: 8 << 20,
            record_bytes: 64 << 20,
            memory: 1 << 30,
        }
    }
}

/// A file whose columns are known by name, and nothing else of it.
pub trait Input {
    /// The names of the columns, in the order of the file.
    fn names(&self) -> &[String];

    /// Goes on to read cells of these fields, one for each column.
    ///
    /// # Errors
    /// A column that is no field, a field that has no column, and types that do not fit.
    fn cells<'a>(
        self: Box<Self>,
        fields: &[FieldInfo],
    ) -> Result<Box<dyn BatchReader + 'a>, InputError>
    where
        Self: 'a;

    /// Reads all of the file to tell what fields would take its columns.
    ///
    /// # Errors
    /// What no field would take, and a file that does not hold together.
    fn guess(self: Box<Self>) -> Result<Vec<ColumnGuess>, InputError>;
}

/// Cells of a file, batch by batch.
pub trait BatchReader {
    /// The next batch, of which there is one at least for every file with a cell.
    ///
    /// # Errors
    /// Cells that are none of their field, and a file that does not hold together.
    fn next(&mut self) -> Result<Option<Batch>, InputError>;

    /// The line of the text at which a row begins, where the input is text and rows have been read so far.
    fn line(&self, row: u64) -> Option<u64>;
}

/// Rows of a batch, where a row has so many bytes.
#[cfg(any(feature = "npy", feature = "parquet"))]
fn rows_of_batch(options: InputOptions, size: u64) -> usize {
    let rows = (options.batch_bytes as u64)
        .checked_div(size)
        .unwrap_or(u64::MAX);
    // Very wide rows come one by one, very narrow ones not all at once.
    usize::try_from(rows.clamp(1, 1 << 20)).unwrap_or(1 << 20)
}

/// Which field each of the names is of.
pub(crate) fn by_name(names: &[String], fields: &[FieldInfo]) -> Result<Vec<usize>, InputError> {
    let known = || fields.iter().map(|field| field.name.as_str());
    let by_name: HashMap<&str, usize> = known().zip(0..).collect();
    let mut is_there = vec![false; fields.len()];
    let mut places = Vec::new();
    for name in names {
        let place = by_name.get(name.as_str()).copied();
        let Some((place, seen)) = place.and_then(|place| Some((place, is_there.get_mut(place)?)))
        else {
            let error = UnknownName::new("field", name, known());
            return Err(InputError::Names(error));
        };
        if std::mem::replace(seen, true) {
            return Err(InputError::column(name, "is there twice"));
        }
        places.push(place);
    }
    for (is_there, field) in is_there.iter().zip(fields) {
        if !is_there {
            let known = names.iter().map(String::as_str);
            let error = UnknownName::new("column", &field.name, known);
            return Err(InputError::Names(error));
        }
    }
    Ok(places)
}
