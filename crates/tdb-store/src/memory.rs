use std::collections::BTreeMap;
use std::ops::Bound;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use bytes::{Bytes, BytesMut};

use crate::{
    Listing, LocalStore, Object, ObjectWriter, Page, Piece, Read, Store, StoreError, check_key,
    check_prefix, copy_tree,
};

/// A store in memory that counts its requests.
///
/// Clones share the objects and the counts. With the counts, a test can assert that a plan needs three reads.
#[derive(Clone, Debug, Default)]
pub struct MemoryStore {
    shared: Arc<SharedObjects>,
    page_size: Option<usize>,
}

#[derive(Debug, Default)]
struct SharedObjects {
    objects: RwLock<BTreeMap<String, Bytes>>,
    counters: Counters,
}

/// Requests to a [`MemoryStore`] since it was created or since [`MemoryStore::take_counts`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Pages listed.
    pub lists: u64,
    /// Sizes requested.
    pub sizes: u64,
    /// Calls of `read` with at least one read, and calls of `read_into`.
    pub batches: u64,
    /// Ranges read, including those that failed.
    pub reads: u64,
    /// Bytes returned by reads.
    pub bytes: u64,
    /// Objects begun.
    pub creates: u64,
    /// Objects whose removal was requested.
    pub removes: u64,
}

#[derive(Debug, Default)]
struct Counters {
    lists: AtomicU64,
    sizes: AtomicU64,
    batches: AtomicU64,
    reads: AtomicU64,
    bytes: AtomicU64,
    creates: AtomicU64,
    removes: AtomicU64,
}

impl MemoryStore {
    /// Creates an empty store.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a store with a copy of each file below a local folder. An entry that is not a regular file is an error.
    ///
    /// # Errors
    /// Any error of [`LocalStore`].
    pub fn from_folder(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        let store = Self::new();
        copy_tree(&LocalStore::open(path)?, "", &store, "")?;
        store.take_counts();
        Ok(store)
    }

    /// Sets the maximum number of entries per page of a listing (at least 1).
    #[must_use]
    pub fn with_page_size(mut self, entries: usize) -> Self {
        self.page_size = Some(entries.max(1));
        self
    }

    /// Inserts or replaces an object: for tests that damage an array.
    pub fn overwrite(&self, key: &str, bytes: impl Into<Bytes>) {
        self.write_objects().insert(key.to_owned(), bytes.into());
    }

    /// Returns all keys, sorted.
    pub fn keys(&self) -> Vec<String> {
        self.objects().keys().cloned().collect()
    }

    /// Returns the counts so far.
    pub fn counts(&self) -> Counts {
        let counters = &self.shared.counters;
        Counts {
            lists: counters.lists.load(Ordering::Relaxed),
            sizes: counters.sizes.load(Ordering::Relaxed),
            batches: counters.batches.load(Ordering::Relaxed),
            reads: counters.reads.load(Ordering::Relaxed),
            bytes: counters.bytes.load(Ordering::Relaxed),
            creates: counters.creates.load(Ordering::Relaxed),
            removes: counters.removes.load(Ordering::Relaxed),
        }
    }

    /// Returns the counts so far, and resets them to zero.
    pub fn take_counts(&self) -> Counts {
        let counters = &self.shared.counters;
        Counts {
            lists: counters.lists.swap(0, Ordering::Relaxed),
            sizes: counters.sizes.swap(0, Ordering::Relaxed),
            batches: counters.batches.swap(0, Ordering::Relaxed),
            reads: counters.reads.swap(0, Ordering::Relaxed),
            bytes: counters.bytes.swap(0, Ordering::Relaxed),
            creates: counters.creates.swap(0, Ordering::Relaxed),
            removes: counters.removes.swap(0, Ordering::Relaxed),
        }
    }

    fn answer(&self, read: &Read) -> Result<Piece, StoreError> {
        let bytes = self.object(&read.key)?;
        let range = read.resolve(len(&bytes))?;
        let piece = slice(&bytes, range.start, range.end).ok_or_else(|| not_found(&read.key))?;
        count(&self.shared.counters.bytes, len(&piece));
        Ok(Piece {
            offset: range.start,
            bytes: piece,
        })
    }

    fn object(&self, key: &str) -> Result<Bytes, StoreError> {
        check_key(key)?;
        self.objects()
            .get(key)
            .cloned()
            .ok_or_else(|| not_found(key))
    }

