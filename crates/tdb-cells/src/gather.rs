//! Collects cells of a result out of a table of loaded cells.

use tdb_tile::Bug;

use crate::{Buffer, CellSet, CellsError, Row, threads};

/// Cells that one task copies: enough to be worth a hand-over, few enough to spread.
const ROWS_PER_TASK: usize = 1 << 16;
/// Cells that one word of a set tells of.
const WORD: usize = 64;

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

/// The cells of a set: whole words of 64 cells are copied at once.
pub(crate) fn keep_fixed(
    cells: &[u8],
    size: usize,
    kept: &CellSet,
    mut places: &mut [u8],
) -> Result<(), CellsError> {
    let words: Vec<u64> = kept.words().collect();
    let mut tasks = Vec::new();
    for (task, words) in words.chunks(ROWS_PER_TASK / WORD).enumerate() {
        let bits = words.iter().map(|word| word.count_ones() as usize);
        let bytes = bits.sum::<usize>().saturating_mul(size);
        let place = places.split_off_mut(..bytes).ok_or_else(too_few)?;
        let first = task.saturating_mul(ROWS_PER_TASK).saturating_mul(size);
        let cells = cells.get(first..).ok_or_else(too_few)?;
        tasks.push((cells, words, place));
    }
    threads::for_each(tasks, |(cells, words, place)| {
        let are_there = match size {
            1 => keep_sized::<1>(cells, words, place),
            2 => keep_sized::<2>(cells, words, place),
            4 => keep_sized::<4>(cells, words, place),
            8 => keep_sized::<8>(cells, words, place),
            _ => keep_any(cells, size, words, place),
        };
        are_there.ok_or_else(too_few)
    })
}

/// Copies the cells of `N` bytes that have a bit; `None` if there are too few.
fn keep_sized<const N: usize>(cells: &[u8], words: &[u64], out: &mut [u8]) -> Option<()> {
    let (cells, _) = cells.as_chunks::<N>();
    let (mut out, _) = out.as_chunks_mut::<N>();
    for (cells, &word) in cells.chunks(WORD).zip(words) {
        let places = out.split_off_mut(..word.count_ones() as usize)?;
        if places.len() == cells.len() {
            places.copy_from_slice(cells);
            continue;
        }
        let mut word = word;
        for place in places {
            *place = *cells.get(word.trailing_zeros() as usize)?;
            word &= word.wrapping_sub(1);
        }
    }
    out.is_empty().then_some(())
}

/// Copies the cells of `size` bytes that have a bit; `None` if there are too few.
fn keep_any(cells: &[u8], size: usize, words: &[u64], mut out: &mut [u8]) -> Option<()> {
    if size == 0 {
        return Some(());
    }
    let cells = cells.chunks(WORD.saturating_mul(size));
    for (cells, &word) in cells.zip(words) {
        let mut word = word;
        while word != 0 {
            let start = (word.trailing_zeros() as usize).saturating_mul(size);
            let cell = cells.get(start..start.saturating_add(size))?;
            out.split_off_mut(..size)?.copy_from_slice(cell);
            word &= word.wrapping_sub(1);
        }
    }
    out.is_empty().then_some(())
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RowRange;

    #[test]
    fn the_cells_of_a_set_are_those_of_its_rows() {
        for (rows, size) in [
            (0, 4),
            (1, 1),
            (64, 8),
            (65, 2),
            (200, 3),
            (200, 0),
            (150_000, 4),
        ] {
            let range = RowRange::first(rows).unwrap();
            let bytes = (0..rows * size).map(|byte| u8::try_from(byte * 31 % 251).unwrap());
            let mut values = Buffer::zeroed(rows * size).unwrap();
            values
                .as_mut_slice()
                .copy_from_slice(&bytes.collect::<Vec<u8>>());
            let few = |row: Row| Ok::<_, Bug>(row.index() % 7 == 3 || row.index() / 64 == 1);
            let many = |row: Row| Ok::<_, Bug>(row.index() != 131);
            for kept in [
                CellSet::none(range),
                CellSet::all(range),
                CellSet::of_rows(range, few).unwrap(),
                CellSet::of_rows(range, many).unwrap(),
            ] {
                let mut places = vec![0; kept.count() * size];
                keep_fixed(values.as_slice(), size, &kept, &mut places).unwrap();
                let gathered = gather_fixed(&values, size, &kept.to_rows()).unwrap();
                assert_eq!(places, gathered.as_slice(), "{rows} of {size}");
            }
        }
    }

    #[test]
    fn a_set_of_more_rows_than_there_are_cells_is_refused() {
        let kept = CellSet::all(RowRange::first(100).unwrap());
        for size in [3, 4] {
            let (cells, mut places) = (vec![0; 99 * size], vec![0; 100 * size]);
            let error = keep_fixed(&cells, size, &kept, &mut places).err().unwrap();
            assert!(error.to_string().contains("fewer cells"), "{error}");
        }
    }
}
