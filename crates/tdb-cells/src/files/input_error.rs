use std::error::Error;
use std::{fmt, io};

use tdb_schema::names::UnknownName;
use tdb_tile::{Bug, ErrorKind, HasKind, LimitError};

/// Place of a cell in an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputPlace {
    /// Line of a text, from 1.
    Line(u64),
    /// Row of a table, from 0.
    Row(u64),
}

impl fmt::Display for InputPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(f, "line {line}"),
            Self::Row(row) => write!(f, "row {row}"),
        }
    }
}

/// Errors of reading cells from a file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// A cell that its field cannot store.
    #[error("{place}, field {field:?}: {what}")]
    Cell {
        /// Name of the field.
        field: String,
        /// Place of the cell.
        place: InputPlace,
        /// Problem with the cell.
        what: String,
        /// Advice on how to proceed, if there is any.
        hint: Option<&'static str>,
    },
    /// A line that is not UTF-8.
    #[error("{place}: not UTF-8")]
    NotUtf8 {
        /// Place of the line.
        place: InputPlace,
    },
    /// A line or row that is malformed.
    #[error("{place}: {what}")]
    Record {
        /// Place of the line or row.
        place: InputPlace,
        /// Problem with the line or row.
        what: String,
    },
    /// A column whose type does not match its field.
    #[error("column {column:?}: {what}")]
    Column {
        /// Name of the column.
        column: String,
        /// Problem with the column.
        what: String,
    },
    /// A column of a type that has no TileDB datatype.
    #[error("column {column:?}: TileDB has no datatype for {data_type}")]
    NoDatatype {
        /// Name of the column.
        column: String,
        /// The column's type, as the format calls it.
        data_type: String,
        /// How to continue without this column and others like it.
        hint: String,
    },
    /// A column for which the array has no field, or a field without a column.
    #[error(transparent)]
    Names(UnknownName),
    /// A key of a JSON line for which the array has no field.
    #[error("{place}: {error}")]
    Key {
        /// Place of the line.
        place: InputPlace,
        /// The unknown key.
        error: UnknownName,
    },
    /// The file as a whole cannot be read into the array.
    #[error("{what}")]
    Unfit {
        /// Description of what does not fit.
        what: String,
        /// How to proceed.
        hint: &'static str,
    },
    /// A record that is larger than allowed.
    #[error("{place}: more than {limit} bytes in one record")]
    TooLarge {
        /// Start of the record.
        place: InputPlace,
        /// Maximum size of a record, in bytes.
        limit: usize,
    },
    /// A compressed text whose decompression would need more memory than allowed.
    #[error("{format} data with a window of more than {allowed} bytes (memory budget)")]
    Window {
        /// Name of the compression.
        format: &'static str,
        /// Maximum size of the decompression window, in bytes.
        allowed: u64,
    },
    /// A batch that needs more memory than allowed.
    #[error(transparent)]
    Limit(#[from] LimitError),
    /// The input could not be read.
    #[error("input: {0}")]
    Input(io::Error),
    /// The library that implements the format reported an error.
    #[error("not a valid {format} file")]
    Library {
        /// Name of the format.
        format: &'static str,
        /// The library's error.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The file may be valid, but uses something that the library does not support.
    #[error("{format} file: not supported: {what}")]
    Unsupported {
        /// Name of the format.
        format: &'static str,
        /// Description of the unsupported feature.
        what: String,
    },
    /// A broken invariant of tdb itself.
    #[error(transparent)]
    Bug(#[from] Bug),
}

impl InputError {
    /// The class of the error, which says what the caller can do.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            // The contents of the file are wrong, as in a file that its format's library rejects.
            Self::Input(error) if error.kind() == io::ErrorKind::InvalidData => ErrorKind::Invalid,
            Self::Input(_) => ErrorKind::Store,
            Self::TooLarge { .. } => ErrorKind::Limit,
            Self::Window { .. } => ErrorKind::Memory,
            Self::Limit(error) => error.kind(),
            Self::Unsupported { .. } => ErrorKind::Unsupported,
            Self::Bug(_) => ErrorKind::Bug,
            _ => ErrorKind::Invalid,
        }
    }

    /// Advice on how to proceed, if there is any.
    #[must_use]
    pub fn hint(&self) -> Option<&str> {
        match self {
            Self::Names(error) | Self::Key { error, .. } => Some(error.hint()),
            Self::Unfit { hint, .. } => Some(hint),
            Self::NoDatatype { hint, .. } => Some(hint),
            Self::Cell { hint, .. } => *hint,
            Self::Unsupported { .. } => Some(
                "--exclude leaves columns out; another program can write the file in another way",
            ),
            Self::NotUtf8 { .. } => {
                Some("iconv -f LATIN1 -t UTF-8 makes UTF-8 of it, if it is Latin-1")
            }
            _ => None,
        }
    }

    /// Returns the error for a malformed line or row.
    #[must_use]
    pub fn record(place: InputPlace, what: impl Into<String>) -> Self {
        Self::Record {
            place,
            what: what.into(),
        }
    }

    /// Returns the error for a column whose type does not match its field.
    #[must_use]
    pub fn column(column: &str, what: impl Into<String>) -> Self {
        Self::Column {
            column: column.to_owned(),
            what: what.into(),
        }
    }
}

impl HasKind for InputError {
    fn kind(&self) -> ErrorKind {
        Self::kind(self)
    }

    fn hint(&self) -> Option<&str> {
        Self::hint(self)
    }
}

impl From<io::Error> for InputError {
    /// Unwraps an `InputError` inside the I/O error, as inputs that read from another input return it.
    fn from(error: io::Error) -> Self {
        error.downcast().unwrap_or_else(Self::Input)
    }
}
