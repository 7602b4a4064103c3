//! The loops of bitshuffle: values to planes of bits and back.
//!
//! A block of values of `S` bytes has `8 * S` planes: plane `8j + k` has bit `k` of byte `j` of all
//! values, one byte for each group of eight values.
//!
//! Decoding takes two passes. For each bit `k`, the first joins the planes `8j + k` of all `S`
//! bytes as byteshuffle joins planes of bytes. Row `k` of the scratch memory then has one number of
//! `S` bytes for each group; byte `j` of that number holds bit `k` of byte `j` of the group's eight
//! values. The second pass transposes bits among the eight rows, which makes them the values. Each
//! byte is moved twice; first joining bits to planes of bytes and then joining these would move it
//! three times. Encoding is the reverse.

use tdb_simd::Kernel;
use tdb_tile::Bug;

use crate::planes::{check_lengths, eights, join, rows, rows_mut, split};
use crate::turn::{bits_of_eights, bytes_of_eights, halves_of_twos, twos_of_fours};

/// Bytes that are bit-shuffled together; the format fixes this size.
const BLOCK: usize = 8192;

/// Returns the bytes of eight groups of eight values of `size` bytes.
#[expect(
    clippy::arithmetic_side_effects,
    reason = "a value has eight bytes at most"
)]
const fn eight_groups(size: usize) -> usize {
    size * 64
}

/// Bytes of eight groups of values of eight bytes, the widest.
const EIGHT_GROUPS: usize = eight_groups(8);

/// Runs [`shuffle_blocks`] on values of this many bytes.
struct Shuffle(usize);

impl Kernel for Shuffle {
    type Output = Result<(), Bug>;

    #[inline(always)]
    fn run(self, values: &[u8], planes: &mut [u8]) -> Result<(), Bug> {
        check_lengths(values, planes)?;
        match self.0 {
            1 => shuffle_blocks::<1>(values, planes),
            2 => shuffle_blocks::<2>(values, planes),
            4 => shuffle_blocks::<4>(values, planes),
            8 => shuffle_blocks::<8>(values, planes),
            _ => Err(Bug::new("values of a size that no type has")),
        }
    }
}

/// Runs [`unshuffle_blocks`] on values of this many bytes.
struct Unshuffle(usize);

impl Kernel for Unshuffle {
    type Output = Result<(), Bug>;

    #[inline(always)]
    fn run(self, planes: &[u8], values: &mut [u8]) -> Result<(), Bug> {
        check_lengths(planes, values)?;
        match self.0 {
            1 => unshuffle_blocks::<1>(planes, values),
            2 => unshuffle_blocks::<2>(planes, values),
            4 => unshuffle_blocks::<4>(planes, values),
            8 => unshuffle_blocks::<8>(planes, values),
            _ => Err(Bug::new("values of a size that no type has")),
        }
    }
}

/// Splits values of `size` bytes into planes of bits, block by block. Both slices have the same
/// length.
pub(crate) fn shuffle_bits(size: usize, values: &[u8], planes: &mut [u8]) -> Result<(), Bug> {
    tdb_simd::run(Shuffle(size), values, planes)
}

/// Undoes [`shuffle_bits`].
pub(crate) fn unshuffle_bits(size: usize, planes: &[u8], values: &mut [u8]) -> Result<(), Bug> {
    tdb_simd::run(Unshuffle(size), planes, values)
}

#[inline(always)]
fn shuffle_blocks<const S: usize>(values: &[u8], planes: &mut [u8]) -> Result<(), Bug> {
    let mut turned = [0; BLOCK];
    for (values, planes) in values.chunks(BLOCK).zip(planes.chunks_mut(BLOCK)) {
        let row = groups_in::<S>(values);
        let (whole, left) = values.split_at(bytes_of_groups::<S>(row));
        let (planes, rest) = planes.split_at_mut(whole.len());
        rest.copy_from_slice(left);
        let (some, few) = whole.split_at(bytes_of_groups::<S>(eights(row)));
        shuffle_groups::<S>(some, planes, row, &mut turned)?;
        if few.is_empty() {
            continue;
        }
        let (mut values, mut bits) = ([0; EIGHT_GROUPS], [0; EIGHT_GROUPS]);
        let ((values, _), (bits, _)) = (
            values.split_at_mut(eight_groups(S)),
            bits.split_at_mut(eight_groups(S)),
        );
        values.split_at_mut(few.len()).0.copy_from_slice(few);
        shuffle_groups::<S>(values, bits, 8, &mut turned)?;
        for (plane, bits) in planes.chunks_exact_mut(row).zip(bits.chunks_exact(8)) {
            let (_, end) = plane.split_at_mut(eights(row));
            end.copy_from_slice(bits.split_at(end.len()).0);
        }
    }
    Ok(())
}

