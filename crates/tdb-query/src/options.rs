use tdb_tile::Range;

use crate::Condition;

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
    /// Cells to keep.
    pub condition: Option<Condition>,
    /// The order of the result: row-major for dense, global for sparse arrays by default.
    pub order: Option<ResultOrder>,
    /// Dense arrays keep the cells that fail the condition, as fill values; this leaves them out.
    pub drop_failing: bool,
    /// At most so many cells.
    pub limit: Option<u64>,
    /// Give enumerated attributes as their indexes, without labels.
    pub enumeration_codes: bool,
    /// About how many bytes a batch may have; 32 MiB by default. `u64::MAX` gives as much at once as the session's
    /// memory allows.
    pub batch_bytes: Option<u64>,
}
