//! Copies var-sized cells, one after the other.

use std::ops::Range;

/// Number of bytes that are always copied for a short cell, whatever its length.
const AT_ONCE: usize = 16;

/// Copies the cell at `values[cell]` to the front of `out` and returns the rest of `out`; `None` if the range is not
/// within `values`, or the cell does not fit.
///
/// Up to 16 bytes at the beginning of the rest may have been overwritten; the following cells are copied over them.
#[must_use]
#[inline]
pub fn copy_text<'a>(values: &[u8], cell: Range<usize>, out: &'a mut [u8]) -> Option<&'a mut [u8]> {
    let rest = values.get(cell.start..)?;
    let len = cell.end.checked_sub(cell.start)?;
    // Most cells are short. A copy of their exact length would be a function call with a branch that is often
    // mispredicted.
    match (
        rest.first_chunk::<AT_ONCE>(),
        out.first_chunk_mut::<AT_ONCE>(),
    ) {
        (Some(from), Some(to)) if len <= AT_ONCE => *to = *from,
        _ => copy_any(rest.get(..len)?, out.get_mut(..len)?),
    }
    out.get_mut(len..)
}

/// Copies a cell of any length. Not inlined, or the compiler would merge both copies of [`copy_text`] into one call.
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
            // Starting at each byte, up to the end of the values.
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
