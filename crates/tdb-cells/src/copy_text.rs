//! Copies var-sized cells, one behind the other.

use std::ops::Range;

/// Bytes that are copied at once, whatever length a shorter cell has.
const AT_ONCE: usize = 16;

/// Copies the cell that is this part of `values` to the front of `out`, and gives what is left behind it; `None` where the cell or its
/// place is not there.
///
/// What is left may have been written to: it is for the cells that follow.
#[must_use]
#[inline]
pub fn copy_text<'a>(values: &[u8], cell: Range<usize>, out: &'a mut [u8]) -> Option<&'a mut [u8]> {
    let rest = values.get(cell.start..)?;
    let len = cell.end.checked_sub(cell.start)?;
    // Most are short, and a copy of their own length is a call, and a branch that is guessed wrong.
    match (
        rest.first_chunk::<AT_ONCE>(),
        out.first_chunk_mut::<AT_ONCE>(),
    ) {
        (Some(from), Some(to)) if len <= AT_ONCE => *to = *from,
        _ => copy_any(rest.get(..len)?, out.get_mut(..len)?),
    }
    out.get_mut(len..)
}

/// Copies so many bytes. In [`copy_text`] itself, the compiler would make one call of this copy and the other one.
#[inline(never)]
fn copy_any(from: &[u8], to: &mut [u8]) {
    to.copy_from_slice(from);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_of_any_length_stand_one_behind_the_other() {
        let values: Vec<u8> = (1..=250).collect();
        for lengths in [
            &[0, 1, 15, 16, 17, 40, 3, 0][..],
            &[16],
            &[15, 1],
            &[2],
            &[0],
            &[250],
        ] {
            // From everywhere, up to the end of the values.
            for at in 0..=values.len() {
                let cells = lengths.iter().map(|len| at..at + len);
                if cells.clone().any(|cell| cell.end > values.len()) {
                    continue;
                }
                let model: Vec<u8> = cells
                    .clone()
                    .flat_map(|cell| &values[cell])
                    .copied()
                    .collect();
                let mut out = vec![0; model.len()];
                let mut rest = &mut out[..];
                for cell in cells {
                    rest = copy_text(&values, cell, rest).unwrap();
                }
                assert!(rest.is_empty());
                assert_eq!(out, model, "{lengths:?} from {at}");
            }
        }
        assert!(copy_text(&values, 240..251, &mut [0; 20]).is_none());
        assert!(copy_text(&values, 251..251, &mut [0; 20]).is_none());
        assert!(copy_text(&values, 0..21, &mut [0; 20]).is_none());
        assert!(copy_text(&values, 0..9, &mut [0; 8]).is_none());
        assert!(copy_text(&values, Range { start: 2, end: 1 }, &mut [0; 20]).is_none());
    }
}
