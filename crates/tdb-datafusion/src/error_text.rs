//! Errors as text.

use tdb_tile::ErrorKind;

/// Text of an error, without its sources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorText {
    /// The category of the error.
    pub kind: ErrorKind,
    /// Message in one line.
    pub what: String,
    /// Way around the problem, if one is known.
    pub hint: Option<String>,
}
