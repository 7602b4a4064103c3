//! Buffered cells, and the memory that they take from the budget.

use tdb_tile::{Budget, Bug, Exact, Grant, LimitError};

use crate::WriteError;
use crate::input::CheckedCells;

/// Converts a budget error into the error of the write.
pub(crate) type Refuse = fn(LimitError) -> WriteError;

/// Buffered cells in the order of arrival. The memory of a batch is taken from the budget only when the next batch
/// arrives: until then it still belongs to the caller, and may be written without waiting.
#[derive(Debug, Default)]
pub(crate) struct BufferedCells {
    /// The budget; `None` if the cells do not count.
    budget: Option<Budget>,
    parts: Vec<CheckedCells>,
    grants: Vec<Grant>,
    rows: usize,
    bytes: usize,
    /// Size in bytes of the last batch, which does not count yet.
    last: usize,
}

/// Cells, with grants for their memory.
#[derive(Debug, Default)]
pub(crate) struct JoinedCells {
    pub(crate) cells: CheckedCells,
    #[expect(dead_code, reason = "given back when it is dropped")]
    grants: Vec<Grant>,
}

impl BufferedCells {
    pub(crate) fn within(budget: Option<Budget>) -> Self {
        Self {
            budget,
            ..Self::default()
        }
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// Number of batches.
    pub(crate) fn parts(&self) -> usize {
        self.parts.len()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Takes memory from the budget.
    fn take(&self, bytes: usize) -> Result<Option<Grant>, LimitError> {
        let budget = self.budget.as_ref();
        budget.map(|budget| budget.take(bytes as u64)).transpose()
    }

    /// Adds a batch of cells.
    pub(crate) fn push(&mut self, cells: CheckedCells, refuse: Refuse) -> Result<(), WriteError> {
        let bytes = cells.size_in_memory();
        if self.last > 0 {
            self.grants.extend(self.take(self.last).map_err(refuse)?);
        }
        self.last = bytes;
        self.rows = self.rows.exact_add(cells.rows)?;
        self.bytes = self.bytes.exact_add(bytes)?;
        self.parts.push(cells);
        Ok(())
    }

    /// Passes all buffered cells to `take`, in the order of arrival, and releases each batch afterwards.
    pub(crate) fn for_each(
        &mut self,
        mut take: impl FnMut(&CheckedCells) -> Result<(), WriteError>,
    ) -> Result<(), WriteError> {
        let waiting = std::mem::replace(self, Self::within(self.budget.clone()));
        let Self { parts, grants, .. } = waiting;
        let mut grants = grants.into_iter();
        for cells in parts {
            take(&cells)?;
            drop(cells);
            drop(grants.next());
        }
        Ok(())
    }

    /// Removes all buffered cells and returns them as one block; several batches are copied together.
    pub(crate) fn join(&mut self, refuse: Refuse) -> Result<JoinedCells, WriteError> {
        let copy = match self.parts.len() {
            0 | 1 => None,
            _ => self.take(self.bytes).map_err(refuse)?,
        };
        let Self {
            mut parts,
            mut grants,
            ..
        } = std::mem::replace(self, Self::within(self.budget.clone()));
        if parts.len() <= 1 {
            #[expect(
                clippy::disallowed_methods,
                reason = "where none wait, there are no cells"
            )]
            let cells = parts.pop().unwrap_or_default();
            return Ok(JoinedCells { cells, grants });
        }
        let all: Vec<_> = parts.iter().map(|part| (part, 0..part.rows)).collect();
        let cells = CheckedCells::join(&all)?;
        grants.clear();
        grants.extend(copy);
        Ok(JoinedCells { cells, grants })
    }

    /// Makes a copy of cells by `copy`, after taking its memory from the budget.
    pub(crate) fn copied(
        &self,
        cells: &CheckedCells,
        copy: impl FnOnce(&CheckedCells) -> Result<CheckedCells, Bug>,
        refuse: Refuse,
    ) -> Result<JoinedCells, WriteError> {
        let grant = self.take(cells.size_in_memory()).map_err(refuse)?;
        Ok(JoinedCells {
            cells: copy(cells)?,
            grants: grant.into_iter().collect(),
        })
    }
}
