//! Errors as text.

use tdb_tile::ErrorKind;

/// What an error says, without what it is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorText {
    /// The category of the error.
    pub kind: ErrorKind,
    /// The error in one line.
    pub what: String,
    /// The way out, where one is known.
    pub hint: Option<String>,
}
