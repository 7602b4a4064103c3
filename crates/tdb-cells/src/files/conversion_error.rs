use std::error::Error;
use std::io;

use tdb_tile::{Datatype, ErrorKind};

/// Why cells could not be turned into what a format has, or not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConversionError {
    /// Text that is not UTF-8. [`OutputOptions::binary_strings`](crate::files::OutputOptions::binary_strings) takes it as it is.
    #[error("field {field:?}, cell {cell} of the result: not UTF-8")]
    NotUtf8 {
        /// Name of the field.
        field: String,
        /// Number of the cell in the result, from 0.
        cell: u64,
    },
    /// A value of an enumeration that is not UTF-8.
    #[error("enumeration {enumeration:?}, value {value}: not UTF-8")]
    ValueNotUtf8 {
        /// Name of the enumeration.
        enumeration: String,
        /// Number of the value, from 0.
        value: u64,
    },
    /// A date or time that the format's type cannot hold. [`OutputOptions::ticks`](crate::files::OutputOptions::ticks) gives all 64 bits.
    #[error("field {field:?}, cell {cell} of the result: {datatype} {ticks} is beyond {type_name}")]
    DateRange {
        /// Name of the field.
        field: String,
        /// Number of the cell in the result, from 0.
        cell: u64,
        /// Datatype of the field.
        datatype: Datatype,
        /// The value, as it is stored.
        ticks: i64,
        /// The type, as the format names it.
        type_name: String,
    },
    /// The format has no place for what the result holds.
    #[error("{what}")]
    Unfit {
        /// What does not fit where.
        what: String,
        /// What would help.
        hint: &'static str,
    },
    /// The memory of a column does not hold together: a defect of whoever made it.
    #[error("field {field:?}: {what}")]
    Column {
        /// Name of the field.
        field: String,
        /// What is wrong.
        what: &'static str,
    },
    /// The output could not be written.
    #[error("output: {0}")]
    Output(io::Error),
    /// The library that knows the format refused.
    #[error("{format}")]
    Library {
        /// Name of the format.
        format: &'static str,
        /// What the library says.
        source: Box<dyn Error + Send + Sync>,
    },
}

impl ConversionError {
    /// Whose fault it is, and so what the caller can do.
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

    /// What would help, if something would.
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

    /// The memory of a column does not hold together.
    #[must_use]
    pub fn column(field: &str, what: &'static str) -> Self {
        Self::Column {
            field: field.to_owned(),
            what,
        }
    }

    /// The library that knows the format refused.
    pub fn library(format: &'static str, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Library {
            format,
            source: source.into(),
        }
    }
}

impl From<io::Error> for ConversionError {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}
