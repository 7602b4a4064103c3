use std::error::Error;
use std::io;

use tdb_tile::{Datatype, ErrorKind, HasKind};

/// Errors of converting cells into a file format, and of writing them.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConversionError {
    /// A text that is not UTF-8. [`OutputOptions::binary_strings`](crate::files::OutputOptions::binary_strings) writes
    /// such texts.
    #[error("field {field:?}, cell {cell} of the result: not UTF-8")]
    NotUtf8 {
        /// Name of the field.
        field: String,
        /// Number of the cell in the result, from 0.
        cell: u64,
    },
    /// A label of an enumeration that is not UTF-8.
    #[error("enumeration {enumeration:?}, value {value}: not UTF-8")]
    ValueNotUtf8 {
        /// Name of the enumeration.
        enumeration: String,
        /// Number of the label, from 0.
        value: u64,
    },
    /// A date or time that the format's type cannot represent.
    /// [`OutputOptions::ticks`](crate::files::OutputOptions::ticks) writes the 64-bit number instead.
    #[error("field {field:?}, cell {cell} of the result: {datatype} {ticks} is beyond {type_name}")]
    DateRange {
        /// Name of the field.
        field: String,
        /// Number of the cell in the result, from 0.
        cell: u64,
        /// Datatype of the field.
        datatype: Datatype,
        /// The stored value.
        ticks: i64,
        /// Name of the type in the format.
        type_name: String,
    },
    /// The format cannot represent something in the result.
    #[error("{what}")]
    Unfit {
        /// Description of what cannot be represented.
        what: String,
        /// How to proceed.
        hint: &'static str,
    },
    /// The parts of a column are inconsistent; the code that made the column is wrong.
    #[error("field {field:?}: {what}")]
    Column {
        /// Name of the field.
        field: String,
        /// Problem with the column.
        what: &'static str,
    },
    /// The output could not be written.
    #[error("output: {0}")]
    Output(#[source] io::Error),
    /// The library that implements the format reported an error.
    #[error("{format}")]
    Library {
        /// Name of the format.
        format: &'static str,
        /// The library's error.
        source: Box<dyn Error + Send + Sync>,
    },
}

impl ConversionError {
    /// The class of the error, which says what the caller can do.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::NotUtf8 { .. } | Self::ValueNotUtf8 { .. } | Self::Column { .. } => {
                ErrorKind::Corrupt
            }
            Self::DateRange { .. } => ErrorKind::Unsupported,
            Self::Unfit { .. } => ErrorKind::Invalid,
            Self::Output(_) | Self::Library { .. } => ErrorKind::Store,
        }
    }

    /// Advice on how to proceed, if there is any.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NotUtf8 { .. } | Self::ValueNotUtf8 { .. } => {
                Some("--binary-strings gives the bytes")
            }
            Self::DateRange { .. } => Some("--ticks gives the raw number"),
            Self::Unfit { hint, .. } => Some(hint),
            Self::Column { .. } | Self::Output(_) | Self::Library { .. } => None,
        }
    }

    /// Returns the error for a column whose parts are inconsistent.
    #[must_use]
    pub fn column(field: &str, what: &'static str) -> Self {
        Self::Column {
            field: field.to_owned(),
            what,
        }
    }

    /// Returns the error for a failure of the library that implements the format.
    pub fn library(format: &'static str, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Library {
            format,
            source: source.into(),
        }
    }
}

impl HasKind for ConversionError {
    fn kind(&self) -> ErrorKind {
        Self::kind(self)
    }

    fn hint(&self) -> Option<&str> {
        Self::hint(self)
    }
}

impl From<io::Error> for ConversionError {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}
