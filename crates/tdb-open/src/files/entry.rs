//! What files and folders have in common: how they are listed, and errors about them.

use crate::Error;

/// A file or a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileEntry {
    /// The whole URI, without a slash at the end.
    pub uri: String,
    /// Size of a file in bytes; 0 for a folder.
    pub size: u64,
    /// True for a folder.
    pub is_folder: bool,
}

/// Wraps an error of the system about a URI.
pub(super) fn failed(uri: &str, error: std::io::Error) -> Error {
    Error::of_store(tdb_store::StoreError::from_io(uri, error))
}
