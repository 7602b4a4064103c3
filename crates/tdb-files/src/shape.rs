//! The shape of boxes of cells.

use tdb_open::{Error, Result};
use tdb_query::{Failing, ReadOptions, ResultOrder};
use tdb_schema::{ArraySchema, Subarray};
use tdb_tile::{Bug, Range};

/// Returns the error for a dense array with a dimension that is not of integers.
fn no_box() -> Error {
    Bug::new("a dense array has a dimension without whole numbers").into()
}

/// Returns the number of cells along each dimension of a dense result.
pub(crate) fn shape_of_result(schema: &ArraySchema, options: &ReadOptions) -> Result<Vec<u64>> {
    let unfit = |what: &str| {
        let error = Error::invalid(format!("a .npy file stores a complete box: {what}"));
        error.with_hint("use the format csv, jsonl, arrow or parquet for any other result")
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

/// Returns the number of cells along each dimension of a box in a dense array; of the whole domain if there are no
/// ranges.
///
/// # Errors
/// Fails if the array does not allow the ranges.
pub fn shape_of_box(schema: &ArraySchema, ranges: &[(String, Range)]) -> Result<Vec<u64>> {
    let subarray = Subarray::new(schema, ranges)?;
    let shape = subarray.shape(schema, |index| schema.bounds(index));
    shape.ok_or_else(no_box)
}
