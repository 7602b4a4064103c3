//! Counts cells: from metadata where that is exact, else by reading no field but those that decide.

use std::sync::Arc;

use tdb_array::{Array, Fragment, Snapshot, fragments_apart};
use tdb_cells::Session;
use tdb_fragment::FragmentIndex;
use tdb_query::{QueryError, ReadOptions, Reader, ResultOrder, Versions};
use tdb_schema::Subarray;

/// Counts the cells that a read returns, whichever fields it names.
///
/// Where [`known_count`] knows the answer to the question, or a dense array is asked for the cells of ranges, nothing is read.
///
/// # Errors
/// As for [`Reader::open`]; errors of reading; [`QueryError::TooManyCells`] of a dense array where 64 bits do not count them.
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
    let options = ReadOptions {
        attributes: Some(Vec::new()),
        dimensions: Some(Vec::new()),
        order: Some(ResultOrder::Unordered),
        ..options.clone()
    };
    let mut cells = 0_u64;
    for batch in Reader::open(session, array, &options)? {
        cells = cells.saturating_add(batch?.rows as u64);
    }
    Ok(cells)
}

/// The number of cells that a read of everything returns, if metadata tell: of dense arrays always, of sparse ones if no
/// cell can be deleted, overwritten by another fragment, or written at a time that is not read. Nothing is known of an array
/// with a commit that cannot be understood: no cell of it can be read.
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
    let cells = array.fragments().iter().map(|f| f.metadata.cell_count());
    are_all_read(array).then(|| cells.fold(0, u64::saturating_add))
}

/// The number of cells that a read of a dense array returns: all of its box, written or not. None where cells are looked at for it,
/// or cannot be read at all.
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
    let mut sides = shape.iter();
    let cells = sides.try_fold(1_u64, |all, side| all.checked_mul(*side));
    let cells = cells.map(|cells| options.limit.map_or(cells, |most| cells.min(most)));
    let cells = cells.or(options.limit).ok_or(QueryError::TooManyCells)?;
    Ok(Some(cells))
}

fn takes_all(options: &ReadOptions) -> bool {
    options.ranges.is_empty()
        && options.label_ranges.is_empty()
        && !options.looks_at_cells()
        && options.versions == Versions::Current
        && !options.reads_nothing
}

/// Whether each cell that is stored in a sparse array is read: none is deleted, of another time, replaced, or outside of the
/// current domain.
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
    // Cells that others replaced stay in a merged fragment, with their times.
    no_other && !fragments.iter().any(has_times) && are_apart(array)
}

/// Whether no two fragments can have cells with the same coordinates.
fn are_apart(array: &Snapshot) -> bool {
    let all: Vec<FragmentIndex> = array.numbered_fragments().map(|(index, _)| index).collect();
    let apart = fragments_apart(array, &all);
    apart.is_ok_and(|apart| !apart.contains(&false))
}
