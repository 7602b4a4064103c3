//! Copies selected cells of a table into a result.

use tdb_tile::{Bug, Exact};

use crate::copy_text::copy_text;
use crate::threads::{self, CELLS_PER_TASK};
use crate::{Buffer, CellSet, CellsError, Row};

/// Number of cells per word of a set.
const WORD: usize = 64;

pub(crate) fn gather_fixed(
    values: &Buffer,
    size: usize,
    rows: &[Row],
) -> Result<Buffer, CellsError> {
    let mut out = values.another(rows.len().exact_mul(size)?)?;
    let values = values.as_slice();
    let places = out
        .as_mut_slice()
        .chunks_mut(CELLS_PER_TASK.exact_mul(size.max(1))?);
    let tasks: Vec<_> = places.zip(rows.chunks(CELLS_PER_TASK)).collect();
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

/// Copies cells of `N` bytes; returns whether all rows existed.
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

/// Copies cells of `size` bytes; returns whether all rows existed.
fn gather_any(values: &[u8], size: usize, rows: &[Row], out: &mut [u8]) -> bool {
    if size == 0 {
        return true;
    }
    let mut are_there = true;
    let cells = values.chunks_exact(size);
    for (place, row) in out.chunks_exact_mut(size).zip(rows) {
        match cells.clone().nth(row.index()) {
            Some(cell) => place.copy_from_slice(cell),
            None => are_there = false,
        }
    }
    are_there
}

/// Copies the cells of a set into `places`: words whose 64 cells are all in the set are copied at once.
pub(crate) fn keep_fixed(
    cells: &[u8],
    size: usize,
    kept: &CellSet,
    mut places: &mut [u8],
) -> Result<(), CellsError> {
    let words: Vec<u64> = kept.words().collect();
    let mut tasks = Vec::new();
    for (task, words) in words.chunks(CELLS_PER_TASK / WORD).enumerate() {
        let bits = words.iter().map(|word| word.count_ones() as usize);
        let bytes = bits.sum::<usize>().exact_mul(size)?;
        let place = places.split_off_mut(..bytes).ok_or_else(too_few)?;
        let first = task.exact_mul(CELLS_PER_TASK)?.exact_mul(size)?;
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

/// Copies the cells of `N` bytes whose bit is 1; `None` if there are too few cells.
fn keep_sized<const N: usize>(cells: &[u8], words: &[u64], out: &mut [u8]) -> Option<()> {
    let (cells, _) = cells.as_chunks::<N>();
    let (mut out, _) = out.as_chunks_mut::<N>();
    for (cells, &word) in cells.chunks(WORD).zip(words) {
        let places = out.split_off_mut(..word.count_ones() as usize)?;
        // The last chunk may be short: the number of bits alone does not prove that they are those of its cells.
        if places.len() == cells.len() && word.trailing_ones() as usize == cells.len() {
            places.copy_from_slice(cells);
            continue;
        }
        let mut word = word;
        for place in places {
            *place = *cells.get(word.trailing_zeros() as usize)?;
            // There is a place for each bit, so the word is not 0 here.
            word &= word.wrapping_sub(1);
        }
    }
    out.is_empty().then_some(())
}

/// Copies the cells of `size` bytes whose bit is 1; `None` if there are too few cells.
#[expect(
    clippy::arithmetic_side_effects,
    reason = "the size of as many cells as a word has bits is checked first, and one is subtracted from a word that is not 0"
)]
fn keep_any(cells: &[u8], size: usize, words: &[u64], mut out: &mut [u8]) -> Option<()> {
    if size == 0 {
        return Some(());
    }
    let of_word = size.checked_mul(WORD)?;
    for (cells, &word) in cells.chunks(of_word).zip(words) {
        let mut word = word;
        while word != 0 {
            let start = word.trailing_zeros() as usize * size;
            let cell = cells.get(start..start + size)?;
            out.split_off_mut(..size)?.copy_from_slice(cell);
            word &= word - 1;
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
    let range = |row: Row| {
        let place = |offset: &u64| usize::try_from(*offset).ok();
        match offsets.get(row.index()..)? {
            [start, end, ..] => Some(place(start)?..place(end)?),
            _ => None,
        }
    };
    let mut starts = Vec::with_capacity(rows.len().exact_add(1)?);
    let mut end = 0_usize;
    starts.push(0);
    for &row in rows {
        end = end.exact_add(range(row).ok_or_else(too_few)?.len())?;
        starts.push(end as u64);
    }
    let mut out = values.another(end)?;
    let values = values.as_slice();
    let (mut rest, mut tasks, mut given) = (out.as_mut_slice(), Vec::new(), 0_u64);
    let ends = starts
        .iter()
        .skip(CELLS_PER_TASK)
        .step_by(CELLS_PER_TASK)
        .copied()
        .chain(std::iter::once(end as u64));
    for (rows, end) in rows.chunks(CELLS_PER_TASK).zip(ends) {
        let bytes = tdb_tile::length(end.exact_sub(given)?)?;
        given = end;
        tasks.push((rows, rest.split_off_mut(..bytes).ok_or_else(too_few)?));
    }
    threads::for_each(tasks, |(rows, mut place)| {
        for &row in rows {
            let cell = range(row).ok_or_else(too_few)?;
            let behind = copy_text(values, cell, std::mem::take(&mut place));
            place = behind.ok_or_else(too_few)?;
        }
        Ok::<_, CellsError>(())
    })?;
    Ok((out, starts))
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use super::*;
    use crate::{RowRange, Session, SessionOptions};

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

    #[test]
    fn texts_of_many_rows_are_those_of_the_rows() {
        let many = 2 * CELLS_PER_TASK + 1;
        let (mut bytes, mut offsets) = (Vec::new(), vec![0]);
        for row in 0..many {
            let len = row * 7 % 23;
            bytes.extend((0..len).map(|i| u8::try_from((row + i) % 251).unwrap()));
            offsets.push(bytes.len() as u64);
        }
        let mut values = Buffer::zeroed(bytes.len()).unwrap();
        values.as_mut_slice().copy_from_slice(&bytes);
        let session = Session::new(SessionOptions {
            threads: NonZeroUsize::new(2),
            ..SessionOptions::default()
        });
        for count in [0, 1, CELLS_PER_TASK, CELLS_PER_TASK + 1, many] {
            let rows: Vec<Row> = (0..count).rev().map(Row::within).collect();
            let gathered = session.install(|| gather_var(&values, &offsets, &rows));
            let (gathered, starts) = gathered.unwrap();
            assert_eq!(starts.len(), count + 1);
            for (row, ends) in rows.iter().zip(starts.windows(2)) {
                let at = |offset: u64| usize::try_from(offset).unwrap();
                let own = &gathered.as_slice()[at(ends[0])..at(ends[1])];
                let row = row.index();
                assert_eq!(own, &bytes[at(offsets[row])..at(offsets[row + 1])]);
            }
        }
    }
}
