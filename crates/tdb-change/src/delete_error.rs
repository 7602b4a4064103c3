use tdb_array::{ArrayError, ErrorKind};
use tdb_cells::CellsError;
use tdb_condition::ConditionError;
use tdb_query::QueryError;
use tdb_tile::{Bug, HasKind, LimitError};

/// Reason why cells could not be deleted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DeleteError {
    /// A delete whose stored form would also delete cells that do not match its condition.
    #[error(
        "the condition fits {fitting} cells, and the delete would take {taken}: what is stored of it also takes cells that are {which}"
    )]
    TakesMore {
        /// Number of cells that match the condition.
        fitting: u64,
        /// Number of cells that would be deleted.
        taken: u64,
        /// Possible kinds of the other cells: null, without a label, NaN or NaT in a field, or older than a field.
        which: String,
    },
    /// The array allows cells with the same coordinates, and a delete by coordinates would delete cells that do not
    /// match.
    #[error(
        "the condition fits {fitting} cells, and a delete by their coordinates would take {taken}: others have the same coordinates"
    )]
    SharedCoordinates {
        /// Number of cells that match the condition.
        fitting: u64,
        /// Number of cells that would be deleted.
        taken: u64,
    },
    /// The cells to delete by coordinates need more tests than a delete may have.
    #[error(
        "the coordinates of the cells take {tests} tests, and a delete may have {most}: every later read goes through all of them"
    )]
    TooManyPlaces {
        /// Number of tests that the coordinates need.
        tests: u64,
        /// Maximum number of tests of a delete.
        most: u64,
    },
    /// A condition that cannot be resolved against the fields of the array, or that a delete cannot store.
    #[error(transparent)]
    Condition(ConditionError),
    /// The cells cannot be read, or the delete cannot be stored.
    #[error(transparent)]
    Query(QueryError),
}

impl DeleteError {
    /// Returns the category of the error, by which the caller can decide what to do.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::TakesMore { .. } | Self::SharedCoordinates { .. } => ErrorKind::Invalid,
            Self::TooManyPlaces { .. } => ErrorKind::Limit,
            Self::Condition(error) => error.kind(),
            Self::Query(error) => error.kind(),
        }
    }

    /// Returns a hint on how to avoid the error, if there is one.
    #[must_use]
    pub fn hint(&self) -> Option<&str> {
        match self {
            Self::TakesMore { .. }
            | Self::SharedCoordinates { .. }
            | Self::TooManyPlaces { .. } => None,
            Self::Condition(error) => error.hint(),
            Self::Query(error) => error.hint(),
        }
    }
}

impl HasKind for DeleteError {
    fn kind(&self) -> ErrorKind {
        Self::kind(self)
    }

    fn hint(&self) -> Option<&str> {
        Self::hint(self)
    }
}

/// A condition fails in the same way whether it is read by or stored.
impl From<QueryError> for DeleteError {
    fn from(error: QueryError) -> Self {
        match error {
            QueryError::Condition(error) => Self::Condition(error),
            error => Self::Query(error),
        }
    }
}

impl From<ConditionError> for DeleteError {
    fn from(error: ConditionError) -> Self {
        Self::Condition(error)
    }
}

impl From<ArrayError> for DeleteError {
    fn from(error: ArrayError) -> Self {
        Self::Query(error.into())
    }
}

impl From<CellsError> for DeleteError {
    fn from(error: CellsError) -> Self {
        Self::Query(error.into())
    }
}

impl From<LimitError> for DeleteError {
    fn from(error: LimitError) -> Self {
        Self::Query(error.into())
    }
}

impl From<Bug> for DeleteError {
    fn from(error: Bug) -> Self {
        Self::Query(error.into())
    }
}
