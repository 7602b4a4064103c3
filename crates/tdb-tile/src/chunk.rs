use std::ops::Range;

use zerocopy::little_endian::{U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::{Bug, Limits, WireError, WireErrorKind};

/// Stands before every chunk of a stored tile.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned,
)]
#[repr(C)]
pub struct ChunkHeader {
    /// Bytes of the chunk before filtering.
    pub original: U32,
    /// Bytes of the filtered data.
    pub filtered: U32,
    /// Bytes of what the filters recorded.
    pub metadata: U32,
}

const HEADER: usize = size_of::<ChunkHeader>();
const _: () = assert!(HEADER == 12);

const RECORD: &str = "TileChunks";

/// Where one chunk stands, in the stored tile and in the unfiltered one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkEntry {
    /// First byte of the chunk in the unfiltered tile.
    pub start: u64,
    /// Bytes of the chunk in the unfiltered tile.
    pub original: u32,
    /// Bytes of filter metadata.
    pub metadata: u32,
    /// Bytes of filtered data, behind the metadata.
    pub filtered: u32,
    at: usize,
}

impl ChunkEntry {
    /// The bytes of the unfiltered tile that this chunk holds.
    #[must_use]
    pub fn extent(&self) -> Range<u64> {
        self.start..self.start.saturating_add(u64::from(self.original))
    }

    /// The chunk's filter metadata, out of the tile that the table was made from.
    #[must_use]
    pub fn metadata<'a>(&self, tile: &'a [u8]) -> &'a [u8] {
        self.piece(tile, self.at, self.metadata)
    }

    /// The chunk's filtered data, out of the tile that the table was made from.
    #[must_use]
    pub fn filtered<'a>(&self, tile: &'a [u8]) -> &'a [u8] {
        self.piece(
            tile,
            self.at.saturating_add(self.metadata as usize),
            self.filtered,
        )
    }

    fn piece<'a>(&self, tile: &'a [u8], at: usize, len: u32) -> &'a [u8] {
        at.checked_add(len as usize)
            .and_then(|end| tile.get(at..end))
            .unwrap_or(&[])
    }
}

/// The chunks of one stored tile, found by one pass over their headers.
///
/// A table is filled again and again, so that reading allocates nothing per chunk
/// once it has grown.
///
/// ```
/// use tdb_tile::{ChunkTable, ChunkWriter, Limits};
/// let mut tile = Vec::new();
/// let mut writer = ChunkWriter::new(&mut tile);
/// writer.chunk(3, b"meta", b"abc").unwrap();
/// writer.finish();
///
/// let mut table = ChunkTable::default();
/// table.parse(&tile, &Limits::default())?;
/// assert_eq!(table.tile_size(), 3);
/// assert_eq!(table.entries()[0].filtered(&tile), b"abc");
/// # Ok::<(), tdb_tile::WireError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ChunkTable {
    entries: Vec<ChunkEntry>,
    tile_size: u64,
}

impl ChunkTable {
    /// Reads the chunk headers of the stored tile that fills `tile`.
    ///
    /// # Errors
    /// A chunk that goes beyond the tile, bytes after the last one, or unfiltered sizes
    /// that add up to more than [`Limits::data_tile`].
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
        let needs = count.get().saturating_mul(HEADER as u64);
        if needs > rest.len() as u64 {
            return Err(fail("count", 0, truncated(needs, rest.len())));
        }
        for _ in 0..count.get() {
            let here = tile.len().saturating_sub(rest.len());
            let (header, body) = ChunkHeader::read_from_prefix(rest)
                .map_err(|_| fail("header", here, truncated(HEADER as u64, rest.len())))?;
            let entry = ChunkEntry {
                start: self.tile_size,
                original: header.original.get(),
                metadata: header.metadata.get(),
                filtered: header.filtered.get(),
                at: here.saturating_add(HEADER),
            };
            let stored = u64::from(entry.metadata).saturating_add(u64::from(entry.filtered));
            rest = usize::try_from(stored)
                .ok()
                .and_then(|stored| body.get(stored..))
                .ok_or_else(|| fail("data", entry.at, truncated(stored, body.len())))?;
            self.tile_size = entry.extent().end;
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
            return Err(fail("end", tile.len().saturating_sub(rest.len()), kind));
        }
        Ok(())
    }

    /// As [`ChunkTable::parse`], for a tile whose unfiltered size is known.
    ///
    /// # Errors
    /// As there, and where the chunks add up to another size.
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

    /// The chunks that hold any of these bytes of the unfiltered tile.
    #[must_use]
    pub fn overlapping(&self, bytes: Range<u64>) -> &[ChunkEntry] {
        let first = self
            .entries
            .partition_point(|e| e.extent().end <= bytes.start);
        let last = self.entries.partition_point(|e| e.start < bytes.end);
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
    /// Begins a tile at the end of `out`.
    #[must_use]
    pub fn new(out: &'a mut Vec<u8>) -> Self {
        let at = out.len();
        out.extend_from_slice(&[0; 8]);
        Self { out, at, count: 0 }
    }

    /// Appends a chunk that held `original` bytes before it was filtered.
    ///
    /// # Errors
    /// Pieces of 4 GiB and more: the filters' own limits refuse them before.
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
        self.count = self.count.saturating_add(1);
        Ok(())
    }

    /// Ends the tile: writes the chunk count in front.
    pub fn finish(self) {
        let count = self.count.to_le_bytes();
        if let Some(place) = self.out.get_mut(self.at..self.at.saturating_add(8)) {
            place.copy_from_slice(&count);
        }
    }
}
