//! Classifying URIs by their form.

use std::path::{Path, PathBuf};

/// Kind of a URI, by its form alone.
pub(super) enum Address {
    /// A path, plain or after `file://`.
    Local(PathBuf),
    /// A URI with another scheme: a folder in an object store, if the scheme is supported.
    Remote,
}

impl Address {
    pub(super) fn of(uri: &str) -> Self {
        match uri.split_once("://") {
            None => Self::Local(PathBuf::from(uri)),
            Some((scheme, path)) if scheme.eq_ignore_ascii_case("file") => {
                Self::Local(PathBuf::from(path))
            }
            Some(_) => Self::Remote,
        }
    }

    /// Returns the path, if the URI is local.
    pub(super) fn local(uri: &str) -> Option<PathBuf> {
        match Self::of(uri) {
            Self::Local(path) => Some(path),
            Self::Remote => None,
        }
    }
}

/// Converts a path, which may be relative to the current directory, to a `file://` URI.
pub(super) fn file_uri(path: &Path) -> std::io::Result<String> {
    let path = std::path::absolute(path)?.display().to_string();
    Ok(format!("file://{}", path.trim_end_matches('/')))
}
