//! Filter 10: each value as its difference from the one before; values must not decrease.
//!
//! Applies to integers, blobs and geometries, and from format 20 to dates and times; other data
//! passes unchanged, and nothing is recorded. Options: `u32` maximum bytes of a window.
//!
//! Metadata: `u32` window count, then for each window its first value and its `u32` length in
//! bytes. The data has the same length as before: in each window 0, then the differences. A window
//! that is not a whole number of values is stored unchanged.
//!
//! `[5, 7, 7, 100]` as `i32` is one window that begins with 5, and the data `[0, 2, 0, 93]`.

use tdb_tile::{Datatype, Exact, FormatVersion};

use crate::header::{Reader, put_length};
use crate::room::cut;
use crate::windows::{self, windows};
use crate::word::{Word, with_word};
use crate::{Chunk, Description, Entry, Filter, FilterError, OptionValue, Options, Out, Stage};

const NAME: &str = "positive_delta";

pub(crate) static ENTRY: Entry = Entry::new(10, NAME, parse, build);

fn parse(options: &Options<'_>) -> Result<Box<dyn Filter>, FilterError> {
    let mut reader = options.reader();
    let window = reader.scalar("window")?;
    reader.finish("options")?;
    Ok(Box::new(PositiveDelta { window }))
}

fn build(description: &Description) -> Result<Box<dyn Filter>, FilterError> {
    let window = description.integer(NAME, "window", 1024)?;
    Ok(Box::new(PositiveDelta { window }))
}

#[derive(Debug)]
struct PositiveDelta {
    window: u32,
}

impl Filter for PositiveDelta {
    fn encode(
        &self,
        chunk: Chunk<'_>,
        out: &mut Out<'_>,
        stage: &mut Stage<'_>,
    ) -> Result<(), FilterError> {
        out.keep_metadata(0);
        if !windows::acts(stage) {
            out.keep_data();
            return Ok(());
        }
        let is_signed = stage.datatype.is_signed();
        let size = stage.datatype.size();
        let max = self.window as usize;
        let all = chunk.data.iter().flat_map(|part| windows(part, size, max));
        let (header, mut room) = out.header_and_data(chunk.data.bytes().len())?;
        put_length(NAME, header, all.clone().count())?;
        for window in all {
            let place = cut(&mut room, window.len())?;
            let after_first = header.len().exact_add(size)?;
            if window.len().is_multiple_of(size) {
                with_word!(size, T => encode::<T>(window, is_signed, place)?);
                header.extend(window.iter().take(size));
            } else {
                place.copy_from_slice(window);
            }
            // A window that is not a whole number of values gets zeros in place of the first value.
            header.resize(after_first, 0);
            put_length(NAME, header, window.len())?;
        }
        Ok(())
    }

    fn decode(
        &self,
        chunk: Chunk<'_>,
        out: &mut Out<'_>,
        stage: &mut Stage<'_>,
    ) -> Result<(), FilterError> {
        if !windows::acts(stage) {
            out.keep_metadata(0);
            out.keep_data();
            return Ok(());
        }
        let size = stage.datatype.size();
        let mut header = Reader::new(NAME, chunk.metadata.bytes());
        let count = header.count("window count", size.exact_add(4)?)?;
        let mut stored = Reader::new(NAME, chunk.data.bytes());
        let mut room = out.data(chunk.data.bytes().len())?;
        for _ in 0..count {
            let first = header.take("first value", size)?;
            let len = header.length("window length")?;
            let window = stored.take("window", len)?;
            // Cannot fail: `room` is as long as the stored data.
            let place = cut(&mut room, len)?;
            if len.is_multiple_of(size) {
                with_word!(size, T => decode::<T>(first, window, place)?);
            } else {
                place.copy_from_slice(window);
            }
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
}

fn encode<T: Word>(window: &[u8], is_signed: bool, out: &mut [u8]) -> Result<(), FilterError> {
    let values = T::slice(NAME, window)?;
    let Some((_, later)) = values.split_first() else {
        return Ok(());
    };
    let pairs = || later.iter().zip(values);
    let ordered = |value: &T::Stored| T::load(*value).ordered(is_signed);
    // Without an early exit, the loop over pairs is vectorised.
    let decreases = pairs().map(|(value, before)| ordered(value) < ordered(before));
    if decreases.fold(false, |any, decreases| any | decreases) {
        return Err(FilterError::Values {
            filter: NAME,
            why: "they decrease",
        });
    }
    let mut places = T::slice_mut(NAME, out)?.iter_mut();
    if let Some(place) = places.next() {
        *place = T::from_u64(0).store();
    }
    for (place, (value, before)) in places.zip(pairs()) {
        let (value, before) = (T::load(*value).to_u64(), T::load(*before).to_u64());
        *place = T::from_u64(value.wrapping_sub(before)).store();
    }
    Ok(())
}

fn decode<T: Word>(first: &[u8], window: &[u8], out: &mut [u8]) -> Result<(), FilterError> {
    let mut value = T::one(NAME, first)?.to_u64();
    let window = T::slice(NAME, window)?;
    for (difference, place) in window.iter().zip(T::slice_mut(NAME, out)?) {
        value = value.wrapping_add(T::load(*difference).to_u64());
        *place = T::from_u64(value).store();
    }
    Ok(())
}
