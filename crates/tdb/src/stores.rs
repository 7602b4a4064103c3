//! The stores that URIs lead to.

use std::fmt::Debug;
use std::path::Path;
use std::sync::Arc;

use tdb_store::{LocalStore, Store, StoreError};

/// Opens stores: programs that count, cache or simulate requests put theirs in between.
pub trait Stores: Send + Sync + Debug {
    /// The store whose root is a local folder.
    ///
    /// # Errors
    /// Where there is no such folder, or it cannot be opened.
    fn open(&self, folder: &Path) -> Result<Arc<dyn Store>, StoreError>;
}

/// Local folders as they are.
#[derive(Clone, Copy, Debug, Default)]
pub struct LocalStores;

impl Stores for LocalStores {
    fn open(&self, folder: &Path) -> Result<Arc<dyn Store>, StoreError> {
        Ok(Arc::new(LocalStore::open(folder)?))
    }
}
