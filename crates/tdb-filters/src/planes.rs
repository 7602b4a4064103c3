//! The loops behind byteshuffle and bitshuffle: values to planes of bytes or bits and back.
//!
//! All work is done on eight `u64` at a time, whose bytes or bits change places in three
//! steps; the compiler makes vector code of it on every target.

use tdb_tile::Bug;

/// Splits values of `size` bytes into planes, one for each byte of a value; what is left
/// over at the end is copied. Both slices are equally long.
pub(crate) fn shuffle(size: usize, values: &[u8], planes: &mut [u8]) -> Result<(), Bug> {
    check_lengths(values, planes)?;
    match size {
        2 => shuffle_by::<2>(values, planes, split_pairs),
        4 => shuffle_by::<4>(values, planes, split_fours),
        8 => shuffle_by::<8>(values, planes, split_eights),
        _ => planes.copy_from_slice(values),
    }
    Ok(())
}

/// Undoes [`shuffle`].
pub(crate) fn unshuffle(size: usize, planes: &[u8], values: &mut [u8]) -> Result<(), Bug> {
    check_lengths(planes, values)?;
    match size {
        2 => unshuffle_by::<2>(planes, values, join_pairs),
        4 => unshuffle_by::<4>(planes, values, join_fours),
        8 => unshuffle_by::<8>(planes, values, join_eights),
        _ => values.copy_from_slice(planes),
    }
    Ok(())
}

/// Where both slices are equally long, all places where they are cut lie within them.
fn check_lengths(from: &[u8], to: &[u8]) -> Result<(), Bug> {
    if from.len() == to.len() {
        return Ok(());
    }
    Err(Bug::new("values and planes of other lengths"))
}

/// The `N` rows of `row` bytes that `bytes` begins with.
fn rows<const N: usize>(mut bytes: &[u8], row: usize) -> [&[u8]; N] {
    std::array::from_fn(|_| {
        let (first, rest) = bytes.split_at(row);
        bytes = rest;
        first
    })
}

/// As [`rows`].
fn rows_mut<const N: usize>(mut bytes: &mut [u8], row: usize) -> [&mut [u8]; N] {
    std::array::from_fn(|_| {
        let (first, rest) = std::mem::take(&mut bytes).split_at_mut(row);
        bytes = rest;
        first
    })
}

/// Runs `split` over as many values as come in eights, and a plain loop over the rest.
fn shuffle_by<const S: usize>(
    values: &[u8],
    planes: &mut [u8],
    split: fn(&[[u8; S]], [&mut [u8]; S]),
) {
    let (values, left) = values.as_chunks::<S>();
    let whole = values.len().saturating_mul(S);
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
    );
}

/// Runs `join` over as many values as come in eights, and a plain loop over the rest.
fn unshuffle_by<const S: usize>(
    planes: &[u8],
    values: &mut [u8],
    join: fn([&[u8]; S], &mut [[u8; S]]),
) {
    let (values, rest) = values.as_chunks_mut::<S>();
    let whole = values.len().saturating_mul(S);
    let (planes, left) = planes.split_at(whole);
    rest.copy_from_slice(left);
    let planes = rows::<S>(planes, values.len());
    let (eights, few) = values.split_at_mut(eights(values.len()));
    let planes = planes.map(|plane| plane.split_at(eights.len()));
    join(planes.map(|(start, _)| start), eights);
    for (j, (_, end)) in planes.iter().enumerate() {
        let bytes = few.as_flattened_mut().iter_mut().skip(j).step_by(S);
        bytes.zip(*end).for_each(|(place, byte)| *place = *byte);
    }
}

/// The largest multiple of eight up to `count`.
const fn eights(count: usize) -> usize {
    count & !7
}

fn split_pairs(values: &[[u8; 2]], [a, b]: [&mut [u8]; 2]) {
    // Each loop narrows numbers of 16 bits, which is one vector instruction; writing both planes at once is none.
    let numbers = || values.iter().map(|value| u16::from_le_bytes(*value));
    for (number, a) in numbers().zip(a) {
        [*a, _] = number.to_le_bytes();
    }
    for (number, b) in numbers().zip(b) {
        [_, *b] = number.to_le_bytes();
    }
}

