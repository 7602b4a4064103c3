use std::sync::Arc;

use tdb_array::{NameSource, SystemNames, TimestampedName};
use tdb_store::Store;
use tdb_tile::Range;

/// The order in which cells are handed in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteOrder {
    /// Dense arrays: by coordinates, the last dimension changing fastest.
    RowMajor,
    /// Dense arrays: by coordinates, the first dimension changing fastest.
    ColumnMajor,
    /// As the array stores its cells. Dense arrays: tile by tile in tile order, of each tile the cells that are
    /// written, in cell order.
    Global,
    /// Sparse arrays: any.
    Unordered,
}

/// What becomes of cells that have the same coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Duplicates {
    /// They are an error.
    Error,
    /// The first of them is written.
    First,
    /// All of them are written, in an array that allows it.
    Keep,
}

/// A write that stands for fragments that are there: the same cells again, as fewer fragments.
///
/// They are written in [`WriteOrder::Global`], and not checked against the domain: what is stored stays stored.
#[derive(Clone, Debug, Default)]
pub struct Replacement {
    /// The fragments that a list then says are replaced; a vacuum removes them.
    pub fragments: Vec<TimestampedName>,
    /// The first and the last time that the cells are of, in milliseconds since 1970, which takes the place of
    /// [`WriteOptions::timestamp`].
    pub times: (u64, u64),
    /// Sparse arrays: whether cells come with when each was written, in a column `__timestamps`, the newest first
    /// of those with the same coordinates. Duplicates are kept then.
    pub has_timestamps: bool,
    /// Sparse arrays: whether cells come with when each was deleted, and by which of `deletes`, in columns
    /// `__delete_timestamps` and `__delete_condition_index`.
    pub has_deletions: bool,
    /// The markers of the deletes that have nothing more to say about these cells.
    pub deletes: Vec<String>,
    /// The URI of the array, which lists before format 19 hold.
    pub uri: Option<String>,
}

/// How cells are written.
#[derive(Clone, Debug)]
pub struct WriteOptions {
    /// The time of the write, in milliseconds since 1970; now, where none is given.
    pub timestamp: Option<u64>,
    /// The order of the cells: by default row-major in dense arrays, any in sparse ones.
    pub order: Option<WriteOrder>,
    /// Dense arrays: the box that is written, one interval for a dimension, ends included. A dimension without
    /// one is written from end to end of the domain, or of the current domain.
    pub ranges: Vec<(String, Range)>,
    /// Sparse arrays: by default [`Duplicates::Keep`] where the array allows duplicates, else
    /// [`Duplicates::Error`].
    pub duplicates: Option<Duplicates>,
    /// Bytes that a fragment may have before another one is begun. A tile that is larger makes a fragment of its own.
    /// Fragments of dense arrays are boxes: they end before a row of tiles that seems too large by those before it.
    pub max_fragment_bytes: Option<u64>,
    /// Sparse arrays: where cells in any order are kept, sorted piece by piece, once they take more than
    /// [`WriteOptions::sort_bytes`]: a temporary folder. Without it all of them stay in memory.
    ///
    /// They are not encrypted there, also where the array is; what a process that was killed leaves behind begins
    /// with `sort-`. Where cells turn out to have the same coordinates, the error numbers them in global order.
    pub sort_store: Option<Arc<dyn Store>>,
    /// How many bytes of cells are sorted at a time: by default an eighth of the session's memory.
    pub sort_bytes: Option<u64>,
    /// The fragments in whose place the cells come.
    pub replacement: Option<Replacement>,
    /// Where names, and the time now, come from.
    pub names: Arc<dyn NameSource>,
}

impl Default for WriteOptions {
    fn default() -> Self {
        Self {
            timestamp: None,
            order: None,
            ranges: Vec::new(),
            duplicates: None,
            max_fragment_bytes: None,
            sort_store: None,
            sort_bytes: None,
            replacement: None,
            names: Arc::new(SystemNames),
        }
    }
}

impl WriteOptions {
    /// A write at a time, in milliseconds since 1970.
    #[must_use]
    pub fn at(time: u64) -> Self {
        Self {
            timestamp: Some(time),
            ..Self::default()
        }
    }
}
