//! The temporary folder, for what memory cannot hold.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use tdb_store::{LocalStore, Store, StoreError};

use crate::CellsError;

/// Where is kept what memory cannot hold. It is opened, and has to be there, once something is kept in it. Cheap to clone.
#[derive(Clone, Debug)]
pub struct SpillFolder {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    path: PathBuf,
    store: OnceLock<Arc<dyn Store>>,
}

impl SpillFolder {
    /// A folder of this machine. Objects that a killed process leaves there have names that begin with `sort-`.
    #[must_use]
    pub fn local(path: &Path) -> Self {
        Self {
            shared: Arc::new(Shared {
                path: path.to_owned(),
                store: OnceLock::new(),
            }),
        }
    }

    /// A store that is open already, which errors call `name`.
    #[must_use]
    pub fn of_store(name: &str, store: Arc<dyn Store>) -> Self {
        Self {
            shared: Arc::new(Shared {
                path: PathBuf::from(name),
                store: OnceLock::from(store),
            }),
        }
    }

    /// The store, for the first object that is kept there.
    pub(crate) fn open(&self) -> Result<&dyn Store, CellsError> {
        let Shared { path, store } = &*self.shared;
        if let Some(store) = store.get() {
            return Ok(&**store);
        }
        let opened = LocalStore::temporary(path).map_err(|error| self.failed(error))?;
        Ok(&**store.get_or_init(|| Arc::new(opened)))
    }

    /// What the store reports, as an error that names the folder.
    pub(crate) fn failed(&self, source: StoreError) -> CellsError {
        CellsError::Spill {
            folder: self.name(),
            source,
        }
    }

    /// What errors call it.
    pub(crate) fn name(&self) -> String {
        self.shared.path.display().to_string()
    }

    /// Removes an object, if that can be done: the folder is a temporary one.
    pub(crate) fn remove(&self, key: &str) {
        if let Some(store) = self.shared.store.get() {
            drop(store.remove_many(&[key]));
        }
    }
}
