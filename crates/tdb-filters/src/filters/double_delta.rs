//! Filter 6: each value as the change of the difference from the one before.
//!
//! Framing: [`Compression`](crate::Compression), so metadata is coded, too. A piece is `u8` bits,
//! `u64` count, the first value, the second, and then, packed, a sign bit and `bits` bits of
//! magnitude for each further value. The packed bits fill 64-bit little-endian words from the most
//! significant bit down; the last word is padded. If `bits` and the sign take as many bits as a
//! value or more, the values are stored unchanged. Options as for delta, with compressor id 6.
//!
//! `[10, 12, 15, 15, 14, 100, 7, -3]` as `i32` has 8 bits: `08 | 08 00 00 00 00 00 00 00 |
//! 0a 00 00 00 | 0c 00 00 00 | 00 4c 99 7d 25 e0 c0 00`.

use tdb_tile::{Bug, Exact, FormatVersion, Physical};

use crate::bits;
use crate::codec::{Codec, bound_of};
use crate::delta::{self, DeltaCodec};
use crate::header::Reader;
use crate::room::cut;
use crate::word::{Word, with_word};
use crate::{Entry, FilterError, Stage};

const NAME: &str = "double_delta";
/// Bytes before the first value: the bits and the count.
const HEAD: usize = 9;

pub(crate) static ENTRY: Entry =
    Entry::new(6, NAME, delta::parse::<Changes>, delta::build::<Changes>);

#[derive(Clone, Copy, Debug, Default)]
struct Changes;

impl DeltaCodec for Changes {
    const NAME: &'static str = NAME;
    const ID: u8 = 6;

    fn stores_reinterpretation(version: FormatVersion) -> bool {
        version.stores_double_delta_reinterpretation()
    }
}

impl Codec for Changes {
    fn name(&self) -> &'static str {
        NAME
    }

    fn encodes_nothing(&self) -> bool {
        false
    }

    fn bound(&self, len: usize) -> usize {
        // A packed value has fewer bits than the value; the last word is padded.
        bound_of([len, HEAD, 8])
    }

    fn compress(
        &self,
        piece: &[u8],
        out: &mut [u8],
        stage: &mut Stage<'_>,
    ) -> Result<usize, FilterError> {
        let physical = delta::physical(NAME, stage.datatype)?;
        let is_signed = matches!(
            physical,
            Physical::I8 | Physical::I16 | Physical::I32 | Physical::I64
        );
        let size = delta::size(physical);
        if !piece.len().is_multiple_of(size) {
            return Err(delta::cut_value(NAME));
        }
        with_word!(size, T => encode::<T>(piece, is_signed, out))
    }

    fn decompress(
        &self,
        piece: &[u8],
        out: &mut [u8],
        stage: &mut Stage<'_>,
    ) -> Result<(), FilterError> {
        let size = delta::size(delta::physical(NAME, stage.datatype)?);
        let mut reader = Reader::new(NAME, piece);
        let bits = reader.scalar::<u8>("bits")?;
        let count = reader.scalar::<u64>("count")?;
        delta::check_count(NAME, count, size, out)?;
        if is_raw(bits.into(), size) {
            out.copy_from_slice(reader.take("values", out.len())?);
            return Ok(());
        }
        let heads = out.len().min(size.exact_mul(2)?);
        let (out_heads, out_rest) = out.split_at_mut(heads);
        out_heads.copy_from_slice(reader.take("first values", heads)?);
        with_word!(size, T => decode::<T>(bits.into(), reader, out_heads, out_rest))
    }
}

/// True if a sign and `bits` bits of magnitude take as many bits as a value, so that values are
/// stored unchanged.
#[expect(
    clippy::arithmetic_side_effects,
    reason = "bits come from one byte, and a value has at most eight"
)]
fn is_raw(bits: u32, size: usize) -> bool {
    bits as usize + 1 >= size * 8
}

