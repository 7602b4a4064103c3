//! Filter 19: each value as its wrapping difference from the one before.
//!
//! Framing: [`Compression`](crate::Compression), so metadata is delta-coded, too. A piece is the
//! `u64` count of values, the first value, and the differences. Options: compressor id 8, `i32`
//! level without meaning, `u8` datatype that values are reinterpreted as (17, `any`: their own
//! datatype).
//!
//! TileDB 2.16 wrote one value of garbage at the end: a piece may be longer than its count
//! requires.
//!
//! `[1, 2, 4]` as `u8` is `03 00 00 00 00 00 00 00  01 01 02`.

use tdb_tile::{Exact, FormatVersion};

use crate::codec::{Codec, bound_of};
use crate::delta::{self, DeltaCodec};
use crate::header::Reader;
use crate::room::cut;
use crate::word::{Word, with_word};
use crate::{Entry, FilterError, Stage};

const NAME: &str = "delta";

pub(crate) static ENTRY: Entry = Entry::new(
    19,
    NAME,
    delta::parse::<Differences>,
    delta::build::<Differences>,
)
.since(19);

#[derive(Clone, Copy, Debug, Default)]
struct Differences;

impl DeltaCodec for Differences {
    const NAME: &'static str = NAME;
    const ID: u8 = 8;

    fn stores_reinterpretation(version: FormatVersion) -> bool {
        version.stores_delta_reinterpretation()
    }
}

impl Codec for Differences {
    fn name(&self) -> &'static str {
        NAME
    }

    fn encodes_nothing(&self) -> bool {
        false
    }

    fn bound(&self, len: usize) -> usize {
        bound_of([len, 8])
    }

    fn compress(
        &self,
        piece: &[u8],
        out: &mut [u8],
        stage: &mut Stage<'_>,
    ) -> Result<usize, FilterError> {
        let size = delta::size(delta::physical(NAME, stage.datatype)?);
        if !piece.len().is_multiple_of(size) {
            return Err(delta::cut_value(NAME));
        }
        let count = piece.chunks_exact(size).len() as u64;
        let mut room = out;
        cut(&mut room, 8)?.copy_from_slice(&count.to_le_bytes());
        let values = cut(&mut room, piece.len())?;
        with_word!(size, T => encode::<T>(piece, values)?);
        Ok(piece.len().exact_add(8)?)
    }

    fn decompress(
        &self,
        piece: &[u8],
        out: &mut [u8],
        stage: &mut Stage<'_>,
    ) -> Result<(), FilterError> {
        let size = delta::size(delta::physical(NAME, stage.datatype)?);
        let mut reader = Reader::new(NAME, piece);
        let count = reader.scalar::<u64>("count")?;
        delta::check_count(NAME, count, size, out)?;
        let stored = reader.take("differences", out.len())?;
        with_word!(size, T => decode::<T>(stored, out))
    }
}

fn encode<T: Word>(values: &[u8], out: &mut [u8]) -> Result<(), FilterError> {
    let mut before = 0_u64;
    let values = T::slice(NAME, values)?;
    for (value, place) in values.iter().zip(T::slice_mut(NAME, out)?) {
        let value = T::load(*value).to_u64();
        *place = T::from_u64(value.wrapping_sub(before)).store();
        before = value;
    }
    Ok(())
}

fn decode<T: Word>(stored: &[u8], out: &mut [u8]) -> Result<(), FilterError> {
    let mut value = 0_u64;
    let stored = T::slice(NAME, stored)?;
    for (difference, place) in stored.iter().zip(T::slice_mut(NAME, out)?) {
        value = value.wrapping_add(T::load(*difference).to_u64());
        *place = T::from_u64(value).store();
    }
    Ok(())
}
