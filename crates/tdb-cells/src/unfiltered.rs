//! Tiles without filters, and parts of them, whose chunks can be located by arithmetic: see `docs/format/tiles.md`.
//!
//! The size of each chunk follows from the tile's size and the cell size, so a part of a tile can be read without
//! first reading the chunk headers. The headers are compared afterwards: a tile that was cut in another way is read as
//! a whole instead.

use std::io::IoSliceMut;
use std::ops::Range;

use tdb_store::{Store, StoreError};
use tdb_tile::ChunkHeader;
use zerocopy::FromBytes;
use zerocopy::little_endian::{U32, U64};

use crate::Counters;

/// Size of the number of chunks at the beginning of a stored tile, in bytes.
const COUNT: usize = 8;

/// Size of a chunk header, in bytes.
const HEADER: usize = size_of::<ChunkHeader>();

/// Maximum number of bytes that writers put into a chunk.
const MOST: u64 = 64 << 10;

/// Division of a tile into chunks.
#[derive(Clone, Copy, Debug)]
struct Cut {
    /// Bytes in each chunk but the last.
    chunk: u64,
    count: u64,
}

impl Cut {
    /// Computes how writers divide a tile; `None` if the stored size differs from the result.
    fn new(extent: &Range<u64>, tile_size: u64, cell_size: usize) -> Option<Self> {
        let cell_size = (cell_size as u64).max(1);
        let chunk = MOST.checked_div(cell_size)?.max(1).checked_mul(cell_size)?;
        let count = tile_size.div_ceil(chunk);
        let stored = extent.end.checked_sub(extent.start)?;
        let is_as_known = stored == Self::headers(count)?.checked_add(tile_size)?;
        is_as_known.then_some(Self { chunk, count })
    }

    /// Size of the number of chunks and of `count` headers, in bytes.
    fn headers(count: u64) -> Option<u64> {
        count.checked_mul(HEADER as u64)?.checked_add(COUNT as u64)
    }
}

/// A whole tile whose cells are read from the object directly to their destination.
#[derive(Debug)]
pub(crate) struct Whole {
    /// Offset of the tile in the object.
    start: u64,
    chunk: usize,
    count: usize,
    /// Size of the number of chunks and of their headers, in bytes.
    headers: usize,
}

impl Whole {
    /// Returns `None` if the tile is divided in another way.
    pub(crate) fn new(extent: &Range<u64>, tile_size: usize, cell_size: usize) -> Option<Self> {
        let cut = Cut::new(extent, tile_size as u64, cell_size)?;
        let whole = Self {
            start: extent.start,
            chunk: cut.chunk.try_into().ok()?,
            count: cut.count.try_into().ok()?,
            headers: Cut::headers(cut.count)?.try_into().ok()?,
        };
        (whole.count > 0).then_some(whole)
    }

    /// Fills `place`, which has the tile's size. Returns false if the tile has other chunks than expected; the
    /// contents of `place` are arbitrary then.
    pub(crate) fn read(
        &self,
        store: &dyn Store,
        key: &str,
        place: &mut [u8],
    ) -> Result<bool, StoreError> {
        let mut heads = vec![0_u8; self.headers];
        let (first, behind) = heads.split_at_mut(const { COUNT + HEADER });
        let each = std::iter::once(first).chain(behind.chunks_mut(HEADER));
        let chunks = each.zip(place.chunks_mut(self.chunk));
        let mut pieces: Vec<_> = chunks
            .flat_map(|(head, data)| [IoSliceMut::new(head), IoSliceMut::new(data)])
            .collect();
        store.read_scattered(key, self.start, &mut pieces)?;
        drop(pieces);
        Ok(self.is_as_thought(&heads, place))
    }

    /// Whether the number of chunks and the headers are as expected.
    fn is_as_thought(&self, heads: &[u8], place: &[u8]) -> bool {
        let Ok((count, headers)) = U64::read_from_prefix(heads) else {
            return false;
        };
        let mut each = headers.chunks(HEADER).zip(place.chunks(self.chunk));
        let is_plain = |(header, data): (&[u8], &[u8])| {
            ChunkHeader::read_from_bytes(header).is_ok_and(|header| {
                let sizes = [header.original, header.filtered];
                let is_whole = |size: U32| size.get() as usize == data.len();
                sizes.into_iter().all(is_whole) && header.metadata.get() == 0
            })
        };
        count.get() == self.count as u64 && each.len() == self.count && each.all(is_plain)
    }
}