fn join_pairs([a, b]: [&[u8]; 2], values: &mut [[u8; 2]]) {
    for ((value, a), b) in values.iter_mut().zip(a).zip(b) {
        *value = [*a, *b];
    }
}

fn split_fours(values: &[[u8; 4]], [a, b, c, d]: [&mut [u8]; 4]) {
    let (values, _) = values.as_flattened().as_chunks::<8>();
    let (values, _) = values.as_chunks::<4>();
    let ((a, _), (b, _)) = (a.as_chunks_mut::<8>(), b.as_chunks_mut::<8>());
    let ((c, _), (d, _)) = (c.as_chunks_mut::<8>(), d.as_chunks_mut::<8>());
    for ((((values, a), b), c), d) in values.iter().zip(a).zip(b).zip(c).zip(d) {
        // Each number holds two values: first 0 and 1, then 0 and 4.
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

fn join_fours([a, b, c, d]: [&[u8]; 4], values: &mut [[u8; 4]]) {
    let (values, _) = values.as_flattened_mut().as_chunks_mut::<8>();
    let (values, _) = values.as_chunks_mut::<4>();
    let ((a, _), (b, _)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    let ((c, _), (d, _)) = (c.as_chunks::<8>(), d.as_chunks::<8>());
    for ((((values, a), b), c), d) in values.iter_mut().zip(a).zip(b).zip(c).zip(d) {
        let planes = [a, b, c, d].map(|plane| u64::from_le_bytes(*plane));
        // Each number holds two values: first 0 and 4, then 0 and 1.
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

const LOW: u64 = 0x0000_0000_ffff_ffff;
const HIGH: u64 = !LOW;

fn split_eights(values: &[[u8; 8]], planes: [&mut [u8]; 8]) {
    let [a, b, c, d, e, f, g, h] = planes.map(|plane| plane.as_chunks_mut::<8>().0);
    let (values, _) = values.as_chunks::<8>();
    let rows = values.iter().zip(a).zip(b).zip(c).zip(d);
    for ((((((((values, a), b), c), d), e), f), g), h) in rows.zip(e).zip(f).zip(g).zip(h) {
        let turned = bytes_of_eights(values.map(u64::from_le_bytes));
        [*a, *b, *c, *d, *e, *f, *g, *h] = turned.map(u64::to_le_bytes);
    }
}

fn join_eights(planes: [&[u8]; 8], values: &mut [[u8; 8]]) {
    let [a, b, c, d, e, f, g, h] = planes.map(|plane| plane.as_chunks::<8>().0);
    let (values, _) = values.as_chunks_mut::<8>();
    let rows = values.iter_mut().zip(a).zip(b).zip(c).zip(d);
    for ((((((((values, a), b), c), d), e), f), g), h) in rows.zip(e).zip(f).zip(g).zip(h) {
        let planes = [a, b, c, d, e, f, g, h].map(|plane| u64::from_le_bytes(*plane));
        *values = bytes_of_eights(planes).map(u64::to_le_bytes);
    }
}

/// Bytes that are bit-shuffled together.
const BLOCK: usize = 8192;

/// Splits values of `size` bytes into planes of bits, block by block. Both slices are equally long.
pub(crate) fn shuffle_bits(size: usize, values: &[u8], planes: &mut [u8]) -> Result<(), Bug> {
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
        shuffle(size, values, bytes)?;
        let plane = whole.checked_div(size).unwrap_or(0).max(1);
        let pairs = bytes
            .chunks_exact(plane)
            .zip(planes.chunks_exact_mut(plane));
        pairs.for_each(|(bytes, bits)| split_bits(bytes, bits));
    }
    Ok(())
}

/// Undoes [`shuffle_bits`].
pub(crate) fn unshuffle_bits(size: usize, planes: &[u8], values: &mut [u8]) -> Result<(), Bug> {
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
        pairs.for_each(|(bits, bytes)| join_bits(bits, bytes));
        unshuffle(size, bytes, values)?;
    }
    Ok(())
}

/// Bytes of as many values as come in groups of eight.
fn whole_groups(size: usize, len: usize) -> usize {
    let group = size.saturating_mul(8).max(1);
    len.saturating_sub(len.checked_rem(group).unwrap_or(0))
}

/// One byte plane to its eight bit planes: byte `g` of plane `k` holds bit `k` of bytes `8g..8g + 8`.
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
    let all = few.iter().zip(a.1).zip(b.1).zip(c.1).zip(d.1);
    for ((((((((group, a), b), c), d), e), f), g), h) in all.zip(e.1).zip(f.1).zip(g.1).zip(h.1) {
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
    let all = few.iter_mut().zip(a.1).zip(b.1).zip(c.1).zip(d.1);
    for ((((((((group, a), b), c), d), e), f), g), h) in all.zip(e.1).zip(f.1).zip(g.1).zip(h.1) {
        let rows = [a, b, c, d, e, f, g, h].map(|byte| u64::from(*byte));
        let [low, ..] = bytes_of_eights(bits_of_eights(rows));
        *group = low.to_le_bytes();
    }
}

/// Exchanges the bits of `a` in `mask << by` with those of `b` in `mask`.
#[inline]
const fn exchange(a: u64, b: u64, by: u32, mask: u64) -> (u64, u64) {
    let turned = ((a >> by) ^ b) & mask;
    (a ^ (turned << by), b ^ turned)
}

/// Byte `j` of number `i` becomes byte `i` of number `j`.
#[inline]
const fn bytes_of_eights([a, b, c, d, e, f, g, h]: [u64; 8]) -> [u64; 8] {
    let (a, e) = exchange(a, e, 32, LOW);
    let (b, f) = exchange(b, f, 32, LOW);
    let (c, g) = exchange(c, g, 32, LOW);
    let (d, h) = exchange(d, h, 32, LOW);
    let [a, b, c, d] = bytes_of_fours([a, b, c, d]);
    let [e, f, g, h] = bytes_of_fours([e, f, g, h]);
    [a, b, c, d, e, f, g, h]
}

/// Byte `j` of each half of number `i` becomes byte `i` of that half of number `j`.
#[inline]
const fn bytes_of_fours([a, b, c, d]: [u64; 4]) -> [u64; 4] {
    let (a, c) = exchange(a, c, 16, 0x0000_ffff_0000_ffff);
    let (b, d) = exchange(b, d, 16, 0x0000_ffff_0000_ffff);
    let (a, b) = exchange(a, b, 8, 0x00ff_00ff_00ff_00ff);
    let (c, d) = exchange(c, d, 8, 0x00ff_00ff_00ff_00ff);
    [a, b, c, d]
}

/// Bit `k` of each byte of number `i` becomes bit `i` of that byte of number `k`.
#[inline]
const fn bits_of_eights([a, b, c, d, e, f, g, h]: [u64; 8]) -> [u64; 8] {
    const FOUR: u64 = 0x0f0f_0f0f_0f0f_0f0f;
    const TWO: u64 = 0x3333_3333_3333_3333;
    const ONE: u64 = 0x5555_5555_5555_5555;
    let (a, e) = exchange(a, e, 4, FOUR);
    let (b, f) = exchange(b, f, 4, FOUR);
    let (c, g) = exchange(c, g, 4, FOUR);
    let (d, h) = exchange(d, h, 4, FOUR);
    let (a, c) = exchange(a, c, 2, TWO);
    let (b, d) = exchange(b, d, 2, TWO);
    let (e, g) = exchange(e, g, 2, TWO);
    let (f, h) = exchange(f, h, 2, TWO);
    let (a, b) = exchange(a, b, 1, ONE);
    let (c, d) = exchange(c, d, 1, ONE);
    let (e, f) = exchange(e, f, 1, ONE);
    let (g, h) = exchange(g, h, 1, ONE);
    [a, b, c, d, e, f, g, h]
}
