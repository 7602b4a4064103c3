//! Filter 6: each value as the change of the difference from the one before.
//!
//! Framing: [`Compression`](crate::Compression), so metadata is coded too. A piece is `u8` bits,
//! `u64` count, the first value, the second, and then, packed, a sign bit and `bits` bits of
//! magnitude for each further value. The packed bits fill 64-bit little-endian words from their
//! most significant bit down; the last word is padded. With bits for a whole value or more
//! (less the sign), the values follow as they are. Options as for delta, with compressor id 6.
//!
//! `[10, 12, 15, 15, 14, 100, 7, -3]` as `i32` has 8 bits: `08 | 08 00 00 00 00 00 00 00 |
//! 0a 00 00 00 | 0c 00 00 00 | 00 4c 99 7d 25 e0 c0 00`.

use tdb_tile::{Bug, FormatVersion, Physical};

use crate::codec::Codec;
use crate::delta::{self, DeltaCodec};
use crate::header::Reader;
use crate::room::{cut, in_memory};
use crate::word::{Word, with_word};
use crate::{Entry, FilterError, Stage};

const NAME: &str = "double_delta";
/// Bytes before the first value: bits and count.
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
        // Fewer bits than a value has, each; the last word is padded.
        len.saturating_add(HEAD).saturating_add(8)
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
        let heads = out.len().min(size.saturating_mul(2));
        let (out_heads, out_rest) = out.split_at_mut(heads);
        out_heads.copy_from_slice(reader.take("first values", heads)?);
        with_word!(size, T => decode::<T>(bits.into(), reader, out_heads, out_rest))
    }
}

/// Whether values with so many bits of magnitude are stored as they are.
fn is_raw(bits: u32, size: usize) -> bool {
    bits as usize >= size.saturating_mul(8).saturating_sub(1)
}

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
    // A sign and fewer bits than a whole value: at most 63.
    let width = bits.saturating_add(1);
    let needed = (out.len() as u64).saturating_mul(width.into()).div_ceil(64);
    let needed = in_memory("packed changes", "data_tile", needed.saturating_mul(8))?;
    let words = u64::slice(NAME, reader.take("packed changes", needed)?)?;
    let magnitude_bits = (1_u64 << bits).wrapping_sub(1);

    let mut words = words.iter().map(|word| word.get());
    let (mut window, mut filled) = (0_u64, 0_u32);
    for place in out {
        let field = if filled >= width {
            filled = filled.wrapping_sub(width);
            let field = window >> (64_u32.wrapping_sub(width));
            window <<= width;
            field
        } else {
            // What is left in the window stands above what the next word adds.
            let Some(word) = words.next() else {
                return Err(Bug::new("packed changes were counted wrong").into());
            };
            let missing = width.wrapping_sub(filled);
            let top = window >> (64_u32.wrapping_sub(width));
            let low = word >> (64_u32.wrapping_sub(missing));
            window = word << missing;
            filled = 64_u32.wrapping_sub(missing);
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

/// How far each value is from the one before; fails where 64 bits cannot say.
fn differences<T: Word>(
    values: &[T::Stored],
    is_signed: bool,
) -> impl Iterator<Item = Result<i64, FilterError>> + Clone {
    let pairs = values.iter().zip(values.iter().skip(1));
    pairs.map(move |(before, value)| {
        let (before, value) = (T::load(*before), T::load(*value));
        let difference = if is_signed {
            let before = before.sign_extended().cast_signed();
            value.sign_extended().cast_signed().checked_sub(before)
        } else {
            value.to_u64().checked_signed_diff(before.to_u64())
        };
        difference.ok_or(TOO_FAR)
    })
}

const TOO_FAR: FilterError = FilterError::Values {
    filter: NAME,
    why: "two of them are further apart than a 64-bit number can say",
};

fn changes<T: Word>(
    values: &[T::Stored],
    is_signed: bool,
) -> impl Iterator<Item = Result<i64, FilterError>> {
    let all = differences::<T>(values, is_signed);
    all.clone()
        .zip(all.skip(1))
        .map(|(before, difference)| difference?.checked_sub(before?).ok_or(TOO_FAR))
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
        return Ok(all.saturating_sub(room.len()));
    }
    let heads = T::SIZE.saturating_mul(2);
    put(&mut room, piece.get(..heads).unwrap_or(piece))?;
    let width = bits.saturating_add(1);
    // `u128` holds what is left of a word and a field: 63 and 63 bits.
    let (mut window, mut filled) = (0_u128, 0_u32);
    for change in changes::<T>(values, is_signed) {
        let change = change?;
        let sign = u64::from(change < 0);
        let field = (sign << bits) | change.unsigned_abs();
        window = (window << width) | u128::from(field);
        filled = filled.saturating_add(width);
        if filled >= 64 {
            filled = filled.saturating_sub(64);
            put(&mut room, &low_word(window >> filled))?;
        }
    }
    if filled > 0 {
        put(
            &mut room,
            &low_word(window << (64_u32.saturating_sub(filled))),
        )?;
    }
    Ok(all.saturating_sub(room.len()))
}

/// Bits of the largest magnitude among the first difference and all changes; none for two values or fewer.
fn needed_bits<T: Word>(values: &[T::Stored], is_signed: bool) -> Result<u32, FilterError> {
    if values.len() <= 2 {
        return Ok(0);
    }
    let mut largest = match differences::<T>(values, is_signed).next() {
        Some(first) => first?.unsigned_abs(),
        None => 0,
    };
    for change in changes::<T>(values, is_signed) {
        largest = largest.max(change?.unsigned_abs());
    }
    Ok(u64::BITS.saturating_sub(largest.leading_zeros()).max(1))
}

/// Fills the start of memory, for which the codec's bound is enough.
fn put(room: &mut &mut [u8], bytes: &[u8]) -> Result<(), FilterError> {
    cut(room, bytes.len())?.copy_from_slice(bytes);
    Ok(())
}

/// The last 64 bits, which are complete, as they are stored.
fn low_word(window: u128) -> [u8; 8] {
    let [low @ .., _, _, _, _, _, _, _, _] = window.to_le_bytes();
    low
}
