//! The implementation of [`Store`] over an object store.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use object_store::ObjectStoreExt;
use tdb_store::{
    Distance, Listing, Object, ObjectWriter, Page, Piece, Read, ReadAndListed, SentReads, Store,
    StoreError, check_prefix, join, list_by_folder, list_each, parent,
};

use crate::error::failed;
use crate::listing;
use crate::markers;
use crate::put;
use crate::ranges;
use crate::remote::{Remote, many};
use crate::removal;
use crate::runtime::Runtime;
use crate::under_way::turn;
use crate::writer::{self, RemoteWriter};

/// Two ranges at most this many bytes apart are read as one: a further request takes about as long as the transfer of
/// a megabyte.
const GAP: u64 = 1 << 20;

/// Pause before a missing object is requested again; a listing may show an object before it can be read.
const SOONER: Duration = Duration::from_millis(200);

/// A folder of an object store.
#[derive(Clone, Debug)]
pub struct RemoteStore {
    remote: Arc<Remote>,
    runtime: Runtime,
}

impl RemoteStore {
    pub(crate) fn new(remote: Remote, runtime: Runtime) -> Self {
        Self {
            remote: Arc::new(remote),
            runtime,
        }
    }

    /// Returns notes about the server for the user; empty if there is nothing to report so far.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let is_unconditional = self.remote.is_unconditional.load(Ordering::Relaxed);
        let note = "the server does not take If-None-Match: whether there is an object of a name is looked at just before it is made, \
                    so that of two programs that make the same one at once, the second replaces what the first made";
        is_unconditional
            .then(|| note.to_owned())
            .into_iter()
            .collect()
    }

    /// Runs `work` for each item, several at a time, and waits for all of them.
    fn each<T, R, F>(
        &self,
        things: Vec<T>,
        work: fn(Arc<Remote>, T) -> F,
    ) -> Vec<Result<R, StoreError>>
    where
        T: Send + 'static,
        R: Send + 'static,
        F: Future<Output = Result<R, StoreError>> + Send + 'static,
    {
        let count = things.len();
        let all = many(Arc::clone(&self.remote), things, work);
        match self.runtime.wait(all) {
            Ok(answers) => answers,
            Err(error) => (0..count).map(|_| Err(error.clone())).collect(),
        }
    }

    /// Removes folder markers from a recursive listing. Some programs create an empty object whose name ends in a
    /// slash, to make a folder visible; the slash is lost in the listing. So each folder with an empty object is
    /// listed once more: that listing shows the real objects only.
    fn without_placeholders(
        &self,
        found: BTreeMap<String, u64>,
    ) -> Result<Vec<Object>, StoreError> {
        let empty = found.iter().filter(|(_, size)| **size == 0);
        let folders: BTreeSet<&str> = empty.map(|(key, _)| parent(key)).collect();
        let each_once: Vec<&str> = folders.into_iter().collect();
        let mut there = BTreeSet::new();
        for listing in list_each(self, &each_once) {
            there.extend(listing?.objects.into_iter().map(|object| object.key));
        }
        let objects = found
            .into_iter()
            .filter(|(key, size)| *size > 0 || there.contains(key))
            .map(|(key, size)| Object {
                key,
                size: Some(size),
            });
        Ok(objects.collect())
    }

    fn check_writable(&self, key: &str) -> Result<(), StoreError> {
        if self.remote.is_writable {
            return Ok(());
        }
        Err(StoreError::ReadOnly {
            key: key.to_owned(),
        })
    }
}

impl Store for RemoteStore {
    fn list(&self, prefix: &str, page: Option<&Page>) -> Result<Listing, StoreError> {
        check_prefix(prefix)?;
        let (remote, prefix, page) = (Arc::clone(&self.remote), prefix.to_owned(), page.cloned());
        self.runtime
            .wait(async move { listing::list(&remote, &prefix, page).await })?
    }

    fn list_many(&self, prefixes: &[&str]) -> Vec<Result<Listing, StoreError>> {
        let prefixes = prefixes.iter().map(|prefix| (*prefix).to_owned());
        self.each(prefixes.collect(), first_page)
    }

    fn list_recursive(&self, prefix: &str) -> Result<Vec<Object>, StoreError> {
        check_prefix(prefix)?;
        let (remote, folder) = (Arc::clone(&self.remote), prefix.to_owned());
        let found = self
            .runtime
            .wait(async move { listing::list_recursive(&remote, &folder).await })?;
        match found? {
            Some(found) => self.without_placeholders(found),
            None => list_by_folder(self, prefix),
        }
    }

    fn distance(&self) -> Distance {
        Distance::Far { gap: GAP }
    }

    fn size(&self, key: &str) -> Result<u64, StoreError> {
        let path = self.remote.path(key)?;
        let (remote, key) = (Arc::clone(&self.remote), key.to_owned());
        self.runtime
            .wait(async move { ranges::size(&*remote.store, &path, &key).await })?
    }

    fn sizes(&self, keys: &[&str]) -> Vec<Result<u64, StoreError>> {
        let keys = keys.iter().map(|key| (*key).to_owned());
        self.each(keys.collect(), |remote, key: String| async move {
            let path = remote.path(&key)?;
            let _turn = turn().await;
            ranges::size(&*remote.store, &path, &key).await
        })
    }

