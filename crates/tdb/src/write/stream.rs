//! A write that takes cells batch by batch.

use tdb_cells::Batch;
use tdb_change::{Replacing, WrittenCells};
use tdb_open::Result;
use tdb_write::Writer;

use crate::Array;

/// A write that takes cells batch by batch.
#[derive(Debug)]
#[must_use = "nothing is part of the array before the stream is finished"]
pub struct WriteStream {
    pub(super) array: Array,
    pub(super) sink: Sink,
    pub(super) dry_run: bool,
}

/// Destination of the pushed cells.
#[derive(Debug)]
pub(super) enum Sink {
    New(Writer),
    Replacing(Box<Replacing>),
}

impl WriteStream {
    /// Adds the cells of a batch.
    ///
    /// # Errors
    /// Fails if cells do not fit the array; nothing of the write is stored then.
    pub fn push(&mut self, batch: &Batch) -> Result<()> {
        match &mut self.sink {
            Sink::New(writer) => writer.push(batch).map_err(|error| self.array.failed(error)),
            Sink::Replacing(replacing) => replacing.push(batch),
        }
    }

    /// Returns the number of cells pushed so far.
    #[must_use]
    pub fn rows(&self) -> u64 {
        match &self.sink {
            Sink::New(writer) => writer.rows(),
            Sink::Replacing(replacing) => replacing.rows(),
        }
    }

    /// Commits all cells at once.
    ///
    /// # Errors
    /// Fails if the store fails, or if cells have equal coordinates and the array does not allow duplicates.
    pub fn finish(self) -> Result<WrittenCells> {
        let writer = match self.sink {
            Sink::New(writer) => writer,
            Sink::Replacing(replacing) => return replacing.finish(),
        };
        let cells = writer.rows();
        if self.dry_run {
            return Ok(written(cells, Vec::new()));
        }
        let fragments = writer.finish().map_err(|error| self.array.failed(error))?;
        let names = fragments.iter().map(|name| name.as_str().to_owned());
        Ok(written(cells, names.collect()))
    }
}

fn written(cells: u64, fragments: Vec<String>) -> WrittenCells {
    let mut written = WrittenCells::default();
    written.cells = cells;
    written.fragments = fragments;
    written
}
