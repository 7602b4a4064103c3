use std::cell::Cell;
use std::cmp::Ordering;

use bytes::Bytes;
use tdb_cells::CellsError;
use tdb_tile::{Bug, Datatype, Scalar, WireError, WireErrorKind, with_scalar};

use crate::CompareOp;
use crate::literal_position::is_text;
use crate::resolved::ResolvedTest;
use crate::text_table::TextTable;

/// Evaluates a test for cells of `size` bytes each.
pub(crate) fn fixed(
    test: &ResolvedTest,
    datatype: Datatype,
    size: usize,
    values: &[u8],
    answer: &mut [u8],
) -> Result<(), Bug> {
    if size == 0 || answer.len().checked_mul(size) != Some(values.len()) {
        return Err(Bug::new("a condition has more rows than cells, or fewer"));
    }
    if is_text(datatype) {
        let cells = values.chunks_exact(size);
        return text(test, cells, answer);
    }
    with_scalar!(datatype, T => {
        if size != T::SIZE {
            return Err(Bug::new("a condition compares cells of several numbers"));
        }
        numbers::<T>(test, values, answer)
    })
}

/// Evaluates a test for var-sized cells, each between two consecutive offsets.
pub(crate) fn var(
    test: &ResolvedTest,
    values: &[u8],
    offsets: &[u64],
    answer: &mut [u8],
) -> Result<(), CellsError> {
    if answer.len().checked_add(1) != Some(offsets.len()) {
        return Err(Bug::new("a condition has more rows than cells, or fewer").into());
    }
    let mut broken = None;
    let cells = offsets
        .array_windows()
        .enumerate()
        .map(|(row, [start, end])| {
            let range = usize::try_from(*start).ok().zip(usize::try_from(*end).ok());
            range
                .and_then(|(start, end)| values.get(start..end))
                .unwrap_or_else(|| {
                    // Reported after the loop.
                    broken = broken.or(Some(row));
                    &[]
                })
        });
    text(test, cells, answer)?;
    match broken {
        Some(row) => Err(broken_offsets(row).into()),
        None => Ok(()),
    }
}

/// Returns the error for an offset that is out of order or beyond the values.
#[expect(
    clippy::arithmetic_side_effects,
    reason = "the offsets up to this row are in memory"
)]
pub(crate) fn broken_offsets(row: usize) -> WireError {
    let kind = WireErrorKind::Invalid("out of order, or beyond the values");
    let at = row * size_of::<u64>();
    WireError::new("Tile", "offsets", at, kind)
}

/// Evaluates a test of text, which compares as unsigned bytes; a prefix is less than a longer text.
fn text<'a>(
    test: &ResolvedTest,
    cells: impl Iterator<Item = &'a [u8]>,
    answer: &mut [u8],
) -> Result<(), Bug> {
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
        ResolvedTest::In(members) => among(members, cells, answer, true),
        ResolvedTest::NotIn(members) => among(members, cells, answer, false),
        ResolvedTest::StartsWith(prefix) => {
            fill(answer, cells, |cell| cell.starts_with(prefix));
        }
        ResolvedTest::NotStartsWith(prefix) => {
            fill(answer, cells, |cell| !cell.starts_with(prefix));
        }
        ResolvedTest::Like(matcher) => fill(answer, cells, |cell| matcher.matches(cell)),
        ResolvedTest::NotLike(matcher) => fill(answer, cells, |cell| !matcher.matches(cell)),
        _ => return Err(no_comparison()),
    }
    Ok(())
}

#[track_caller]
fn no_comparison() -> Bug {
    Bug::new("cells are compared for a test that compares none")
}

/// Tests which cells are members of a list in ascending order, or which are not.
fn among<'a>(
    members: &[Bytes],
    cells: impl Iterator<Item = &'a [u8]>,
    answer: &mut [u8],
    is_in: bool,
) {
    match TextTable::new(members, answer.len()) {
        Some(table) => fill(answer, cells, |cell| table.has(cell) == is_in),
        None => fill(answer, cells, |cell| has_text(members, cell) == is_in),
    }
}

fn has_text(members: &[Bytes], cell: &[u8]) -> bool {
    members
        .binary_search_by(|member| member[..].cmp(cell))
        .is_ok()
}

fn numbers<T: Scalar>(test: &ResolvedTest, values: &[u8], answer: &mut [u8]) -> Result<(), Bug> {
    // A literal that is too short is reported after the loops.
    let is_short = Cell::new(false);
    let read = |value: &[u8]| {
        T::read(value).unwrap_or_else(|| {
            is_short.set(true);
            T::default()
        })
    };
    let cells = T::read_all(values);
    match test {
        ResolvedTest::Compare(op, value) => {
            let value = read(value);
            match op {
                CompareOp::Lt => fill(answer, cells, |cell| cell < value),
                CompareOp::Le => fill(answer, cells, |cell| cell <= value),
                CompareOp::Gt => fill(answer, cells, |cell| cell > value),
                CompareOp::Ge => fill(answer, cells, |cell| cell >= value),
                CompareOp::Eq => fill(answer, cells, |cell| cell == value),
                CompareOp::Ne => fill(answer, cells, |cell| cell != value),
            }
        }
        ResolvedTest::In(members) => fill(answer, cells, |cell| has_number(members, read, cell)),
        ResolvedTest::NotIn(members) => {
            fill(answer, cells, |cell| !has_number(members, read, cell));
        }
        _ => return Err(no_comparison()),
    }
    if is_short.get() {
        return Err(Bug::new("a value of a condition is shorter than the cells"));
    }
    Ok(())
}

/// Whether a number is one of the members, which must be in ascending order; NaN never is.
fn has_number<T: Scalar>(members: &[Bytes], read: impl Fn(&[u8]) -> T, cell: T) -> bool {
    let by_value = |member: &Bytes| {
        let member = read(member);
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
