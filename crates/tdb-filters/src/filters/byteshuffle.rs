//! Filter 9: the first bytes of all values, then the second bytes, and so on.
//!
//! Metadata: `u32` part count, `u32` length of each part. A part of `e` values of `s` bytes becomes
//! `s` planes of `e` bytes; bytes after the last whole value stay in place.
//!
//! `[0x0102, 0x0304]` as `u16`, stored `02 01 04 03`, becomes `02 04 01 03`.

use crate::header::{self, Reader, put_parts};
use crate::planes;
use crate::room::{cut, cut_ref};
use crate::{Chunk, Entry, Filter, FilterError, Out, Stage};

const NAME: &str = "byteshuffle";

pub(crate) static ENTRY: Entry = Entry::new(
    9,
    NAME,
    |options| options.none().map(|()| Box::new(Byteshuffle) as _),
    |_| Ok(Box::new(Byteshuffle)),
);

#[derive(Debug)]
struct Byteshuffle;

impl Filter for Byteshuffle {
    fn encode(
        &self,
        chunk: Chunk<'_>,
        out: &mut Out<'_>,
        stage: &mut Stage<'_>,
    ) -> Result<(), FilterError> {
        let (header, mut room) = out.header_and_data(chunk.data.bytes().len())?;
        put_parts(NAME, header, chunk.data.iter().map(<[u8]>::len))?;
        for part in chunk.data.iter() {
            let shuffled = cut(&mut room, part.len())?;
            planes::shuffle(stage.datatype.size(), part, shuffled)?;
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
        let mut reader = Reader::new(NAME, chunk.metadata.bytes());
        let mut stored = chunk.data.bytes();
        let lengths = header::parts(NAME, &mut reader, stored.len())?;
        let mut room = out.data(stored.len())?;
        for length in lengths {
            // Cannot fail: the lengths add up to the size of `stored` and of `room`.
            let part = cut_ref(&mut stored, length)?;
            let values = cut(&mut room, length)?;
            planes::unshuffle(stage.datatype.size(), part, values)?;
        }
        out.keep_metadata(reader.position());
        Ok(())
    }
}
