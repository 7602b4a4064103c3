use std::sync::Arc;

use tdb_array::{NameSource, SystemNames, TimestampedName};
use tdb_store::Store;
use tdb_tile::Range;

/// The order in which cells are passed to a writer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteOrder {
    /// Dense arrays: by coordinates, the last dimension changing fastest.
    RowMajor,
    /// Dense arrays: by coordinates, the first dimension changing fastest.
    ColumnMajor,
    /// The global order of the array. Dense arrays: tile by tile in tile order, and within a tile the written cells
    /// in cell order.
    Global,
    /// Sparse arrays: any order; the writer sorts the cells.
    Unordered,
}

/// Treatment of cells that have the same coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Duplicates {
    /// Report an error.
    Error,
    /// Write only the first of them.
    First,
    /// Write all of them; only for an array that allows duplicates.
    Keep,
}

/// A write that replaces existing fragments, as consolidation does: the same cells are written again, in fewer
/// fragments.
///
/// The cells must be in [`WriteOrder::Global`]. They are not checked against the domain, because they are in the array
/// already.
#[derive(Clone, Debug, Default)]
pub struct Replacement {
    /// The replaced fragments. They are listed as replaced after the commit, and vacuum removes them.
    pub fragments: Vec<TimestampedName>,
    /// The first and the last timestamp of the cells, in milliseconds since 1970, instead of
    /// [`WriteOptions::timestamp`].
    pub times: (u64, u64),
    /// Sparse arrays: whether batches have a column `__timestamps` with the time at which each cell was written. Cells
    /// with the same coordinates must be in descending order of this time, and all of them are kept.
    pub has_timestamps: bool,
    /// Sparse arrays: whether batches have the columns `__delete_timestamps`, the time at which each cell was
    /// deleted, and `__delete_condition_index`, the index of the delete in `deletes`.
    pub has_deletions: bool,
    /// Markers of the deletes that were already applied to these cells.
    pub deletes: Vec<String>,
    /// The URI of the array, which the list of replaced fragments contains before format 19.
    pub uri: Option<String>,
}

/// Options of a write.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct WriteOptions {
    /// The timestamp of the write, in milliseconds since 1970; the current time by default.
    pub timestamp: Option<u64>,
    /// The order of the cells: by default row-major in dense arrays, any in sparse ones.
    pub order: Option<WriteOrder>,
    /// Dense arrays: the box (subarray) to write, at most one range per dimension, bounds inclusive. A dimension
    /// without a range is written over its whole domain or, if there is one, its current domain.
    pub ranges: Vec<(String, Range)>,
    /// Sparse arrays: treatment of cells that have the same coordinates. By default [`Duplicates::Keep`] if the
    /// array allows duplicates, else [`Duplicates::Error`].
    pub duplicates: Option<Duplicates>,
    /// Sparse arrays that keep cells with the same coordinates: whether the first two of them are found, for
    /// [`SealedWrite::repeated`](crate::SealedWrite::repeated).
    pub finds_repeated: bool,
    /// The size in bytes beyond which a new fragment is started. A larger tile becomes a fragment of its own.
    /// Fragments of dense arrays must be boxes: they end before a row of tiles that would exceed the size, as
    /// estimated from the rows before. All fragments become visible at once, which format versions before 12 do not
    /// support; they accept no size.
    pub max_fragment_bytes: Option<u64>,
    /// Sparse arrays: a temporary store to which unordered cells are spilled, as sorted runs, whenever they take more
    /// than [`WriteOptions::sort_bytes`]. Without it, all cells are sorted in memory. As long as all cells arrive in
    /// global order, they are not spilled but written immediately.
    ///
    /// Spilled cells are not encrypted, even if the array is. A killed process leaves objects there whose names begin
    /// with `sort-`. If cells turn out to have the same coordinates, the error gives their index in global order, not
    /// in the order of the batches.
    pub sort_store: Option<Arc<dyn Store>>,
    /// Number of bytes of cells that are sorted at a time, if there is a [`WriteOptions::sort_store`]: by default an
    /// eighth of the session's memory, at most a quarter.
    pub sort_bytes: Option<u64>,
    /// The fragments that this write replaces, for consolidation.
    pub replacement: Option<Replacement>,
    /// The source of object names and of the current time.
    pub names: Arc<dyn NameSource>,
}

impl WriteOptions {
    /// Sets [`timestamp`](field@Self::timestamp).
    #[must_use]
    pub fn timestamp(mut self, timestamp: Option<u64>) -> Self {
        self.timestamp = timestamp;
        self
    }

    /// Sets [`order`](field@Self::order).
    #[must_use]
    pub fn order(mut self, order: Option<WriteOrder>) -> Self {
        self.order = order;
        self
    }

    /// Sets [`ranges`](field@Self::ranges).
    #[must_use]
    pub fn ranges(mut self, ranges: Vec<(String, Range)>) -> Self {
        self.ranges = ranges;
        self
    }

    /// Sets [`duplicates`](field@Self::duplicates).
    #[must_use]
    pub fn duplicates(mut self, duplicates: Option<Duplicates>) -> Self {
        self.duplicates = duplicates;
        self
    }

    /// Sets [`finds_repeated`](field@Self::finds_repeated).
    #[must_use]
    pub fn finds_repeated(mut self, finds_repeated: bool) -> Self {
        self.finds_repeated = finds_repeated;
        self
    }

    /// Sets [`max_fragment_bytes`](field@Self::max_fragment_bytes).
    #[must_use]
    pub fn max_fragment_bytes(mut self, max_fragment_bytes: Option<u64>) -> Self {
        self.max_fragment_bytes = max_fragment_bytes;
        self
    }

    /// Sets [`sort_store`](field@Self::sort_store).
    #[must_use]
    pub fn sort_store(mut self, sort_store: Option<Arc<dyn Store>>) -> Self {
        self.sort_store = sort_store;
        self
    }

    /// Sets [`sort_bytes`](field@Self::sort_bytes).
    #[must_use]
    pub fn sort_bytes(mut self, sort_bytes: Option<u64>) -> Self {
        self.sort_bytes = sort_bytes;
        self
    }

    /// Sets [`replacement`](field@Self::replacement).
    #[must_use]
    pub fn replacement(mut self, replacement: Option<Replacement>) -> Self {
        self.replacement = replacement;
        self
    }

    /// Sets [`names`](field@Self::names).
    #[must_use]
    pub fn names(mut self, names: Arc<dyn NameSource>) -> Self {
        self.names = names;
        self
    }
}

impl Default for WriteOptions {
    fn default() -> Self {
        Self {
            timestamp: None,
            order: None,
            ranges: Vec::new(),
            duplicates: None,
            finds_repeated: false,
            max_fragment_bytes: None,
            sort_store: None,
            sort_bytes: None,
            replacement: None,
            names: Arc::new(SystemNames),
        }
    }
}

impl WriteOptions {
    /// Creates options for a write with this timestamp, in milliseconds since 1970.
    #[must_use]
    pub fn at(time: u64) -> Self {
        Self {
            timestamp: Some(time),
            ..Self::default()
        }
    }
}
