//! The loops of byteshuffle: values to planes of bytes and back.
//!
//! Each loop transposes a matrix of bytes, eight `u64` at a time, in three steps of swaps
//! ([`crate::turn`]). The steps are plain integer operations, which the compiler vectorises on
//! every target; `tdb_simd` selects the widest vectors of the processor.

use tdb_simd::Kernel;
use tdb_tile::Bug;

use crate::turn::{HIGH, LOW, bytes_of_eights, bytes_of_fours};

/// Runs [`shuffle_values`] on values of this many bytes.
struct Shuffle(usize);

impl Kernel for Shuffle {
    type Output = Result<(), Bug>;

    #[inline(always)]
    fn run(self, values: &[u8], planes: &mut [u8]) -> Result<(), Bug> {
        shuffle_values(self.0, values, planes)
    }
}

/// Runs [`unshuffle_planes`] on values of this many bytes.
struct Unshuffle(usize);

impl Kernel for Unshuffle {
    type Output = Result<(), Bug>;

    #[inline(always)]
    fn run(self, planes: &[u8], values: &mut [u8]) -> Result<(), Bug> {
        unshuffle_planes(self.0, planes, values)
    }
}

/// Splits values of `size` bytes into planes, one for each byte of a value; bytes after the last
/// whole value are copied. Both slices have the same length.
pub(crate) fn shuffle(size: usize, values: &[u8], planes: &mut [u8]) -> Result<(), Bug> {
    tdb_simd::run(Shuffle(size), values, planes)
}

/// Undoes [`shuffle`].
pub(crate) fn unshuffle(size: usize, planes: &[u8], values: &mut [u8]) -> Result<(), Bug> {
    tdb_simd::run(Unshuffle(size), planes, values)
}

#[inline(always)]
fn shuffle_values(size: usize, values: &[u8], planes: &mut [u8]) -> Result<(), Bug> {
    check_lengths(values, planes)?;
    match size {
        2 => shuffle_by::<2>(values, planes),
        4 => shuffle_by::<4>(values, planes),
        8 => shuffle_by::<8>(values, planes),
        _ => {
            planes.copy_from_slice(values);
            Ok(())
        }
    }
}

/// Undoes [`shuffle_values`].
#[inline(always)]
fn unshuffle_planes(size: usize, planes: &[u8], values: &mut [u8]) -> Result<(), Bug> {
    check_lengths(planes, values)?;
    match size {
        2 => unshuffle_by::<2>(planes, values),
        4 => unshuffle_by::<4>(planes, values),
        8 => unshuffle_by::<8>(planes, values),
        _ => {
            values.copy_from_slice(planes);
            Ok(())
        }
    }
}

/// Fails unless both slices have the same length; all later cuts then lie within both.
#[inline(always)]
pub(crate) fn check_lengths(from: &[u8], to: &[u8]) -> Result<(), Bug> {
    if from.len() == to.len() {
        return Ok(());
    }
    Err(Bug::new("values and planes of other lengths"))
}

/// Returns the first `N` rows of `row` bytes each.
#[inline(always)]
pub(crate) fn rows<const N: usize>(mut bytes: &[u8], row: usize) -> [&[u8]; N] {
    std::array::from_fn(|_| {
        let (first, rest) = bytes.split_at(row);
        bytes = rest;
        first
    })
}

/// Like [`rows`], for mutable bytes.
#[inline(always)]
pub(crate) fn rows_mut<const N: usize>(mut bytes: &mut [u8], row: usize) -> [&mut [u8]; N] {
    std::array::from_fn(|_| {
        let (first, rest) = std::mem::take(&mut bytes).split_at_mut(row);
        bytes = rest;
        first
    })
}

/// Splits values into planes: a multiple of eight values by [`split`], the rest in a plain loop.
#[inline(always)]
fn shuffle_by<const S: usize>(values: &[u8], planes: &mut [u8]) -> Result<(), Bug> {
    let (values, left) = values.as_chunks::<S>();
    let whole = values.as_flattened().len();
    let (planes, rest) = planes.split_at_mut(whole);
    rest.copy_from_slice(left);
    let mut planes = rows_mut::<S>(planes, values.len());
    let (eights, few) = values.split_at(eights(values.len()));
    for (j, plane) in planes.iter_mut().enumerate() {
        let (_, end) = plane.split_at_mut(eights.len());
        let bytes = few.as_flattened().iter().skip(j).step_by(S);
        end.iter_mut()
            .zip(bytes)
            .for_each(|(place, byte)| *place = *byte);
    }
    split(
        eights,
        planes.map(|plane| plane.split_at_mut(eights.len()).0),
    )
}

/// Joins planes to values: a multiple of eight values by [`join`], the rest in a plain loop.
#[inline(always)]
fn unshuffle_by<const S: usize>(planes: &[u8], values: &mut [u8]) -> Result<(), Bug> {
    let (values, rest) = values.as_chunks_mut::<S>();
    let whole = values.as_flattened().len();
    let (planes, left) = planes.split_at(whole);
    rest.copy_from_slice(left);
    let planes = rows::<S>(planes, values.len());
    let (eights, few) = values.split_at_mut(eights(values.len()));
    for (j, plane) in planes.iter().enumerate() {
        let (_, end) = plane.split_at(eights.len());
        let bytes = few.as_flattened_mut().iter_mut().skip(j).step_by(S);
        bytes.zip(end).for_each(|(place, byte)| *place = *byte);
    }
    join(planes.map(|plane| plane.split_at(eights.len()).0), eights)
}

