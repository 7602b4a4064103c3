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
    /// Global order of the array, in which its cells are stored: tile by tile, or along the Hilbert curve.
    Global,
    /// Any order, whichever is fastest. Dense arrays are read in row-major order.
    Unordered,
}

impl ResultOrder {
    /// Returns the order in which cells are sorted if they must be sorted for this result.
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

/// Treatment of cells of a dense array that fail the condition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Failing {
    /// The cells are left out.
    #[default]
    Drop,
    /// They stay in the result with the fill value in all attributes, as in TileDB.
    Fill,
}

/// Options of a read: which cells and fields, and how; everything by default.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ReadOptions {
    /// Attributes by name, in the order of the result; `None` for all. Sparse arrays also have
    /// [`__timestamps`](tdb_schema::TIMESTAMPS): the time at which each cell was written, in milliseconds since 1970.
    pub attributes: Option<Vec<String>>,
    /// Dimensions by name; `None` for all.
    pub dimensions: Option<Vec<String>>,
    /// Ranges of dimensions by name, bounds inclusive. Several ranges of one dimension are all read; a dimension
    /// without a range is read whole. To read nothing because a list of ranges is empty, set
    /// [`reads_nothing`](Self::reads_nothing).
    pub ranges: Vec<(String, Range)>,
    /// Ranges of dimension labels, by the name of the label. Several ranges of one label are all read; a cell must
    /// lie in those of each label, and in the ranges of the dimension.
    pub label_ranges: Vec<(String, Range)>,
    /// Which of the cells with the same coordinates to return. Values other than [`Versions::Current`] need a sparse
    /// array and exclude a condition.
    pub versions: Versions,
    /// Whether the result is known to be empty, for example because no label lies within a range of labels, or
    /// because a list of ranges is empty.
    pub reads_nothing: bool,
    /// Only cells that match this condition are returned.
    pub condition: Option<Condition>,
    /// How the condition treats null, NaN, NaT and indexes without a label.
    pub rules: ConditionRules,
    /// Return only cells at these points. A dense array is then read tile by tile, unless another order is requested
    /// or a dimension has several ranges: only this order can skip tiles without points.
    pub points: Option<Arc<Points>>,
    /// The order of the result: row-major for dense, global for sparse arrays by default.
    pub order: Option<ResultOrder>,
    /// Treatment of cells of a dense array that fail the condition; in sparse arrays they are left out.
    pub failing: Failing,
    /// The maximum number of cells to return.
    pub limit: Option<u64>,
    /// Return enumerated attributes as indexes, without their labels.
    pub enumeration_codes: bool,
    /// Approximate maximum size of a batch in bytes. The default is 32 MiB, or 8 MiB for dense arrays with a
    /// condition or points. With `u64::MAX`, a batch is as large as the session's memory allows.
    pub batch_bytes: Option<u64>,
}

impl ReadOptions {
    /// Sets [`attributes`](field@Self::attributes).
    #[must_use]
    pub fn attributes(mut self, attributes: Option<Vec<String>>) -> Self {
        self.attributes = attributes;
        self
    }

    /// Sets [`dimensions`](field@Self::dimensions).
    #[must_use]
    pub fn dimensions(mut self, dimensions: Option<Vec<String>>) -> Self {
        self.dimensions = dimensions;
        self
    }

    /// Sets [`ranges`](field@Self::ranges).
    #[must_use]
    pub fn ranges(mut self, ranges: Vec<(String, Range)>) -> Self {
        self.ranges = ranges;
        self
    }

    /// Sets [`label_ranges`](field@Self::label_ranges).
    #[must_use]
    pub fn label_ranges(mut self, label_ranges: Vec<(String, Range)>) -> Self {
        self.label_ranges = label_ranges;
        self
    }

    /// Sets [`versions`](field@Self::versions).
    #[must_use]
    pub fn versions(mut self, versions: Versions) -> Self {
        self.versions = versions;
        self
    }

    /// Sets [`reads_nothing`](field@Self::reads_nothing).
    #[must_use]
    pub fn reads_nothing(mut self, reads_nothing: bool) -> Self {
        self.reads_nothing = reads_nothing;
        self
    }

    /// Sets [`condition`](field@Self::condition).
    #[must_use]
    pub fn condition(mut self, condition: Option<Condition>) -> Self {
        self.condition = condition;
        self
    }

    /// Sets [`rules`](field@Self::rules).
    #[must_use]
    pub fn rules(mut self, rules: ConditionRules) -> Self {
        self.rules = rules;
        self
    }

    /// Sets [`points`](field@Self::points).
    #[must_use]
    pub fn points(mut self, points: Option<Arc<Points>>) -> Self {
        self.points = points;
        self
    }

    /// Sets [`order`](field@Self::order).
    #[must_use]
    pub fn order(mut self, order: Option<ResultOrder>) -> Self {
        self.order = order;
        self
    }

    /// Sets [`failing`](field@Self::failing).
    #[must_use]
    pub fn failing(mut self, failing: Failing) -> Self {
        self.failing = failing;
        self
    }

    /// Sets [`limit`](field@Self::limit).
    #[must_use]
    pub fn limit(mut self, limit: Option<u64>) -> Self {
        self.limit = limit;
        self
    }

    /// Sets [`enumeration_codes`](field@Self::enumeration_codes).
    #[must_use]
    pub fn enumeration_codes(mut self, enumeration_codes: bool) -> Self {
        self.enumeration_codes = enumeration_codes;
        self
    }

    /// Sets [`batch_bytes`](field@Self::batch_bytes).
    #[must_use]
    pub fn batch_bytes(mut self, batch_bytes: Option<u64>) -> Self {
        self.batch_bytes = batch_bytes;
        self
    }

    /// True if cells must be examined to decide which of them are returned.
    #[must_use]
    pub fn looks_at_cells(&self) -> bool {
        self.condition.is_some() || self.points.is_some()
    }

    /// Returns the part of the domain that the ranges of dimensions select.
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
