//! `--profile`: what a verb read and decoded, and how long its stages took.

use std::io::{self, IoSliceMut, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use serde_json::Value as Json;
use tdb::engine::array::Array;
use tdb::engine::cells::Session;
use tdb::engine::store::{
    Distance, Listing, Object, ObjectWriter, Page, Piece, Read, ReadAndListed, SentReads, Store,
    StoreError,
};
use tdb::{LocalStores, RemoteFolder, Stores};

use crate::interrupt;
use crate::paint::{Look, Role, Table, bytes, count};

/// Counters shared by a verb and the stores that it opens.
#[derive(Clone, Debug, Default)]
pub(crate) struct Profile {
    shared: Arc<Counters>,
}

#[derive(Debug, Default)]
struct Counters {
    tries: AtomicU64,
    lists: AtomicU64,
    sizes: AtomicU64,
    reads: AtomicU64,
    bytes: AtomicU64,
    rows: AtomicU64,
    result: AtomicU64,
    session: OnceLock<Session>,
    stores: OnceLock<Arc<dyn Stores>>,
    stages: Mutex<Vec<(&'static str, Duration)>>,
}

impl Counters {
    fn read_some(&self, reads: usize, bytes: u64) {
        self.reads.fetch_add(reads as u64, Ordering::Relaxed);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    fn count_read(&self, answers: &[Result<Piece, StoreError>]) {
        let found = answers
            .iter()
            .flatten()
            .map(|piece| piece.bytes.len() as u64)
            .sum();
        self.read_some(answers.len(), found);
    }
}

/// Opens stores as usual, wrapped so that their accesses are counted.
impl Stores for Profile {
    fn open(&self, folder: &Path) -> Result<Arc<dyn Store>, StoreError> {
        Ok(self.counted(LocalStores.open(folder)?))
    }

    fn connection(&self, uri: &str) -> tdb::Result<Vec<(&'static str, String)>> {
        self.stores().connection(uri)
    }

    fn notes(&self) -> Vec<String> {
        self.stores().notes()
    }

    fn open_remote(&self, uri: &str) -> tdb::Result<RemoteFolder> {
        let remote = self.stores().open_remote(uri)?;
        Ok(RemoteFolder {
            store: self.counted(remote.store),
            ..remote
        })
    }

    #[cfg(feature = "sql")]
    fn files(&self, root: &str) -> tdb::Result<Arc<dyn tdb::FileStore>> {
        self.stores().files(root)
    }
}

impl Profile {
    /// The stores for URIs other than local paths.
    fn stores(&self) -> &dyn Stores {
        let noted = self.shared.stores.get();
        noted.map_or(&LocalStores, |stores| &**stores)
    }

    fn counted(&self, store: Arc<dyn Store>) -> Arc<dyn Store> {
        Arc::new(CountingStore {
            store,
            counters: Arc::clone(&self.shared),
        })
    }

    /// Sets the stores for URIs other than local paths.
    #[cfg(feature = "object-store")]
    pub(crate) fn of_stores(&self, stores: Arc<dyn Stores>) {
        let _ = self.shared.stores.set(stores);
    }

    /// Runs some work and adds its duration to the stage.
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

    /// Records how many attempts it took to open an array in a consistent state.
    pub(crate) fn opened(&self, array: &Array) {
        let tries = u64::from(array.tries());
        self.shared.tries.fetch_add(tries, Ordering::Relaxed);
    }

    /// Adds rows and bytes to the size of the result.
    pub(crate) fn result(&self, rows: u64, bytes: u64) {
        self.shared.rows.fetch_add(rows, Ordering::Relaxed);
        self.shared.result.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Records the session, whose counters the profile includes.
    pub(crate) fn of_session(&self, session: &Session) {
        let _ = self.shared.session.set(session.clone());
    }

    /// Warning if fewer threads ran than were requested.
    pub(crate) fn warning(&self) -> Option<String> {
        let session = self.shared.session.get()?;
        let (wanted, most) = (session.threads_wanted(), Session::MOST_THREADS);
        let allowed = wanted.min(most);
        match session.threads() {
            1 if allowed > 1 => Some(format!(
                "the system could not start any of {allowed} threads, so a single one did all the work"
            )),
            found if found < allowed => Some(format!(
                "the system started only {found} of {allowed} threads"
            )),
            _ if wanted > most => Some(format!(
                "{wanted} threads were requested, but at most {most} are started"
            )),
            _ => None,
        }
    }

    /// Prints the profile for people.
    pub(crate) fn write(&self, out: &mut dyn Write, look: Look) -> io::Result<()> {
        let facts = self.facts();
        let mut table = Table::plain(&[false, true]);
        for (what, fact) in facts {
            let text = match fact {
                Fact::Count(number) => count(number),
                Fact::Bytes(number) => bytes(number),
                Fact::Time(took) => format!("{:.1} ms", milliseconds(took)),
            };
            let what = what.replace('_', " ");
            table.painted([(Role::Dim, what), (Role::Plain, text)]);
        }
        table.write(out, look)
    }

    /// Writes the profile as one line of JSON: counts, bytes, and milliseconds.
    pub(crate) fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        let facts = self.facts().into_iter();
        let json = facts.map(|(what, fact)| match fact {
            Fact::Count(number) | Fact::Bytes(number) => (what.to_owned(), number.into()),
            Fact::Time(took) => (format!("{what}_ms"), milliseconds(took).into()),
        });
        writeln!(out, "{}", Json::Object(json.collect()))
    }

    /// All facts of the profile, under stable names.
    fn facts(&self) -> Vec<(&'static str, Fact)> {
        let counters = &*self.shared;
        let number = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let mut facts = vec![
            // More than one per array if another process vacuumed it meanwhile.
            ("opening_tries", Fact::Count(number(&counters.tries))),
            ("folders_listed", Fact::Count(number(&counters.lists))),
            ("sizes_asked", Fact::Count(number(&counters.sizes))),
            ("ranges_read", Fact::Count(number(&counters.reads))),
            ("bytes_read", Fact::Bytes(number(&counters.bytes))),
        ];
        let session = counters.session.get();
        let files = session.map(|session| {
            let profile = session.profile();
            [
                ("guess", profile.guess),
                ("input", profile.input),
                ("write", profile.write),
            ]
        });
        if let Some(session) = session {
            facts.push(("threads", Fact::Count(session.threads() as u64)));
        }
        let reading = session
            .map(Session::profile)
            .filter(|profile| profile.plan > Duration::ZERO);
        if let Some(reading) = reading {
            facts.extend([
                ("tiles_read", Fact::Count(reading.tiles_read)),
                ("tile_bytes_read", Fact::Bytes(reading.bytes_read)),
                ("tile_bytes_wasted", Fact::Bytes(reading.bytes_skipped)),
                ("bytes_decoded", Fact::Bytes(reading.bytes_decoded)),
                ("cells_decoded", Fact::Count(reading.cells_decoded)),
                ("cells_wasted", Fact::Count(reading.cells_wasted())),
                ("cells_given", Fact::Count(reading.cells_given)),
                ("rows_given", Fact::Count(number(&counters.rows))),
                ("bytes_given", Fact::Bytes(number(&counters.result))),
            ]);
        }
        let stages = counters
            .stages
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let noted = |name| stages.iter().find(|(known, _)| *known == name).copied();
        let of_files = |name| {
            let found = files
                .into_iter()
                .flatten()
                .find(|(known, _)| *known == name);
            found.filter(|(_, took)| *took > Duration::ZERO)
        };
        let stage = |name| noted(name).or_else(|| of_files(name));
        let read = reading.map(|s| {
            [
                ("plan", s.plan),
                ("read", s.read),
                ("decode", s.decode),
                ("merge", s.merge),
            ]
        });
        let before = [stage("open"), stage("guess"), stage("input")];
        let times = (before.into_iter().flatten())
            .chain(read.into_iter().flatten())
            .chain([stage("write"), stage("all")].into_iter().flatten());
        facts.extend(times.map(|(name, took)| (name, Fact::Time(took))));
        facts
    }
}

/// A value of the profile.
enum Fact {
    Count(u64),
    Bytes(u64),
    Time(Duration),
}

/// Converts a duration to milliseconds, rounded to microseconds.
fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}

#[derive(Debug)]
struct CountingStore {
    store: Arc<dyn Store>,
    counters: Arc<Counters>,
}

impl CountingStore {
    fn read_some(&self, reads: usize, bytes: u64) {
        self.counters.read_some(reads, bytes);
    }

    fn count_read(&self, answers: &[Result<Piece, StoreError>]) {
        self.counters.count_read(answers);
    }
}

/// A writer of an object that Ctrl-C interrupts.
#[derive(Debug)]
struct Interruptible {
    key: String,
    writer: Box<dyn ObjectWriter>,
}

impl ObjectWriter for Interruptible {
    fn write(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        interrupt::check(&self.key)?;
        self.writer.write(bytes)
    }

    fn finish(self: Box<Self>) -> Result<(), StoreError> {
        self.writer.finish()
    }

    fn place(self: Box<Self>) -> Result<(), StoreError> {
        self.writer.place()
    }
}

impl Store for CountingStore {
    fn distance(&self) -> Distance {
        self.store.distance()
    }

    fn list(&self, prefix: &str, page: Option<&Page>) -> Result<Listing, StoreError> {
        self.counters.lists.fetch_add(1, Ordering::Relaxed);
        self.store.list(prefix, page)
    }

    fn list_many(&self, prefixes: &[&str]) -> Vec<Result<Listing, StoreError>> {
        let lists = prefixes.len() as u64;
        self.counters.lists.fetch_add(lists, Ordering::Relaxed);
        self.store.list_many(prefixes)
    }

    /// Counts as one listing, however many responses the store needs.
    fn list_recursive(&self, prefix: &str) -> Result<Vec<Object>, StoreError> {
        self.counters.lists.fetch_add(1, Ordering::Relaxed);
        self.store.list_recursive(prefix)
    }

    fn modified(&self, key: &str) -> Result<Option<std::time::SystemTime>, StoreError> {
        self.store.modified(key)
    }

    fn size(&self, key: &str) -> Result<u64, StoreError> {
        self.counters.sizes.fetch_add(1, Ordering::Relaxed);
        self.store.size(key)
    }

    fn sizes(&self, keys: &[&str]) -> Vec<Result<u64, StoreError>> {
        let sizes = keys.len() as u64;
        self.counters.sizes.fetch_add(sizes, Ordering::Relaxed);
        self.store.sizes(keys)
    }

    fn read(&self, reads: &[Read]) -> Vec<Result<Piece, StoreError>> {
        if let Some(first) = reads.first()
            && let Err(interrupted) = interrupt::check(&first.key)
        {
            return reads.iter().map(|_| Err(interrupted.clone())).collect();
        }
        let answers = self.store.read(reads);
        self.count_read(&answers);
        answers
    }

    fn send(&self, reads: &[Read]) -> Option<SentReads> {
        if let Some(first) = reads.first()
            && let Err(interrupted) = interrupt::check(&first.key)
        {
            let answers = vec![Err(interrupted); reads.len()];
            return Some(Box::pin(std::future::ready(answers)));
        }
        let sent = self.store.send(reads)?;
        let counters = Arc::clone(&self.counters);
        Some(Box::pin(async move {
            let answers = sent.await;
            counters.count_read(&answers);
            answers
        }))
    }

    fn read_and_list(&self, reads: &[Read], prefixes: &[&str]) -> ReadAndListed {
        if let Some(first) = reads.first()
            && let Err(interrupted) = interrupt::check(&first.key)
        {
            return ReadAndListed {
                pieces: reads.iter().map(|_| Err(interrupted.clone())).collect(),
                listings: self.list_many(prefixes),
            };
        }
        let lists = prefixes.len() as u64;
        self.counters.lists.fetch_add(lists, Ordering::Relaxed);
        let answers = self.store.read_and_list(reads, prefixes);
        self.count_read(&answers.pieces);
        answers
    }

    fn read_into(&self, key: &str, offset: u64, into: &mut [u8]) -> Result<(), StoreError> {
        interrupt::check(key)?;
        self.read_some(1, into.len() as u64);
        self.store.read_into(key, offset, into)
    }

    fn read_scattered(
        &self,
        key: &str,
        offset: u64,
        into: &mut [IoSliceMut<'_>],
    ) -> Result<(), StoreError> {
        interrupt::check(key)?;
        let bytes = into.iter().map(|piece| piece.len() as u64).sum();
        self.read_some(1, bytes);
        self.store.read_scattered(key, offset, into)
    }

    fn put(&self, key: &str, bytes: Bytes) -> Result<(), StoreError> {
        interrupt::check(key)?;
        self.store.put(key, bytes)
    }

    fn remove(&self, key: &str) -> Result<(), StoreError> {
        self.store.remove(key)
    }

    fn create(&self, key: &str) -> Result<Box<dyn ObjectWriter>, StoreError> {
        interrupt::check(key)?;
        let writer = self.store.create(key)?;
        Ok(Box::new(Interruptible {
            key: key.to_owned(),
            writer,
        }))
    }

    fn settle(&self, prefix: &str) -> Result<(), StoreError> {
        self.store.settle(prefix)
    }

    fn remove_many(&self, keys: &[&str]) -> Vec<Result<(), StoreError>> {
        self.store.remove_many(keys)
    }

    fn remove_folder(&self, folder: &str) -> Result<(), StoreError> {
        self.store.remove_folder(folder)
    }
}
