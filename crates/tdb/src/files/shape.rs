//! The shape of boxes of cells.

use tdb_query::{Failing, ReadOptions, ResultOrder};
use tdb_schema::{ArraySchema, Subarray};
use tdb_tile::{Bug, Range};

use crate::{Error, Result};

/// The dimensions of dense arrays are whole numbers.
fn no_box() -> Error {
    Bug::new("a dense array has a dimension without whole numbers").into()
}

/// Cells along each dimension of the result of a dense array.
pub(crate) fn shape_of_result(schema: &ArraySchema, options: &ReadOptions) -> Result<Vec<u64>> {
    let unfit = |what: &str| {
        let error = Error::invalid(format!("a .npy file holds a whole box: {what}"));
        error.with_hint("the formats csv, jsonl, arrow and parquet hold any result")
    };
    if !schema.is_dense() {
        return Err(unfit("not the cells of a sparse array"));
    }
    if !matches!(options.order, None | Some(ResultOrder::RowMajor)) {
        return Err(unfit("in row-major order only"));
    }
    let drops = options.looks_at_cells() && options.failing == Failing::Drop;
    if options.limit.is_some() || drops || !options.label_ranges.is_empty() {
        return Err(unfit("--limit, --drop and --label cannot be used"));
    }
    let subarray = options.subarray(schema)?;
    subarray.result_shape(schema).ok_or_else(no_box)
}

/// Cells along each dimension of the box of a dense array between these ends; of the whole domain, where there are none.
///
/// # Errors
/// Ranges that the array does not have.
pub fn shape_of_box(schema: &ArraySchema, ranges: &[(String, Range)]) -> Result<Vec<u64>> {
    let subarray = Subarray::new(schema, ranges)?;
    let shape = subarray.shape(schema, |index| schema.bounds(index));
    shape.ok_or_else(no_box)
}
