//! The tiles in one object: fetching them, and decoding them in whole or in part.

use std::ops::Range;
use std::sync::Arc;

use tdb_filters::{Pipeline, Scratch};
use tdb_fragment::{FragmentMetadata, TileNumber};
use tdb_schema::ArraySchema;
use tdb_store::{Read, name};
use tdb_tile::{ChunkHeader, Exact, Limits, WireError, WireErrorKind};

use crate::unfiltered::{Part, Whole};
use crate::worker::Worker;
use crate::{CellsError, Decoding, KeptMemory, StoredBytes, TileError};

/// Size of the number of chunks at the beginning of a stored tile, in bytes.
const CHUNK_COUNT: usize = 8;

/// An object that contains tiles, one after the other.
#[derive(Debug)]
pub struct StoredTiles {
    /// Key of the object.
    pub key: Arc<str>,
    /// Filter pipeline of the tiles.
    pub pipeline: Pipeline,
    /// Bytes of a cell; writers never split a cell between chunks.
    pub(crate) cell_size: usize,
}

impl StoredTiles {
    /// Approximate bytes of heap memory: the key and the filters.
    pub(crate) fn bytes_beside(&self) -> usize {
        [self.key.len(), self.pipeline.bytes_beside()].iter().sum()
    }

    /// Returns a function that adds the key and the offset of a tile to an error.
    pub(crate) fn locate(&self, extent: Option<Range<u64>>) -> impl Fn(TileError) -> TileFailure {
        let offset = extent.map_or(0, |extent| extent.start);
        let key = Arc::clone(&self.key);
        move |error| TileFailure {
            key: Arc::clone(&key),
            offset,
            error: Box::new(error),
        }
    }

    /// Fetches a tile in stored form.
    pub(crate) fn fetch<'w>(
        &self,
        extent: Option<Range<u64>>,
        stored: &'w mut KeptMemory,
        how: Decoding<'w>,
    ) -> Result<StoredBytes<'w>, TileError> {
        let extent = extent.ok_or_else(no_such_tile)?;
        how.counters.add_tile(stored_len(&extent, how)?);
        let fetch = || how.bytes.fetch(&self.key, extent, stored, how.limits);
        how.counters.read.time(fetch)
    }

    /// The byte range that [`StoredTiles::fetch`] requests.
    pub(crate) fn read(&self, extent: Option<Range<u64>>) -> Option<Read> {
        let extent = extent?;
        let len = extent.end.checked_sub(extent.start)?;
        Some(Read::bounded(Arc::clone(&self.key), extent.start, len))
    }

    /// Decodes a whole tile into `out`, which has the size of the unfiltered tile.
    pub(crate) fn decode(
        &self,
        extent: Option<Range<u64>>,
        out: &mut [u8],
        worker: &mut Worker,
        how: Decoding<'_>,
    ) -> Result<(), TileError> {
        if self.read_unfiltered(extent.as_ref(), out, how)? {
            return Ok(());
        }
        let stored = self.fetch(extent, &mut worker.stored, how)?;
        self.unfilter(&stored, out, None, &mut worker.scratch, how)
    }

    /// Reads a whole unfiltered tile from a near store directly into `out`. Returns false if it was not read because
    /// it has filters, the store is not near, or its chunks are not cut as writers do.
    fn read_unfiltered(
        &self,
        extent: Option<&Range<u64>>,
        out: &mut [u8],
        how: Decoding<'_>,
    ) -> Result<bool, TileError> {
        let store = how.bytes.near().filter(|_| self.pipeline.is_identity());
        let (Some(store), Some(extent)) = (store, extent) else {
            return Ok(false);
        };
        let Some(whole) = Whole::new(extent, out.len(), self.cell_size) else {
            return Ok(false);
        };
        let len = stored_len(extent, how)?;
        let read = || whole.read(store, &self.key, out);
        let is_read = how.counters.read.time(read)?;
        if is_read {
            how.counters.add_tile(len);
            how.counters.add_decoded(out.len() as u64);
        }
        Ok(is_read)
    }

    /// Undoes the filters of a whole tile.
    pub(crate) fn unfilter(
        &self,
        stored: &[u8],
        out: &mut [u8],
        starts: Option<&mut Vec<u64>>,
        scratch: &mut Scratch,
        how: Decoding<'_>,
    ) -> Result<(), TileError> {
        how.counters.add_decoded(out.len() as u64);
        let decode = || {
            self.pipeline
                .decode_tile(stored, out, starts, scratch, how.limits)
        };
        Ok(how.counters.decode.time(decode)?)
    }

    /// Locates the chunks that contain the bytes `wanted` of an unfiltered tile in a near store; `None` if they are
    /// the whole tile or must be found by reading it.
    fn part(
        &self,
        extent: Option<&Range<u64>>,
        tile_size: u64,
        wanted: &Range<u64>,
        how: Decoding<'_>,
    ) -> Option<Part> {
        let knows = how.bytes.near().is_some() && self.pipeline.is_identity();
        extent
            .filter(|_| knows)
            .and_then(|extent| Part::new(extent, tile_size, self.cell_size, wanted))
    }

    /// Decodes the chunks of a tile that contain bytes `wanted`, and passes each to `each`, which returns the offset
    /// of the next byte that it needs. Returns the number of decoded bytes.
    #[expect(
        clippy::arithmetic_side_effects,
        reason = "sizes of chunks of one tile, which add up to that of the tile"
    )]
    pub(crate) fn for_each_piece(
        &self,
        extent: Option<Range<u64>>,
        tile_size: u64,
        wanted: Range<u64>,
        worker: &mut Worker,
        how: Decoding<'_>,
        each: &mut dyn FnMut(u64, &[u8]) -> u64,
    ) -> Result<u64, TileError> {
        if let Some(part) = self.part(extent.as_ref(), tile_size, &wanted, how) {
            let stored = self.fetch(Some(part.extent()), &mut worker.stored, how)?;
            if let Some(decoded) = part.show(&stored, &wanted, how.counters, each) {
                return Ok(decoded);
            }
        }
        let stored = &*self.fetch(extent, &mut worker.stored, how)?;
        worker.chunks.parse_sized(stored, tile_size, how.limits)?;
        let (mut used, mut decoded, mut next) = (0_u64, 0_u64, wanted.start);
        how.counters.decode.time(|| {
            for chunk in worker.chunks.overlapping(wanted) {
                if chunk.extent().end <= next {
                    continue;
                }
                used += u64::from(chunk.filtered) + u64::from(chunk.metadata);
                decoded += u64::from(chunk.original);
                let filtered = chunk.filtered(stored)?;
                if self.pipeline.is_identity()
                    && chunk.original == chunk.filtered
                    && chunk.metadata == 0
                {
                    next = each(chunk.start, filtered);
                    continue;
                }
                let out = worker.tile.lend(chunk.original as usize, how.limits)?;
                self.pipeline.decode_chunk(
                    chunk.metadata(stored)?,
                    filtered,
                    out,
                    None,
                    &mut worker.scratch,
                    how.limits,
                )?;
                next = each(chunk.start, out);
            }
            Ok::<_, TileError>(())
        })?;
        let headers = worker.chunks.entries().len() * size_of::<ChunkHeader>();
        let chunks = stored.len() - CHUNK_COUNT - headers;
        how.counters.add_skipped(chunks as u64 - used);
        how.counters.add_decoded(decoded);
        Ok(decoded)
    }
}

