//! Mapping URIs to stores.

use std::fmt::Debug;
use std::path::Path;
use std::sync::Arc;

use tdb_array::ErrorKind;
use tdb_store::{LocalStore, Store, StoreError};

use crate::{Error, Result};

/// Opens the stores that URIs lead to. Programs that count, cache or simulate requests implement this trait.
pub trait Stores: Send + Sync + Debug {
    /// Opens the store whose root is a local folder.
    ///
    /// # Errors
    /// Fails if the folder does not exist or cannot be opened.
    fn open(&self, folder: &Path) -> Result<Arc<dyn Store>, StoreError>;

    /// Opens the store of a URI whose scheme is not `file://`, and returns the folder in it. Implementations need not
    /// check that the folder exists.
    ///
    /// # Errors
    /// Fails if the scheme is not supported, as the default implementation does for all, or if the URI names no
    /// folder.
    fn open_remote(&self, uri: &str) -> Result<RemoteFolder> {
        Err(no_such_store(uri))
    }

    /// Returns the files of a bucket, container or server, for SQL queries over files that are not arrays.
    ///
    /// # Errors
    /// As [`Stores::open_remote`].
    #[cfg(feature = "files")]
    fn files(&self, root: &str) -> Result<Arc<dyn object_store::ObjectStore>> {
        Err(no_such_store(root))
    }

    /// Makes reads and writes fail from now on, including those waiting for an answer; listing and removing still
    /// work. Stores that never wait need not implement this.
    fn cancel(&self) {}

    /// Lets reads and writes work again after [`Stores::cancel`]. Called once the cancelled reads and writes have
    /// ended.
    fn resume(&self) {}

    /// True if an operation has failed because of [`Stores::cancel`].
    fn has_noticed_cancel(&self) -> bool {
        false
    }

    /// Returns notices about the servers that users of the stores should see.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// Describes where a URI leads and which credentials sign its requests, as pairs of a label and a text. Contains
    /// no secrets.
    ///
    /// # Errors
    /// As [`Stores::open_remote`].
    fn connection(&self, uri: &str) -> Result<Vec<(&'static str, String)>> {
        let is_local = !uri.contains("://") || uri.starts_with("file://");
        if !is_local {
            return Err(no_such_store(uri));
        }
        let path = Path::new(uri.trim_start_matches("file://"));
        let path = std::path::absolute(path)
            .map_err(|error| Error::of_store(StoreError::from_io(uri, error)))?
            .display()
            .to_string();
        Ok(vec![("store", "local folder".to_owned()), ("path", path)])
    }
}

/// A folder in an object store.
#[derive(Clone, Debug)]
pub struct RemoteFolder {
    /// The store of the whole bucket, container or server.
    pub store: Arc<dyn Store>,
    /// URI of the store's root, without a trailing slash: `s3://bucket`.
    pub root_uri: String,
    /// Path of the folder within the store, as in keys; empty for the root.
    pub folder: String,
}

/// Stores for local folders only.
#[derive(Clone, Copy, Debug, Default)]
pub struct LocalStores;

impl Stores for LocalStores {
    fn open(&self, folder: &Path) -> Result<Arc<dyn Store>, StoreError> {
        Ok(Arc::new(LocalStore::open(folder)?))
    }
}

/// URI schemes that the feature `object-store` supports.
const REMOTE: [&str; 8] = ["s3", "s3a", "gs", "gcs", "az", "azure", "http", "https"];

/// Explains why a URI leads to no store.
pub(crate) fn no_such_store(uri: &str) -> Error {
    let scheme = uri.split_once("://").map_or(uri, |(scheme, _)| scheme);
    if REMOTE.contains(&scheme) && cfg!(not(feature = "object-store")) {
        let what = format!("this build reads and writes local folders, not {scheme}://");
        let error = Error::new(ErrorKind::Unsupported, what).at(uri);
        return error.with_hint("enable the feature `object-store` of the crate tdb");
    }
    let error = Error::invalid(format!("{uri}: there is no kind of store called {scheme}"));
    error.with_hint(
        "a URI is a path, or begins with file://, s3://, gs://, az://, http:// or https://",
    )
}
