//! The temporary folder for cells that do not fit into memory. It is opened, and has to exist, only when cells are
//! first spilled.

use std::io::{self, IoSliceMut};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use tdb_store::{Listing, LocalStore, ObjectWriter, Page, Piece, Read, Store, StoreError};

/// A temporary folder for the cells of a write that do not fit into memory: see
/// [`WriteOptions::sort_store`](crate::WriteOptions::sort_store). It is opened, and has to exist, only when cells are
/// first spilled.
#[derive(Debug)]
pub struct SortFolder {
    folder: PathBuf,
    store: OnceLock<LocalStore>,
}

impl SortFolder {
    /// Creates a temporary folder at this path, which need not exist yet.
    #[must_use]
    pub fn new(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            store: OnceLock::new(),
        }
    }

    /// Returns the opened folder; `key` names the object concerned in errors.
    fn store(&self, key: &str) -> Result<&LocalStore, StoreError> {
        if let Some(store) = self.store.get() {
            return Ok(store);
        }
        let opened = LocalStore::temporary(&self.folder).map_err(|error| {
            let (folder, cause) = (self.folder.display(), error.cause());
            let what = format!(
                "cannot use the temporary folder {folder}: {cause}; use --temp to choose another"
            );
            StoreError::from_io(key, io::Error::other(what))
        })?;
        Ok(self.store.get_or_init(|| opened))
    }
}

impl Store for SortFolder {
    fn list(&self, prefix: &str, page: Option<&Page>) -> Result<Listing, StoreError> {
        self.store(prefix)?.list(prefix, page)
    }

    fn size(&self, key: &str) -> Result<u64, StoreError> {
        self.store(key)?.size(key)
    }

    fn read(&self, reads: &[Read]) -> Vec<Result<Piece, StoreError>> {
        let first = reads.first().map_or("", |read| &read.key);
        match self.store(first) {
            Ok(store) => store.read(reads),
            Err(error) => reads.iter().map(|_| Err(error.clone())).collect(),
        }
    }

    fn read_into(&self, key: &str, offset: u64, into: &mut [u8]) -> Result<(), StoreError> {
        self.store(key)?.read_into(key, offset, into)
    }

    fn read_scattered(
        &self,
        key: &str,
        offset: u64,
        into: &mut [IoSliceMut<'_>],
    ) -> Result<(), StoreError> {
        self.store(key)?.read_scattered(key, offset, into)
    }

    fn create(&self, key: &str) -> Result<Box<dyn ObjectWriter>, StoreError> {
        self.store(key)?.create(key)
    }

    fn settle(&self, prefix: &str) -> Result<(), StoreError> {
        self.store(prefix)?.settle(prefix)
    }

    fn remove_many(&self, keys: &[&str]) -> Vec<Result<(), StoreError>> {
        let first = keys.first().copied().unwrap_or("");
        match self.store(first) {
            Ok(store) => store.remove_many(keys),
            Err(error) => keys.iter().map(|_| Err(error.clone())).collect(),
        }
    }
}
