//! Filter 7: values as distances from the least value of a window, in as few bytes as hold the
//! largest distance.
//!
//! Applies to integers of 16 bits and more, and from format 20 to dates and times; other data
//! passes unchanged, and nothing is recorded. Options: `u32` maximum bytes of a window.
//!
//! Metadata: `u32` bytes of data, `u32` window count, then for each window the least value, `u8`
//! bits, `u32` bytes of the unfiltered window. Data: the windows. A window stores each value's
//! distance from the least one in 8, 16 or 32 bits, as a *signed* number for signed types. If its
//! bits are those of a whole value, the window is stored unchanged.
//!
//! `[1000, 1001, 1127, 1000]` as `i32` is a window of 16 bits, `0000 0100 7f00 0000`: the distance
//! 127 plus one does not fit into eight bits with a sign.

use tdb_tile::{Exact, FormatVersion};

use crate::header::{Reader, put_length};
use crate::room::cut;
use crate::windows::{self, windows};
use crate::word::{Word, with_word};
use crate::{Chunk, Description, Entry, Filter, FilterError, OptionValue, Options, Out, Stage};
use tdb_tile::Datatype;

const NAME: &str = "bit_width_reduction";

pub(crate) static ENTRY: Entry = Entry::new(7, NAME, parse, build);

fn parse(options: &Options<'_>) -> Result<Box<dyn Filter>, FilterError> {
    let mut reader = options.reader();
    let window = reader.scalar("window")?;
    reader.finish("options")?;
    Ok(Box::new(BitWidthReduction { window }))
}

fn build(description: &Description) -> Result<Box<dyn Filter>, FilterError> {
    let window = description.integer(NAME, "window", 256)?;
    Ok(Box::new(BitWidthReduction { window }))
}

#[derive(Debug)]
struct BitWidthReduction {
    window: u32,
}

/// True if the filter applies to the stage's datatype; values of one byte cannot get narrower.
fn acts(stage: &Stage<'_>) -> bool {
    windows::acts(stage) && stage.datatype.size() > 1
}

impl Filter for BitWidthReduction {
    fn encode(
        &self,
        chunk: Chunk<'_>,
        out: &mut Out<'_>,
        stage: &mut Stage<'_>,
    ) -> Result<(), FilterError> {
        out.keep_metadata(0);
        if !acts(stage) {
            out.keep_data();
            return Ok(());
        }
        let is_signed = stage.datatype.is_signed();
        let size = stage.datatype.size();
        let max = self.window as usize;
        let all = chunk.data.iter().flat_map(|part| windows(part, size, max));
        let total = chunk.data.bytes().len();
        let (header, mut room) = out.header_and_data(total)?;
        put_length(NAME, header, total)?;
        put_length(NAME, header, all.clone().count())?;
        let mut stored = 0_usize;
        for window in all {
            let used = with_word!(size, T => reduce::<T>(window, is_signed, header, &mut room)?);
            stored = stored.exact_add(used)?;
        }
        out.shorten_data(stored);
        Ok(())
    }

    fn decode(
        &self,
        chunk: Chunk<'_>,
        out: &mut Out<'_>,
        stage: &mut Stage<'_>,
    ) -> Result<(), FilterError> {
        if !acts(stage) {
            out.keep_metadata(0);
            out.keep_data();
            return Ok(());
        }
        let is_signed = stage.datatype.is_signed();
        let size = stage.datatype.size();
        let mut header = Reader::new(NAME, chunk.metadata.bytes());
        let total = header.length("data length")?;
        let count = header.count("window count", size.exact_add(5)?)?;
        let mut stored = Reader::new(NAME, chunk.data.bytes());
        let mut room = out.data(total)?;
        for _ in 0..count {
            room = with_word!(
                size,
                T => restore::<T>(is_signed, &mut header, &mut stored, room)?
            );
        }
        if !room.is_empty() {
            return Err(FilterError::invalid(
                NAME,
                "windows",
                "end before the data does",
            ));
        }
        stored.finish("windows")?;
        out.keep_metadata(header.position());
        Ok(())
    }

    fn options(&self, _version: FormatVersion) -> Vec<u8> {
        self.window.to_le_bytes().to_vec()
    }

