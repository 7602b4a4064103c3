//! A part of a tile without filters, whose chunks lie where arithmetic says: `docs/format/tiles.md`.

use std::ops::Range;

use tdb_tile::ChunkHeader;
use zerocopy::FromBytes;

use crate::Counters;

/// Bytes of the number of chunks that a stored tile begins with.
const COUNT: u64 = 8;

/// Bytes of a chunk's header.
const HEADER: u64 = size_of::<ChunkHeader>() as u64;

/// The most bytes that writers put into a chunk.
const MOST: u64 = 64 << 10;

/// Chunks of a tile that follow each other.
#[derive(Debug)]
pub(crate) struct Part {
    /// Where they are in the object.
    extent: Range<u64>,
    /// The first byte of the tile that they hold.
    first: u64,
    /// Bytes that each holds, but for the tile's last.
    chunk: u64,
    tile_size: u64,
}

impl Part {
    /// The chunks that hold `wanted` bytes of a tile; `None` where that is the whole tile, or writers cut it otherwise.
    pub(crate) fn new(
        extent: &Range<u64>,
        tile_size: u64,
        cell_size: usize,
        wanted: &Range<u64>,
    ) -> Option<Self> {
        let cell_size = (cell_size as u64).max(1);
        let chunk = MOST.checked_div(cell_size)?.max(1).checked_mul(cell_size)?;
        let count = tile_size.div_ceil(chunk);
        let headers = count.checked_mul(HEADER)?.checked_add(COUNT)?;
        let stored = extent.end.checked_sub(extent.start)?;
        let is_as_known = stored == headers.checked_add(tile_size)?;
        let (lo, hi) = (
            wanted.start.checked_div(chunk)?,
            wanted.end.div_ceil(chunk).min(count),
        );
        if !is_as_known || lo >= hi || hi.checked_sub(lo)? == count {
            return None;
        }
        let place = |number: u64| {
            let bytes = number.checked_mul(chunk)?.min(tile_size);
            let before = number.checked_mul(HEADER)?.checked_add(COUNT)?;
            extent.start.checked_add(before)?.checked_add(bytes)
        };
        Some(Self {
            extent: place(lo)?..place(hi)?,
            first: lo.checked_mul(chunk)?,
            chunk,
            tile_size,
        })
    }

    /// Where the chunks are in the object.
    pub(crate) fn extent(&self) -> Range<u64> {
        self.extent.clone()
    }

    /// Shows the chunks, which are `stored`, one by one to `each`, and gives back how many bytes they have; `None` where
    /// what is there are other chunks.
    pub(crate) fn show(
        &self,
        stored: &[u8],
        wanted: &Range<u64>,
        counters: &Counters,
        each: &mut dyn FnMut(u64, &[u8]) -> u64,
    ) -> Option<u64> {
        if !self.is_as_thought(stored) {
            return None;
        }
        let (mut rest, mut start, mut decoded) = (stored, self.first, 0_u64);
        let mut next = wanted.start;
        counters.decode.time(|| {
            while let Some((data, behind)) = self.next_chunk(rest, start) {
                let end = start.saturating_add(data.len() as u64);
                if end > next {
                    next = each(start, data);
                    decoded = decoded.saturating_add(data.len() as u64);
                }
                (rest, start) = (behind, end);
            }
        });
        counters.add_decoded(decoded);
        Some(decoded)
    }

    /// Whether the headers say what arithmetic did.
    fn is_as_thought(&self, stored: &[u8]) -> bool {
        let (mut rest, mut start) = (stored, self.first);
        while !rest.is_empty() {
            let Some((data, behind)) = self.next_chunk(rest, start) else {
                return false;
            };
            start = start.saturating_add(data.len() as u64);
            rest = behind;
        }
        true
    }

    /// The data of the chunk that `stored` begins with, which holds the tile's bytes from `start` on; what is behind it.
    fn next_chunk<'a>(&self, stored: &'a [u8], start: u64) -> Option<(&'a [u8], &'a [u8])> {
        let (header, rest) = ChunkHeader::read_from_prefix(stored).ok()?;
        let len = self.chunk.min(self.tile_size.checked_sub(start)?);
        let sizes = [header.original, header.filtered].map(|size| u64::from(size.get()));
        if len == 0 || sizes != [len, len] || header.metadata.get() != 0 {
            return None;
        }
        rest.split_at_checked(usize::try_from(len).ok()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_found_by_arithmetic() {
        // Five chunks of 65,534 bytes in cells of 14, the last of 2,000.
        let (chunk, size) = (65_534_u64, 4 * 65_534 + 1998_u64);
        let extent = 100..100 + 8 + 5 * 12 + size;
        let part = |wanted: Range<u64>| Part::new(&extent, size, 14, &wanted);
        let first = part(0..1).unwrap();
        assert_eq!((first.extent, first.first), (108..108 + 12 + chunk, 0));
        let last = part(4 * chunk + 5..size).unwrap();
        let start = 108 + 4 * (12 + chunk);
        assert_eq!((last.extent, last.first), (start..extent.end, 4 * chunk));
        let middle = part(chunk - 1..chunk + 1).unwrap();
        assert_eq!(middle.extent, 108..108 + 2 * (12 + chunk));
        // All of it; a tile that was cut otherwise.
        assert!(part(0..size).is_none());
        assert!(Part::new(&(100..extent.end + 12), size, 14, &(0..1)).is_none());
    }
}
