//! What all requests need.

use std::fmt::{self, Debug};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use futures_util::stream::{self, StreamExt};
use object_store::ObjectStore;
use object_store::list::PaginatedListStore;
use object_store::path::Path;
use tdb_store::{StoreError, check_key, join};

use crate::markers::Markers;
use crate::ranges::Tails;

/// What all requests need.
pub(crate) struct Remote {
    pub(crate) store: Arc<dyn ObjectStore>,
    /// The same store, where it lists page by page.
    pub(crate) pages: Option<Arc<dyn PaginatedListStore>>,
    /// What removes markers of folders, where that is known.
    pub(crate) markers: Option<Markers>,
    /// The folder that is the root of this store; empty for that of the object store.
    pub(crate) root: String,
    pub(crate) tails: Tails,
    /// Whether objects can be made and removed.
    pub(crate) is_writable: bool,
    /// Requests that are under way at a time.
    pub(crate) at_a_time: usize,
    /// Whether the server was found not to take the condition that an object replaces none.
    pub(crate) is_unconditional: AtomicBool,
}

impl Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {:?}", self.store, self.root)
    }
}

impl Remote {
    /// Where the object with a key lies.
    pub(crate) fn path(&self, key: &str) -> Result<Path, StoreError> {
        check_key(key)?;
        Path::parse(join(&self.root, key)).map_err(|_| StoreError::InvalidKey {
            key: key.to_owned(),
            reason: "object stores take no control characters",
        })
    }
}

/// Does the same for each of many things, several at a time.
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
