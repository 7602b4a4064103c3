use std::path::Path;
use std::sync::Arc;

use tdb_store::{MemoryStore, Store, StoreError};

use crate::stores::no_such_store;
use crate::{LocalStores, RemoteFolder, Result, Stores};

/// Arrays and groups in memory, at URIs that begin with `mem://`, in addition to local folders. They exist as long as
/// this value, or a clone of it, does.
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
#[derive(Clone, Debug, Default)]
pub struct MemoryStores {
    store: Arc<MemoryStore>,
}

/// Beginning of the URIs.
const SCHEME: &str = "mem://";

impl MemoryStores {
    /// Returns the store in which the objects are.
    #[must_use]
    pub fn store(&self) -> &Arc<MemoryStore> {
        &self.store
    }
}

impl Stores for MemoryStores {
    fn open(&self, folder: &Path) -> Result<Arc<dyn Store>, StoreError> {
        LocalStores.open(folder)
    }

    fn open_remote(&self, uri: &str) -> Result<RemoteFolder> {
        let folder = uri.strip_prefix(SCHEME).ok_or_else(|| no_such_store(uri))?;
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
        LocalStores.connection(uri)
    }
}
