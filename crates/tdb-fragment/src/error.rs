use tdb_tile::{ErrorKind, WireError};

/// What is wrong with the metadata of a fragment, or was asked of it in vain.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FragmentError {
    /// The bytes of a record break the format, or a limit was reached.
    #[error(transparent)]
    Wire(#[from] WireError),
    /// Two facts do not agree, or one does not agree with the schema.
    #[error("{what} is {found}, expected {wanted}")]
    Mismatch {
        /// What was compared.
        what: &'static str,
        /// What follows from the rest.
        wanted: u64,
        /// What is stored.
        found: u64,
    },
    /// A fact makes no sense; the text states the finding.
    #[error("{0}")]
    Invalid(&'static str),
    /// What is wrong concerns one field.
    #[error("field {field:?}: {error}")]
    Field {
        /// Name of the field.
        field: String,
        /// What is wrong.
        error: Box<FragmentError>,
    },
    /// The name of a field does not make the name of a file in the fragment.
    #[error("no file can be named after field {field:?}")]
    FileName {
        /// Name of the field.
        field: String,
    },
    /// The fragment has no such field, or its version stores no such fact.
    #[error("format version {version} stores no {what} here")]
    NotStored {
        /// What was asked for.
        what: &'static str,
        /// The version of the fragment.
        version: u32,
    },
}

impl FragmentError {
    /// What can be done about it.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            // The names of fields stand in a stored schema.
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

    /// The error of the bytes behind this one, if it is one.
    #[must_use]
    pub fn wire(&self) -> Option<&WireError> {
        match self {
            Self::Wire(error) => Some(error),
            Self::Field { error, .. } => error.wire(),
            _ => None,
        }
    }
}
