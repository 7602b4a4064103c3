//! Filter 16: each value combined by exclusive or with the one before.
//!
//! Metadata: `u32` part count, `u32` length of each part. The data has the same length as before.
//! Later filters see signed integers of the same width.
//!
//! `[10, 12, 15]` becomes `[10, 6, 3]`.

use tdb_tile::Datatype;

use crate::header::{self, Reader, put_parts};
use crate::room::{cut, cut_ref};
use crate::word::{Word, with_word};
use crate::{BrokenValues, Chunk, Entry, Filter, FilterError, Out, Stage, delta};

const NAME: &str = "xor";

pub(crate) static ENTRY: Entry = Entry::new(
    16,
    NAME,
    |options| options.none().map(|()| Box::new(Xor) as _),
    |_| Ok(Box::new(Xor)),
)
.since(16);

#[derive(Debug)]
struct Xor;

impl Filter for Xor {
    fn encode(
        &self,
        chunk: Chunk<'_>,
        out: &mut Out<'_>,
        stage: &mut Stage<'_>,
    ) -> Result<(), FilterError> {
        let size = stage.datatype.size();
        let (header, mut room) = out.header_and_data(chunk.data.bytes().len())?;
        put_parts(NAME, header, chunk.data.iter().map(<[u8]>::len))?;
        for part in chunk.data.iter() {
            if !part.len().is_multiple_of(size) {
                return Err(delta::cut_value(NAME));
            }
            let combined = cut(&mut room, part.len())?;
            with_word!(size, T => encode::<T>(part, combined)?);
        }
        out.keep_metadata(0);
        Ok(())
    }

    fn decode(
        &self,
        chunk: Chunk<'_>,
        out: &mut Out<'_>,
        stage: &mut Stage<'_>,
    ) -> Result<(), FilterError> {
        let size = stage.datatype.size();
        let mut reader = Reader::new(NAME, chunk.metadata.bytes());
        let mut stored = chunk.data.bytes();
        let lengths = header::parts(NAME, &mut reader, stored.len())?;
        let mut room = out.data(stored.len())?;
        for length in lengths {
            // Cannot fail: the lengths add up to the size of `stored` and of `room`.
            let part = cut_ref(&mut stored, length)?;
            let values = cut(&mut room, length)?;
            with_word!(size, T => decode::<T>(part, values)?);
        }
        out.keep_metadata(reader.position());
        Ok(())
    }

    fn output(&self, input: Datatype) -> Datatype {
        match input.size() {
            1 => Datatype::Int8,
            2 => Datatype::Int16,
            4 => Datatype::Int32,
            _ => Datatype::Int64,
        }
    }

    fn broken_values(&self) -> BrokenValues {
        BrokenValues::Unreadable
    }
}

fn encode<T: Word>(values: &[u8], out: &mut [u8]) -> Result<(), FilterError> {
    let mut before = 0_u64;
    let values = T::slice(NAME, values)?;
    for (value, place) in values.iter().zip(T::slice_mut(NAME, out)?) {
        let value = T::load(*value).to_u64();
        *place = T::from_u64(value ^ before).store();
        before = value;
    }
    Ok(())
}

fn decode<T: Word>(stored: &[u8], out: &mut [u8]) -> Result<(), FilterError> {
    let mut value = 0_u64;
    let stored = T::slice(NAME, stored)?;
    for (combined, place) in stored.iter().zip(T::slice_mut(NAME, out)?) {
        value ^= T::load(*combined).to_u64();
        *place = T::from_u64(value).store();
    }
    Ok(())
}
