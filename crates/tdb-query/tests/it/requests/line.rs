//! Simulates a far store and a driver of a read over it: one queue of events, in which decoding takes no time.

use std::collections::HashMap;
use std::sync::Arc;

use tdb_array::Snapshot;
use tdb_cells::{Batch, FetchedBytes, Session};
use tdb_query::{Next, Read, ReadOptions};
use tdb_store::{ByteRange, MemoryStore, Piece, Read as Wish, read_coalesced};

/// Seconds from a request to its first byte.
const DELAY: f64 = 0.05;

/// Bytes transferred per second.
const BANDWIDTH: f64 = 100e6;

/// Ranges with at most this many bytes between them are requested together.
const GAP: u64 = 1 << 20;

/// Maximum number of bytes that are requested before they are needed.
const AHEAD: u64 = 64 << 20;

/// Maximum number of bytes that may be needed later and are requested with those that are needed.
const LIKELY: u64 = 8 * GAP;

/// Costs of a read.
#[derive(Debug, Default)]
pub(crate) struct Cost {
    /// Length of the longest chain of requests each of which depends on the answer to the one before.
    pub(crate) waits: u64,
    pub(crate) requests: u64,
    pub(crate) bytes: u64,
    /// Number of tiles that were requested again.
    pub(crate) again: u64,
    pub(crate) seconds: f64,
    pub(crate) rows: usize,
}

impl Cost {
    /// Returns the lower bound of the time: one delay per wait, and the transfer of the bytes.
    pub(crate) fn least_seconds(&self) -> f64 {
        self.waits as f64 * DELAY + self.bytes as f64 / BANDWIDTH
    }
}

type Place = (Arc<str>, u64);

/// Connection to the store.
struct Line<'a> {
    store: &'a MemoryStore,
    cost: Cost,
    now: f64,
    /// Time at which all requested bytes will have been received.
    free: f64,
    /// Answers that were requested and not used yet, with their times of arrival.
    coming: HashMap<Place, (Piece, f64)>,
    asked: HashMap<Place, u64>,
}

/// Reads an array over the line; returns the costs.
pub(crate) fn read(store: &MemoryStore, array: &Arc<Snapshot>, options: &ReadOptions) -> Cost {
    read_batches(store, array, options).0
}

/// Reads an array over the line; returns the costs and the batches.
pub(crate) fn read_batches(
    store: &MemoryStore,
    array: &Arc<Snapshot>,
    options: &ReadOptions,
) -> (Cost, Vec<Batch>) {
    let session = Session::default();
    let mut batches = Vec::new();
    let mut line = Line::new(store);
    line.drive(&session, array, options, &mut batches);
    line.cost.seconds = line.now;
    line.cost.rows = batches.iter().map(|batch| batch.rows).sum();
    (line.cost, batches)
}

impl<'a> Line<'a> {
    fn new(store: &'a MemoryStore) -> Self {
        store.take_counts();
        Self {
            store,
            cost: Cost::default(),
            now: 0.0,
            free: 0.0,
            coming: HashMap::new(),
            asked: HashMap::new(),
        }
    }

    fn drive(
        &mut self,
        session: &Session,
        array: &Arc<Snapshot>,
        options: &ReadOptions,
        batches: &mut Vec<Batch>,
    ) {
        let mut read = Read::new(session, array, options).unwrap();
        loop {
            match read.next().unwrap() {
                Next::Need(wishes) => {
                    self.cost.waits += 1;
                    let (pieces, at) = self.ask(&wishes);
                    self.now = at;
                    read.answer(pieces).unwrap();
                }
                Next::Work(piece) => {
                    let wishes = piece.reads().unwrap();
                    if !self.request(&wishes) {
                        self.cost.waits += 1;
                        let likely = piece.likely().unwrap();
                        if likely.iter().map(bytes_of).sum::<u64>() <= LIKELY {
                            self.request(&likely);
                        }
                    }
                    let ahead = read.ahead(AHEAD).unwrap();
                    self.request(&ahead);
                    let bytes = FetchedBytes::new(&wishes, self.take(&wishes));
                    read.take(piece.decode(session, &bytes).unwrap()).unwrap();
                }
                Next::Batch(batch) => batches.push(batch),
                Next::Done => return,
            }
        }
    }

    /// Requests the ranges that were not requested yet; true if there were none.
    fn request(&mut self, wishes: &[Wish]) -> bool {
        let is_new = |wish: &&Wish| !self.coming.contains_key(&place(wish));
        let new: Vec<Wish> = wishes.iter().filter(is_new).cloned().collect();
        let (pieces, at) = self.ask(&new);
        for (wish, piece) in new.iter().zip(pieces) {
            let times = self.asked.entry(place(wish)).or_default();
            self.cost.again += u64::from(*times > 0);
            *times += 1;
            self.coming.insert(place(wish), (piece, at));
        }
        new.is_empty()
    }

    /// Sends requests; returns the answers, and the time at which they arrive.
    fn ask(&mut self, wishes: &[Wish]) -> (Vec<Piece>, f64) {
        let pieces = read_coalesced(self.store, wishes, GAP, u64::MAX);
        let counts = self.store.take_counts();
        self.cost.requests += counts.reads;
        self.cost.bytes += counts.bytes;
        if counts.reads > 0 {
            self.free = self.free.max(self.now + DELAY) + counts.bytes as f64 / BANDWIDTH;
        }
        (pieces.into_iter().map(Result::unwrap).collect(), self.free)
    }

    /// Waits until all of these ranges have arrived, and removes them.
    fn take(&mut self, wishes: &[Wish]) -> Vec<Piece> {
        let taken = wishes.iter().map(|wish| {
            let (piece, at) = self.coming.remove(&place(wish)).unwrap();
            self.now = self.now.max(at);
            piece
        });
        taken.collect()
    }
}

fn place(wish: &Wish) -> Place {
    match wish.range {
        ByteRange::Bounded { start, .. } | ByteRange::From(start) => (Arc::clone(&wish.key), start),
        ByteRange::Whole | ByteRange::Tail(_) => (Arc::clone(&wish.key), 0),
    }
}

fn bytes_of(wish: &Wish) -> u64 {
    match wish.range {
        ByteRange::Bounded { len, .. } => len,
        ByteRange::Whole | ByteRange::From(_) | ByteRange::Tail(_) => 0,
    }
}