#[expect(
    clippy::arithmetic_side_effects,
    reason = "whether the window has all bits of a field decides what is subtracted"
)]
fn decode<T: Word>(
    bits: u32,
    mut reader: Reader<'_>,
    heads: &[u8],
    out: &mut [u8],
) -> Result<(), FilterError> {
    let out = T::slice_mut(NAME, out)?;
    if out.is_empty() {
        return Ok(());
    }
    let [first, second] = T::slice(NAME, heads)? else {
        return Err(FilterError::invalid(NAME, "first values", "are missing"));
    };
    let (first, mut value) = (T::load(*first).to_u64(), T::load(*second).to_u64());
    let mut difference = value.wrapping_sub(first);
    // The sign and fewer bits than a value has: at most 63.
    let width = bits.exact_add(1)?;
    let needed = bits::words(out.len(), width);
    let words = u64::slice(NAME, reader.take_records("packed changes", needed, 8)?)?;
    let magnitude_bits = !(u64::MAX << bits);
    let above_field = 64_u32.exact_sub(width)?;

    let mut words = words.iter().map(|word| word.get());
    let (mut window, mut filled) = (0_u64, 0_u32);
    for place in out {
        let field = if filled >= width {
            filled -= width;
            let field = window >> above_field;
            window <<= width;
            field
        } else {
            // The bits left in the window are the high bits of the field, those of the next word
            // its low bits.
            let Some(word) = words.next() else {
                return Err(Bug::new("packed changes were counted wrong").into());
            };
            let missing = width - filled;
            let top = window >> above_field;
            // It does not wrap: a field has at most 63 bits.
            filled = 64_u32.wrapping_sub(missing);
            let low = word >> filled;
            window = word << missing;
            top | low
        };
        let magnitude = field & magnitude_bits;
        let sign = (field >> bits).wrapping_neg();
        let change = (magnitude ^ sign).wrapping_sub(sign);
        difference = difference.wrapping_add(change);
        value = value.wrapping_add(difference);
        *place = T::from_u64(value).store();
    }
    Ok(())
}

const TOO_FAR: FilterError = FilterError::Values {
    filter: NAME,
    why: "two of them are further apart than a 64-bit number can say",
};

/// Maps values to signed 64-bit numbers with the same differences. For unsigned types, the mapping
/// subtracts 2^63: two values whose difference does not fit into `i64` then overflow a signed
/// subtraction, as they do for signed types.
fn wide<T: Word>(
    values: &[T::Stored],
    is_signed: bool,
) -> impl ExactSizeIterator<Item = i64> + Clone {
    values.iter().map(move |value| {
        let value = T::load(*value);
        let wide = if is_signed {
            value.sign_extended()
        } else {
            value.to_u64() ^ (1 << 63)
        };
        wide.cast_signed()
    })
}

/// Returns the wrapped difference, and a number that is negative if the subtraction overflowed.
#[inline]
const fn difference(value: i64, before: i64) -> (i64, i64) {
    let difference = value.wrapping_sub(before);
    (difference, (value ^ before) & (value ^ difference))
}

fn encode<T: Word>(piece: &[u8], is_signed: bool, out: &mut [u8]) -> Result<usize, FilterError> {
    let values = T::slice(NAME, piece)?;
    let bits = needed_bits::<T>(values, is_signed)?;
    let all = out.len();
    let mut room = out;
    let stored_bits = u8::try_from(bits).map_err(|_| Bug::new("more bits than a value has"))?;
    put(&mut room, &[stored_bits])?;
    put(&mut room, &(values.len() as u64).to_le_bytes())?;
    if is_raw(bits, T::SIZE) {
        put(&mut room, piece)?;
        return Ok(all.exact_sub(room.len())?);
    }
    let heads = T::SIZE.exact_mul(2)?;
    put(&mut room, piece.get(..heads).unwrap_or(piece))?;
    let later = values.get(2..).unwrap_or(&[]);
    let needed = bits::words(later.len(), bits.exact_add(1)?);
    let packed = cut(&mut room, needed.exact_mul(8)?)?;
    pack_changes::<T>(values, is_signed, bits, u64::slice_mut(NAME, packed)?)?;
    Ok(all.exact_sub(room.len())?)
}

/// Packs the changes of values whose differences do not overflow, block by block.
fn pack_changes<T: Word>(
    values: &[T::Stored],
    is_signed: bool,
    bits: u32,
    mut words: &mut [<u64 as Word>::Stored],
) -> Result<(), Bug> {
    let later = |n: usize| values.get(n..).unwrap_or(&[]).chunks(bits::BLOCK);
    let width = bits.exact_add(1)?;
    for ((third, second), first) in later(2).zip(later(1)).zip(later(0)) {
        let mut fields = [0; bits::BLOCK];
        let three = wide::<T>(third, is_signed)
            .zip(wide::<T>(second, is_signed))
            .zip(wide::<T>(first, is_signed));
        for (field, ((third, second), first)) in fields.iter_mut().zip(three) {
            let (after, before) = (third.wrapping_sub(second), second.wrapping_sub(first));
            let change = after.wrapping_sub(before);
            let sign = (change >> 63).cast_unsigned() & (1 << bits);
            *field = change.unsigned_abs() | sign;
        }
        let most = words.len().min(width as usize);
        let (block, rest) = std::mem::take(&mut words).split_at_mut(most);
        bits::pack(&fields, width, block);
        words = rest;
    }
    Ok(())
}

