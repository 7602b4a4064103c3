use tdb_condition::Condition;
use tdb_tile::Range;

/// The order of the cells of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultOrder {
    /// By coordinates, the last dimension changing fastest.
    RowMajor,
    /// By coordinates, the first dimension changing fastest.
    ColumnMajor,
    /// The order in which the array stores its cells: tile by tile, or along the Hilbert curve.
    Global,
    /// Whatever is fastest.
    Unordered,
}

/// Which of the cells with the same coordinates a read of a sparse array gives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Versions {
    /// Those that count: the newest, or all where the array allows duplicates, without deleted ones.
    #[default]
    Current,
    /// Whatever is stored and was written within the time that the array was opened for, deleted or not, the
    /// newest first of those with the same coordinates.
    ///
    /// Behind the columns asked for come `__timestamps`, when each cell was written, and, where anything can be
    /// deleted, `__delete_timestamps` and `__delete_condition_index`: when each was deleted, and by which of
    /// [`Snapshot::deletes`](tdb_array::Snapshot::deletes); both are 2^64 - 1 where it was not, and the last also
    /// where a fragment does not tell.
    All,
    /// As [`Versions::All`], without deleted cells and without those that a deleted one had replaced; of the
    /// columns behind, the first alone.
    Undeleted,
}

/// What becomes of the cells of a dense array for which a condition does not hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Failing {
    /// They are left out.
    #[default]
    Drop,
    /// They keep their place: all their attributes have the fill value, as TileDB gives them.
    Fill,
}

/// What to read of an array; everything by default.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// Attributes by name, in the order of the result; all when `None`.
    pub attributes: Option<Vec<String>>,
    /// Dimensions by name; all when `None`.
    pub dimensions: Option<Vec<String>>,
    /// Intervals of dimensions, ends included; those of one dimension add up, and a dimension without one is read whole.
    pub ranges: Vec<(String, Range)>,
    /// Intervals of dimension labels, by the label's name.
    pub label_ranges: Vec<(String, Range)>,
    /// Which of the cells with the same coordinates; others than the current ones are for sparse arrays, and take no
    /// condition.
    pub versions: Versions,
    /// Whether nothing lies within what was asked for, as where no label lies within a range of labels.
    pub reads_nothing: bool,
    /// Cells to keep.
    pub condition: Option<Condition>,
    /// The order of the result: row-major for dense, global for sparse arrays by default.
    pub order: Option<ResultOrder>,
    /// What becomes of the cells of a dense array that fail the condition; those of a sparse one are left out.
    pub failing: Failing,
    /// At most so many cells.
    pub limit: Option<u64>,
    /// Give enumerated attributes as their indexes, without labels.
    pub enumeration_codes: bool,
    /// About how many bytes a batch may have; 32 MiB by default. `u64::MAX` gives as much at once as the session's
    /// memory allows.
    pub batch_bytes: Option<u64>,
}
