//! Object stores through which DataFusion finds files that are not arrays: local files, and the stores that arrays
//! may be in.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::execution::object_store::{DefaultObjectStoreRegistry, ObjectStoreRegistry};
use datafusion::object_store::ObjectStore;
use url::{Position, Url};

use crate::arrays::Arrays;
use crate::error::external;
use crate::lines::BoundedLines;

/// Registry that gets the store of an unregistered URI from the code that opens arrays.
#[derive(Debug)]
pub(crate) struct FileStores {
    arrays: Arc<Arrays>,
    registered: DefaultObjectStoreRegistry,
}

impl FileStores {
    pub(crate) fn new(arrays: &Arc<Arrays>) -> Self {
        Self {
            arrays: Arc::clone(arrays),
            registered: DefaultObjectStoreRegistry::new(),
        }
    }
}

impl ObjectStoreRegistry for FileStores {
    fn register_store(
        &self,
        url: &Url,
        store: Arc<dyn ObjectStore>,
    ) -> Option<Arc<dyn ObjectStore>> {
        self.registered.register_store(url, store)
    }

    fn deregister_store(&self, url: &Url) -> Result<Arc<dyn ObjectStore>> {
        self.registered.deregister_store(url)
    }

    fn get_store(&self, url: &Url) -> Result<Arc<dyn ObjectStore>> {
        let store = match self.registered.get_store(url) {
            Ok(known) => known,
            Err(_) => {
                let root = &url[..Position::BeforePath];
                let store = self.arrays.files(root).map_err(external)?;
                self.registered.register_store(url, Arc::clone(&store));
                store
            }
        };
        let memory = self.arrays.session().limits().budget.limit();
        let lines = BoundedLines::new(store, memory);
        Ok(Arc::new(lines))
    }
}
