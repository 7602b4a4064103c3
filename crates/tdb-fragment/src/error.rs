use tdb_tile::{ErrorKind, HasKind, WireError};

/// The reasons why fragment metadata is invalid, or lacks what was requested.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FragmentError {
    /// The bytes of a record break the format, or exceed a limit.
    #[error(transparent)]
    Wire(#[from] WireError),
    /// Two facts do not agree, or a fact does not agree with the schema.
    #[error("{what} is {found}, expected {wanted}")]
    Mismatch {
        /// The quantity that was compared.
        what: &'static str,
        /// The value that the other facts require.
        wanted: u64,
        /// The value that is stored.
        found: u64,
    },
    /// A stored fact is invalid; the text states the finding.
    #[error("{0}")]
    Invalid(&'static str),
    /// An error that concerns a single field.
    #[error("field {field:?}: {error}")]
    Field {
        /// The name of the field.
        field: String,
        /// The error in the field.
        error: Box<FragmentError>,
    },
    /// The name of a field cannot be part of a file name.
    #[error("no file can be named after field {field:?}")]
    FileName {
        /// The name of the field.
        field: String,
    },
    /// The fragment lacks the field, or its version does not store the requested fact.
    #[error("format version {version} stores no {what} here")]
    NotStored {
        /// The requested fact.
        what: &'static str,
        /// The format version of the fragment.
        version: u32,
    },
}

impl FragmentError {
    /// Classifies the error by what the user can do about it.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            // The names of fields come from a stored schema.
            Self::FileName { .. } => ErrorKind::Corrupt,
            Self::NotStored { .. } => ErrorKind::Invalid,
            _ => self.wire().map_or(ErrorKind::Corrupt, WireError::kind),
        }
    }

    pub(crate) fn in_field(self, field: &str) -> Self {
        Self::Field {
            field: field.to_owned(),
            error: Box::new(self),
        }
    }

    /// Returns the [`WireError`] that caused this error, if any.
    #[must_use]
    pub fn wire(&self) -> Option<&WireError> {
        match self {
            Self::Wire(error) => Some(error),
            Self::Field { error, .. } => error.wire(),
            _ => None,
        }
    }
}

impl HasKind for FragmentError {
    fn kind(&self) -> ErrorKind {
        Self::kind(self)
    }
}
