use std::ops::Range;

use zerocopy::little_endian::{U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::{Bug, Exact, Limits, WireError, WireErrorKind};

/// The header in front of every chunk of a stored tile.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned,
)]
#[repr(C)]
pub struct ChunkHeader {
    /// Bytes of the chunk before filtering.
    pub original: U32,
    /// Bytes of the filtered data.
    pub filtered: U32,
    /// Bytes of the metadata that the filters recorded.
    pub metadata: U32,
}

const HEADER: usize = size_of::<ChunkHeader>();
const _: () = assert!(HEADER == 12);

const RECORD: &str = "TileChunks";

/// The position of one chunk, in the stored tile and in the unfiltered one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkEntry {
    /// First byte of the chunk in the unfiltered tile.
    pub start: u64,
    /// Bytes of the chunk in the unfiltered tile.
    pub original: u32,
    /// Bytes of filter metadata; in the stored tile, it precedes the filtered data.
    pub metadata: u32,
    /// Bytes of filtered data.
    pub filtered: u32,
    /// End of the chunk in the unfiltered tile.
    end: u64,
    /// Start of the metadata, its end and start of the filtered data, and end of that, in the stored tile.
    stored: [usize; 3],
}

impl ChunkEntry {
    /// The byte range of the unfiltered tile that this chunk holds.
    #[must_use]
    pub fn extent(&self) -> Range<u64> {
        self.start..self.end
    }

    /// Returns the chunk's filter metadata as a slice of `tile`, the stored tile that the table was
    /// parsed from.
    ///
    /// # Errors
    /// [`Bug`] if `tile` is too short, and so another one.
    pub fn metadata<'a>(&self, tile: &'a [u8]) -> Result<&'a [u8], Bug> {
        let [start, end, _] = self.stored;
        tile.get(start..end).ok_or_else(other_tile)
    }

    /// Returns the chunk's filtered data as a slice of `tile`, the stored tile that the table was
    /// parsed from.
    ///
    /// # Errors
    /// [`Bug`] if `tile` is too short, and so another one.
    pub fn filtered<'a>(&self, tile: &'a [u8]) -> Result<&'a [u8], Bug> {
        let [_, start, end] = self.stored;
        tile.get(start..end).ok_or_else(other_tile)
    }
}

#[track_caller]
fn other_tile() -> Bug {
    Bug::new("a chunk of another tile")
}

/// The chunks of one stored tile, found in one pass over their headers.
///
/// A table can be parsed into again and again, so that reading allocates nothing per chunk once the
/// table has grown.
///
/// ```
/// use tdb_tile::{ChunkTable, ChunkWriter, Limits};
/// let mut tile = Vec::new();
/// let mut writer = ChunkWriter::new(&mut tile);
/// writer.chunk(3, b"meta", b"abc").unwrap();
/// writer.finish()?;
///
/// let mut table = ChunkTable::default();
/// table.parse(&tile, &Limits::default())?;
/// assert_eq!(table.tile_size(), 3);
/// assert_eq!(table.entries()[0].filtered(&tile)?, b"abc");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ChunkTable {
    entries: Vec<ChunkEntry>,
    tile_size: u64,
}

impl ChunkTable {
    /// Reads all chunk headers of `tile`, which must hold exactly one stored tile.
    ///
    /// # Errors
    /// Fails if a chunk goes beyond the tile, if bytes follow the last chunk, or if the unfiltered
    /// sizes add up to more than [`Limits::data_tile`].
    pub fn parse(&mut self, tile: &[u8], limits: &Limits) -> Result<(), WireError> {
        self.entries.clear();
        self.tile_size = 0;
        let fail = |field, offset, kind| WireError::new(RECORD, field, offset, kind);
        let truncated = |needs: u64, left: usize| WireErrorKind::Truncated {
            needs,
            left: left as u64,
        };

        let (count, mut rest) =
            U64::read_from_prefix(tile).map_err(|_| fail("count", 0, truncated(8, tile.len())))?;
        WireErrorKind::check_items(count.get(), HEADER, rest.len() as u64)
            .map_err(|kind| fail("count", 0, kind))?;
        let offset = |rest: &[u8]| {
            let offset = tile.len().exact_sub(rest.len());
            offset.map_err(|bug| fail("offset", 0, bug.into()))
        };
        for _ in 0..count.get() {
            let here = offset(rest)?;
            let (header, body) = ChunkHeader::read_from_prefix(rest)
                .map_err(|_| fail("header", here, truncated(HEADER as u64, rest.len())))?;
            let (metadata, filtered) = (header.metadata.get(), header.filtered.get());
            let pieces = body
                .split_at_checked(metadata as usize)
                .and_then(|(_, data)| Some((data, data.get(filtered as usize..)?)));
            let start = offset(body)?;
            let Some((data, behind)) = pieces else {
                let needs = u64::from(metadata)
                    .exact_add(filtered.into())
                    .map_err(|bug| fail("data", start, bug.into()))?;
                return Err(fail("data", start, truncated(needs, body.len())));
            };
            let original = header.original.get();
            let end = self.tile_size.checked_add(original.into());
            let too_large = WireErrorKind::Invalid("the sizes add up to more than 2^64 bytes");
            let entry = ChunkEntry {
                start: self.tile_size,
                original,
                metadata,
                filtered,
                end: end.ok_or_else(|| fail("original size", here, too_large))?,
                stored: [start, offset(data)?, offset(behind)?],
            };
            rest = behind;
            self.tile_size = entry.end;
            Limits::check(
                "unfiltered tile size",
                "data_tile",
                self.tile_size,
                limits.data_tile,
            )
            .map_err(|limit| fail("original size", here, limit.into()))?;
            self.entries.push(entry);
        }
        if !rest.is_empty() {
            let kind = WireErrorKind::Trailing {
                left: rest.len() as u64,
            };
            return Err(fail("end", offset(rest)?, kind));
        }
        Ok(())
    }

