//! Cells that come in any order, and are given in that of some fields.

use tdb_cells::{Batch, Session};

use super::kept::Kept;
use super::sorting::{SortKey, sort};
use super::spilled::{Merged, SortedRuns};
use crate::Result;

/// Takes cells; those that memory does not hold are kept in the temporary folder.
#[derive(Debug)]
pub(crate) struct Sorter {
    keys: Vec<SortKey>,
    kept: Kept,
    runs: SortedRuns,
}

/// Cells in order.
#[derive(Debug)]
pub(crate) struct SortedCells(Source);

#[derive(Debug)]
enum Source {
    Kept(Kept),
    Merged(Box<Merged>),
}

impl Sorter {
    /// For an order by these fields, from the least value of each on, if the session has a temporary folder.
    pub(crate) fn new(session: &Session, by: &[String]) -> Option<Self> {
        let key = |field: &String| SortKey {
            field: field.clone(),
            descending: false,
        };
        let keys: Vec<SortKey> = by.iter().map(key).collect();
        Some(Self {
            runs: SortedRuns::new(session, &keys)?,
            kept: Kept::new(&session.limits().budget),
            keys,
        })
    }

    pub(crate) fn add(&mut self, batch: Batch) -> Result<()> {
        self.kept.add(batch)?;
        if self.runs.is_too_much(self.kept.bytes()) {
            self.runs.spill(&mut self.kept)?;
        }
        Ok(())
    }

    /// All cells; equal ones as they came.
    pub(crate) fn finish(mut self) -> Result<SortedCells> {
        if self.runs.is_empty() {
            sort(&mut self.kept, &self.keys)?;
            return Ok(SortedCells(Source::Kept(self.kept)));
        }
        if self.kept.rows() > 0 {
            self.runs.spill(&mut self.kept)?;
        }
        let merged = self.runs.finish(None, 0, None)?;
        Ok(SortedCells(Source::Merged(Box::new(merged))))
    }
}

impl SortedCells {
    /// The next cells, at most `most`.
    pub(crate) fn next(&mut self, most: usize) -> Result<Option<Batch>> {
        match &mut self.0 {
            Source::Kept(kept) => kept.next(most),
            Source::Merged(merged) => merged.next(most),
        }
    }
}
