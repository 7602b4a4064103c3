//! A store whose objects change during listings and reads, as if others merged and vacuumed.

#![expect(
    clippy::indexing_slicing,
    clippy::unimplemented,
    reason = "a store for tests, which may fail so"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use tdb_store::{Listing, MemoryStore, Object, ObjectWriter, Page, Piece, Read, Store, StoreError};

/// The objects at one moment.
type State = BTreeMap<String, Bytes>;

/// A store in memory that records its state after each change.
#[derive(Debug)]
pub(crate) struct Recorder {
    inner: MemoryStore,
    states: Mutex<Vec<State>>,
}

impl Recorder {
    pub(crate) fn new(inner: MemoryStore) -> Self {
        let recorder = Self {
            inner,
            states: Mutex::default(),
        };
        recorder.note();
        recorder
    }

    /// Returns the number of states so far.
    pub(crate) fn len(&self) -> usize {
        self.states.lock().unwrap().len()
    }

    pub(crate) fn states(&self) -> Vec<State> {
        self.states.lock().unwrap().clone()
    }

    fn note(&self) {
        let keys = self.inner.keys().into_iter();
        let state = keys.map(|key| {
            let bytes = self.inner.read(&[Read::whole(key.as_str())]).remove(0);
            (key, bytes.unwrap().bytes)
        });
        self.states.lock().unwrap().push(state.collect());
    }
}

impl Store for Recorder {
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

    /// Data files: they are recorded with the next change, since they are invisible before the commit.
    fn create(&self, key: &str) -> Result<Box<dyn ObjectWriter>, StoreError> {
        self.inner.create(key)
    }

    fn put(&self, key: &str, bytes: Bytes) -> Result<(), StoreError> {
        self.inner.put(key, bytes)?;
        self.note();
        Ok(())
    }

    fn settle(&self, prefix: &str) -> Result<(), StoreError> {
        self.inner.settle(prefix)?;
        self.note();
        Ok(())
    }

    fn remove_many(&self, keys: &[&str]) -> Vec<Result<(), StoreError>> {
        let removals = keys.iter().map(|key| {
            let answer = self.inner.remove(key);
            self.note();
            answer
        });
        removals.collect()
    }
}

/// The states of a store, and all names that its folders ever had, in listing order.
#[derive(Debug)]
pub(crate) struct States {
    states: Vec<State>,
    /// Keys by folder, which has a final slash; each with whether it is a folder.
    names: BTreeMap<String, Vec<(String, bool)>>,
}

impl States {
    /// Orders names by a seeded hash, as many file systems do; alphabetically if the seed is 0.
    pub(crate) fn new(states: Vec<State>, seed: u64) -> Self {
        let keys: BTreeSet<&String> = states.iter().flat_map(BTreeMap::keys).collect();
        let mut names: BTreeMap<String, BTreeSet<(String, bool)>> = BTreeMap::new();
        for key in keys {
            let slashes = key.match_indices('/').map(|(at, _)| at);
            let mut folder = "";
            for slash in slashes {
                let name = (key[..slash].to_owned(), true);
                names.entry(folder.to_owned()).or_default().insert(name);
                folder = &key[..=slash];
            }
            let name = (key.clone(), false);
            names.entry(folder.to_owned()).or_default().insert(name);
        }
        let ordered = names.into_iter().map(|(folder, names)| {
            let mut names: Vec<_> = names.into_iter().collect();
            if seed != 0 {
                names.sort_by_key(|(key, _)| hash(key, seed));
            }
            (folder, names)
        });
        Self {
            names: ordered.collect(),
            states,
        }
    }
}

/// A store that changes its state while it is used: between any two names of a listing, whose pages have one name
/// each, and between any two reads.
#[derive(Debug)]
pub(crate) struct Changing {
    states: Arc<States>,
    /// Pairs of an event and the state that begins with it.
    schedule: Vec<(usize, usize)>,
    events: AtomicUsize,
}

impl Changing {
    pub(crate) fn new(states: &Arc<States>, schedule: Vec<(usize, usize)>) -> Self {
        Self {
            states: Arc::clone(states),
            schedule,
            events: AtomicUsize::new(0),
        }
    }

    /// Returns the number of events: names listed and objects read.
    pub(crate) fn events(&self) -> usize {
        self.events.load(Ordering::Relaxed)
    }

    /// Returns the index of the current state.
    pub(crate) fn now(&self) -> usize {
        self.at(self.events())
    }

    fn at(&self, event: usize) -> usize {
        let passed = self.schedule.iter().rev();
        passed
            .filter(|(from, _)| *from <= event)
            .map(|(_, state)| *state)
            .next()
            .unwrap()
    }

    fn next_state(&self) -> &State {
        &self.states.states[self.at(self.events.fetch_add(1, Ordering::Relaxed))]
    }
}

impl Store for Changing {
    fn list(&self, prefix: &str, page: Option<&Page>) -> Result<Listing, StoreError> {
        let folder = match prefix {
            "" => String::new(),
            prefix => format!("{prefix}/"),
        };
        let index = page.map_or(0, |page| page.token().parse().unwrap());
        let names = self.states.names.get(&folder);
        let mut listing = Listing::default();
        if let Some((key, is_folder)) = names.and_then(|names| names.get(index)) {
            let state = self.next_state();
            let below = format!("{key}/");
            let mut first = state.range(below.clone()..);
            if *is_folder && first.next().is_some_and(|(key, _)| key.starts_with(&below)) {
                listing.prefixes.push(key.clone());
            } else if let Some(bytes) = state.get(key).filter(|_| !*is_folder) {
                listing.objects.push(Object {
                    key: key.clone(),
                    size: Some(bytes.len() as u64),
                });
            }
            listing.next = Some(Page::new((index + 1).to_string()));
        }
        Ok(listing)
    }

    fn size(&self, key: &str) -> Result<u64, StoreError> {
        Ok(self.object(key)?.len() as u64)
    }

    fn read(&self, reads: &[Read]) -> Vec<Result<Piece, StoreError>> {
        let reads = reads.iter().map(|read| {
            // A store with only this object gives the right answer to the read.
            let one = MemoryStore::new();
            one.put(&read.key, self.object(&read.key)?)?;
            one.read(std::slice::from_ref(read)).remove(0)
        });
        reads.collect()
    }

    fn read_into(&self, key: &str, _: u64, _: &mut [u8]) -> Result<(), StoreError> {
        unimplemented!("{key}: no cells are read")
    }

    fn create(&self, key: &str) -> Result<Box<dyn ObjectWriter>, StoreError> {
        unimplemented!("{key}: nothing is written")
    }

    fn settle(&self, prefix: &str) -> Result<(), StoreError> {
        unimplemented!("{prefix}: nothing is written")
    }

    fn remove_many(&self, keys: &[&str]) -> Vec<Result<(), StoreError>> {
        unimplemented!("{keys:?}: nothing is removed")
    }
}

impl Changing {
    fn object(&self, key: &str) -> Result<Bytes, StoreError> {
        let object = self.next_state().get(key).cloned();
        object.ok_or_else(|| StoreError::NotFound {
            key: key.to_owned(),
        })
    }
}

/// Seeded FNV-1a.
fn hash(key: &str, seed: u64) -> u64 {
    key.bytes().fold(seed, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
