//! Costs of reads, counted per tile.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Work that a [`Session`](crate::Session) has done so far, and the time it took.
///
/// Cells are counted per field: two attributes of three cells count as six. `read` and `decode` sum up the time of all
/// threads; all other durations are wall-clock time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Profile {
    /// Tiles fetched from the store: of values, offsets and validity.
    pub tiles_read: u64,
    /// Stored bytes of these tiles.
    pub bytes_read: u64,
    /// Stored bytes of chunks that were fetched with their tile but contain nothing of the subarray.
    pub bytes_skipped: u64,
    /// Bytes after undoing the filters.
    pub bytes_decoded: u64,
    /// Cells after undoing the filters.
    pub cells_decoded: u64,
    /// Cells in results. Coordinates of dense arrays do not count, because they are computed, not decoded.
    pub cells_given: u64,
    /// Tiles that were written in stored form, without running their filters again; all fields of a tile count as one.
    pub tiles_copied: u64,
    /// Fragments examined while choosing tiles for batches of sparse arrays; a fragment counts again for each batch.
    pub fragments_visited: u64,
    /// Tiles examined while choosing tiles for batches of sparse arrays, or to find tiles that can be copied.
    pub tiles_visited: u64,
    /// Reads whose tiles were searched; the parts of one that share its plan do not count.
    pub reads_planned: u64,
    /// Time spent deciding which tiles to read, including reading labels if ranges of labels are requested.
    pub plan: Duration,
    /// Time spent waiting for bytes of tiles.
    pub read: Duration,
    /// Time spent undoing filters and, where tiles of dense arrays are read in part, copying cells.
    pub decode: Duration,
    /// Time spent on all other work on batches: choosing, sorting and merging cells, and building columns. Does not
    /// include tasks that take cells out of tiles right after decoding.
    pub merge: Duration,
    /// Time spent reading files to guess the types of their columns.
    pub guess: Duration,
    /// Time spent reading cells from files.
    pub input: Duration,
    /// Time spent writing cells from files into arrays, and from arrays into files.
    pub write: Duration,
}

impl Profile {
    /// Cells that were decoded but are not in a result.
    ///
    /// Fill values also count as given, so if results contain any, this number is too low.
    #[must_use]
    pub fn cells_wasted(&self) -> u64 {
        self.cells_decoded.saturating_sub(self.cells_given)
    }
}

/// Counters behind [`Profile`], updated by all threads.
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
    reads_planned: AtomicU64,
    /// [`Profile::plan`].
    pub plan: Stage,
    /// [`Profile::read`].
    pub read: Stage,
    /// [`Profile::decode`].
    pub decode: Stage,
    /// Wall-clock time of batches from beginning to end.
    pub batches: Stage,
    /// The part of `batches` spent on reading and decoding tiles and taking cells out of them.
    pub load: Stage,
    /// [`Profile::guess`].
    pub guess: Stage,
    /// [`Profile::input`].
    pub input: Stage,
    /// [`Profile::write`].
    pub write: Stage,
}

/// Total time of one kind of work.
#[derive(Debug, Default)]
pub struct Stage {
    nanoseconds: AtomicU64,
}

impl Stage {
    /// Runs some work and adds the time it took.
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
    /// Counts a fetched tile of this stored size.
    pub fn add_tile(&self, bytes: u64) {
        self.tiles_read.fetch_add(1, Ordering::Relaxed);
        self.bytes_read.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Counts bytes that were fetched but not needed.
    pub fn add_skipped(&self, bytes: u64) {
        self.bytes_skipped.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Counts bytes after undoing filters.
    pub fn add_decoded(&self, bytes: u64) {
        self.bytes_decoded.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Counts cells after undoing filters.
    pub fn add_cells(&self, cells: u64) {
        self.cells_decoded.fetch_add(cells, Ordering::Relaxed);
    }

    /// Counts cells that became part of a result.
    pub fn add_given(&self, cells: u64) {
        self.cells_given.fetch_add(cells, Ordering::Relaxed);
    }

    /// Counts copied tiles.
    pub fn add_copied(&self, tiles: u64) {
        self.tiles_copied.fetch_add(tiles, Ordering::Relaxed);
    }

    /// Counts fragments that were examined to choose tiles.
    pub fn add_visited_fragments(&self, fragments: usize) {
        self.fragments_visited
            .fetch_add(fragments as u64, Ordering::Relaxed);
    }

    /// Counts tiles that were examined.
    pub fn add_visited_tiles(&self, tiles: usize) {
        self.tiles_visited
            .fetch_add(tiles as u64, Ordering::Relaxed);
    }

    /// Counts a read whose tiles were searched.
    pub fn add_planned_read(&self) {
        self.reads_planned.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns a snapshot of all counters.
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
            reads_planned: number(&self.reads_planned),
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
