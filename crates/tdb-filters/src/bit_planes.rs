//! The loops behind bitshuffle: values to planes of bits and back, by way of planes of bytes.

use tdb_simd::Kernel;
use tdb_tile::Bug;

use crate::planes::{check_lengths, eights, rows, rows_mut, shuffle_values, unshuffle_planes};
use crate::turn::{bits_of_eights, bytes_of_eights};

/// Bytes that are bit-shuffled together.
const BLOCK: usize = 8192;

/// [`shuffle_blocks`], for values of so many bytes.
struct Shuffle(usize);

impl Kernel for Shuffle {
    type Output = Result<(), Bug>;

    #[inline(always)]
    fn run(self, values: &[u8], planes: &mut [u8]) -> Result<(), Bug> {
        shuffle_blocks(self.0, values, planes)
    }
}

/// [`unshuffle_blocks`], for values of so many bytes.
struct Unshuffle(usize);

impl Kernel for Unshuffle {
    type Output = Result<(), Bug>;

    #[inline(always)]
    fn run(self, planes: &[u8], values: &mut [u8]) -> Result<(), Bug> {
        unshuffle_blocks(self.0, planes, values)
    }
}

/// Splits values of `size` bytes into planes of bits, block by block. Both slices are equally long.
pub(crate) fn shuffle_bits(size: usize, values: &[u8], planes: &mut [u8]) -> Result<(), Bug> {
    tdb_simd::run(Shuffle(size), values, planes)
}

/// Undoes [`shuffle_bits`].
pub(crate) fn unshuffle_bits(size: usize, planes: &[u8], values: &mut [u8]) -> Result<(), Bug> {
    tdb_simd::run(Unshuffle(size), planes, values)
}

#[inline(always)]
fn shuffle_blocks(size: usize, values: &[u8], planes: &mut [u8]) -> Result<(), Bug> {
    check_lengths(values, planes)?;
    let mut bytes = [0; BLOCK];
    let blocks = values.chunks(BLOCK).zip(planes.chunks_mut(BLOCK));
    for (values, planes) in blocks {
        let whole = whole_groups(size, values.len());
        let (values, left) = values.split_at(whole);
        let (planes, rest) = planes.split_at_mut(whole);
        rest.copy_from_slice(left);
        // A block holds no more than these.
        let (bytes, _) = bytes.split_at_mut(whole);
        shuffle_values(size, values, bytes)?;
        let plane = whole.checked_div(size).unwrap_or(0).max(1);
        let pairs = bytes
            .chunks_exact(plane)
            .zip(planes.chunks_exact_mut(plane));
        // What `for_each` is given is not part of this loop for certain.
        for (bytes, bits) in pairs {
            split_bits(bytes, bits);
        }
    }
    Ok(())
}

/// Undoes [`shuffle_blocks`].
#[inline(always)]
fn unshuffle_blocks(size: usize, planes: &[u8], values: &mut [u8]) -> Result<(), Bug> {
    check_lengths(planes, values)?;
    let mut bytes = [0; BLOCK];
    let blocks = planes.chunks(BLOCK).zip(values.chunks_mut(BLOCK));
    for (planes, values) in blocks {
        let whole = whole_groups(size, values.len());
        let (planes, left) = planes.split_at(whole);
        let (values, rest) = values.split_at_mut(whole);
        rest.copy_from_slice(left);
        let (bytes, _) = bytes.split_at_mut(whole);
        let plane = whole.checked_div(size).unwrap_or(0).max(1);
        let pairs = planes
            .chunks_exact(plane)
            .zip(bytes.chunks_exact_mut(plane));
        for (bits, bytes) in pairs {
            join_bits(bits, bytes);
        }
        unshuffle_planes(size, bytes, values)?;
    }
    Ok(())
}

/// Bytes of as many values as come in groups of eight.
#[inline(always)]
fn whole_groups(size: usize, len: usize) -> usize {
    let group = size.saturating_mul(8).max(1);
    len.saturating_sub(len.checked_rem(group).unwrap_or(0))
}

/// One byte plane to its eight bit planes: byte `g` of plane `k` holds bit `k` of bytes `8g..8g + 8`.
#[inline(always)]
fn split_bits(bytes: &[u8], bits: &mut [u8]) {
    let (groups, _) = bytes.as_chunks::<8>();
    let (whole, few) = groups.split_at(eights(groups.len()));
    let rows = rows_mut::<8>(bits, groups.len());
    let [a, b, c, d, e, f, g, h] = rows.map(|row| row.as_chunks_mut::<8>());
    let (groups, _) = whole.as_chunks::<8>();
    let all = groups.iter().zip(a.0).zip(b.0).zip(c.0).zip(d.0);
    for ((((((((groups, a), b), c), d), e), f), g), h) in all.zip(e.0).zip(f.0).zip(g.0).zip(h.0) {
        let turned = bits_of_eights(bytes_of_eights(groups.map(u64::from_le_bytes)));
        [*a, *b, *c, *d, *e, *f, *g, *h] = turned.map(u64::to_le_bytes);
    }
    split_few(few, [a.1, b.1, c.1, d.1, e.1, f.1, g.1, h.1]);
}

/// As [`split_bits`], of fewer bytes than there are in eight groups.
fn split_few(few: &[[u8; 8]], rows: [&mut [u8]; 8]) {
    let [a, b, c, d, e, f, g, h] = rows;
    let all = few.iter().zip(a).zip(b).zip(c).zip(d);
    for ((((((((group, a), b), c), d), e), f), g), h) in all.zip(e).zip(f).zip(g).zip(h) {
        let group = [u64::from_le_bytes(*group), 0, 0, 0, 0, 0, 0, 0];
        let turned = bits_of_eights(bytes_of_eights(group));
        [*a, *b, *c, *d, *e, *f, *g, *h] = turned.map(low_byte);
    }
}

const fn low_byte(number: u64) -> u8 {
    let [low, ..] = number.to_le_bytes();
    low
}

/// Undoes [`split_bits`].
#[inline(always)]
fn join_bits(bits: &[u8], bytes: &mut [u8]) {
    let (groups, _) = bytes.as_chunks_mut::<8>();
    let row = groups.len();
    let (eights, few) = groups.split_at_mut(eights(row));
    let [a, b, c, d, e, f, g, h] = rows::<8>(bits, row).map(|row| row.as_chunks::<8>());
    let (places, _) = eights.as_chunks_mut::<8>();
    let all = places.iter_mut().zip(a.0).zip(b.0).zip(c.0).zip(d.0);
    for ((((((((places, a), b), c), d), e), f), g), h) in all.zip(e.0).zip(f.0).zip(g.0).zip(h.0) {
        let rows = [a, b, c, d, e, f, g, h].map(|row| u64::from_le_bytes(*row));
        *places = bytes_of_eights(bits_of_eights(rows)).map(u64::to_le_bytes);
    }
    join_few([a.1, b.1, c.1, d.1, e.1, f.1, g.1, h.1], few);
}

/// As [`join_bits`], of fewer bytes than there are in eight groups.
fn join_few(rows: [&[u8]; 8], few: &mut [[u8; 8]]) {
    let [a, b, c, d, e, f, g, h] = rows;
    let all = few.iter_mut().zip(a).zip(b).zip(c).zip(d);
    for ((((((((group, a), b), c), d), e), f), g), h) in all.zip(e).zip(f).zip(g).zip(h) {
        let rows = [a, b, c, d, e, f, g, h].map(|byte| u64::from(*byte));
        let [low, ..] = bytes_of_eights(bits_of_eights(rows));
        *group = low.to_le_bytes();
    }
}

#[cfg(test)]
mod tests;
