//! The loops behind byteshuffle and bitshuffle: values to planes of bytes or bits and back.

/// Splits values of `size` bytes into planes, one for each byte of a value; what is left
/// over at the end is copied. Both slices are equally long.
pub(crate) fn shuffle(size: usize, values: &[u8], planes: &mut [u8]) {
    match size {
        2 => shuffle_by::<2>(values, planes),
        4 => shuffle_by::<4>(values, planes),
        8 => shuffle_by::<8>(values, planes),
        _ => planes.copy_from_slice(values),
    }
}

/// Undoes [`shuffle`].
pub(crate) fn unshuffle(size: usize, planes: &[u8], values: &mut [u8]) {
    match size {
        2 => unshuffle_by::<2>(planes, values),
        4 => unshuffle_by::<4>(planes, values),
        8 => unshuffle_by::<8>(planes, values),
        _ => values.copy_from_slice(planes),
    }
}

fn shuffle_by<const S: usize>(values: &[u8], planes: &mut [u8]) {
    let (values, left) = values.as_chunks::<S>();
    let (planes, rest) = planes
        .split_at_mut_checked(values.len().saturating_mul(S))
        .unwrap_or_default();
    rest.copy_from_slice(left);
    if values.is_empty() {
        return;
    }
    for (j, plane) in planes.chunks_exact_mut(values.len()).enumerate() {
        for (byte, value) in plane.iter_mut().zip(values) {
            *byte = value.get(j).copied().unwrap_or_default();
        }
    }
}

fn unshuffle_by<const S: usize>(planes: &[u8], values: &mut [u8]) {
    let (values, rest) = values.as_chunks_mut::<S>();
    let (planes, left) = planes
        .split_at_checked(values.len().saturating_mul(S))
        .unwrap_or_default();
    rest.copy_from_slice(left);
    if values.is_empty() {
        return;
    }
    for (j, plane) in planes.chunks_exact(values.len()).enumerate() {
        for (byte, value) in plane.iter().zip(values.iter_mut()) {
            if let Some(place) = value.get_mut(j) {
                *place = *byte;
            }
        }
    }
}

/// Bytes that are bit-shuffled together.
const BLOCK: usize = 8192;

/// Splits values of `size` bytes into planes of bits, block by block. Both slices are equally long.
pub(crate) fn shuffle_bits(size: usize, values: &[u8], planes: &mut [u8]) {
    let blocks = values.chunks(BLOCK).zip(planes.chunks_mut(BLOCK));
    for (values, planes) in blocks {
        let whole = whole_groups(size, values.len());
        let (values, left) = values.split_at_checked(whole).unwrap_or_default();
        let (planes, rest) = planes.split_at_mut_checked(whole).unwrap_or_default();
        rest.copy_from_slice(left);
        let mut bytes = [0; BLOCK];
        let bytes = bytes.get_mut(..whole).unwrap_or_default();
        shuffle(size, values, bytes);
        let plane = whole.checked_div(size).unwrap_or(0).max(1);
        let pairs = bytes
            .chunks_exact(plane)
            .zip(planes.chunks_exact_mut(plane));
        pairs.for_each(|(bytes, bits)| split_bits(bytes, bits));
    }
}

/// Undoes [`shuffle_bits`].
pub(crate) fn unshuffle_bits(size: usize, planes: &[u8], values: &mut [u8]) {
    let blocks = planes.chunks(BLOCK).zip(values.chunks_mut(BLOCK));
    for (planes, values) in blocks {
        let whole = whole_groups(size, values.len());
        let (planes, left) = planes.split_at_checked(whole).unwrap_or_default();
        let (values, rest) = values.split_at_mut_checked(whole).unwrap_or_default();
        rest.copy_from_slice(left);
        let mut bytes = [0; BLOCK];
        let bytes = bytes.get_mut(..whole).unwrap_or_default();
        let plane = whole.checked_div(size).unwrap_or(0).max(1);
        let pairs = planes
            .chunks_exact(plane)
            .zip(bytes.chunks_exact_mut(plane));
        pairs.for_each(|(bits, bytes)| join_bits(bits, bytes));
        unshuffle(size, bytes, values);
    }
}

/// Bytes of as many values as come in groups of eight.
fn whole_groups(size: usize, len: usize) -> usize {
    let group = size.saturating_mul(8).max(1);
    len.saturating_sub(len.checked_rem(group).unwrap_or(0))
}

/// One byte plane to its eight bit planes: byte `g` of plane `k` holds bit `k` of bytes `8g..8g + 8`.
fn split_bits(bytes: &[u8], bits: &mut [u8]) {
    let (groups, _) = bytes.as_chunks::<8>();
    let row = groups.len();
    for (g, group) in groups.iter().enumerate() {
        let turned = transpose_bits(u64::from_le_bytes(*group)).to_le_bytes();
        let places = bits.iter_mut().skip(g).step_by(row.max(1));
        for (place, byte) in places.zip(turned) {
            *place = byte;
        }
    }
}

/// Undoes [`split_bits`].
fn join_bits(bits: &[u8], bytes: &mut [u8]) {
    let (groups, _) = bytes.as_chunks_mut::<8>();
    let row = groups.len();
    for (g, group) in groups.iter_mut().enumerate() {
        let mut turned = [0; 8];
        let places = bits.iter().skip(g).step_by(row.max(1));
        for (byte, place) in turned.iter_mut().zip(places) {
            *byte = *place;
        }
        *group = transpose_bits(u64::from_le_bytes(turned)).to_le_bytes();
    }
}

/// Bit `k` of byte `i` becomes bit `i` of byte `k`.
const fn transpose_bits(x: u64) -> u64 {
    let t = (x ^ (x >> 7)) & 0x00aa_00aa_00aa_00aa;
    let x = x ^ t ^ (t << 7);
    let t = (x ^ (x >> 14)) & 0x0000_cccc_0000_cccc;
    let x = x ^ t ^ (t << 14);
    let t = (x ^ (x >> 28)) & 0x0000_0000_f0f0_f0f0;
    x ^ t ^ (t << 28)
}
