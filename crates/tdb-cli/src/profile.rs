//! What a verb asked of the store, and how long its stages took: `--profile`.

use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tdb_store::{Listing, ObjectWriter, Page, Piece, Read, Store, StoreError};

use crate::paint::{Look, Role, Table, bytes, count};

/// Counters that a verb and the stores it opens share.
#[derive(Clone, Debug, Default)]
pub(crate) struct Profile {
    shared: Arc<Counters>,
}

#[derive(Debug, Default)]
struct Counters {
    lists: AtomicU64,
    sizes: AtomicU64,
    reads: AtomicU64,
    bytes: AtomicU64,
    cells: AtomicU64,
    result: AtomicU64,
    stages: Mutex<Vec<(&'static str, Duration)>>,
}

impl Profile {
    /// Does some work and notes how long it took.
    pub(crate) fn stage<R>(&self, name: &'static str, work: impl FnOnce() -> R) -> R {
        let start = Instant::now();
        let result = work();
        let took = start.elapsed();
        let mut stages = self
            .shared
            .stages
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        match stages.iter_mut().find(|(known, _)| *known == name) {
            Some((_, sum)) => *sum = sum.saturating_add(took),
            None => stages.push((name, took)),
        }
        result
    }

    /// Notes cells of a result.
    pub(crate) fn cells(&self, cells: usize, bytes: usize) {
        self.shared.cells.fetch_add(cells as u64, Ordering::Relaxed);
        self.shared
            .result
            .fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// The store, counted.
    pub(crate) fn counted(&self, store: Arc<dyn Store>) -> Arc<dyn Store> {
        Arc::new(Counted {
            store,
            counters: Arc::clone(&self.shared),
        })
    }

    pub(crate) fn write(&self, out: &mut dyn Write, look: Look) -> io::Result<()> {
        let counters = &*self.shared;
        let number = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let mut table = Table::plain(&[false, true]);
        let mut line = |what: &str, text: String| {
            table.painted([(Role::Dim, what.to_owned()), (Role::Plain, text)]);
        };
        line("folders listed", count(number(&counters.lists)));
        line("sizes asked", count(number(&counters.sizes)));
        line("ranges read", count(number(&counters.reads)));
        line("bytes read", bytes(number(&counters.bytes)));
        if number(&counters.cells) > 0 {
            line("cells in the result", count(number(&counters.cells)));
            line("bytes of the result", bytes(number(&counters.result)));
        }
        let stages = counters
            .stages
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        for (name, took) in stages.iter() {
            line(name, format!("{:.1} ms", took.as_secs_f64() * 1000.0));
        }
        table.write(out, look)
    }
}

#[derive(Debug)]
struct Counted {
    store: Arc<dyn Store>,
    counters: Arc<Counters>,
}

impl Counted {
    fn read_some(&self, reads: usize, bytes: u64) {
        self.counters
            .reads
            .fetch_add(reads as u64, Ordering::Relaxed);
        self.counters.bytes.fetch_add(bytes, Ordering::Relaxed);
    }
}

impl Store for Counted {
    fn list(&self, prefix: &str, page: Option<&Page>) -> Result<Listing, StoreError> {
        self.counters.lists.fetch_add(1, Ordering::Relaxed);
        self.store.list(prefix, page)
    }

    fn modified(&self, key: &str) -> Result<Option<std::time::SystemTime>, StoreError> {
        self.store.modified(key)
    }

    fn size(&self, key: &str) -> Result<u64, StoreError> {
        self.counters.sizes.fetch_add(1, Ordering::Relaxed);
        self.store.size(key)
    }

    fn read(&self, reads: &[Read]) -> Vec<Result<Piece, StoreError>> {
        let answers = self.store.read(reads);
        let found = answers
            .iter()
            .flatten()
            .map(|piece| piece.bytes.len() as u64)
            .sum();
        self.read_some(reads.len(), found);
        answers
    }

    fn read_into(&self, key: &str, offset: u64, into: &mut [u8]) -> Result<(), StoreError> {
        self.read_some(1, into.len() as u64);
        self.store.read_into(key, offset, into)
    }

    fn create(&self, key: &str) -> Result<Box<dyn ObjectWriter>, StoreError> {
        self.store.create(key)
    }

    fn remove_many(&self, keys: &[&str]) -> Vec<Result<(), StoreError>> {
        self.store.remove_many(keys)
    }
}
