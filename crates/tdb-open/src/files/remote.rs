//! Files of object stores and of memory.

use std::sync::Arc;

use tdb_store::{ObjectWriter, Store, StoreError, list_all, name};

use super::entry::FileEntry;
use crate::{Error, RemoteFolder, Result};

/// A key in a store.
#[derive(Clone, Debug)]
pub(super) struct RemotePath {
    folder: RemoteFolder,
    is_memory: bool,
}

impl RemotePath {
    pub(super) fn new(folder: RemoteFolder, is_memory: bool) -> Self {
        Self { folder, is_memory }
    }

    pub(super) fn is_memory(&self) -> bool {
        self.is_memory
    }

    pub(super) fn key(&self) -> &str {
        &self.folder.folder
    }

    fn store(&self) -> &Arc<dyn Store> {
        &self.folder.store
    }

    pub(super) fn uri(&self) -> String {
        self.uri_of(self.key())
    }

    fn uri_of(&self, key: &str) -> String {
        format!("{}/{key}", self.folder.root_uri)
    }

    pub(super) fn child_uri(&self, name: &str) -> String {
        self.uri_of(&tdb_store::join(self.key(), name))
    }

    /// True for the key itself, and for those below it.
    pub(super) fn holds(&self, key: &str) -> bool {
        key == self.key() || self.below(key).is_some()
    }

    /// Returns the rest of a key that lies below this one.
    pub(super) fn below<'a>(&self, key: &'a str) -> Option<&'a str> {
        let folder = self.key();
        let below = if folder.is_empty() {
            Some(key)
        } else {
            key.strip_prefix(folder)?.strip_prefix('/')
        };
        below.filter(|below| !below.is_empty())
    }

    pub(super) fn is_file(&self) -> Result<bool> {
        if self.key().is_empty() {
            return Ok(false);
        }
        tdb_store::exists(&**self.store(), self.key()).map_err(Error::of_store)
    }

    pub(super) fn is_folder(&self) -> Result<bool> {
        let listed = self.store().list(self.key(), None);
        let page = listed.map_err(Error::of_store)?;
        Ok(!page.objects.is_empty() || !page.prefixes.is_empty())
    }

    pub(super) fn size(&self) -> Result<u64> {
        self.store().size(self.key()).map_err(Error::of_store)
    }

    pub(super) fn touch(&self) -> Result<()> {
        if self.is_file()? {
            return Ok(());
        }
        let put = self.store().put(self.key(), Vec::new().into());
        put.map_err(Error::of_store)
    }

    pub(super) fn remove_file(&self) -> Result<()> {
        self.store().remove(self.key()).map_err(Error::of_store)
    }

    /// Removes all that is below; false if there was nothing.
    pub(super) fn remove_all(&self) -> Result<bool> {
        let listed = self.store().list_recursive(self.key());
        let objects = listed.map_err(Error::of_store)?;
        let keys: Vec<&str> = objects.iter().map(|object| &*object.key).collect();
        for removed in self.store().remove_many(&keys) {
            match removed {
                Ok(()) | Err(StoreError::NotFound { .. }) => {}
                Err(error) => return Err(Error::of_store(error)),
            }
        }
        Ok(!keys.is_empty())
    }

    /// Returns the URIs of what is directly in this folder.
    pub(super) fn list(&self) -> Result<Vec<String>> {
        let listing = list_all(&**self.store(), self.key()).map_err(Error::of_store)?;
        let objects = listing.objects.into_iter().map(|object| object.key);
        let keys = objects.chain(listing.prefixes);
        Ok(keys.map(|key| self.child_uri(name(&key))).collect())
    }

    /// Returns all files below this folder, with their sizes.
    pub(super) fn list_all(&self) -> Result<Vec<FileEntry>> {
        let listed = self.store().list_recursive(self.key());
        let objects = listed.map_err(Error::of_store)?;
        let sized = objects.into_iter().map(|object| {
            let size = match object.size {
                Some(size) => size,
                None => self.store().size(&object.key).map_err(Error::of_store)?,
            };
            Ok(FileEntry {
                uri: self.uri_of(&object.key),
                size,
                is_folder: false,
            })
        });
        sized.collect()
    }

    pub(super) fn read_at(&self, offset: u64, into: &mut [u8]) -> Result<()> {
        let read = self.store().read_into(self.key(), offset, into);
        read.map_err(Error::of_store)
    }

    pub(super) fn create(&self) -> Result<Box<dyn ObjectWriter>> {
        self.store().create(self.key()).map_err(Error::of_store)
    }

    /// Returns the whole content.
    pub(super) fn content(&self) -> Result<Vec<u8>> {
        let whole = tdb_store::read_whole(&**self.store(), self.key(), u64::MAX);
        whole.map(Vec::from).map_err(Error::of_store)
    }

    /// Replaces the content.
    pub(super) fn replace(&self, content: &[u8]) -> Result<()> {
        match self.store().remove(self.key()) {
            Ok(()) | Err(StoreError::NotFound { .. }) => {}
            Err(error) => return Err(Error::of_store(error)),
        }
        let put = self.store().put(self.key(), content.to_vec().into());
        put.map_err(Error::of_store)
    }
}