/// Splits a multiple of eight values of one, two, four or eight bytes into one plane per byte.
#[inline(always)]
pub(crate) fn split<const S: usize>(
    values: &[[u8; S]],
    mut planes: [&mut [u8]; S],
) -> Result<(), Bug> {
    let values = values.as_flattened();
    match planes.as_mut_slice() {
        [a] => a.copy_from_slice(values),
        [a, b] => split_pairs(values.as_chunks().0, [a, b]),
        [a, b, c, d] => split_fours(values.as_chunks().0, [a, b, c, d]),
        [a, b, c, d, e, f, g, h] => split_eights(values.as_chunks().0, [a, b, c, d, e, f, g, h]),
        _ => return Err(Bug::new("values of a size that no type has")),
    }
    Ok(())
}

/// Undoes [`split`].
#[inline(always)]
pub(crate) fn join<const S: usize>(planes: [&[u8]; S], values: &mut [[u8; S]]) -> Result<(), Bug> {
    let values = values.as_flattened_mut();
    match *planes.as_slice() {
        [a] => values.copy_from_slice(a),
        [a, b] => join_pairs([a, b], values.as_chunks_mut().0),
        [a, b, c, d] => join_fours([a, b, c, d], values.as_chunks_mut().0),
        [a, b, c, d, e, f, g, h] => {
            join_eights([a, b, c, d, e, f, g, h], values.as_chunks_mut().0);
        }
        _ => return Err(Bug::new("values of a size that no type has")),
    }
    Ok(())
}

/// Returns the largest multiple of eight that is at most `count`.
#[inline(always)]
pub(crate) const fn eights(count: usize) -> usize {
    count & !7
}

#[inline(always)]
fn split_pairs(values: &[[u8; 2]], [a, b]: [&mut [u8]; 2]) {
    // Each loop narrows 16-bit numbers, which is one vector instruction; a single loop that writes
    // both planes is not vectorised.
    let numbers = || values.iter().map(|value| u16::from_le_bytes(*value));
    for (number, a) in numbers().zip(a) {
        [*a, _] = number.to_le_bytes();
    }
    for (number, b) in numbers().zip(b) {
        [_, *b] = number.to_le_bytes();
    }
}

#[inline(always)]
fn join_pairs([a, b]: [&[u8]; 2], values: &mut [[u8; 2]]) {
    for ((value, a), b) in values.iter_mut().zip(a).zip(b) {
        *value = [*a, *b];
    }
}

#[inline(always)]
fn split_fours(values: &[[u8; 4]], [a, b, c, d]: [&mut [u8]; 4]) {
    let (values, _) = values.as_flattened().as_chunks::<8>();
    let (values, _) = values.as_chunks::<4>();
    let ((a, _), (b, _)) = (a.as_chunks_mut::<8>(), b.as_chunks_mut::<8>());
    let ((c, _), (d, _)) = (c.as_chunks_mut::<8>(), d.as_chunks_mut::<8>());
    for ((((values, a), b), c), d) in values.iter().zip(a).zip(b).zip(c).zip(d) {
        // The loaded numbers hold values 0 and 1, 2 and 3, and so on; the transposition needs 0 and
        // 4, 1 and 5, and so on.
        let [v, w, x, y] = values.map(u64::from_le_bytes);
        let turned = bytes_of_fours([
            v & LOW | x << 32,
            v >> 32 | x & HIGH,
            w & LOW | y << 32,
            w >> 32 | y & HIGH,
        ]);
        [*a, *b, *c, *d] = turned.map(u64::to_le_bytes);
    }
}

#[inline(always)]
fn join_fours([a, b, c, d]: [&[u8]; 4], values: &mut [[u8; 4]]) {
    let (values, _) = values.as_flattened_mut().as_chunks_mut::<8>();
    let (values, _) = values.as_chunks_mut::<4>();
    let ((a, _), (b, _)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    let ((c, _), (d, _)) = (c.as_chunks::<8>(), d.as_chunks::<8>());
    for ((((values, a), b), c), d) in values.iter_mut().zip(a).zip(b).zip(c).zip(d) {
        let planes = [a, b, c, d].map(|plane| u64::from_le_bytes(*plane));
        // The transposition gives values 0 and 4, 1 and 5, and so on; they are stored as 0 and 1, 2
        // and 3, and so on.
        let [v, w, x, y] = bytes_of_fours(planes);
        *values = [
            v & LOW | w << 32,
            x & LOW | y << 32,
            v >> 32 | w & HIGH,
            x >> 32 | y & HIGH,
        ]
        .map(u64::to_le_bytes);
    }
}

#[inline(always)]
fn split_eights(values: &[[u8; 8]], planes: [&mut [u8]; 8]) {
    let [a, b, c, d, e, f, g, h] = planes.map(|plane| plane.as_chunks_mut::<8>().0);
    let (values, _) = values.as_chunks::<8>();
    let rows = values.iter().zip(a).zip(b).zip(c).zip(d);
    for ((((((((values, a), b), c), d), e), f), g), h) in rows.zip(e).zip(f).zip(g).zip(h) {
        let turned = bytes_of_eights(values.map(u64::from_le_bytes));
        [*a, *b, *c, *d, *e, *f, *g, *h] = turned.map(u64::to_le_bytes);
    }
}

#[inline(always)]
fn join_eights(planes: [&[u8]; 8], values: &mut [[u8; 8]]) {
    let [a, b, c, d, e, f, g, h] = planes.map(|plane| plane.as_chunks::<8>().0);
    let (values, _) = values.as_chunks_mut::<8>();
    let rows = values.iter_mut().zip(a).zip(b).zip(c).zip(d);
    for ((((((((values, a), b), c), d), e), f), g), h) in rows.zip(e).zip(f).zip(g).zip(h) {
        let planes = [a, b, c, d, e, f, g, h].map(|plane| u64::from_le_bytes(*plane));
        *values = bytes_of_eights(planes).map(u64::to_le_bytes);
    }
}

#[cfg(test)]
mod tests;
