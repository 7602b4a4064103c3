use std::sync::Arc;

use tdb_array::{Array, ChangeOptions, CommittedNames, SealedFragment, TimestampedName};
use tdb_fragment::ConditionTree;

use crate::{RepeatedCell, WriteError};

/// Fragments that are completely stored but not yet part of the array. If this is dropped, they are removed.
#[derive(Debug)]
pub struct SealedWrite {
    array: Arc<Array>,
    fragments: Vec<SealedFragment>,
    rows: u64,
    repeated: Option<RepeatedCell>,
}

impl SealedWrite {
    pub(crate) fn new(array: Arc<Array>, fragments: Vec<SealedFragment>, rows: u64) -> Self {
        Self {
            array,
            fragments,
            rows,
            repeated: None,
        }
    }

    pub(crate) fn with_repeated(self, repeated: Option<RepeatedCell>) -> Self {
        Self { repeated, ..self }
    }

    /// The first two cells with the same coordinates, if [they were to be found](crate::WriteOptions::finds_repeated)
    /// and there are some; not those of a write that was [added](SealedWrite::with). If cells were spilled to a temporary store, the indexes are those in global order.
    #[must_use]
    pub fn repeated(&self) -> Option<RepeatedCell> {
        self.repeated
    }

    /// Number of cells.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The latest timestamp of the cells, in milliseconds since 1970; `None` if there are no cells.
    #[must_use]
    pub fn last_time(&self) -> Option<u64> {
        let names = self.fragments.iter().map(SealedFragment::name);
        names.map(TimestampedName::end).max()
    }

    /// Adds the fragments of another write into the same array; all become visible in the same commit.
    #[must_use]
    pub fn with(mut self, other: Self) -> Self {
        self.fragments.extend(other.fragments);
        self.rows += other.rows;
        self
    }

    /// Makes all cells visible at once.
    ///
    /// # Errors
    /// Several fragments in a format version before 12, which cannot commit them together; errors of the store.
    pub fn commit(self) -> Result<CommittedNames, WriteError> {
        let mut fragments = self.fragments;
        let names = match (fragments.pop(), fragments.is_empty()) {
            (Some(only), true) => vec![only.commit()?],
            (last, _) => {
                fragments.extend(last);
                self.array.commit_together(fragments)?
            }
        };
        Ok(CommittedNames {
            fragments: names,
            delete: None,
        })
    }

    /// Like [`SealedWrite::commit`], together with a delete; see
    /// [`Writer::finish_with_delete`](crate::Writer::finish_with_delete).
    ///
    /// # Errors
    /// Errors of [`SealedWrite::commit`] and of [`Array::delete_cells`].
    pub fn commit_with_delete(
        self,
        kept: &ConditionTree,
        change: &ChangeOptions,
    ) -> Result<CommittedNames, WriteError> {
        Ok(self
            .array
            .commit_with_delete(self.fragments, kept, change)?)
    }
}
