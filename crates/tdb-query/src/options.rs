use std::sync::Arc;

use tdb_condition::{Condition, ConditionRules, Points};
use tdb_schema::order::SortOrder;
use tdb_schema::{ArraySchema, RangeError, Subarray};
use tdb_tile::Range;

/// The order of the cells of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultOrder {
    /// By coordinates, the last dimension changing fastest.
    RowMajor,
    /// By coordinates, the first dimension changing fastest.
    ColumnMajor,
    /// The global order of the array, in which it stores its cells: tile by tile, or along the Hilbert curve.
    Global,
    /// Any order, whichever is fastest. Dense arrays are read in row-major order.
    Unordered,
}

impl ResultOrder {
    /// The order in which cells are compared where they must be sorted for it.
    #[must_use]
    pub fn sort_order(self) -> SortOrder {
        match self {
            Self::RowMajor => SortOrder::RowMajor,
            Self::ColumnMajor => SortOrder::ColumnMajor,
            Self::Global | Self::Unordered => SortOrder::Global,
        }
    }
}

/// Which of the cells with the same coordinates a read of a sparse array returns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Versions {
    /// The visible cells: of those with the same coordinates the newest, or all if the array allows duplicates;
    /// without deleted cells.
    #[default]
    Current,
    /// All stored cells written within the time window of the opened array, deleted or not. Cells with the same
    /// coordinates come newest first.
    ///
    /// Additional columns follow the requested ones: `__timestamps`, the time at which each cell was written, and, if
    /// the array may have deleted cells, `__delete_timestamps` and `__delete_condition_index`, the time of its
    /// deletion and the index in [`Snapshot::deletes`](tdb_array::Snapshot::deletes) of the delete. Both are 2^64 - 1
    /// for cells that are not deleted; the index also is if a fragment does not record it.
    All,
    /// As [`Versions::All`], but without deleted cells and without older cells that a deleted cell had overwritten.
    /// Only `__timestamps` is added to the requested columns.
    Undeleted,
}

/// What happens to cells of a dense array that fail the condition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Failing {
    /// They are left out.
    #[default]
    Drop,
    /// They stay in the result with the fill value in all attributes, as in TileDB.
    Fill,
}

/// What to read from an array, and how; by default everything.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// Attributes by name, in the order of the result; all when `None`. In sparse arrays
    /// [`__timestamps`](tdb_schema::TIMESTAMPS) is one, too: when each cell was written, in milliseconds since 1970.
    pub attributes: Option<Vec<String>>,
    /// Dimensions by name; all when `None`.
    pub dimensions: Option<Vec<String>>,
    /// Ranges of dimensions by name, bounds inclusive. Several ranges of one dimension are all read; a dimension
    /// without a range is read whole: where a list of ranges has turned out empty, [`reads_nothing`](Self::reads_nothing) says so.
    pub ranges: Vec<(String, Range)>,
    /// Ranges of dimension labels, by the name of the label. Several of one label are all read; a cell has to lie in those of each label,
    /// and in the ranges of the dimension.
    pub label_ranges: Vec<(String, Range)>,
    /// Which of the cells with the same coordinates to return. Values other than [`Versions::Current`] are only for
    /// sparse arrays, and not possible together with a condition.
    pub versions: Versions,
    /// Whether the result is known to be empty, for example because no label lies within a range of labels, or because a list of
    /// ranges is empty.
    pub reads_nothing: bool,
    /// Only cells that match this condition are returned.
    pub condition: Option<Condition>,
    /// How the condition looks at stored values that stand for no value.
    pub rules: ConditionRules,
    /// Only cells at these points are returned. Dense arrays are read tile by tile then, unless another order is asked for or a
    /// dimension has several ranges: no other order lets tiles out that have none.
    pub points: Option<Arc<Points>>,
    /// The order of the result: row-major for dense, global for sparse arrays by default.
    pub order: Option<ResultOrder>,
    /// What happens to cells of a dense array that fail the condition; those of a sparse array are left out.
    pub failing: Failing,
    /// The maximum number of cells to return.
    pub limit: Option<u64>,
    /// Return enumerated attributes as indexes, without their labels.
    pub enumeration_codes: bool,
    /// The approximate maximum size of a batch in bytes; 32 MiB by default, 8 MiB of dense arrays where cells are chosen by a
    /// condition or by points. With `u64::MAX`, a batch is as large as the session's memory allows.
    pub batch_bytes: Option<u64>,
}

impl ReadOptions {
    /// Whether it takes a look at cells to tell which of them are returned.
    #[must_use]
    pub fn looks_at_cells(&self) -> bool {
        self.condition.is_some() || self.points.is_some()
    }

    /// The part of the domain that the ranges of dimensions ask for.
    ///
    /// # Errors
    /// Ranges that the array does not have.
    pub fn subarray(&self, schema: &ArraySchema) -> Result<Subarray, RangeError> {
        let mut subarray = Subarray::new(schema, &self.ranges)?;
        if self.reads_nothing {
            subarray.clear();
        }
        Ok(subarray)
    }
}
