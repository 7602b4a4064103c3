//! The errors of the libraries, as failures of a verb.

use std::io;

use tdb_array::{ArrayError, ErrorKind, HasKind};
use tdb_cells::CellsError;
use tdb_cells::files::{ConversionError, InputError};
use tdb_condition::ConditionError;
use tdb_consolidate::MergeError;
use tdb_query::QueryError;
use tdb_schema::names::UnknownName;
use tdb_store::StoreError;
use tdb_tile::FormatVersion;
use tdb_write::WriteError;

use super::{Failure, KEY_HINT, NEWER_HINT, NO_SCHEMA_HINT, version_hint};

impl From<ArrayError> for Failure {
    fn from(error: ArrayError) -> Self {
        let hint = match &error {
            _ if error.kind() == ErrorKind::Crypto => Some(KEY_HINT),
            ArrayError::NoSuch { what: "array", .. } => Some(NO_SCHEMA_HINT),
            ArrayError::Newer { version, .. } if *version > FormatVersion::NEWEST.number() => {
                Some(NEWER_HINT)
            }
            _ => version_hint(&error),
        };
        Self {
            hint: hint.map(str::to_owned),
            ..Self::new(error.kind(), error)
        }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::new(error.kind(), error)
    }
}

/// Errors that say their kind and the way out.
macro_rules! failure_of {
    ($($error:ty),*) => {$(
        impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                let hint = error.hint().map(str::to_owned);
                Self {
                    hint,
                    ..Self::new(error.kind(), error)
                }
            }
        }
    )*};
}

failure_of!(
    CellsError,
    ConditionError,
    InputError,
    QueryError,
    WriteError
);

impl From<UnknownName> for Failure {
    fn from(error: UnknownName) -> Self {
        let hint = error.hint().to_owned();
        Self::new(ErrorKind::Invalid, error).hint(hint)
    }
}

/// What is wrong with the array is told as where it is opened.
impl From<MergeError> for Failure {
    fn from(error: MergeError) -> Self {
        match error {
            MergeError::Array(error) => error.into(),
            error => {
                let hint = error.hint().map(str::to_owned);
                Self {
                    hint,
                    ..Self::new(error.kind(), error)
                }
            }
        }
    }
}

impl From<ConversionError> for Failure {
    fn from(error: ConversionError) -> Self {
        let (kind, hint) = (error.kind(), error.hint());
        match error {
            ConversionError::Output(error) => error.into(),
            error => Self {
                hint: hint.map(str::to_owned),
                ..Self::new(kind, error)
            },
        }
    }
}

/// Failures of reading and writing are those of the output: what is stored is read through a store.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        let broken_pipe = error.kind() == io::ErrorKind::BrokenPipe;
        Self {
            broken_pipe,
            place: Some("output".to_owned()),
            ..Self::new(ErrorKind::Store, error)
        }
    }
}
