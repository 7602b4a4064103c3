use std::cmp::Ordering;

use bytes::Bytes;
use tdb_tile::{Datatype, Scalar, WireError, WireErrorKind, with_scalar};

use crate::CompareOp;
use crate::place::is_text;
use crate::resolved::ResolvedTest;

/// Compares cells of `size` bytes each.
pub(crate) fn fixed(
    test: &ResolvedTest,
    datatype: Datatype,
    size: usize,
    values: &[u8],
    answer: &mut [u8],
) {
    if is_text(datatype) {
        let cells = values.chunks_exact(size.max(1));
        return text(test, cells, answer);
    }
    with_scalar!(datatype, T => numbers::<T>(test, values, answer));
}

/// Compares cells of any number of bytes, which lie between one offset and the next.
pub(crate) fn var(
    test: &ResolvedTest,
    values: &[u8],
    offsets: &[u64],
    answer: &mut [u8],
) -> Result<(), WireError> {
    let mut broken = None;
    let cells = offsets
        .array_windows()
        .enumerate()
        .map(|(row, [start, end])| {
            let range = usize::try_from(*start).ok().zip(usize::try_from(*end).ok());
            range
                .and_then(|(start, end)| values.get(start..end))
                .unwrap_or_else(|| {
                    broken = broken.or(Some(row));
                    &[]
                })
        });
    text(test, cells, answer);
    match broken {
        Some(row) => {
            let kind = WireErrorKind::Invalid("out of order, or beyond the values");
            Err(WireError::new(
                "Tile",
                "offsets",
                row.saturating_mul(size_of::<u64>()),
                kind,
            ))
        }
        None => Ok(()),
    }
}

/// Text compares as unsigned bytes; of two that begin alike, the shorter is less.
fn text<'a>(test: &ResolvedTest, cells: impl Iterator<Item = &'a [u8]>, answer: &mut [u8]) {
    match test {
        ResolvedTest::Compare(op, value) => {
            let value = &value[..];
            match op {
                CompareOp::Lt => fill(answer, cells, |cell| cell < value),
                CompareOp::Le => fill(answer, cells, |cell| cell <= value),
                CompareOp::Gt => fill(answer, cells, |cell| cell > value),
                CompareOp::Ge => fill(answer, cells, |cell| cell >= value),
                CompareOp::Eq => fill(answer, cells, |cell| cell == value),
                CompareOp::Ne => fill(answer, cells, |cell| cell != value),
            }
        }
        ResolvedTest::In(members) => fill(answer, cells, |cell| has_text(members, cell)),
        ResolvedTest::NotIn(members) => fill(answer, cells, |cell| !has_text(members, cell)),
        _ => answer.fill(0),
    }
}

fn has_text(members: &[Bytes], cell: &[u8]) -> bool {
    members
        .binary_search_by(|member| member[..].cmp(cell))
        .is_ok()
}

fn numbers<T: Scalar>(test: &ResolvedTest, values: &[u8], answer: &mut [u8]) {
    // Reads as zero what is too short, which `chunks_exact` rules out.
    let cells = values
        .chunks_exact(T::SIZE)
        .map(|cell| T::read(cell).unwrap_or_default());
    match test {
        ResolvedTest::Compare(op, value) => {
            let Some(value) = T::read(value) else {
                return answer.fill(0);
            };
            match op {
                CompareOp::Lt => fill(answer, cells, |cell| cell < value),
                CompareOp::Le => fill(answer, cells, |cell| cell <= value),
                CompareOp::Gt => fill(answer, cells, |cell| cell > value),
                CompareOp::Ge => fill(answer, cells, |cell| cell >= value),
                CompareOp::Eq => fill(answer, cells, |cell| cell == value),
                CompareOp::Ne => fill(answer, cells, |cell| cell != value),
            }
        }
        ResolvedTest::In(members) => fill(answer, cells, |cell| has_number(members, cell)),
        ResolvedTest::NotIn(members) => fill(answer, cells, |cell| !has_number(members, cell)),
        _ => answer.fill(0),
    }
}

/// Whether a number is one of the members, which are in ascending order; a NaN is in no set.
fn has_number<T: Scalar>(members: &[Bytes], cell: T) -> bool {
    let by_value = |member: &Bytes| {
        let member = T::read(member).unwrap_or_default();
        member.partial_cmp(&cell).unwrap_or(Ordering::Less)
    };
    members.binary_search_by(by_value).is_ok()
}

#[inline]
fn fill<C>(answer: &mut [u8], cells: impl Iterator<Item = C>, holds: impl Fn(C) -> bool) {
    answer
        .iter_mut()
        .zip(cells)
        .for_each(|(answer, cell)| *answer = u8::from(holds(cell)));
}
