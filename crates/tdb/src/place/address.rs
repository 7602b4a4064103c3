//! What kind of place a URI names.

use std::path::{Path, PathBuf};

/// What a URI names, by its form alone.
pub(super) enum Address {
    /// A path, or `file://` and a path.
    Local(PathBuf),
    /// Anything else with a scheme: a folder of an object store, if there is one of the kind.
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

    /// The path, if it is one.
    pub(super) fn local(uri: &str) -> Option<PathBuf> {
        match Self::of(uri) {
            Self::Local(path) => Some(path),
            Self::Remote => None,
        }
    }
}

/// The URI that a path, from the folder where the program was started, stands for.
pub(super) fn file_uri(path: &Path) -> std::io::Result<String> {
    let path = std::path::absolute(path)?;
    let path = path.display().to_string();
    Ok(format!("file://{}", path.trim_end_matches('/')))
}
