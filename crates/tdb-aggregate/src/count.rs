//! Counting of cells: from metadata where that is exact, otherwise by reading only the fields that select cells.

use std::sync::Arc;

use tdb_array::{Array, Fragment, Snapshot, fragments_apart};
use tdb_cells::Session;
use tdb_fragment::FragmentIndex;
use tdb_query::{QueryError, ReadOptions, Reader, ResultOrder, Versions};
use tdb_schema::Subarray;

/// Counts the cells of a read, whatever fields it names.
///
/// Nothing is read if [`known_count`] applies, or if the cells of ranges in a dense array are counted.
///
/// # Errors
/// As [`Reader::open`]; errors of reading; [`QueryError::TooManyCells`] if a dense array has more cells than fit in 64
/// bits.
pub fn count_cells(
    session: &Session,
    array: &Arc<Array>,
    options: &ReadOptions,
) -> Result<u64, QueryError> {
    if let Some(cells) = known_count(array.snapshot()).filter(|_| takes_all(options)) {
        return Ok(options.limit.map_or(cells, |most| cells.min(most)));
    }
    if let Some(cells) = dense_count(array, options)? {
        return Ok(cells);
    }
    let options = options
        .clone()
        .attributes(Some(Vec::new()))
        .dimensions(Some(Vec::new()))
        .order(Some(ResultOrder::Unordered));
    let mut cells = 0_u64;
    for batch in Reader::open(session, array, &options)? {
        let more = cells.checked_add(batch?.rows as u64);
        cells = more.ok_or(QueryError::TooManyCells)?;
    }
    Ok(cells)
}

/// Returns the number of cells of a complete read, if metadata determines it. That is always so for dense arrays, and
/// for sparse ones if no cell can be deleted, overwritten by another fragment, or outside of the time window. Returns
/// `None` for an array with a malformed commit, since its cells cannot be read.
#[must_use]
pub fn known_count(array: &Snapshot) -> Option<u64> {
    if array.directory().check_commits().is_err() {
        return None;
    }
    let schema = array.schema();
    if schema.is_dense() {
        let sides = Subarray::all(schema).result_shape(schema)?;
        return sides
            .iter()
            .try_fold(1_u64, |all, side| all.checked_mul(*side));
    }
    if !are_all_read(array) {
        return None;
    }
    let mut cells = array.fragments().iter().map(|f| f.metadata.cell_count());
    cells.try_fold(0, u64::checked_add)
}

/// Returns the number of cells that a read of a dense array returns: all cells of its box, written or not. Returns
/// `None` if cells must be examined to know, or if they cannot be read.
pub(crate) fn dense_count(array: &Array, options: &ReadOptions) -> Result<Option<u64>, QueryError> {
    let schema = array.schema();
    let is_plain = options.label_ranges.is_empty() && options.versions == Versions::Current;
    let is_sound = array.directory().check_commits().is_ok();
    if !schema.is_dense() || !is_plain || !is_sound || options.looks_at_cells() {
        return Ok(None);
    }
    let subarray = options.subarray(schema)?;
    if options.reads_nothing {
        return Ok(Some(0));
    }
    let Some(shape) = subarray.result_shape(schema) else {
        return Err(QueryError::TooManyCells);
    };
    let cells = shape
        .iter()
        .try_fold(1_u64, |all, side| all.checked_mul(*side))
        .map(|cells| options.limit.map_or(cells, |most| cells.min(most)))
        .or(options.limit)
        .ok_or(QueryError::TooManyCells)?;
    Ok(Some(cells))
}

fn takes_all(options: &ReadOptions) -> bool {
    options.ranges.is_empty()
        && options.label_ranges.is_empty()
        && !options.looks_at_cells()
        && options.versions == Versions::Current
        && !options.reads_nothing
}

/// True if a read returns every stored cell of a sparse array: none is deleted, overwritten, outside of the time
/// window, or outside of the current domain.
fn are_all_read(array: &Snapshot) -> bool {
    let fragments = array.fragments();
    let window = array.window();
    let of_the_time = |fragment: &Fragment| {
        let (from, to) = fragment.timestamps();
        window.since <= from && to <= window.at
    };
    let has_times = |fragment: &Fragment| fragment.metadata.extra_fields.timestamps;
    let has_deletes = |fragment: &Fragment| fragment.metadata.extra_fields.deletes;
    let no_other = array.deletes().is_empty()
        && array.is_within_current_domain()
        && fragments.iter().all(|f| of_the_time(f) && !has_deletes(f));
    if array.schema().allows_duplicates {
        return no_other;
    }
    // A merged fragment with timestamps can contain overwritten cells.
    no_other && !fragments.iter().any(has_times) && are_apart(array)
}

/// True if no two fragments can contain cells with the same coordinates.
fn are_apart(array: &Snapshot) -> bool {
    let all: Vec<FragmentIndex> = array.numbered_fragments().map(|(index, _)| index).collect();
    let apart = fragments_apart(array, &all);
    apart.is_ok_and(|apart| !apart.contains(&false))
}