    /// Like [`ChunkTable::parse`], for a tile whose unfiltered size is known.
    ///
    /// # Errors
    /// As for [`ChunkTable::parse`], and if the unfiltered sizes do not add up to `size`.
    pub fn parse_sized(
        &mut self,
        tile: &[u8],
        size: u64,
        limits: &Limits,
    ) -> Result<(), WireError> {
        self.parse(tile, limits)?;
        if self.tile_size != size {
            let kind = WireErrorKind::Mismatch {
                what: "unfiltered tile size",
                wanted: size,
                found: self.tile_size,
            };
            return Err(WireError::new(RECORD, "original size", 8, kind));
        }
        Ok(())
    }

    /// The chunks in stored order.
    #[must_use]
    pub fn entries(&self) -> &[ChunkEntry] {
        &self.entries
    }

    /// Bytes of the unfiltered tile.
    #[must_use]
    pub fn tile_size(&self) -> u64 {
        self.tile_size
    }

    /// Returns the chunks that hold any of these bytes of the unfiltered tile.
    #[must_use]
    pub fn overlapping(&self, bytes: Range<u64>) -> &[ChunkEntry] {
        let first = self.entries.partition_point(|e| e.end <= bytes.start);
        let last = self.entries.partition_point(|e| e.start < bytes.end);
        // An empty range may begin behind the chunk in which it ends.
        self.entries.get(first..last).unwrap_or(&[])
    }
}

/// Writes the chunks of one tile.
#[derive(Debug)]
pub struct ChunkWriter<'a> {
    out: &'a mut Vec<u8>,
    at: usize,
    count: u64,
}

impl<'a> ChunkWriter<'a> {
    /// Begins a tile at the end of `out`, with eight bytes reserved for the chunk count.
    #[must_use]
    pub fn new(out: &'a mut Vec<u8>) -> Self {
        let at = out.len();
        out.extend_from_slice(&[0; 8]);
        Self { out, at, count: 0 }
    }

    /// Appends a chunk whose unfiltered size is `original` bytes.
    ///
    /// # Errors
    /// [`Bug`] if the metadata or the data has 4 GiB or more: the limits of the filters refuse such
    /// a chunk earlier.
    pub fn chunk(&mut self, original: u32, metadata: &[u8], filtered: &[u8]) -> Result<(), Bug> {
        let len = |piece: &[u8]| {
            let len = u32::try_from(piece.len()).map(U32::new);
            len.map_err(|_| Bug::new("a piece of a chunk of 4 GiB or more"))
        };
        let header = ChunkHeader {
            original: U32::new(original),
            filtered: len(filtered)?,
            metadata: len(metadata)?,
        };
        self.out.extend_from_slice(header.as_bytes());
        self.out.extend_from_slice(metadata);
        self.out.extend_from_slice(filtered);
        self.count = self.count.exact_add(1)?;
        Ok(())
    }

    /// Ends the tile: writes the chunk count into the bytes reserved at its start.
    ///
    /// # Errors
    /// [`Bug`] if the reserved bytes are gone.
    pub fn finish(self) -> Result<(), Bug> {
        let place = self
            .out
            .get_mut(self.at..)
            .and_then(<[u8]>::first_chunk_mut)
            .ok_or_else(|| Bug::new("a tile without room for its chunk count"))?;
        *place = self.count.to_le_bytes();
        Ok(())
    }
}