    fn describe(&self) -> Vec<(&'static str, OptionValue)> {
        vec![("window", OptionValue::Integer(self.window.into()))]
    }

    fn accepts(&self, input: Datatype) -> bool {
        windows::accepts(input)
    }

    fn breaks_values(&self, input: Datatype) -> bool {
        input.size() > 1
    }
}

/// Writes one window; returns its stored length in bytes.
fn reduce<T: Word>(
    window: &[u8],
    is_signed: bool,
    header: &mut Vec<u8>,
    room: &mut &mut [u8],
) -> Result<usize, FilterError> {
    let whole = window.len().is_multiple_of(T::SIZE);
    let values = if whole { T::slice(NAME, window)? } else { &[] };
    let (least, bits) = measure::<T>(values, is_signed);
    let bits = if whole { bits } else { T::BITS };
    let stored = T::from_u64(least).store();
    header.extend_from_slice(zerocopy::IntoBytes::as_bytes(&stored));
    header.push(bits);
    put_length(NAME, header, window.len())?;
    let width = if bits >= T::BITS {
        T::SIZE
    } else {
        usize::from(bits / 8)
    };
    let len = if whole {
        values.len().exact_mul(width)?
    } else {
        window.len()
    };
    let room = cut(room, len)?;
    match width {
        width if width == T::SIZE => room.copy_from_slice(window),
        1 => narrow::<T, u8>(values, least, room)?,
        2 => narrow::<T, u16>(values, least, room)?,
        _ => narrow::<T, u32>(values, least, room)?,
    }
    Ok(len)
}

/// Returns the least value, and the width in bits (8, 16, 32 or 64) that holds the distance to the
/// greatest value plus one; the type's own width if no narrower one does.
fn measure<T: Word>(values: &[T::Stored], is_signed: bool) -> (u64, u8) {
    let Some((least, greatest)) = ends::<T>(values, is_signed) else {
        return (0, 8.min(T::BITS));
    };
    let full = T::BITS;
    if is_signed {
        let range = greatest
            .checked_sub(least)
            .and_then(|range| range.checked_add(1));
        let most = T::LARGEST;
        let bits = match range {
            Some(range) if range <= i8::MAX.into() => 8,
            Some(range) if range <= i16::MAX.into() => 16,
            Some(range) if range <= i32::MAX.into() => 32,
            Some(range) if range <= most => 64,
            _ => full,
        };
        return (least.cast_unsigned(), bits.min(full));
    }
    // [`Word::ordered`] has flipped the top bits of both ends, so their distance is unchanged; the
    // top bit of the least value is flipped back below.
    let range = greatest.abs_diff(least);
    let bits = match range {
        0..0xff => 8,
        0xff..0xffff => 16,
        0xffff..0xffff_ffff => 32,
        _ => 64,
    };
    let least = T::from_u64(least.cast_unsigned() ^ T::TOP_BIT);
    (least.to_u64(), bits.min(full))
}

/// Returns the least and the greatest value, mapped by [`Word::ordered`].
fn ends<T: Word>(values: &[T::Stored], is_signed: bool) -> Option<(i64, i64)> {
    let ordered = |value: &T::Stored| T::load(*value).ordered(is_signed);
    let first = ordered(values.first()?);
    let (mut least, mut greatest) = (first, first);
    for value in values.iter().map(ordered) {
        least = least.min(value);
        greatest = greatest.max(value);
    }
    Some((least.into(), greatest.into()))
}

fn narrow<T: Word, N: Word>(
    values: &[T::Stored],
    least: u64,
    room: &mut [u8],
) -> Result<(), FilterError> {
    for (value, place) in values.iter().zip(N::slice_mut(NAME, room)?) {
        *place = N::from_u64(T::load(*value).to_u64().wrapping_sub(least)).store();
    }
    Ok(())
}

