use tdb_array::{ArrayError, ErrorKind};
use tdb_cells::CellsError;
use tdb_query::QueryError;
use tdb_tile::Bug;
use tdb_write::WriteError;

/// Why fragments could not be merged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MergeError {
    /// The array cannot be opened, or its lists cannot be changed.
    #[error(transparent)]
    Array(#[from] ArrayError),
    /// The cells of the fragments cannot be read.
    #[error(transparent)]
    Read(QueryError),
    /// The merged fragments cannot be written.
    #[error(transparent)]
    Write(WriteError),
    /// What cannot happen.
    #[error(transparent)]
    Bug(#[from] Bug),
}

impl MergeError {
    /// Whose fault it is, and so what the caller can do.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Array(error) => error.kind(),
            Self::Read(error) => error.kind(),
            Self::Write(error) => error.kind(),
            Self::Bug(_) => ErrorKind::Bug,
        }
    }

    /// The fragment that cannot be read, where that is why: what else there is can be read without it
    /// ([`OpenOptions::without_fragments`](tdb_array::OpenOptions::without_fragments)).
    #[must_use]
    pub fn damaged_fragment(&self) -> Option<&str> {
        match self {
            Self::Array(error) => error.damaged_fragment(),
            Self::Read(error) => error.damaged_fragment(),
            Self::Write(error) => error.damaged_fragment(),
            Self::Bug(_) => None,
        }
    }

    /// The way out, if there is one.
    #[must_use]
    pub fn hint(&self) -> Option<&str> {
        match self {
            Self::Read(error) => error.hint(),
            Self::Write(error) => error.hint(),
            _ => None,
        }
    }
}

/// What is wrong with the array is that, whoever found it.
impl From<QueryError> for MergeError {
    fn from(error: QueryError) -> Self {
        match error {
            QueryError::Array(error) => Self::Array(error),
            error => Self::Read(error),
        }
    }
}

/// What is wrong with the array is that, whoever found it.
impl From<WriteError> for MergeError {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::Array(error) => Self::Array(error),
            error => Self::Write(error),
        }
    }
}

impl From<CellsError> for MergeError {
    fn from(error: CellsError) -> Self {
        Self::Read(error.into())
    }
}
