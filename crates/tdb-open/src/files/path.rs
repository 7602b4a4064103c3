//! Where a URI of a file leads.

use std::path::{Component, PathBuf};

use super::entry::failed;
use super::remote::RemotePath;
use crate::{Error, MemoryStores, Result, Stores};

/// A place of a file or a folder.
#[derive(Debug)]
pub(super) enum Path {
    /// An absolute path without `.` and `..`.
    Local(PathBuf),
    Remote(RemotePath),
}

impl Path {
    pub(super) fn of(uri: &str, stores: &dyn Stores) -> Result<Self> {
        if let Some(path) = local(uri)? {
            return Ok(Self::Local(path));
        }
        let is_memory = MemoryStores::is_memory(uri);
        let folder = stores.open_remote(uri)?;
        Ok(Self::Remote(RemotePath::new(folder, is_memory)))
    }
}

/// Returns the absolute path of a URI of a local file, without `.` and `..`; `None` for other URIs.
pub(super) fn local(uri: &str) -> Result<Option<PathBuf>> {
    let path = match uri.split_once("://") {
        None => uri,
        Some((scheme, path)) if scheme.eq_ignore_ascii_case("file") => path,
        Some(_) => return Ok(None),
    };
    if path.is_empty() {
        return Err(Error::invalid("Unsupported URI scheme: "));
    }
    let path = std::path::absolute(path).map_err(|error| failed(uri, error))?;
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    Ok(Some(plain))
}

/// Returns the URI of an absolute path.
pub(super) fn uri(path: &std::path::Path) -> String {
    let path = path.display().to_string();
    format!("file://{path}")
}