/// Reads one window into the start of `room`; returns the rest of `room`.
fn restore<'a, T: Word>(
    is_signed: bool,
    header: &mut Reader<'_>,
    stored: &mut Reader<'_>,
    room: &'a mut [u8],
) -> Result<&'a mut [u8], FilterError> {
    let least = T::one(NAME, header.take("least value", T::SIZE)?)?.to_u64();
    let bits = header.scalar::<u8>("bits")?;
    let len = header.length("window length")?;
    let (window, rest) = room
        .split_at_mut_checked(len)
        .ok_or_else(|| FilterError::invalid(NAME, "window length", "goes beyond the data"))?;
    if bits >= T::BITS || !len.is_multiple_of(T::SIZE) {
        window.copy_from_slice(stored.take("window", len)?);
        return Ok(rest);
    }
    let count = window.chunks_exact(T::SIZE).len();
    let width = match bits {
        8 | 16 | 32 => usize::from(bits / 8),
        _ => {
            return Err(FilterError::invalid(
                NAME,
                "bits",
                "are none of 8, 16, 32 and 64",
            ));
        }
    };
    let narrow = stored.take_records("window", count, width)?;
    match (width, is_signed) {
        (1, false) => widen::<T, u8>(narrow, least, u8::to_u64, window)?,
        (1, true) => widen::<T, u8>(narrow, least, u8::sign_extended, window)?,
        (2, false) => widen::<T, u16>(narrow, least, u16::to_u64, window)?,
        (2, true) => widen::<T, u16>(narrow, least, u16::sign_extended, window)?,
        (_, false) => widen::<T, u32>(narrow, least, u32::to_u64, window)?,
        (_, true) => widen::<T, u32>(narrow, least, u32::sign_extended, window)?,
    }
    Ok(rest)
}

/// Adds the least value to each distance. The addition wraps: old writers relied on that.
#[inline]
fn widen<T: Word, N: Word>(
    narrow: &[u8],
    least: u64,
    extend: impl Fn(N) -> u64,
    window: &mut [u8],
) -> Result<(), FilterError> {
    let narrow = N::slice(NAME, narrow)?;
    for (distance, place) in narrow.iter().zip(T::slice_mut(NAME, window)?) {
        *place = T::from_u64(least.wrapping_add(extend(N::load(*distance)))).store();
    }
    Ok(())
}

#[cfg(test)]
#[allow(
    clippy::cast_possible_truncation,
    reason = "the low bytes are asked for"
)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The reference implementation, in numbers wide enough for signed and unsigned values.
    fn plain<T: Word>(values: &[T], is_signed: bool) -> (u64, u8) {
        let wide = |value: &T| {
            let signed = i128::from(value.sign_extended().cast_signed());
            if is_signed {
                signed
            } else {
                value.to_u64().into()
            }
        };
        let least = values.iter().map(wide).min().unwrap_or(0);
        let greatest = values.iter().map(wide).max().unwrap_or(0);
        let sign = u32::from(is_signed);
        // The distance plus one must fit below the sign bit.
        let fits = |bits: &u8| greatest - least + 1 < 1 << (u32::from(*bits) - sign);
        let bits = [8, 16, 32].into_iter().find(fits).unwrap_or(64);
        (least as u64, bits.min(T::BITS))
    }

    fn check<T: Word>(numbers: &[u64]) {
        let values: Vec<T> = numbers.iter().map(|number| T::from_u64(*number)).collect();
        let stored: Vec<T::Stored> = values.iter().map(|value| value.store()).collect();
        for is_signed in [false, true] {
            let found = measure::<T>(&stored, is_signed);
            assert_eq!(found, plain(&values, is_signed), "signed: {is_signed}");
        }
    }

    proptest! {
        #[test]
        fn windows_are_measured_as_in_the_plain_form(
            numbers in proptest::collection::vec(any::<u64>(), 0..100),
            by in 0_u32..64,
            from in any::<u64>(),
        ) {
            let numbers: Vec<u64> = numbers.iter().map(|n| from.wrapping_add(n >> by)).collect();
            check::<u16>(&numbers);
            check::<u32>(&numbers);
            check::<u64>(&numbers);
        }

        #[test]
        fn so_are_those_at_the_ends_of_a_width(
            from in any::<u64>(),
            bits in proptest::sample::select(&[7_u32, 8, 15, 16, 31, 32, 63][..]),
            less in 0_u64..4,
        ) {
            let numbers = [from, from.wrapping_add((1 << bits) - less)];
            check::<u16>(&numbers);
            check::<u32>(&numbers);
            check::<u64>(&numbers);
        }
    }
}
