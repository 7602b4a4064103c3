//! Runs of equal fixed-size cells; each is a cell's bytes and a *big-endian* `u16` length.

use tdb_tile::{Bug, Exact};

use crate::FilterError;
use crate::room::cut;

pub(crate) const NAME: &str = "rle";
/// Bytes of the length of a run.
pub(crate) const LENGTH: usize = 2;

/// Writes the runs of whole cells into the start of `out`, which must have room for a run per cell;
/// returns the number of bytes written.
pub(crate) fn pack(cell: usize, piece: &[u8], out: &mut [u8]) -> Result<usize, FilterError> {
    match cell {
        1 => pack_by::<1>(piece, out),
        2 => pack_by::<2>(piece, out),
        4 => pack_by::<4>(piece, out),
        8 => pack_by::<8>(piece, out),
        _ => pack_any(cell, piece, out),
    }
}

/// Writes the cells of all runs into `out`, which they must fill exactly.
pub(crate) fn expand(cell: usize, piece: &[u8], out: &mut [u8]) -> Result<(), FilterError> {
    match cell {
        1 => expand_by::<1>(piece, out),
        2 => expand_by::<2>(piece, out),
        4 => expand_by::<4>(piece, out),
        8 => expand_by::<8>(piece, out),
        _ => expand_any(cell, piece, out),
    }
}

/// Like [`pack_any`], for cells of `C` bytes.
fn pack_by<const C: usize>(piece: &[u8], out: &mut [u8]) -> Result<usize, FilterError> {
    let (mut cells, _) = piece.as_chunks::<C>();
    let all = out.len();
    let mut room = out;
    while let Some((value, rest)) = cells.split_first() {
        // The maximum length of a run, less the cell that begins it.
        let most = rest.len().min((u16::MAX - 1).into());
        let (within, _) = rest.split_at(most);
        let more = equal_cells(value, within);
        let length = u16::try_from(more)
            .ok()
            .and_then(|more| more.checked_add(1))
            .ok_or_else(|| Bug::new("a run longer than its length can say"))?;
        put_run(value, length, &mut room)?;
        (_, cells) = rest.split_at(more);
    }
    Ok(all.exact_sub(room.len())?)
}

/// Returns the number of leading cells that equal `value`: compares block by block, then one by
/// one.
fn equal_cells<const C: usize>(value: &[u8; C], cells: &[[u8; C]]) -> usize {
    let is_other = |cell: &[u8; C]| cell != value;
    let (blocks, _) = cells.as_chunks::<16>();
    let has_other = |block: &[[u8; C]; 16]| {
        // Without an early exit, this is one vector comparison.
        block.iter().fold(false, |any, cell| any | is_other(cell))
    };
    let whole = blocks.iter().position(has_other).unwrap_or(blocks.len());
    let start = blocks.split_at(whole).0.as_flattened().len();
    let (_, left) = cells.split_at(start);
    let more = left.iter().position(is_other).unwrap_or(left.len());
    [start, more].iter().sum()
}

/// Implements [`pack`] for cells of any size, without vectorisation.
fn pack_any(cell: usize, piece: &[u8], out: &mut [u8]) -> Result<usize, FilterError> {
    let mut cells = piece.chunks_exact(cell);
    let Some(mut value) = cells.next() else {
        return Ok(0);
    };
    let (mut length, all) = (1_u16, out.len());
    let mut room = out;
    for next in cells {
        if next == value
            && let Some(longer) = length.checked_add(1)
        {
            length = longer;
            continue;
        }
        put_run(value, length, &mut room)?;
        (value, length) = (next, 1);
    }
    put_run(value, length, &mut room)?;
    Ok(all.exact_sub(room.len())?)
}

/// Writes a run to the start of `room`, whose size is the codec's bound.
#[inline]
fn put_run(value: &[u8], length: u16, room: &mut &mut [u8]) -> Result<(), FilterError> {
    cut(room, value.len())?.copy_from_slice(value);
    cut(room, LENGTH)?.copy_from_slice(&length.to_be_bytes());
    Ok(())
}

/// Like [`expand_any`], for cells of `C` bytes.
fn expand_by<const C: usize>(piece: &[u8], out: &mut [u8]) -> Result<(), FilterError> {
    let (mut cells, rest) = out.as_chunks_mut::<C>();
    if !rest.is_empty() {
        return Err(FilterError::invalid(
            NAME,
            "data",
            "is not a whole number of cells",
        ));
    }
    let runs = piece.chunks_exact(C.exact_add(LENGTH)?);
    if !runs.remainder().is_empty() {
        return Err(CUT);
    }
    for run in runs {
        let (value, length) = run.split_first_chunk::<C>().ok_or(CUT)?;
        let (run, left) = std::mem::take(&mut cells)
            .split_at_mut_checked(run_length(length)?)
            .ok_or(TOO_LONG)?;
        run.fill(*value);
        cells = left;
    }
    complete(cells.is_empty())
}

