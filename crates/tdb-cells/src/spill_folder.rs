//! The temporary folder for data that does not fit in memory.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use tdb_store::{LocalStore, Store, StoreError};

use crate::CellsError;

/// The temporary folder for data that does not fit in memory. Opened, and required to exist, when first used. Cheap to
/// clone.
#[derive(Clone, Debug)]
pub struct SpillFolder {
    shared: Arc<SpillState>,
}

#[derive(Debug)]
struct SpillState {
    path: PathBuf,
    store: OnceLock<Arc<dyn Store>>,
}

impl SpillFolder {
    /// Uses a folder on this machine. A killed process leaves objects there whose names begin with `sort-`.
    #[must_use]
    pub fn local(path: &Path) -> Self {
        Self {
            shared: Arc::new(SpillState {
                path: path.to_owned(),
                store: OnceLock::new(),
            }),
        }
    }

    /// Uses a store that is already open; errors call it `name`.
    #[must_use]
    pub fn of_store(name: &str, store: Arc<dyn Store>) -> Self {
        Self {
            shared: Arc::new(SpillState {
                path: PathBuf::from(name),
                store: OnceLock::from(store),
            }),
        }
    }

    /// Returns the store; opens the folder on the first call.
    pub(crate) fn open(&self) -> Result<&dyn Store, CellsError> {
        let SpillState { path, store } = &*self.shared;
        if let Some(store) = store.get() {
            return Ok(&**store);
        }
        let opened = LocalStore::temporary(path).map_err(|error| self.failed(error))?;
        Ok(&**store.get_or_init(|| Arc::new(opened)))
    }

    /// Adds the name of the folder to an error of its store.
    pub(crate) fn failed(&self, source: StoreError) -> CellsError {
        CellsError::Spill {
            folder: self.name(),
            source,
        }
    }

    /// Name of the folder in errors.
    pub(crate) fn name(&self) -> String {
        self.shared.path.display().to_string()
    }

    /// Removes an object; errors are ignored because the folder is temporary.
    pub(crate) fn remove(&self, key: &str) {
        if let Some(store) = self.shared.store.get() {
            drop(store.remove_many(&[key]));
        }
    }
}
