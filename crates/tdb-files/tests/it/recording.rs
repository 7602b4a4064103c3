//! Stores in memory that record which objects are made.
#![expect(clippy::unwrap_used, reason = "helpers of tests, which may fail so")]

use std::path::Path;
use std::sync::{Arc, Mutex};

use tdb_open::{LocalStores, RemoteFolder, Stores};
use tdb_store::{
    FaultyStore, Listing, MemoryStore, ObjectWriter, Page, Piece, Read, Store, StoreError,
};

/// The store behind URIs that begin with `test://`.
#[derive(Debug)]
pub(crate) struct RecordingStores(pub(crate) Arc<RecordingStore>);

impl Stores for RecordingStores {
    fn open(&self, folder: &Path) -> Result<Arc<dyn Store>, StoreError> {
        LocalStores.open(folder)
    }

    fn open_remote(&self, uri: &str) -> tdb_open::Result<RemoteFolder> {
        Ok(RemoteFolder {
            store: Arc::<RecordingStore>::clone(&self.0),
            root_uri: "test:/".to_owned(),
            folder: uri.strip_prefix("test://").unwrap().to_owned(),
        })
    }
}

/// A store that records the keys of new objects, in order.
#[derive(Debug)]
pub(crate) struct RecordingStore {
    inner: FaultyStore<MemoryStore>,
    made: Mutex<Vec<String>>,
}

impl RecordingStore {
    /// All operations fail from this one on, as if the process were killed.
    pub(crate) fn stopping_at(store: &MemoryStore, operation: u64) -> Self {
        Self {
            inner: FaultyStore::stopping_at(store.clone(), operation),
            made: Mutex::default(),
        }
    }

    pub(crate) fn made(&self) -> Vec<String> {
        self.made.lock().unwrap().clone()
    }

    pub(crate) fn operations(&self) -> u64 {
        self.inner.operations()
    }
}

impl Store for RecordingStore {
    fn list(&self, prefix: &str, page: Option<&Page>) -> Result<Listing, StoreError> {
        self.inner.list(prefix, page)
    }

    fn size(&self, key: &str) -> Result<u64, StoreError> {
        self.inner.size(key)
    }

    fn read(&self, reads: &[Read]) -> Vec<Result<Piece, StoreError>> {
        self.inner.read(reads)
    }

    fn read_into(&self, key: &str, offset: u64, into: &mut [u8]) -> Result<(), StoreError> {
        self.inner.read_into(key, offset, into)
    }

    fn create(&self, key: &str) -> Result<Box<dyn ObjectWriter>, StoreError> {
        let object = self.inner.create(key)?;
        self.made.lock().unwrap().push(key.to_owned());
        Ok(object)
    }

    fn settle(&self, prefix: &str) -> Result<(), StoreError> {
        self.inner.settle(prefix)
    }

    fn remove_many(&self, keys: &[&str]) -> Vec<Result<(), StoreError>> {
        self.inner.remove_many(keys)
    }
}
