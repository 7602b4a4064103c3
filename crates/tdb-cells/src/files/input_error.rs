use std::error::Error;
use std::{fmt, io};

use tdb_schema::names::UnknownName;
use tdb_tile::{Bug, ErrorKind, LimitError};

/// Where in an input a cell stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputPlace {
    /// In this line of a text, from 1.
    Line(u64),
    /// In this row of a table, from 0.
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

/// Why cells could not be taken from a file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// A cell that is none of its field.
    #[error("{place}, field {field:?}: {what}")]
    Cell {
        /// Name of the field.
        field: String,
        /// Where the cell stands.
        place: InputPlace,
        /// What is wrong with it.
        what: String,
        /// What would help, if something would.
        hint: Option<&'static str>,
    },
    /// A line that is no text.
    #[error("{place}: not UTF-8")]
    NotUtf8 {
        /// Where it stands.
        place: InputPlace,
    },
    /// A line, or a row, that does not hold together.
    #[error("{place}: {what}")]
    Record {
        /// Where it stands.
        place: InputPlace,
        /// What is wrong with it.
        what: String,
    },
    /// A column whose type is none of its field.
    #[error("column {column:?}: {what}")]
    Column {
        /// Name of the column.
        column: String,
        /// What is wrong with it.
        what: String,
    },
    /// A column of a type that no datatype stands for.
    #[error("column {column:?}: TileDB has no datatype for {data_type}")]
    NoDatatype {
        /// Name of the column.
        column: String,
        /// Its type, as the format calls it.
        data_type: String,
        /// How to go on without it and others like it.
        hint: String,
    },
    /// A column that the array has no field for, or a field without a column.
    #[error(transparent)]
    Names(UnknownName),
    /// A key of a JSON line that the array has no field for.
    #[error("{place}: {error}")]
    Key {
        /// Where it stands.
        place: InputPlace,
        /// What is wrong with it.
        error: UnknownName,
    },
    /// The file as a whole does not fit.
    #[error("{what}")]
    Unfit {
        /// What does not fit where.
        what: String,
        /// What would help.
        hint: &'static str,
    },
    /// One record is larger than is allowed.
    #[error("{place}: more than {limit} bytes in one record")]
    TooLarge {
        /// Where it begins.
        place: InputPlace,
        /// Bytes that are allowed.
        limit: usize,
    },
    /// A text is compressed so that unpacking it would take more memory than is allowed.
    #[error("{format} data with a window of more than {allowed} bytes (memory budget)")]
    Window {
        /// Name of the compression.
        format: &'static str,
        /// Bytes that unpacking may look back.
        allowed: u64,
    },
    /// A batch would take more memory than is allowed.
    #[error(transparent)]
    Limit(#[from] LimitError),
    /// The input could not be read.
    #[error("input: {0}")]
    Input(io::Error),
    /// The library that knows the format refused.
    #[error("not a valid {format} file")]
    Library {
        /// Name of the format.
        format: &'static str,
        /// What the library says.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The file may be sound, and holds what the library that knows the format does not read.
    #[error("{format} file: not supported: {what}")]
    Unsupported {
        /// Name of the format.
        format: &'static str,
        /// What is not supported.
        what: String,
    },
    /// What cannot happen.
    #[error(transparent)]
    Bug(#[from] Bug),
}

impl InputError {
    /// Whose fault it is, and so what the caller can do.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            // What is in the file is wrong, as with a file that its format refuses.
            Self::Input(error) if error.kind() == io::ErrorKind::InvalidData => ErrorKind::Invalid,
            Self::Input(_) => ErrorKind::Store,
            Self::TooLarge { .. } | Self::Window { .. } | Self::Limit(_) => ErrorKind::Limit,
            Self::Unsupported { .. } => ErrorKind::Unsupported,
            Self::Bug(_) => ErrorKind::Bug,
            _ => ErrorKind::Invalid,
        }
    }

    /// What would help, if something would.
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

    /// What is wrong with a line or a row.
    #[must_use]
    pub fn record(place: InputPlace, what: impl Into<String>) -> Self {
        Self::Record {
            place,
            what: what.into(),
        }
    }

    /// What is wrong with a column.
    #[must_use]
    pub fn column(column: &str, what: impl Into<String>) -> Self {
        Self::Column {
            column: column.to_owned(),
            what: what.into(),
        }
    }
}

impl From<io::Error> for InputError {
    /// What an input that is made of another says of it is told as it is.
    fn from(error: io::Error) -> Self {
        error.downcast().unwrap_or_else(Self::Input)
    }
}
