//! Predicting the number of cells of a read.

use tdb_array::Array;
use tdb_query::{Failing, ReadOptions};

use crate::known_count;

/// Returns the number of cells of a read, if it is known in advance.
#[must_use]
pub fn expected_count(array: &Array, options: &ReadOptions) -> Option<u64> {
    if options.reads_nothing {
        return Some(0);
    }
    let drops = options.looks_at_cells() && options.failing == Failing::Drop;
    if drops || !options.label_ranges.is_empty() {
        return None;
    }
    let schema = array.schema();
    if schema.is_dense() {
        let subarray = options.subarray(schema).ok()?;
        let shape = subarray.result_shape(schema)?;
        return shape
            .iter()
            .try_fold(1_u64, |cells, side| cells.checked_mul(*side));
    }
    let is_whole = options.ranges.is_empty();
    is_whole.then(|| known_count(array.snapshot())).flatten()
}
