//! The shape of boxes of cells.

use tdb_query::{Failing, ReadOptions, ResultOrder, Subarray};
use tdb_schema::ArraySchema;
use tdb_schema::value::{Value, read};
use tdb_tile::{Datatype, Range};

use crate::failure::Failure;

/// Cells along each dimension of the result of a dense array.
pub(crate) fn of_result(schema: &ArraySchema, options: &ReadOptions) -> Result<Vec<u64>, Failure> {
    let unfit = |what: &str| {
        let failure = Failure::invalid(format!("a .npy file holds a whole box: {what}"));
        failure.hint("the formats csv, jsonl, arrow and parquet hold any result")
    };
    if !schema.is_dense() {
        return Err(unfit("not the cells of a sparse array"));
    }
    if !matches!(options.order, None | Some(ResultOrder::RowMajor)) {
        return Err(unfit("in row-major order only"));
    }
    let drops = options.condition.is_some() && options.failing == Failing::Drop;
    if options.limit.is_some() || drops || !options.label_ranges.is_empty() {
        return Err(unfit("--limit, --drop and --label cannot be used"));
    }
    let ranges = &options.ranges;
    // As soon as anything is asked for, a dimension without a range is read as a whole.
    let whole = |index: usize| match ranges.is_empty() {
        true => schema.bounds(index),
        false => schema.dimensions.get(index)?.domain.as_ref(),
    };
    sides(schema, ranges, whole)
}

/// Cells along each dimension of a box that is written between these ends.
pub(crate) fn of_ranges(
    schema: &ArraySchema,
    ranges: &[(String, Range)],
) -> Result<Vec<u64>, Failure> {
    sides(schema, ranges, |index| schema.bounds(index))
}

fn sides<'a>(
    schema: &ArraySchema,
    ranges: &[(String, Range)],
    whole: impl Fn(usize) -> Option<&'a Range>,
) -> Result<Vec<u64>, Failure> {
    let subarray = Subarray::new(schema, ranges)?;
    let sides = schema
        .dimensions
        .iter()
        .enumerate()
        .map(|(index, dimension)| {
            let all = whole(index).map(std::slice::from_ref).unwrap_or_default();
            let ranges = subarray.ranges(index).unwrap_or(all);
            let cells = ranges.iter().map(|range| cells(dimension.datatype, range));
            cells.fold(0, u64::saturating_add)
        });
    Ok(sides.collect())
}

fn cells(datatype: Datatype, range: &Range) -> u64 {
    let whole = |bytes| match read(datatype, bytes)?.as_ticks() {
        Value::Signed(value) => Some(i128::from(value)),
        Value::Unsigned(value) => Some(i128::from(value)),
        _ => None,
    };
    let ends = whole(&range.lo).zip(whole(&range.hi));
    let cells = ends.map_or(0, |(lo, hi)| hi.saturating_sub(lo).saturating_add(1));
    u64::try_from(cells).unwrap_or(0)
}
