use std::error::Error;

use crate::{Bug, ErrorKind, LimitError, WireError};

/// An error that says what the caller can do about it. All error types of tdb implement this trait, except
/// `tdb_store::StoreError`, whose crate knows nothing of the format.
pub trait HasKind: Error {
    /// Returns the kind of the error.
    fn kind(&self) -> ErrorKind;

    /// Returns a hint for the user, if there is one.
    fn hint(&self) -> Option<&str> {
        None
    }

    /// Returns the name of the fragment whose damage is the cause: the rest of the array can be read without it.
    fn damaged_fragment(&self) -> Option<&str> {
        None
    }
}

impl HasKind for WireError {
    fn kind(&self) -> ErrorKind {
        Self::kind(self)
    }
}

impl HasKind for LimitError {
    fn kind(&self) -> ErrorKind {
        Self::kind(self)
    }
}

impl HasKind for Bug {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Bug
    }
}