/// Undoes [`shuffle_blocks`].
#[inline(always)]
fn unshuffle_blocks<const S: usize>(planes: &[u8], values: &mut [u8]) -> Result<(), Bug> {
    let mut turned = [0; BLOCK];
    for (planes, values) in planes.chunks(BLOCK).zip(values.chunks_mut(BLOCK)) {
        let row = groups_in::<S>(values);
        let (whole, rest) = values.split_at_mut(bytes_of_groups::<S>(row));
        let (planes, left) = planes.split_at(whole.len());
        rest.copy_from_slice(left);
        let (some, few) = whole.split_at_mut(bytes_of_groups::<S>(eights(row)));
        unshuffle_groups::<S>(planes, row, some, &mut turned)?;
        if few.is_empty() {
            continue;
        }
        let (mut values, mut bits) = ([0; EIGHT_GROUPS], [0; EIGHT_GROUPS]);
        let ((values, _), (bits, _)) = (
            values.split_at_mut(eight_groups(S)),
            bits.split_at_mut(eight_groups(S)),
        );
        for (plane, bits) in planes.chunks_exact(row).zip(bits.chunks_exact_mut(8)) {
            let (_, end) = plane.split_at(eights(row));
            bits.split_at_mut(end.len()).0.copy_from_slice(end);
        }
        unshuffle_groups::<S>(bits, 8, values, &mut turned)?;
        few.copy_from_slice(values.split_at(few.len()).0);
    }
    Ok(())
}

/// Returns the number of whole groups of eight values of `S` bytes in `bytes`.
#[inline(always)]
const fn groups_in<const S: usize>(bytes: &[u8]) -> usize {
    let (values, _) = bytes.as_chunks::<S>();
    values.as_chunks::<8>().0.len()
}

/// Returns the bytes of `count` groups of eight values of `S` bytes.
#[inline(always)]
#[expect(
    clippy::arithmetic_side_effects,
    reason = "the groups were counted in bytes that are there"
)]
const fn bytes_of_groups<const S: usize>(count: usize) -> usize {
    count * S * 8
}

/// Returns the bytes of `count` numbers of `S` bytes.
#[inline(always)]
#[expect(
    clippy::arithmetic_side_effects,
    reason = "the numbers were counted in bytes that are there"
)]
const fn bytes_of<const S: usize>(count: usize) -> usize {
    count * S
}

/// Shuffles the values of a multiple of eight groups into the start of each plane; planes have
/// `row` bytes.
#[inline(always)]
fn shuffle_groups<const S: usize>(
    values: &[u8],
    planes: &mut [u8],
    row: usize,
    turned: &mut [u8; BLOCK],
) -> Result<(), Bug> {
    let (turned, _) = turned.split_at_mut(values.len());
    split_bits::<S>(values, turned);
    let count = groups_in::<S>(values);
    let mut left = rows_mut::<S>(planes, bytes_of::<8>(row));
    for turned in rows::<8>(turned, bytes_of::<S>(count)) {
        let planes = left.each_mut().map(|left| {
            let (plane, others) = std::mem::take(left).split_at_mut(row);
            *left = others;
            plane.split_at_mut(count).0
        });
        split::<S>(turned.as_chunks().0, planes)?;
    }
    Ok(())
}