/// Consecutive chunks of a tile.
#[derive(Debug)]
pub(crate) struct Part {
    /// Byte range of the chunks in the object.
    extent: Range<u64>,
    /// Offset in the tile of the first byte that the chunks contain.
    first: u64,
    /// Bytes in each chunk but the tile's last.
    chunk: u64,
    tile_size: u64,
}

impl Part {
    /// Locates the chunks that contain the bytes `wanted` of a tile; `None` if that is the whole tile, or the tile is
    /// divided in another way.
    pub(crate) fn new(
        extent: &Range<u64>,
        tile_size: u64,
        cell_size: usize,
        wanted: &Range<u64>,
    ) -> Option<Self> {
        let Cut { chunk, count } = Cut::new(extent, tile_size, cell_size)?;
        let (lo, hi) = (
            wanted.start.checked_div(chunk)?,
            wanted.end.div_ceil(chunk).min(count),
        );
        if lo >= hi || hi.checked_sub(lo)? == count {
            return None;
        }
        let place = |number: u64| {
            let bytes = number.checked_mul(chunk)?.min(tile_size);
            let before = Cut::headers(number)?;
            extent.start.checked_add(before)?.checked_add(bytes)
        };
        Some(Self {
            extent: place(lo)?..place(hi)?,
            first: lo.checked_mul(chunk)?,
            chunk,
            tile_size,
        })
    }

    /// Byte range of the chunks in the object.
    pub(crate) fn extent(&self) -> Range<u64> {
        self.extent.clone()
    }

    /// Passes the chunks in `stored` to `each`, one by one, and returns their total size in bytes; `None` if there are
    /// other chunks than expected.
    #[expect(
        clippy::arithmetic_side_effects,
        reason = "each chunk ends within the tile"
    )]
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
                let end = start + data.len() as u64;
                if end > next {
                    next = each(start, data);
                    decoded += data.len() as u64;
                }
                (rest, start) = (behind, end);
            }
        });
        counters.add_decoded(decoded);
        Some(decoded)
    }

    /// Whether all headers are as expected.
    #[expect(
        clippy::arithmetic_side_effects,
        reason = "each chunk ends within the tile"
    )]
    fn is_as_thought(&self, stored: &[u8]) -> bool {
        let (mut rest, mut start) = (stored, self.first);
        while !rest.is_empty() {
            let Some((data, behind)) = self.next_chunk(rest, start) else {
                return false;
            };
            start += data.len() as u64;
            rest = behind;
        }
        true
    }

    /// Splits `stored` after the data of its first chunk, which contains the tile's bytes from `start` on; returns the
    /// data and the rest. `None` if the header is not as expected.
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
    use tdb_store::MemoryStore;

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
        // All of the tile; then a tile that is divided in another way.
        assert!(part(0..size).is_none());
        assert!(Part::new(&(100..extent.end + 12), size, 14, &(0..1)).is_none());
    }

    #[test]
    fn whole_tiles_are_read_into_their_place_or_told_to_be_others() {
        let plain: Vec<u8> = (0..65_534 * 2 + 700_u32)
            .map(|i| i.to_le_bytes()[0] ^ 7)
            .collect();
        let mut stored = vec![9_u8; 5];
        stored.extend(3_u64.to_le_bytes());
        for chunk in plain.chunks(65_534) {
            let len = u32::try_from(chunk.len()).unwrap();
            stored.extend([len, len, 0].map(u32::to_le_bytes).concat());
            stored.extend(chunk);
        }
        let extent = 5..stored.len() as u64;
        let whole = Whole::new(&extent, plain.len(), 14).unwrap();
        let read = |stored: Vec<u8>| {
            let store = MemoryStore::new();
            store.put("a", stored.into()).unwrap();
            let mut place = vec![0; plain.len()];
            let is_read = whole.read(&store, "a", &mut place);
            assert_eq!(store.take_counts().reads, 1);
            is_read.map(|is_read| (is_read, place))
        };
        assert_eq!(read(stored.clone()).unwrap(), (true, plain.clone()));
        // A wrong number of chunks, and each number of a header.
        for at in [5, 13, 17, 21, 13 + 12 + 65_534, 13 + 2 * (12 + 65_534)] {
            let mut damaged = stored.clone();
            damaged[at] ^= 1;
            assert!(!read(damaged).unwrap().0, "{at}");
        }
        stored.pop();
        assert!(matches!(read(stored), Err(StoreError::OutOfRange { .. })));

        assert!(Whole::new(&(0..8), 0, 14).is_none());
        assert!(Whole::new(&(5..extent.end + 12), plain.len(), 14).is_none());
    }
}
