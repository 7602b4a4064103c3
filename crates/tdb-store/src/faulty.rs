use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use bytes::Bytes;

use crate::{Distance, Listing, ObjectWriter, Page, Piece, Read, Store, StoreError, check_key};

/// How often a [`FaultyStore`] injects each kind of fault: one in N operations; 0 for never.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// The operation fails and has no effect.
    pub before: u64,
    /// The operation takes effect, but reports an error: a lost answer.
    pub after: u64,
    /// A read ends halfway, with an error.
    pub short: u64,
    /// A listing lacks its last object, as if it were stale. The newest names sort last.
    pub stale: u64,
}

/// A store with injected faults, which are the same for the same seed and the same operations.
///
/// ```
/// use tdb_store::{FaultyStore, MemoryStore, Store};
/// let store = FaultyStore::failing_at(MemoryStore::new(), 1);
/// assert!(store.put("a", "1".into()).is_ok());
/// assert!(store.size("a").is_err());
/// assert!(store.size("a").is_ok());
/// ```
#[derive(Debug)]
pub struct FaultyStore<S> {
    inner: S,
    chance: Arc<Chance>,
}

#[derive(Debug)]
struct Chance {
    seed: u64,
    faults: Faults,
    /// Index of the operation that fails without effect, counted from 0.
    failing: Option<u64>,
    /// True if all later operations fail, too.
    stops: bool,
    operations: AtomicU64,
}

/// The fault that is injected into one operation, if any.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Well,
    Before,
    After,
    Short,
    Stale,
}

impl<S: Store> FaultyStore<S> {
    /// Wraps a store; the faults are derived from the seed.
    pub fn new(inner: S, faults: Faults, seed: u64) -> Self {
        Self::with(inner, faults, seed, None, false)
    }

    /// Wraps a store so that only the operation with this index fails, counted from 0.
    ///
    /// Repeat an action with 0, 1, 2 and so on until it succeeds without a fault: then each of its operations has
    /// failed once.
    pub fn failing_at(inner: S, operation: u64) -> Self {
        Self::with(inner, Faults::default(), 0, Some(operation), false)
    }

    /// Wraps a store so that it stops before the given operation, counted from 0: this one and all later ones fail
    /// without effect. [`FaultyStore::inner`] then contains what a killed process would leave.
    pub fn stopping_at(inner: S, operation: u64) -> Self {
        Self::with(inner, Faults::default(), 0, Some(operation), true)
    }

    /// Returns the number of operations so far.
    pub fn operations(&self) -> u64 {
        self.chance.operations.load(Ordering::Relaxed)
    }

    /// Returns the wrapped store, without faults.
    pub fn inner(&self) -> &S {
        &self.inner
    }

    fn with(inner: S, faults: Faults, seed: u64, failing: Option<u64>, stops: bool) -> Self {
        Self {
            inner,
            chance: Arc::new(Chance {
                seed,
                faults,
                failing,
                stops,
                operations: AtomicU64::new(0),
            }),
        }
    }
}

impl Chance {
    fn fate(&self) -> Fate {
        let operation = self.operations.fetch_add(1, Ordering::Relaxed);
        if let Some(failing) = self.failing {
            return if operation == failing || (self.stops && operation > failing) {
                Fate::Before
            } else {
                Fate::Well
            };
        }
        let throw = |salt: u64, one_in: u64| {
            let mixed = mix(self.seed ^ mix((operation << 3) ^ salt));
            mixed.checked_rem(one_in) == Some(0)
        };
        let Faults {
            before,
            after,
            short,
            stale,
        } = self.faults;
        match () {
            () if throw(1, before) => Fate::Before,
            () if throw(2, after) => Fate::After,
            () if throw(3, short) => Fate::Short,
            () if throw(4, stale) => Fate::Stale,
            () => Fate::Well,
        }
    }