/// An error in a stored tile, and the place of the tile.
#[derive(Debug)]
pub(crate) struct TileFailure {
    pub(crate) key: Arc<str>,
    pub(crate) offset: u64,
    pub(crate) error: Box<TileError>,
}

/// Fragment and field that tiles belong to, for errors.
#[derive(Clone, Debug)]
pub(crate) struct Owner {
    pub(crate) fragment: String,
    pub(crate) field: String,
    pub(crate) lost: Option<LostTiles>,
}

/// Tiles that the fragment lacks because their writer lost them.
#[derive(Clone, Debug)]
pub(crate) struct LostTiles {
    /// The first lost tile; all later ones are lost, too.
    pub(crate) from: u64,
    pub(crate) metadata: Arc<FragmentMetadata>,
    pub(crate) schema: Arc<ArraySchema>,
}

impl Owner {
    /// Approximate bytes of heap memory.
    pub(crate) fn bytes_beside(&self) -> usize {
        [&self.fragment, &self.field].map(String::len).iter().sum()
    }

    pub(crate) fn at(&self, tile: TileNumber, found: TileFailure) -> CellsError {
        let lost = self.lost.as_ref();
        if let Some(lost) = lost.filter(|lost| lost.from <= tile.get()) {
            return CellsError::LostTile {
                fragment: self.fragment.clone(),
                tile: tile.get(),
                lost_from: lost.from,
                tiles: lost.metadata.tile_count(),
                cells: lost.metadata.tile_text(tile.get(), &lost.schema),
            };
        }
        CellsError::Tile {
            fragment: self.fragment.clone(),
            field: self.field.clone(),
            tile: tile.get(),
            file: name(&found.key).to_owned(),
            offset: found.offset,
            source: found.error,
        }
    }
}

/// Size of a stored tile in bytes, checked against the limit.
fn stored_len(extent: &Range<u64>, how: Decoding<'_>) -> Result<u64, TileError> {
    let len = extent.end.exact_sub(extent.start)?;
    Limits::check("stored tile size", "data_tile", len, how.limits.data_tile)?;
    Ok(len)
}

fn no_such_tile() -> TileError {
    let kind = WireErrorKind::Invalid("the fragment has no such tile");
    TileError::Wire(WireError::new("TileOffsets", "offsets", 0, kind))
}
