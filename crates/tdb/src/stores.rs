//! The stores that URIs lead to.

use std::fmt::Debug;
use std::path::Path;
use std::sync::Arc;

use tdb_array::ErrorKind;
use tdb_store::{LocalStore, Store, StoreError};

use crate::{Error, Result};

/// Opens stores: programs that count, cache or simulate requests put theirs in between.
pub trait Stores: Send + Sync + Debug {
    /// The store whose root is a local folder.
    ///
    /// # Errors
    /// Where there is no such folder, or it cannot be opened.
    fn open(&self, folder: &Path) -> Result<Arc<dyn Store>, StoreError>;

    /// The store that a URI with a scheme other than `file://` leads to, and the folder in it. Whether there is such a
    /// folder need not be asked.
    ///
    /// # Errors
    /// A kind of store that there is not, which is what this says if it is not implemented; a URI that names no folder.
    fn open_remote(&self, uri: &str) -> Result<RemoteFolder> {
        Err(no_such_store(uri))
    }

    /// The files of a bucket, container or server, for SQL over those that are no arrays.
    ///
    /// # Errors
    /// As [`Stores::open_remote`].
    #[cfg(feature = "sql")]
    fn files(&self, root: &str) -> Result<Arc<dyn tdb_datafusion::ObjectStore>> {
        Err(no_such_store(root))
    }

    /// Has reading and writing fail from now on, at once also where an answer is waited for; listing and removing go on.
    /// Stores that wait for nobody need not.
    fn cancel(&self) {}

    /// Lets reading and writing go on that begins after [`Stores::cancel`], once what was cancelled has ended.
    fn resume(&self) {}

    /// Whether something has failed by [`Stores::cancel`].
    fn has_noticed_cancel(&self) -> bool {
        false
    }

    /// What who uses the stores should know of their servers, as far as it was noticed.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// Where a URI leads, and what requests are signed with, in words: what it is, and what is said of it. Nothing secret.
    ///
    /// # Errors
    /// As [`Stores::open_remote`].
    fn connection(&self, uri: &str) -> Result<Vec<(&'static str, String)>> {
        let is_local = !uri.contains("://") || uri.starts_with("file://");
        if !is_local {
            return Err(no_such_store(uri));
        }
        let path = Path::new(uri.trim_start_matches("file://"));
        let path = std::path::absolute(path).map_err(|error| StoreError::from_io(uri, error))?;
        let path = path.display().to_string();
        Ok(vec![("store", "local folder".to_owned()), ("path", path)])
    }
}

/// A folder of an object store.
#[derive(Clone, Debug)]
pub struct RemoteFolder {
    /// The store of the whole bucket, container or server.
    pub store: Arc<dyn Store>,
    /// The URI of its root, without a slash at the end: `s3://bucket`.
    pub root_uri: String,
    /// The folder in it, as keys name it; empty for the root.
    pub folder: String,
}

/// Local folders as they are.
#[derive(Clone, Copy, Debug, Default)]
pub struct LocalStores;

impl Stores for LocalStores {
    fn open(&self, folder: &Path) -> Result<Arc<dyn Store>, StoreError> {
        Ok(Arc::new(LocalStore::open(folder)?))
    }
}

/// Kinds of stores that the feature `object-store` brings.
const REMOTE: [&str; 8] = ["s3", "s3a", "gs", "gcs", "az", "azure", "http", "https"];

/// Why a URI leads nowhere.
pub(crate) fn no_such_store(uri: &str) -> Error {
    let scheme = uri.split_once("://").map_or(uri, |(scheme, _)| scheme);
    if REMOTE.contains(&scheme) && cfg!(not(feature = "object-store")) {
        let what = format!("this build reads and writes local folders, not {scheme}://");
        let error = Error::new(ErrorKind::Unsupported, what).at(uri);
        return error.with_hint("the feature object-store of the crate tdb adds object stores");
    }
    let error = Error::invalid(format!("{uri}: there is no kind of store called {scheme}"));
    error.with_hint(
        "a URI is a path, or begins with file://, s3://, gs://, az://, http:// or https://",
    )
}