/// Undoes [`shuffle_groups`].
#[inline(always)]
fn unshuffle_groups<const S: usize>(
    planes: &[u8],
    row: usize,
    values: &mut [u8],
    turned: &mut [u8; BLOCK],
) -> Result<(), Bug> {
    let (turned, _) = turned.split_at_mut(values.len());
    let count = groups_in::<S>(values);
    let mut left = rows::<S>(planes, bytes_of::<8>(row));
    for turned in rows_mut::<8>(turned, bytes_of::<S>(count)) {
        let planes = left.each_mut().map(|left| {
            let (plane, others) = left.split_at(row);
            *left = others;
            plane.split_at(count).0
        });
        join::<S>(planes, turned.as_chunks_mut().0)?;
    }
    join_bits::<S>(turned, values);
    Ok(())
}

/// Transposes bits of values into eight rows: row `k` receives, for each group of eight values, a
/// number of `S` bytes with bit `k` of all bytes of the eight values.
#[inline(always)]
fn split_bits<const S: usize>(values: &[u8], turned: &mut [u8]) {
    let rows = rows_mut::<8>(turned, turned.len() / 8);
    let [a, b, c, d, e, f, g, h] = rows.map(|row| row.as_chunks_mut::<8>().0);
    let (values, _) = values.as_chunks::<8>();
    let all = values.as_chunks::<8>().0.iter().zip(a).zip(b).zip(c).zip(d);
    for ((((((((values, a), b), c), d), e), f), g), h) in all.zip(e).zip(f).zip(g).zip(h) {
        let turned = bits_of_eights(by_place::<S>(values.map(u64::from_le_bytes)));
        [*a, *b, *c, *d, *e, *f, *g, *h] = turned.map(u64::to_le_bytes);
    }
}

/// Undoes [`split_bits`].
#[inline(always)]
fn join_bits<const S: usize>(turned: &[u8], values: &mut [u8]) {
    let rows = rows::<8>(turned, turned.len() / 8);
    let [a, b, c, d, e, f, g, h] = rows.map(|row| row.as_chunks::<8>().0);
    let (values, _) = values.as_chunks_mut::<8>();
    let (values, _) = values.as_chunks_mut::<8>();
    let all = values.iter_mut().zip(a).zip(b).zip(c).zip(d);
    for ((((((((values, a), b), c), d), e), f), g), h) in all.zip(e).zip(f).zip(g).zip(h) {
        let rows = [a, b, c, d, e, f, g, h].map(|row| u64::from_le_bytes(*row));
        *values = by_group::<S>(bits_of_eights(rows)).map(u64::to_le_bytes);
    }
}

/// Reorders values from rows to groups. Input number `i` holds value `i` of each of `8 / S` groups;
/// the output holds all values of the first group, then all of the next, and so on.
#[inline(always)]
const fn by_group<const S: usize>(numbers: [u64; 8]) -> [u64; 8] {
    let [a, b, c, d, e, f, g, h] = numbers;
    match S {
        1 => bytes_of_eights(numbers),
        2 => {
            let ([a, b, c, d], [e, f, g, h]) =
                (twos_of_fours([a, b, c, d]), twos_of_fours([e, f, g, h]));
            [a, e, b, f, c, g, d, h]
        }
        4 => {
            let [(a, e), (b, f), (c, g), (d, h)] = [
                halves_of_twos(a, b),
                halves_of_twos(c, d),
                halves_of_twos(e, f),
                halves_of_twos(g, h),
            ];
            [a, b, c, d, e, f, g, h]
        }
        _ => numbers,
    }
}

/// Undoes [`by_group`].
#[inline(always)]
const fn by_place<const S: usize>(numbers: [u64; 8]) -> [u64; 8] {
    let [a, b, c, d, e, f, g, h] = numbers;
    match S {
        1 => bytes_of_eights(numbers),
        2 => {
            let ([a, b, c, d], [e, f, g, h]) =
                (twos_of_fours([a, c, e, g]), twos_of_fours([b, d, f, h]));
            [a, b, c, d, e, f, g, h]
        }
        4 => {
            let [(a, b), (c, d), (e, f), (g, h)] = [
                halves_of_twos(a, e),
                halves_of_twos(b, f),
                halves_of_twos(c, g),
                halves_of_twos(d, h),
            ];
            [a, b, c, d, e, f, g, h]
        }
        _ => numbers,
    }
}

#[cfg(test)]
mod tests;
