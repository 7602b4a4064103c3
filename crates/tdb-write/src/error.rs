use tdb_array::{ArrayError, ErrorKind};
use tdb_cells::{CellProblem, CellsError, ColumnProblem};
use tdb_filters::FilterError;
use tdb_tile::{Bug, LimitError};

/// Why cells could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The options, or what is handed in, do not fit the array.
    #[error("{what}")]
    Invalid {
        /// What is wrong.
        what: String,
        /// What would help, if something would.
        hint: Option<String>,
    },
    /// A column that cannot be written.
    #[error("field {field:?}: {problem}")]
    Column {
        /// Name of the field.
        field: String,
        /// What is wrong with the column.
        problem: ColumnProblem,
    },
    /// A cell that cannot be written.
    #[error("field {field:?}, cell {cell}: {problem}")]
    Cell {
        /// Name of the field; where coordinates together are wrong, of the first dimension.
        field: String,
        /// Number of the cell among those handed in, from 0.
        cell: u64,
        /// What is wrong with it.
        problem: CellProblem,
    },
    /// Values that filters cannot encode.
    #[error("field {field:?}, tile {tile}")]
    Encode {
        /// Name of the field.
        field: String,
        /// Number of the tile that was to be written, from 0.
        tile: u64,
        /// What is wrong with it.
        source: Box<FilterError>,
    },
    /// Tiles that were to be copied cannot be read.
    #[error(transparent)]
    Cells(CellsError),
    /// The array, or an object of it, cannot be opened or written.
    #[error(transparent)]
    Array(#[from] ArrayError),
    /// A cap or the memory budget was reached.
    #[error(transparent)]
    Limit(#[from] LimitError),
    /// Cells that are to be written wait for others, and take more memory than the budget allows.
    #[error("cells that wait to be written: {limit}")]
    Waiting {
        /// What was asked for, and allowed.
        limit: LimitError,
        /// What would take less.
        hint: &'static str,
    },
    /// What cannot happen.
    #[error(transparent)]
    Bug(#[from] Bug),
}

/// A limit stays one, wherever it was reached.
impl From<CellsError> for WriteError {
    fn from(error: CellsError) -> Self {
        match error {
            CellsError::Limit(limit) => Self::Limit(limit),
            CellsError::Bug(bug) => Self::Bug(bug),
            error => Self::Cells(error),
        }
    }
}

impl WriteError {
    /// A request that is wrong, in words.
    pub(crate) fn invalid(what: impl Into<String>) -> Self {
        Self::Invalid {
            what: what.into(),
            hint: None,
        }
    }

    /// A request that is wrong, and the way out.
    pub(crate) fn invalid_with_hint(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Invalid {
            what: what.into(),
            hint: Some(hint.into()),
        }
    }

    /// The same where cells had been put in another order: `rows` says which each of them was.
    pub(crate) fn of_cell(self, rows: &[u32]) -> Self {
        match self {
            Self::Cell {
                field,
                cell,
                problem,
            } => Self::Cell {
                field,
                cell: usize::try_from(cell)
                    .ok()
                    .and_then(|cell| rows.get(cell))
                    .map_or(cell, |row| u64::from(*row)),
                problem,
            },
            other => other,
        }
    }

    /// Whose fault it is, and so what the caller can do.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Invalid { .. } | Self::Cell { .. } => ErrorKind::Invalid,
            Self::Column {
                problem: ColumnProblem::Filters(error),
                ..
            } => written_kind(error),
            Self::Column { .. } => ErrorKind::Invalid,
            Self::Encode { source, .. } => written_kind(source),
            Self::Cells(error) => error.kind(),
            Self::Array(error) => error.kind(),
            Self::Limit(_) | Self::Waiting { .. } => ErrorKind::Limit,
            Self::Bug(_) => ErrorKind::Bug,
        }
    }

    /// The fragment that cannot be read, where that is why.
    #[must_use]
    pub fn damaged_fragment(&self) -> Option<&str> {
        match self {
            Self::Cells(error) => error.damaged_fragment(),
            Self::Array(error) => error.damaged_fragment(),
            _ => None,
        }
    }

    /// The way out, if there is one.
    #[must_use]
    pub fn hint(&self) -> Option<&str> {
        match self {
            Self::Invalid { hint, .. } => hint.as_deref(),
            Self::Cells(error) => error.hint(),
            Self::Waiting { hint, .. } => Some(hint),
            _ => None,
        }
    }
}

/// What is written is the caller's, other than what is read.
fn written_kind(error: &FilterError) -> ErrorKind {
    match error.kind() {
        ErrorKind::Corrupt => ErrorKind::Invalid,
        kind => kind,
    }
}
