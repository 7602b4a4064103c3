//! Cells with the same coordinates: the rule that keeps or refuses them, and the first pair found.

use crate::WriteError;
use crate::options::{Duplicates, WriteOptions};
use crate::series::Series;

/// Two cells with the same coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RepeatedCell {
    /// The index of the later cell.
    pub cell: u64,
    /// The index of the cell before it.
    pub other: u64,
}

/// The rule by which a write treats cells with the same coordinates.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DuplicateRule {
    pub(crate) duplicates: Duplicates,
    /// Whether the write reports the first pair, although it keeps both.
    pub(crate) finds_first: bool,
}

impl DuplicateRule {
    /// The rule that keeps all cells and compares none.
    pub(crate) const KEEP: Self = Self {
        duplicates: Duplicates::Keep,
        finds_first: false,
    };

    /// Returns the rule of a write; `allowed` says whether the array allows duplicates.
    pub(crate) fn new(options: &WriteOptions, allowed: bool) -> Result<Self, WriteError> {
        let replacement = options.replacement.as_ref();
        if replacement.is_some_and(|replacement| replacement.has_timestamps) {
            return Ok(Self::KEEP);
        }
        let duplicates = match (options.duplicates, allowed) {
            (None, true) => Duplicates::Keep,
            (None, false) => Duplicates::Error,
            (Some(Duplicates::Keep), false) => return Err(WriteError::NoDuplicates),
            (Some(chosen), _) => chosen,
        };
        Ok(Self {
            duplicates,
            finds_first: options.finds_repeated,
        })
    }

    /// Whether cells with the same coordinates are kept, and need not be found.
    pub(crate) fn keeps_unseen(self) -> bool {
        self.duplicates == Duplicates::Keep && !self.finds_first
    }
}

/// The stored cells of a write, and the first of them with the same coordinates, if these were to be found.
#[derive(Debug)]
pub(crate) struct StoredCells {
    pub(crate) series: Series,
    pub(crate) repeated: Option<RepeatedCell>,
}

impl From<Series> for StoredCells {
    fn from(series: Series) -> Self {
        Self {
            series,
            repeated: None,
        }
    }
}
