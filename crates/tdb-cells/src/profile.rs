//! What reads cost, counted tile by tile.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// What the reads of a [`Session`](crate::Session) took so far, and what came of it.
///
/// A cell counts once for each field: two attributes of three cells are six. The times of `read` and `decode` are those
/// of all threads together, the others are times on the clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Profile {
    /// Tiles fetched from the store: of values, of offsets, of validity.
    pub tiles_read: u64,
    /// Bytes of those tiles, as stored.
    pub bytes_read: u64,
    /// Stored bytes of chunks that were fetched with their tile, and hold nothing of the subarray.
    pub bytes_skipped: u64,
    /// Bytes that undoing the filters gave.
    pub bytes_decoded: u64,
    /// Cells that undoing the filters gave.
    pub cells_decoded: u64,
    /// Cells of the results. Coordinates of dense arrays are computed, not decoded, and do not count.
    pub cells_given: u64,
    /// Tiles that were written as they were stored, without running their filters again, all fields of a tile
    /// together.
    pub tiles_copied: u64,
    /// Fragments that were looked at to choose the tiles of the next batch of a sparse array, as often as that was done.
    pub fragments_visited: u64,
    /// Tiles that were looked at for that, or to find tiles that can be copied.
    pub tiles_visited: u64,
    /// Finding out which tiles to read; where ranges of labels are asked for, reading the labels, too.
    pub plan: Duration,
    /// Waiting for bytes of tiles.
    pub read: Duration,
    /// Undoing filters, and where tiles of dense arrays are read in part, copying cells.
    pub decode: Duration,
    /// All other work on batches: choosing, sorting and merging cells, and making columns of them; but for tasks that take cells
    /// out of tiles as soon as these are decoded.
    pub merge: Duration,
    /// Reading files for the types of their columns.
    pub guess: Duration,
    /// Reading cells of files.
    pub input: Duration,
    /// Writing cells of files into arrays, and cells of arrays into files.
    pub write: Duration,
}

impl Profile {
    /// Cells that were decoded in vain.
    ///
    /// Values that stand in for what is not stored count as given, so where there are any it is more.
    #[must_use]
    pub fn cells_wasted(&self) -> u64 {
        self.cells_decoded.saturating_sub(self.cells_given)
    }
}

/// What [`Profile`] is made of, counted by all threads.
#[derive(Debug, Default)]
pub struct Counters {
    tiles_read: AtomicU64,
    bytes_read: AtomicU64,
    bytes_skipped: AtomicU64,
    bytes_decoded: AtomicU64,
    cells_decoded: AtomicU64,
    cells_given: AtomicU64,
    tiles_copied: AtomicU64,
    fragments_visited: AtomicU64,
    tiles_visited: AtomicU64,
    /// [`Profile::plan`].
    pub plan: Stage,
    /// [`Profile::read`].
    pub read: Stage,
    /// [`Profile::decode`].
    pub decode: Stage,
    /// Batches from beginning to end.
    pub batches: Stage,
    /// The part of that in which tiles are read and decoded, and cells taken out of them at once.
    pub load: Stage,
    /// [`Profile::guess`].
    pub guess: Stage,
    /// [`Profile::input`].
    pub input: Stage,
    /// [`Profile::write`].
    pub write: Stage,
}

/// The time that a kind of work took.
#[derive(Debug, Default)]
pub struct Stage {
    nanoseconds: AtomicU64,
}

impl Stage {
    /// Does some work and adds how long it took.
    pub fn time<R>(&self, work: impl FnOnce() -> R) -> R {
        let start = Instant::now();
        let result = work();
        // 2^64 nanoseconds are five hundred years.
        let took = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.nanoseconds.fetch_add(took, Ordering::Relaxed);
        result
    }

    fn sum(&self) -> Duration {
        Duration::from_nanos(self.nanoseconds.load(Ordering::Relaxed))
    }
}

impl Counters {
    /// A tile was fetched.
    pub fn add_tile(&self, bytes: u64) {
        self.tiles_read.fetch_add(1, Ordering::Relaxed);
        self.bytes_read.fetch_add(bytes, Ordering::Relaxed);
    }

    /// A part of a tile was fetched for nothing.
    pub fn add_skipped(&self, bytes: u64) {
        self.bytes_skipped.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Filters were undone.
    pub fn add_decoded(&self, bytes: u64) {
        self.bytes_decoded.fetch_add(bytes, Ordering::Relaxed);
    }

    /// What was decoded are so many cells.
    pub fn add_cells(&self, cells: u64) {
        self.cells_decoded.fetch_add(cells, Ordering::Relaxed);
    }

    /// Cells became part of a result.
    pub fn add_given(&self, cells: u64) {
        self.cells_given.fetch_add(cells, Ordering::Relaxed);
    }

    /// Tiles were copied.
    pub fn add_copied(&self, tiles: u64) {
        self.tiles_copied.fetch_add(tiles, Ordering::Relaxed);
    }

    /// Fragments were looked at to choose among their tiles.
    pub fn add_visited_fragments(&self, fragments: usize) {
        self.fragments_visited
            .fetch_add(fragments as u64, Ordering::Relaxed);
    }

    /// Tiles were looked at to choose among them.
    pub fn add_visited_tiles(&self, tiles: usize) {
        self.tiles_visited
            .fetch_add(tiles as u64, Ordering::Relaxed);
    }

    /// What was counted so far.
    pub fn profile(&self) -> Profile {
        let number = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Profile {
            tiles_read: number(&self.tiles_read),
            bytes_read: number(&self.bytes_read),
            bytes_skipped: number(&self.bytes_skipped),
            bytes_decoded: number(&self.bytes_decoded),
            cells_decoded: number(&self.cells_decoded),
            cells_given: number(&self.cells_given),
            tiles_copied: number(&self.tiles_copied),
            fragments_visited: number(&self.fragments_visited),
            tiles_visited: number(&self.tiles_visited),
            plan: self.plan.sum(),
            read: self.read.sum(),
            decode: self.decode.sum(),
            merge: self.batches.sum().saturating_sub(self.load.sum()),
            guess: self.guess.sum(),
            input: self.input.sum(),
            write: self.write.sum(),
        }
    }
}
