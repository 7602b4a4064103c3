//! Store that counts the waits.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tdb_store::{
    Distance, Listing, MemoryStore, ObjectWriter, Page, Piece, Read, ReadAndListed, Store,
    StoreError,
};

/// Numbers of waits, requests and bytes of a store.
#[derive(Debug)]
pub(crate) struct Counts {
    pub(crate) waits: u64,
    pub(crate) requests: u64,
    pub(crate) bytes: u64,
}

/// Store in memory; all requests of one call count as one wait.
#[derive(Clone, Debug)]
pub(crate) struct Counting {
    store: MemoryStore,
    waits: Arc<AtomicU64>,
    /// Number of requests that are answered before all later ones fail.
    sound: Arc<AtomicU64>,
}

impl Counting {
    /// Creates a store that reports itself as far away.
    pub(crate) fn far(store: &MemoryStore) -> Self {
        store.take_counts();
        Self {
            store: store.clone(),
            waits: Arc::default(),
            sound: Arc::new(AtomicU64::new(u64::MAX)),
        }
    }

    /// Lets this number of requests succeed from now on, and fails all later ones.
    pub(crate) fn fail_after(&self, requests: u64) {
        self.sound.store(requests, Ordering::Relaxed);
    }

    pub(crate) fn take(&self) -> Counts {
        let counts = self.store.take_counts();
        Counts {
            waits: self.waits.swap(0, Ordering::Relaxed),
            requests: counts.lists + counts.sizes + counts.reads,
            bytes: counts.bytes,
        }
    }

    fn wait(&self) {
        self.waits.fetch_add(1, Ordering::Relaxed);
    }

    fn read_unless_failing(&self, reads: &[Read]) -> Vec<Result<Piece, StoreError>> {
        let answers = reads.iter().zip(self.store.read(reads));
        let answers = answers.map(|(read, answer)| {
            let left = |left: u64| left.checked_sub(1);
            let sound = self
                .sound
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, left);
            match sound {
                Ok(_) => answer,
                Err(_) => Err(StoreError::Permission {
                    key: read.key.to_string(),
                }),
            }
        });
        answers.collect()
    }
}

impl Store for Counting {
    fn distance(&self) -> Distance {
        Distance::Far { gap: 1 << 20 }
    }

    fn list(&self, prefix: &str, page: Option<&Page>) -> Result<Listing, StoreError> {
        self.wait();
        self.store.list(prefix, page)
    }

    fn list_many(&self, prefixes: &[&str]) -> Vec<Result<Listing, StoreError>> {
        self.wait();
        self.store.list_many(prefixes)
    }

    fn size(&self, key: &str) -> Result<u64, StoreError> {
        self.wait();
        self.store.size(key)
    }

    fn read(&self, reads: &[Read]) -> Vec<Result<Piece, StoreError>> {
        if !reads.is_empty() {
            self.wait();
        }
        self.read_unless_failing(reads)
    }

    fn read_and_list(&self, reads: &[Read], prefixes: &[&str]) -> ReadAndListed {
        self.wait();
        ReadAndListed {
            pieces: self.read_unless_failing(reads),
            listings: self.store.list_many(prefixes),
        }
    }

    fn read_into(&self, key: &str, offset: u64, into: &mut [u8]) -> Result<(), StoreError> {
        self.wait();
        self.store.read_into(key, offset, into)
    }

    fn create(&self, key: &str) -> Result<Box<dyn ObjectWriter>, StoreError> {
        self.store.create(key)
    }

    fn settle(&self, prefix: &str) -> Result<(), StoreError> {
        self.store.settle(prefix)
    }

    fn remove_many(&self, keys: &[&str]) -> Vec<Result<(), StoreError>> {
        self.store.remove_many(keys)
    }
}