/// Returns the number of bits of the largest magnitude among the first difference and all changes;
/// 0 if there are at most two values.
fn needed_bits<T: Word>(values: &[T::Stored], is_signed: bool) -> Result<u32, FilterError> {
    let mut numbers = wide::<T>(values, is_signed);
    let (Some(first), Some(mut before), 1..) = (numbers.next(), numbers.next(), numbers.len())
    else {
        return Ok(0);
    };
    let (mut step, mut overflow) = difference(before, first);
    // The bitwise or of all magnitudes has the same highest bit as the largest of them.
    let mut magnitudes = step.unsigned_abs();
    for number in numbers {
        let (next, is_beyond) = difference(number, before);
        let (change, is_far) = difference(next, step);
        overflow |= is_beyond | is_far;
        magnitudes |= change.unsigned_abs();
        (before, step) = (number, next);
    }
    if overflow < 0 {
        return Err(TOO_FAR);
    }
    Ok(u64::BITS.exact_sub(magnitudes.leading_zeros())?.max(1))
}

/// Copies `bytes` to the start of `room`, whose size is the codec's bound.
fn put(room: &mut &mut [u8], bytes: &[u8]) -> Result<(), FilterError> {
    cut(room, bytes.len())?.copy_from_slice(bytes);
    Ok(())
}

#[cfg(test)]
#[allow(
    clippy::cast_possible_truncation,
    reason = "the low bytes are asked for"
)]
mod tests {
    use proptest::prelude::*;
    use zerocopy::IntoBytes;

    use super::*;

    /// The reference implementation: checked differences, and fields packed bit by bit.
    fn plain<T: Word>(values: &[T], is_signed: bool) -> Option<Vec<u8>> {
        let wide = |value: &T| {
            let signed = i128::from(value.sign_extended().cast_signed());
            if is_signed {
                signed
            } else {
                value.to_u64().into()
            }
        };
        let apart = |a: i128, b: i128| i64::try_from(a - b).ok();
        let numbers: Vec<i128> = values.iter().map(wide).collect();
        let (mut bits, mut changes) = (0, Vec::new());
        if numbers.len() > 2 {
            let pairs = numbers.windows(2);
            let steps = pairs
                .map(|pair| apart(pair[1], pair[0]))
                .collect::<Option<Vec<i64>>>()?;
            let pairs = steps.windows(2);
            let all = pairs.map(|pair| apart(pair[1].into(), pair[0].into()));
            changes = all.collect::<Option<Vec<i64>>>()?;
            let largest = changes
                .iter()
                .chain(&steps[..1])
                .map(|n| n.unsigned_abs())
                .max();
            bits = (64 - largest?.leading_zeros()).max(1);
        }
        let mut out = vec![bits as u8];
        out.extend((values.len() as u64).to_le_bytes());
        let raw = bits as usize >= T::SIZE * 8 - 1;
        for value in values.iter().take(if raw { usize::MAX } else { 2 }) {
            out.extend_from_slice(value.store().as_bytes());
        }
        let mut all = Vec::new();
        for change in changes.iter().filter(|_| !raw) {
            all.push(*change < 0);
            all.extend(
                (0..bits)
                    .rev()
                    .map(|bit| change.unsigned_abs() >> bit & 1 == 1),
            );
        }
        for word in all.chunks(64) {
            let set = word.iter().enumerate().filter(|(_, bit)| **bit);
            let word: u64 = set.map(|(place, _)| 1 << (63 - place)).sum();
            out.extend(word.to_le_bytes());
        }
        Some(out)
    }

    fn check<T: Word>(numbers: &[u64]) {
        let values: Vec<T> = numbers.iter().map(|number| T::from_u64(*number)).collect();
        let stored: Vec<T::Stored> = values.iter().map(|value| value.store()).collect();
        let piece = stored.as_slice().as_bytes();
        for is_signed in [false, true] {
            let mut out = vec![0xa5; Changes.bound(piece.len())];
            let found = encode::<T>(piece, is_signed, &mut out);
            let wanted = plain(&values, is_signed);
            assert_eq!(found.is_err(), wanted.is_none());
            if let Some(wanted) = wanted {
                out.truncate(found.unwrap());
                assert_eq!(out, wanted);
            }
        }
    }

    proptest! {
        #[test]
        fn values_are_encoded_as_in_the_plain_form(
            numbers in proptest::collection::vec(any::<u64>(), 0..300),
            by in 0_u32..64,
            from in any::<u64>(),
        ) {
            let numbers: Vec<u64> = numbers.iter().map(|n| from.wrapping_add(n >> by)).collect();
            check::<u8>(&numbers);
            check::<u16>(&numbers);
            check::<u32>(&numbers);
            check::<u64>(&numbers);
        }
    }
}
