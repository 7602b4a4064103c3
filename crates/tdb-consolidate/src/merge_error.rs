use tdb_array::{ArrayError, ErrorKind};
use tdb_cells::CellsError;
use tdb_query::QueryError;
use tdb_tile::{Bug, HasKind};
use tdb_write::WriteError;

/// The reason why fragments could not be merged.
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
    /// A broken invariant: a defect of tdb.
    #[error(transparent)]
    Bug(#[from] Bug),
}

impl MergeError {
    /// Returns the kind of the error, by what the caller can do about it.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Array(error) => error.kind(),
            Self::Read(error) => error.kind(),
            Self::Write(error) => error.kind(),
            Self::Bug(_) => ErrorKind::Bug,
        }
    }

    /// Returns the name of the fragment that cannot be read, if that is the cause: everything else can be read without
    /// it ([`OpenOptions::without_fragments`](tdb_array::OpenOptions::without_fragments)).
    #[must_use]
    pub fn damaged_fragment(&self) -> Option<&str> {
        match self {
            Self::Array(error) => error.damaged_fragment(),
            Self::Read(error) => error.damaged_fragment(),
            Self::Write(error) => error.damaged_fragment(),
            Self::Bug(_) => None,
        }
    }

    /// Returns a hint for the user, if there is one.
    #[must_use]
    pub fn hint(&self) -> Option<&str> {
        match self {
            Self::Read(error) => error.hint(),
            Self::Write(error) => error.hint(),
            _ => None,
        }
    }
}

impl HasKind for MergeError {
    fn kind(&self) -> ErrorKind {
        Self::kind(self)
    }

    fn hint(&self) -> Option<&str> {
        Self::hint(self)
    }

    fn damaged_fragment(&self) -> Option<&str> {
        Self::damaged_fragment(self)
    }
}

/// Errors of the array are the same whether found by reading or by writing.
impl From<QueryError> for MergeError {
    fn from(error: QueryError) -> Self {
        match error {
            QueryError::Array(error) => Self::Array(error),
            error => Self::Read(error),
        }
    }
}

/// Errors of the array are the same whether found by reading or by writing.
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
