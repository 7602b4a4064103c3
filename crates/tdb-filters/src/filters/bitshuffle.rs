//! Filter 8: the first bits of all values, then the second bits, and so on, in blocks of 8192
//! bytes.
//!
//! Metadata: `u32` part count, `u32` length of each part. A part whose length is not a multiple of
//! 8 is first split in two: the largest multiple of 8, and the last `length % 8` bytes. A part is
//! shuffled if its length is a multiple of 8 and of the value's size, and copied otherwise. In each
//! block, whole groups of eight values are turned into planes: bit `i % 8` of byte `i / 8` of plane
//! `8j + k` is bit `k` of byte `j` of value `i`. The remaining values of the block follow
//! unchanged.
//!
//! Twelve `i32` are one part of 48 bytes: eight values shuffled, then four copied.

use crate::chunking::whole_cells;

use crate::bit_planes;
use crate::header::{self, Reader, put_parts};
use crate::room::{cut, cut_ref};
use crate::{Chunk, Entry, Filter, FilterError, Out, Stage};

const NAME: &str = "bitshuffle";

pub(crate) static ENTRY: Entry = Entry::new(
    8,
    NAME,
    |options| options.none().map(|()| Box::new(Bitshuffle) as _),
    |_| Ok(Box::new(Bitshuffle)),
);

#[derive(Debug)]
struct Bitshuffle;

/// Splits a part of `length` bytes into the lengths that are shuffled or copied separately.
fn split(length: usize) -> impl Iterator<Item = usize> + Clone {
    let rest = length % 8;
    std::iter::once(whole_cells(length, 8)).chain((rest > 0).then_some(rest))
}

fn is_shuffled(length: usize, size: usize) -> bool {
    length.is_multiple_of(8) && length.is_multiple_of(size)
}

impl Filter for Bitshuffle {
    fn encode(
        &self,
        chunk: Chunk<'_>,
        out: &mut Out<'_>,
        stage: &mut Stage<'_>,
    ) -> Result<(), FilterError> {
        let size = stage.datatype.size();
        let lengths = chunk.data.iter().flat_map(|part| split(part.len()));
        let mut values = chunk.data.bytes();
        let (header, mut room) = out.header_and_data(values.len())?;
        put_parts(NAME, header, lengths.clone())?;
        for length in lengths {
            let part = cut_ref(&mut values, length)?;
            let planes = cut(&mut room, length)?;
            if is_shuffled(length, size) {
                bit_planes::shuffle_bits(size, part, planes)?;
            } else {
                planes.copy_from_slice(part);
            }
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
            if is_shuffled(length, size) {
                bit_planes::unshuffle_bits(size, part, values)?;
            } else {
                values.copy_from_slice(part);
            }
        }
        out.keep_metadata(reader.position());
        Ok(())
    }
}