    fn modified(&self, key: &str) -> Result<Option<SystemTime>, StoreError> {
        let path = self.remote.path(key)?;
        let remote = Arc::clone(&self.remote);
        let meta = self
            .runtime
            .wait(async move { remote.store.head(&path).await })?
            .map_err(|error| failed(key, error))?;
        Ok(Some(meta.last_modified.into()))
    }

    fn read(&self, reads: &[Read]) -> Vec<Result<Piece, StoreError>> {
        let remote = Arc::clone(&self.remote);
        let all = many(remote, reads.to_vec(), read_of);
        let key = reads.first().map_or("", |read| &*read.key);
        match self.runtime.wait_unless_cancelled(key, all) {
            Ok(answers) => answers,
            Err(error) => reads.iter().map(|_| Err(error.clone())).collect(),
        }
    }

    fn send(&self, reads: &[Read]) -> Option<SentReads> {
        let all = many(Arc::clone(&self.remote), reads.to_vec(), read_of);
        let key = reads.first().map_or("", |read| &*read.key);
        let sent = self.runtime.send_unless_cancelled(key, all);
        let count = reads.len();
        Some(Box::pin(async move {
            match sent.await {
                Ok(answers) => answers,
                Err(error) => vec![Err(error); count],
            }
        }))
    }

    fn read_and_list(&self, reads: &[Read], prefixes: &[&str]) -> ReadAndListed {
        let Some(first) = reads.first() else {
            return ReadAndListed {
                pieces: Vec::new(),
                listings: self.list_many(prefixes),
            };
        };
        let prefixes: Vec<String> = prefixes.iter().map(|prefix| (*prefix).to_owned()).collect();
        let count = prefixes.len();
        let pieces = many(Arc::clone(&self.remote), reads.to_vec(), read_of);
        let listings = many(Arc::clone(&self.remote), prefixes, first_page);
        let both = futures_util::future::join(pieces, listings);
        match self.runtime.wait_unless_cancelled(&first.key, both) {
            Ok((pieces, listings)) => ReadAndListed { pieces, listings },
            Err(error) => ReadAndListed {
                pieces: reads.iter().map(|_| Err(error.clone())).collect(),
                listings: (0..count).map(|_| Err(error.clone())).collect(),
            },
        }
    }

    fn read_into(&self, key: &str, offset: u64, into: &mut [u8]) -> Result<(), StoreError> {
        let read = Read::bounded(key, offset, into.len() as u64);
        let piece = tdb_store::read_one(self, read)?;
        into.copy_from_slice(&piece.bytes);
        Ok(())
    }

    fn create(&self, key: &str) -> Result<Box<dyn ObjectWriter>, StoreError> {
        let path = self.remote.path(key)?;
        self.check_writable(key)?;
        let remote = Arc::clone(&self.remote);
        let writer = RemoteWriter::new(remote, self.runtime.clone(), key, path);
        Ok(Box::new(writer))
    }

    fn put(&self, key: &str, bytes: Bytes) -> Result<(), StoreError> {
        let path = self.remote.path(key)?;
        self.check_writable(key)?;
        if bytes.len() > writer::PART {
            let mut object = self.create(key)?;
            object.write(&bytes)?;
            return object.finish();
        }
        put::put(&self.remote, &self.runtime, key, &path, bytes)
    }

    fn settle(&self, prefix: &str) -> Result<(), StoreError> {
        // Created objects are durable.
        check_prefix(prefix)
    }

    fn remove_folder(&self, folder: &str) -> Result<(), StoreError> {
        check_prefix(folder)?;
        if folder.is_empty() || self.remote.pages.is_none() {
            return Ok(());
        }
        self.check_writable(folder)?;
        let (remote, folder) = (Arc::clone(&self.remote), join(&self.remote.root, folder));
        self.runtime.wait(async move {
            let Some(pages) = &remote.pages else {
                return Ok(());
            };
            markers::remove(&remote.store, pages, remote.markers.as_ref(), &folder).await
        })?
    }

    fn remove_many(&self, keys: &[&str]) -> Vec<Result<(), StoreError>> {
        if let Err(error) = self.check_writable("") {
            return keys.iter().map(|_| Err(error.clone())).collect();
        }
        let (remote, count) = (Arc::clone(&self.remote), keys.len());
        let keys: Vec<String> = keys.iter().map(|key| (*key).to_owned()).collect();
        let all = async move { removal::remove(remote, keys).await };
        match self.runtime.wait(all) {
            Ok(answers) => answers,
            Err(error) => (0..count).map(|_| Err(error.clone())).collect(),
        }
    }
}

async fn first_page(remote: Arc<Remote>, prefix: String) -> Result<Listing, StoreError> {
    check_prefix(&prefix)?;
    let _turn = turn().await;
    listing::list(&remote, &prefix, None).await
}

async fn read_of(remote: Arc<Remote>, read: Read) -> Result<Piece, StoreError> {
    let path = remote.path(&read.key)?;
    let _turn = turn().await;
    let again = match ranges::read(&*remote.store, &path, &read, remote.tails).await {
        Err(StoreError::NotFound { .. }) if remote.pages.is_some() => remote,
        answer => return answer,
    };
    // The caller probably knows the key from a listing, and some servers list an object before it can be read.
    tokio::time::sleep(SOONER).await;
    ranges::read(&*again.store, &path, &read, again.tails).await
}