    fn act<T>(
        &self,
        key: &str,
        act: impl FnOnce() -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        match self.fate() {
            Fate::Before => Err(fault(key)),
            Fate::After => act().and_then(|_| Err(fault(key))),
            Fate::Well | Fate::Short | Fate::Stale => act(),
        }
    }
}

impl<S: Store> Store for FaultyStore<S> {
    fn distance(&self) -> Distance {
        self.inner.distance()
    }

    fn list(&self, prefix: &str, page: Option<&Page>) -> Result<Listing, StoreError> {
        match self.chance.fate() {
            Fate::Before | Fate::After => Err(fault(prefix)),
            Fate::Stale => {
                let mut listing = self.inner.list(prefix, page)?;
                listing.objects.pop();
                Ok(listing)
            }
            Fate::Well | Fate::Short => self.inner.list(prefix, page),
        }
    }

    fn size(&self, key: &str) -> Result<u64, StoreError> {
        self.chance.act(key, || self.inner.size(key))
    }

    fn modified(&self, key: &str) -> Result<Option<SystemTime>, StoreError> {
        self.chance.act(key, || self.inner.modified(key))
    }

    fn read(&self, reads: &[Read]) -> Vec<Result<Piece, StoreError>> {
        let answers = self.inner.read(reads).into_iter().zip(reads);
        answers
            .map(|(answer, read)| match self.chance.fate() {
                Fate::Before | Fate::After => Err(fault(&read.key)),
                Fate::Short => answer.and_then(|piece| Err(short(read, &piece))),
                Fate::Well | Fate::Stale => answer,
            })
            .collect()
    }

    fn read_into(&self, key: &str, offset: u64, into: &mut [u8]) -> Result<(), StoreError> {
        self.chance
            .act(key, || self.inner.read_into(key, offset, into))
    }

    fn create(&self, key: &str) -> Result<Box<dyn ObjectWriter>, StoreError> {
        check_key(key)?;
        let object = self.chance.act(key, || self.inner.create(key))?;
        Ok(Box::new(FaultyWriter {
            inner: object,
            key: key.to_owned(),
            chance: Arc::clone(&self.chance),
        }))
    }

    fn put(&self, key: &str, bytes: Bytes) -> Result<(), StoreError> {
        self.chance.act(key, || self.inner.put(key, bytes))
    }

    fn settle(&self, prefix: &str) -> Result<(), StoreError> {
        self.chance.act(prefix, || self.inner.settle(prefix))
    }

    fn remove_many(&self, keys: &[&str]) -> Vec<Result<(), StoreError>> {
        let removals = keys
            .iter()
            .map(|key| self.chance.act(key, || self.inner.remove(key)));
        removals.collect()
    }

    fn remove_folder(&self, folder: &str) -> Result<(), StoreError> {
        self.chance.act(folder, || self.inner.remove_folder(folder))
    }
}

#[derive(Debug)]
struct FaultyWriter {
    inner: Box<dyn ObjectWriter>,
    key: String,
    chance: Arc<Chance>,
}

impl ObjectWriter for FaultyWriter {
    fn write(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        let Self { inner, key, chance } = self;
        chance.act(key, || inner.write(bytes))
    }

    fn finish(self: Box<Self>) -> Result<(), StoreError> {
        let Self { inner, key, chance } = *self;
        chance.act(&key, || inner.finish())
    }

    fn place(self: Box<Self>) -> Result<(), StoreError> {
        let Self { inner, key, chance } = *self;
        chance.act(&key, || inner.place())
    }
}

fn fault(key: &str) -> StoreError {
    StoreError::other(key, std::io::Error::other("a fault made on purpose"))
}

fn short(read: &Read, piece: &Piece) -> StoreError {
    let wanted = piece.bytes.len() as u64;
    StoreError::OutOfRange {
        key: read.key.to_string(),
        offset: piece.offset,
        wanted,
        size: piece.offset + wanted / 2,
    }
}

/// Mixes the bits of a number (the finalizer of SplitMix64).
fn mix(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}
