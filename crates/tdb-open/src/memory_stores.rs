use std::path::Path;
use std::sync::Arc;

use tdb_store::{MemoryStore, Store, StoreError};

use crate::{LocalStores, RemoteFolder, Result, Stores};

/// Arrays and groups in memory, at URIs that begin with `mem://`, in addition to local folders or other stores. They
/// exist as long as this value, or a clone of it, does.
///
/// ```
/// use std::sync::Arc;
/// use tdb_open::{Attribute, Context, Dimension, MemoryStores, Schema};
/// use tdb_tile::Datatype;
///
/// let context = Context::new().stores(Arc::new(MemoryStores::default()));
/// let schema = Schema::dense()
///     .dimension(Dimension::new("day", Datatype::Int32).domain(1..=365).tile(7))
///     .attribute(Attribute::new("rain", Datatype::Float32))
///     .build()?;
/// context.create("mem://weather", &schema)?;
/// assert_eq!(context.open("mem://weather")?.schema().attributes[0].name, "rain");
/// # Ok::<(), tdb_open::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct MemoryStores {
    store: Arc<MemoryStore>,
    others: Arc<dyn Stores>,
}

impl Default for MemoryStores {
    fn default() -> Self {
        Self::beside(Arc::new(LocalStores))
    }
}

/// Beginning of the URIs.
const SCHEME: &str = "mem://";

impl MemoryStores {
    /// Creates an empty memory; URIs that do not begin with `mem://` lead to these stores.
    #[must_use]
    pub fn beside(others: Arc<dyn Stores>) -> Self {
        Self {
            store: Arc::default(),
            others,
        }
    }

    /// True if a URI leads to memory.
    #[must_use]
    pub fn is_memory(uri: &str) -> bool {
        uri.starts_with(SCHEME)
    }

    /// Returns the store in which the objects are.
    #[must_use]
    pub fn store(&self) -> &Arc<MemoryStore> {
        &self.store
    }
}

impl Stores for MemoryStores {
    fn open(&self, folder: &Path) -> Result<Arc<dyn Store>, StoreError> {
        self.others.open(folder)
    }

    fn open_remote(&self, uri: &str) -> Result<RemoteFolder> {
        let Some(folder) = uri.strip_prefix(SCHEME) else {
            return self.others.open_remote(uri);
        };
        let store: Arc<dyn Store> = Arc::<MemoryStore>::clone(&self.store);
        Ok(RemoteFolder {
            store,
            // The folder is added after a slash.
            root_uri: "mem:/".to_owned(),
            folder: folder.trim_matches('/').to_owned(),
        })
    }

    fn connection(&self, uri: &str) -> Result<Vec<(&'static str, String)>> {
        if uri.starts_with(SCHEME) {
            return Ok(vec![("store", "memory of this process".to_owned())]);
        }
        self.others.connection(uri)
    }

    #[cfg(feature = "files")]
    fn files(&self, root: &str) -> Result<Arc<dyn object_store::ObjectStore>> {
        self.others.files(root)
    }

    fn cancel(&self) {
        self.others.cancel();
    }

    fn resume(&self) {
        self.others.resume();
    }

    fn has_noticed_cancel(&self) -> bool {
        self.others.has_noticed_cancel()
    }

    fn notes(&self) -> Vec<String> {
        self.others.notes()
    }
}
