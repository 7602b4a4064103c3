//! State shared by all requests of a store.

use std::fmt::{self, Debug};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use futures_util::stream::{self, StreamExt};
use object_store::ObjectStore;
use object_store::list::PaginatedListStore;
use object_store::path::Path;
use tdb_store::{StoreError, check_key, join};

use crate::markers::Markers;
use crate::ranges::TailReads;

/// State shared by all requests of a store.
pub(crate) struct Remote {
    pub(crate) store: Arc<dyn ObjectStore>,
    /// The same store, if it can list in pages.
    pub(crate) pages: Option<Arc<dyn PaginatedListStore>>,
    /// Removes folder markers; `None` if the address of the bucket is unknown.
    pub(crate) markers: Option<Markers>,
    /// The folder that is the root of this store; empty for the root of the bucket.
    pub(crate) root: String,
    pub(crate) tails: TailReads,
    /// True if objects can be created and removed.
    pub(crate) is_writable: bool,
    /// Maximum number of concurrent requests of all calls together.
    pub(crate) at_a_time: usize,
    /// True once the server has turned out not to support the condition "create only if absent".
    pub(crate) is_unconditional: AtomicBool,
}

impl Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {:?}", self.store, self.root)
    }
}

impl Remote {
    /// Returns the path of a key in the bucket.
    pub(crate) fn path(&self, key: &str) -> Result<Path, StoreError> {
        check_key(key)?;
        Path::parse(join(&self.root, key)).map_err(|_| StoreError::InvalidKey {
            key: key.to_owned(),
            reason: "object stores take no control characters",
        })
    }
}

/// Runs `work` for each item, up to [`UNDER_WAY`] at a time; returns the results in the order of the items.
pub(crate) fn many<T, R, F>(
    remote: Arc<Remote>,
    things: Vec<T>,
    work: fn(Arc<Remote>, T) -> F,
) -> impl Future<Output = Vec<R>> + Send + 'static
where
    T: Send + 'static,
    R: Send + 'static,
    F: Future<Output = R> + Send + 'static,
{
    let at_a_time = remote.at_a_time;
    stream::iter(things)
        .map(move |thing| work(Arc::clone(&remote), thing))
        .buffered(at_a_time)
        .collect::<Vec<_>>()
}