    fn objects(&self) -> RwLockReadGuard<'_, BTreeMap<String, Bytes>> {
        // Each change is a single insertion or removal, so a panic of another thread leaves nothing half done.
        let objects = self.shared.objects.read();
        objects.unwrap_or_else(PoisonError::into_inner)
    }

    fn write_objects(&self) -> RwLockWriteGuard<'_, BTreeMap<String, Bytes>> {
        let objects = self.shared.objects.write();
        objects.unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for MemoryStore {
    fn list(&self, prefix: &str, page: Option<&Page>) -> Result<Listing, StoreError> {
        check_prefix(prefix)?;
        count(&self.shared.counters.lists, 1);
        let folder = match prefix {
            "" => String::new(),
            prefix => format!("{prefix}/"),
        };
        let mut listing = Listing::default();
        let mut left = self.page_size;
        let mut from = match page {
            None => Bound::Included(folder.clone()),
            Some(page) => Bound::Included(page.token().to_owned()),
        };
        let objects = self.objects();
        while let Some((key, bytes)) = objects.range((from, Bound::Unbounded)).next() {
            let Some(name) = key.strip_prefix(&folder) else {
                break;
            };
            if left == Some(0) {
                listing.next = Some(Page::new(key.clone()));
                break;
            }
            left = left.map(|left| left - 1);
            if let Some((sub, _)) = name.split_once('/') {
                let sub = format!("{folder}{sub}");
                // '0' is the character after '/': this key sorts after everything in the folder.
                from = Bound::Included(format!("{sub}0"));
                listing.prefixes.push(sub);
                continue;
            }
            listing.objects.push(Object {
                key: key.clone(),
                size: Some(len(bytes)),
            });
            from = Bound::Excluded(key.clone());
        }
        Ok(listing)
    }

    fn size(&self, key: &str) -> Result<u64, StoreError> {
        count(&self.shared.counters.sizes, 1);
        Ok(len(&self.object(key)?))
    }

    fn read(&self, reads: &[Read]) -> Vec<Result<Piece, StoreError>> {
        count(&self.shared.counters.batches, u64::from(!reads.is_empty()));
        let answers = reads.iter().map(|read| {
            count(&self.shared.counters.reads, 1);
            self.answer(read)
        });
        answers.collect()
    }

    fn read_into(&self, key: &str, offset: u64, into: &mut [u8]) -> Result<(), StoreError> {
        let wanted = into.len() as u64;
        for answer in self.read(&[Read::bounded(key, offset, wanted)]) {
            into.copy_from_slice(&answer?.bytes);
        }
        Ok(())
    }

    fn create(&self, key: &str) -> Result<Box<dyn ObjectWriter>, StoreError> {
        check_key(key)?;
        count(&self.shared.counters.creates, 1);
        if self.objects().contains_key(key) {
            return Err(exists(key));
        }
        Ok(Box::new(MemoryWriter {
            store: self.clone(),
            key: key.to_owned(),
            bytes: BytesMut::new(),
        }))
    }

    fn settle(&self, prefix: &str) -> Result<(), StoreError> {
        check_prefix(prefix)
    }

    fn remove_many(&self, keys: &[&str]) -> Vec<Result<(), StoreError>> {
        let mut objects = self.write_objects();
        let removals = keys.iter().map(|key| {
            check_key(key)?;
            count(&self.shared.counters.removes, 1);
            objects.remove(*key).map(drop).ok_or_else(|| not_found(key))
        });
        removals.collect()
    }
}

#[derive(Debug)]
struct MemoryWriter {
    store: MemoryStore,
    key: String,
    bytes: BytesMut,
}

impl ObjectWriter for MemoryWriter {
    fn write(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<(), StoreError> {
        let Self { store, key, bytes } = *self;
        let mut objects = store.write_objects();
        if objects.contains_key(&key) {
            return Err(exists(&key));
        }
        objects.insert(key, bytes.freeze());
        Ok(())
    }
}

fn slice(bytes: &Bytes, start: u64, end: u64) -> Option<Bytes> {
    let (start, end) = (usize::try_from(start).ok()?, usize::try_from(end).ok()?);
    (start <= end && end <= bytes.len()).then(|| bytes.slice(start..end))
}

fn len(bytes: &Bytes) -> u64 {
    bytes.len() as u64
}

fn count(counter: &AtomicU64, by: u64) {
    counter.fetch_add(by, Ordering::Relaxed);
}

fn not_found(key: &str) -> StoreError {
    StoreError::NotFound {
        key: key.to_owned(),
    }
}

fn exists(key: &str) -> StoreError {
    StoreError::Exists {
        key: key.to_owned(),
    }
}
