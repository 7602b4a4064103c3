//! Sorting cells that arrive in any order.

use tdb_cells::{Batch, Session};

use super::kept_cells::KeptCells;
use super::sorted_runs::{MergedRuns, SortedRuns};
use super::sorting::{SortKey, sort};
use crate::QueryError;

/// Collects cells; those that do not fit into memory are spilled to the temporary folder.
#[derive(Debug)]
pub struct Sorter {
    keys: Vec<SortKey>,
    kept: KeptCells,
    runs: SortedRuns,
}

/// Source of sorted cells, read batch by batch with `next`.
#[derive(Debug)]
pub struct SortedCells(Source);

#[derive(Debug)]
enum Source {
    Kept(KeptCells),
    Merged(Box<MergedRuns>),
}

impl Sorter {
    /// Creates a sorter that sorts by the fields `by`, ascending; `None` if the session has no temporary folder.
    #[must_use]
    pub fn new(session: &Session, by: &[String]) -> Option<Self> {
        let key = |field: &String| SortKey {
            field: field.clone(),
            descending: false,
        };
        let keys: Vec<SortKey> = by.iter().map(key).collect();
        Some(Self {
            runs: SortedRuns::new(session, &keys)?,
            kept: KeptCells::new(&session.limits().budget),
            keys,
        })
    }

    /// Adds cells.
    ///
    /// # Errors
    /// Fails if they fit neither into memory nor into the temporary folder.
    pub fn add(&mut self, batch: Batch) -> Result<(), QueryError> {
        self.kept.add(batch)?;
        if self.runs.is_too_much(self.kept.bytes()) {
            self.runs.spill(&mut self.kept)?;
        }
        Ok(())
    }

    /// Sorts all cells; equal ones stay in the order in which they were added.
    ///
    /// # Errors
    /// Fails if the temporary folder fails, or if the fields are not in the batches.
    pub fn finish(mut self) -> Result<SortedCells, QueryError> {
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
    /// Returns the next cells, at most `most`; `None` at the end.
    ///
    /// # Errors
    /// Fails if the temporary folder fails.
    pub fn next(&mut self, most: usize) -> Result<Option<Batch>, QueryError> {
        match &mut self.0 {
            Source::Kept(kept) => kept.next(most),
            Source::Merged(merged) => merged.next(most),
        }
    }
}