/// Implements [`expand`] for cells of any size, without vectorisation.
fn expand_any(cell: usize, piece: &[u8], mut out: &mut [u8]) -> Result<(), FilterError> {
    let runs = piece.chunks_exact(cell.exact_add(LENGTH)?);
    if !runs.remainder().is_empty() {
        return Err(CUT);
    }
    for run in runs {
        let (value, length) = run.split_at_checked(cell).ok_or(CUT)?;
        let (run, left) = std::mem::take(&mut out)
            .split_at_mut_checked(run_length(length)?.exact_mul(cell)?)
            .ok_or(TOO_LONG)?;
        for place in run.chunks_exact_mut(cell) {
            place.copy_from_slice(value);
        }
        out = left;
    }
    complete(out.is_empty())
}

fn run_length(bytes: &[u8]) -> Result<usize, FilterError> {
    let bytes = bytes.first_chunk().ok_or(CUT)?;
    Ok(u16::from_be_bytes(*bytes).into())
}

const CUT: FilterError = FilterError::Corrupt {
    filter: NAME,
    field: "runs",
    kind: tdb_tile::WireErrorKind::Invalid("end within one"),
};

pub(crate) const TOO_LONG: FilterError = FilterError::Corrupt {
    filter: NAME,
    field: "run length",
    kind: tdb_tile::WireErrorKind::Invalid("goes beyond the data"),
};

pub(crate) fn complete(is_full: bool) -> Result<(), FilterError> {
    if is_full {
        return Ok(());
    }
    Err(FilterError::invalid(
        NAME,
        "runs",
        "end before the data does",
    ))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const CELLS: [usize; 4] = [1, 2, 4, 8];

    fn room(piece: &[u8]) -> Vec<u8> {
        vec![0; piece.len() * 3]
    }

    fn packed(cell: usize, piece: &[u8]) -> Vec<u8> {
        let mut out = room(piece);
        let stored = pack(cell, piece, &mut out).unwrap();
        out.truncate(stored);
        out
    }

    fn packed_plainly(cell: usize, piece: &[u8]) -> Vec<u8> {
        let mut out = room(piece);
        let stored = pack_any(cell, piece, &mut out).unwrap();
        out.truncate(stored);
        out
    }

    /// One cell per number; all bytes of a cell are that number.
    fn cells(cell: usize, numbers: &[u8]) -> Vec<u8> {
        let cells = numbers.iter().map(|number| vec![*number; cell]);
        cells.collect::<Vec<_>>().concat()
    }

    /// Each number, repeated as often as its pair specifies.
    fn repeated(numbers: &[(u8, usize)]) -> Vec<u8> {
        let runs = numbers.iter().map(|(number, times)| vec![*number; *times]);
        runs.collect::<Vec<_>>().concat()
    }

    proptest! {
        #[test]
        fn runs_are_those_of_the_plain_form(
            numbers in proptest::collection::vec((0_u8..3, prop_oneof![1_usize..4, 1_usize..80]), 0..60),
        ) {
            for cell in CELLS {
                let piece = cells(cell, &repeated(&numbers));
                let stored = packed(cell, &piece);
                prop_assert_eq!(&stored, &packed_plainly(cell, &piece));
                let mut back = vec![0xa5; piece.len()];
                expand(cell, &stored, &mut back).unwrap();
                prop_assert_eq!(&back, &piece);
            }
        }

        #[test]
        fn whatever_is_stored_expands_as_in_the_plain_form(
            cell in proptest::sample::select(&CELLS[..]),
            runs in proptest::collection::vec((any::<u8>(), 0_u16..50), 0..20),
            tail in 0_usize..3,
            room in 0_usize..3000,
        ) {
            let mut piece = Vec::new();
            for (number, length) in runs {
                piece.extend(vec![number; cell]);
                piece.extend(length.to_be_bytes());
            }
            piece.extend(vec![7; tail]);
            // As long as the cells, and of another length.
            let lengths = piece.chunks_exact(cell + LENGTH).map(|run| usize::from(run[cell + 1]));
            for room in [lengths.sum::<usize>() * cell, room / cell * cell] {
                let (mut plain, mut fast) = (vec![0; room], vec![0; room]);
                let wanted = expand_any(cell, &piece, &mut plain);
                prop_assert_eq!(expand(cell, &piece, &mut fast), wanted.clone());
                if wanted.is_ok() {
                    prop_assert_eq!(fast, plain);
                }
            }
        }
    }

    #[test]
    fn runs_longer_than_a_length_are_cut() {
        for count in 65_530..65_545 {
            for cell in CELLS {
                let piece = cells(cell, &repeated(&[(1, 3), (9, count), (1, 1)]));
                assert_eq!(packed(cell, &piece), packed_plainly(cell, &piece));
            }
        }
    }
}
