//! Collects cells of a result out of a table of loaded cells.

use tdb_tile::Bug;

use crate::{Buffer, CellsError, Row, threads};

/// Cells that one task copies: enough to be worth a hand-over, few enough to spread.
const ROWS_PER_TASK: usize = 1 << 16;

pub(crate) fn gather_fixed(
    values: &Buffer,
    size: usize,
    rows: &[Row],
) -> Result<Buffer, CellsError> {
    let mut out = values.another(rows.len().saturating_mul(size))?;
    let values = values.as_slice();
    let places = out
        .as_mut_slice()
        .chunks_mut(ROWS_PER_TASK.saturating_mul(size.max(1)));
    let tasks: Vec<_> = places.zip(rows.chunks(ROWS_PER_TASK)).collect();
    threads::for_each(tasks, |(out, rows)| {
        let are_there = match size {
            1 => gather_sized::<1>(values, rows, out),
            2 => gather_sized::<2>(values, rows, out),
            4 => gather_sized::<4>(values, rows, out),
            8 => gather_sized::<8>(values, rows, out),
            _ => gather_any(values, size, rows, out),
        };
        if are_there { Ok(()) } else { Err(too_few()) }
    })?;
    Ok(out)
}

/// Copies cells of `N` bytes; whether all were there.
fn gather_sized<const N: usize>(values: &[u8], rows: &[Row], out: &mut [u8]) -> bool {
    let (cells, _) = values.as_chunks::<N>();
    let (places, _) = out.as_chunks_mut::<N>();
    let mut are_there = true;
    for (place, row) in places.iter_mut().zip(rows) {
        match cells.get(row.index()) {
            Some(cell) => *place = *cell,
            None => are_there = false,
        }
    }
    are_there
}

/// Copies cells of `size` bytes; whether all were there.
fn gather_any(values: &[u8], size: usize, rows: &[Row], out: &mut [u8]) -> bool {
    if size == 0 {
        return true;
    }
    let mut are_there = true;
    for (place, row) in out.chunks_exact_mut(size).zip(rows) {
        let start = row.index().saturating_mul(size);
        match values.get(start..start.saturating_add(size)) {
            Some(cell) => place.copy_from_slice(cell),
            None => are_there = false,
        }
    }
    are_there
}

#[track_caller]
pub(crate) fn too_few() -> CellsError {
    Bug::new("a column has fewer cells than were chosen of it").into()
}

pub(crate) fn gather_var(
    values: &Buffer,
    offsets: &[u64],
    rows: &[Row],
) -> Result<(Buffer, Vec<u64>), CellsError> {
    let ends = |row: Row| match offsets.get(row.index()..)? {
        [start, end, ..] => Some((*start, *end)),
        _ => None,
    };
    let mut starts = Vec::with_capacity(rows.len().saturating_add(1));
    let mut end = 0_u64;
    starts.push(end);
    for &row in rows {
        let (first, behind) = ends(row).ok_or_else(too_few)?;
        end = end.saturating_add(behind.saturating_sub(first));
        starts.push(end);
    }
    let mut out = values.another(tdb_tile::length(end)?)?;
    let values = values.as_slice();
    let mut rest = out.as_mut_slice();
    for &row in rows {
        let ends = ends(row).and_then(|(first, behind)| {
            let place = |offset: u64| usize::try_from(offset).ok();
            values.get(place(first)?..place(behind)?)
        });
        let cell = ends.ok_or_else(too_few)?;
        let (place, behind) = rest.split_at_mut(cell.len());
        place.copy_from_slice(cell);
        rest = behind;
    }
    Ok((out, starts))
}
