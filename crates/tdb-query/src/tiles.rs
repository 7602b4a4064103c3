//! The data tiles of one field of one fragment: where they are stored, and how they are decoded.

use std::ops::{Deref, DerefMut, Range};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use tdb_array::Fragment;
use tdb_filters::{Pipeline, Scratch};
use tdb_fragment::TileIndex;
use tdb_store::{Piece, Read, name};
use tdb_tile::{ChunkHeader, Limits, WireError, WireErrorKind};
use zerocopy::IntoBytes;

use crate::QueryError;
use crate::bytes_of_tiles::{Decoding, Kept};
use crate::error::TileError;

/// Bytes of the number of chunks that a stored tile begins with.
const CHUNK_COUNT: usize = 8;

/// What a thread keeps from tile to tile.
#[derive(Debug, Default)]
pub(crate) struct Worker {
    stored: Kept,
    tile: Kept,
    starts: Vec<u64>,
    scratch: Scratch,
    chunks: tdb_tile::ChunkTable,
}

/// The workers of a session that are not at work.
#[derive(Debug, Default)]
pub(crate) struct Workers {
    idle: Mutex<Vec<Worker>>,
}

/// A worker on loan; it goes back when dropped.
pub(crate) struct Lent<'a> {
    workers: &'a Workers,
    worker: Option<Worker>,
    spare: Worker,
}

impl Workers {
    pub(crate) fn lend(&self) -> Lent<'_> {
        let worker = self
            .idle
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop();
        Lent {
            workers: self,
            worker: Some(worker.unwrap_or_default()),
            spare: Worker::default(),
        }
    }
}

impl Deref for Lent<'_> {
    type Target = Worker;

    fn deref(&self) -> &Worker {
        self.worker.as_ref().unwrap_or(&self.spare)
    }
}

impl DerefMut for Lent<'_> {
    fn deref_mut(&mut self) -> &mut Worker {
        self.worker.as_mut().unwrap_or(&mut self.spare)
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        if let Some(worker) = self.worker.take() {
            self.workers
                .idle
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(worker);
        }
    }
}

/// One object with tiles, one after the other.
#[derive(Debug)]
pub(crate) struct StoredTiles {
    pub(crate) key: Arc<str>,
    pub(crate) pipeline: Pipeline,
}

impl StoredTiles {
    /// Says where the tile is that something is wrong with.
    fn locate(&self, extent: Option<Range<u64>>) -> impl Fn(TileError) -> Located {
        let offset = extent.map_or(0, |extent| extent.start);
        let key = Arc::clone(&self.key);
        move |error| Located {
            key: Arc::clone(&key),
            offset,
            error: Box::new(error),
        }
    }

    /// A tile as stored.
    fn fetch<'w>(
        &self,
        extent: Option<Range<u64>>,
        stored: &'w mut Kept,
        how: Decoding<'w>,
    ) -> Result<&'w [u8], TileError> {
        let extent = extent.ok_or_else(no_such_tile)?;
        let len = extent.end.saturating_sub(extent.start);
        Limits::check("stored tile size", "data_tile", len, how.limits.data_tile)?;
        how.counters.add_tile(len);
        let fetch = || how.bytes.fetch(&self.key, extent, stored, how.limits);
        how.counters.read.time(fetch)
    }

    /// What [`StoredTiles::fetch`] asks for.
    fn read(&self, extent: Option<Range<u64>>) -> Option<Read> {
        let extent = extent?;
        let len = extent.end.saturating_sub(extent.start);
        Some(Read::bounded(Arc::clone(&self.key), extent.start, len))
    }

    /// Decodes a whole tile into `out`, which has its size.
    fn decode(
        &self,
        extent: Option<Range<u64>>,
        out: &mut [u8],
        worker: &mut Worker,
        how: Decoding<'_>,
    ) -> Result<(), TileError> {
        let stored = self.fetch(extent, &mut worker.stored, how)?;
        self.unfilter(stored, out, None, &mut worker.scratch, how)
    }

    /// Undoes the filters of a whole tile.
    fn unfilter(
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

    /// Decodes chunks of a tile that hold bytes `wanted`, and shows them one by one to `each`, which says
    /// from which byte on more is wanted. Gives back how many bytes it decoded.
    fn for_each_piece(
        &self,
        extent: Option<Range<u64>>,
        tile_size: u64,
        wanted: Range<u64>,
        worker: &mut Worker,
        how: Decoding<'_>,
        each: &mut dyn FnMut(u64, &[u8]) -> u64,
    ) -> Result<u64, TileError> {
        let stored = self.fetch(extent, &mut worker.stored, how)?;
        worker.chunks.parse_sized(stored, tile_size, how.limits)?;
        let (mut used, mut decoded, mut next) = (0, 0, wanted.start);
        how.counters.decode.time(|| {
            for chunk in worker.chunks.overlapping(wanted) {
                if chunk.extent().end <= next {
                    continue;
                }
                used += u64::from(chunk.filtered) + u64::from(chunk.metadata);
                decoded += u64::from(chunk.original);
                let filtered = chunk.filtered(stored);
                if self.pipeline.is_identity()
                    && chunk.original == chunk.filtered
                    && chunk.metadata == 0
                {
                    next = each(chunk.start, filtered);
                    continue;
                }
                let out = worker.tile.lend(chunk.original as usize, how.limits)?;
                self.pipeline.decode_chunk(
                    chunk.metadata(stored),
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
        let headers = CHUNK_COUNT + worker.chunks.entries().len() * size_of::<ChunkHeader>();
        let chunks = stored.len().saturating_sub(headers) as u64;
        how.counters.add_skipped(chunks.saturating_sub(used));
        how.counters.add_decoded(decoded);
        Ok(decoded)
    }
}

/// What is wrong with a stored tile, and where that is.
#[derive(Debug)]
pub(crate) struct Located {
    pub(crate) key: Arc<str>,
    pub(crate) offset: u64,
    pub(crate) error: Box<TileError>,
}

/// Names the place of what went wrong in a tile.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) fragment: String,
    pub(crate) field: String,
    pub(crate) lost: Option<Lost>,
}

/// Tiles that a fragment lacks, as its writer lost them.
#[derive(Clone, Debug)]
pub(crate) struct Lost {
    /// The first of them; all others come behind it.
    pub(crate) from: u64,
    pub(crate) fragment: Arc<Fragment>,
}

impl Place {
    pub(crate) fn at(&self, tile: usize, found: Located) -> QueryError {
        let lost = self.lost.as_ref();
        if let Some(lost) = lost.filter(|lost| lost.from <= tile as u64) {
            return QueryError::LostTile {
                fragment: self.fragment.clone(),
                tile: tile as u64,
                lost_from: lost.from,
                tiles: lost.fragment.metadata.tile_count(),
                cells: lost.fragment.tile_text(tile as u64),
            };
        }
        QueryError::Tile {
            fragment: self.fragment.clone(),
            field: self.field.clone(),
            tile: tile as u64,
            file: name(&found.key).to_owned(),
            offset: found.offset,
            source: found.error,
        }
    }
}

/// The tiles of one field of one fragment.
#[derive(Debug)]
pub(crate) struct FieldTiles {
    pub(crate) place: Place,
    /// Values of fixed size, or where var-sized cells begin.
    pub(crate) main: StoredTiles,
    /// Bytes of a cell of fixed size.
    pub(crate) cell_size: usize,
    /// The values of a var-sized field.
    pub(crate) var: Option<StoredTiles>,
    pub(crate) validity: Option<StoredTiles>,
    /// Where the tiles are.
    pub(crate) index: TileIndex,
}

impl FieldTiles {
    /// Unfiltered bytes of the values of a var-sized field's tile; 0 for others.
    pub(crate) fn var_size(&self, tile: usize) -> u64 {
        self.index.var_size(tile as u64).unwrap_or(0)
    }

    /// What a tile takes to be decoded.
    pub(crate) fn reads(&self, tile: usize) -> impl Iterator<Item = Read> {
        let tile = tile as u64;
        let var = self.var.as_ref();
        let validity = self.validity.as_ref();
        let main = self.main.read(self.index.tile_extent(tile));
        let var = var.and_then(|var| var.read(self.index.var_extent(tile)));
        let validity = validity.and_then(|v| v.read(self.index.validity_extent(tile)));
        [main, var, validity].into_iter().flatten()
    }

    /// The bytes of [`FieldTiles::reads`], as they are stored.
    pub(crate) fn fetch(&self, tile: usize, how: Decoding<'_>) -> Result<Vec<Piece>, QueryError> {
        let number = tile as u64;
        let var = self.var.as_ref();
        let validity = self.validity.as_ref();
        let all = [
            Some((&self.main, self.index.tile_extent(number))),
            var.map(|var| (var, self.index.var_extent(number))),
            validity.map(|validity| (validity, self.index.validity_extent(number))),
        ];
        let fetched = all.into_iter().flatten().map(|(tiles, extent)| {
            let mut stored = Kept::default();
            let offset = extent.as_ref().map_or(0, |extent| extent.start);
            let fetched = tiles.fetch(extent.clone(), &mut stored, how);
            fetched.map_err(tiles.locate(extent))?;
            let bytes = Bytes::from(stored);
            Ok(Piece { offset, bytes })
        });
        let fetched: Result<_, Located> = fetched.collect();
        fetched.map_err(|e| self.place.at(tile, e))
    }

    /// All values of a tile of fixed-size cells, into `out` of `cells` cells.
    pub(crate) fn read_fixed(
        &self,
        tile: usize,
        cells: u64,
        out: &mut [u8],
        worker: &mut Worker,
        how: Decoding<'_>,
    ) -> Result<(), QueryError> {
        debug_assert_eq!(
            out.len() as u64,
            cells.saturating_mul(self.cell_size as u64)
        );
        how.counters.add_cells(cells);
        let extent = self.index.tile_extent(tile as u64);
        self.main
            .decode(extent.clone(), out, worker, how)
            .map_err(self.main.locate(extent))
            .map_err(|e| self.place.at(tile, e))
    }

    /// Shows the unfiltered bytes of a tile of `cells` fixed-size cells, piece by piece in their order,
    /// leaving out chunks that hold none of the bytes `wanted`, and those before the byte that `each` gives
    /// back: the next one that it needs.
    pub(crate) fn for_each_piece(
        &self,
        tile: usize,
        cells: u64,
        wanted: Range<u64>,
        worker: &mut Worker,
        how: Decoding<'_>,
        each: &mut dyn FnMut(u64, &[u8]) -> u64,
    ) -> Result<(), QueryError> {
        let size = cells.saturating_mul(self.cell_size as u64);
        let extent = self.index.tile_extent(tile as u64);
        let decoded = self
            .main
            .for_each_piece(extent.clone(), size, wanted, worker, how, each)
            .map_err(self.main.locate(extent))
            .map_err(|e| self.place.at(tile, e))?;
        how.counters
            .add_cells(decoded / self.cell_size.max(1) as u64);
        Ok(())
    }

    /// Which cells of a tile are not null, a byte each; all of them where the field is not nullable.
    pub(crate) fn read_validity(
        &self,
        tile: usize,
        out: &mut [u8],
        worker: &mut Worker,
        how: Decoding<'_>,
    ) -> Result<(), QueryError> {
        match &self.validity {
            Some(validity) => {
                let extent = self.index.validity_extent(tile as u64);
                validity
                    .decode(extent.clone(), out, worker, how)
                    .map_err(validity.locate(extent))
                    .map_err(|e| self.place.at(tile, e))
            }
            None => {
                out.fill(1);
                Ok(())
            }
        }
    }

    /// A tile of var-sized cells: where each begins among the tile's values, and the values.
    ///
    /// `values` has [`FieldTiles::var_size`] bytes, `starts` the number of cells.
    pub(crate) fn read_var(
        &self,
        tile: usize,
        starts: &mut [u64],
        values: &mut [u8],
        worker: &mut Worker,
        how: Decoding<'_>,
    ) -> Result<(), QueryError> {
        self.try_read_var(tile, starts, values, worker, how)
            .map_err(|e| self.place.at(tile, e))
    }

    fn try_read_var(
        &self,
        tile: usize,
        starts: &mut [u64],
        values: &mut [u8],
        worker: &mut Worker,
        how: Decoding<'_>,
    ) -> Result<(), Located> {
        let Some(var) = &self.var else { return Ok(()) };
        let extent = self.index.tile_extent(tile as u64);
        let in_offsets = self.main.locate(extent.clone());
        let var_extent = self.index.var_extent(tile as u64);
        let in_values = var.locate(var_extent.clone());
        let offsets = self.main.fetch(extent, &mut worker.stored, how);
        let offsets = offsets.map_err(&in_offsets)?;
        let folded = !starts.is_empty() && var.pipeline.folds_offsets_of(offsets);
        if !folded {
            let (out, scratch) = (starts.as_mut_bytes(), &mut worker.scratch);
            let done = self.main.unfilter(offsets, out, None, scratch, how);
            done.map_err(&in_offsets)?;
            if cfg!(target_endian = "big") {
                starts
                    .iter_mut()
                    .for_each(|start| *start = u64::from_le(*start));
            }
        }
        let stored = var.fetch(var_extent, &mut worker.stored, how);
        let stored = stored.map_err(&in_values)?;
        if folded {
            worker.starts.clear();
            let found = Some(&mut worker.starts);
            let done = var.unfilter(stored, values, found, &mut worker.scratch, how);
            done.map_err(&in_values)?;
            if worker.starts.len() != starts.len() {
                let (wanted, found) = (starts.len() as u64, worker.starts.len() as u64);
                return Err(in_values(mismatch("cells", wanted, found)));
            }
            starts.copy_from_slice(&worker.starts);
        } else {
            let done = var.unfilter(stored, values, None, &mut worker.scratch, how);
            done.map_err(&in_values)?;
        }
        how.counters.add_cells(starts.len() as u64);
        check_starts(starts, values.len() as u64).map_err(in_offsets)
    }
}

/// Cells must begin one after the other, the first at the beginning, the last before the end.
fn check_starts(starts: &[u64], size: u64) -> Result<(), TileError> {
    let ordered = starts.is_sorted() && starts.first().is_none_or(|&first| first == 0);
    if ordered && starts.last().is_none_or(|&last| last <= size) {
        return Ok(());
    }
    let kind = WireErrorKind::Invalid("cells do not begin one after the other within the tile");
    Err(TileError::Wire(WireError::new(
        "OffsetsTile",
        "offsets",
        0,
        kind,
    )))
}

fn no_such_tile() -> TileError {
    let kind = WireErrorKind::Invalid("the fragment has no such tile");
    TileError::Wire(WireError::new("TileOffsets", "offsets", 0, kind))
}

fn mismatch(what: &'static str, wanted: u64, found: u64) -> TileError {
    TileError::Wire(WireError::new(
        "Tile",
        what,
        0,
        WireErrorKind::Mismatch {
            what,
            wanted,
            found,
        },
    ))
}

/// The coordinates of all dimensions, tile by tile, as fragments before version 5 keep them.
#[derive(Debug)]
pub(crate) struct ZippedTiles {
    pub(crate) place: Place,
    pub(crate) tiles: StoredTiles,
    pub(crate) index: TileIndex,
    /// Bytes of one coordinate.
    pub(crate) size: usize,
    pub(crate) dimensions: usize,
    /// Cell after cell, rather than dimension after dimension.
    pub(crate) interleaved: bool,
}

impl ZippedTiles {
    /// What a tile takes to be decoded.
    pub(crate) fn reads(&self, tile: usize) -> Option<Read> {
        self.tiles.read(self.index.tile_extent(tile as u64))
    }

    /// The coordinates of a tile, each dimension into its own memory.
    pub(crate) fn read(
        &self,
        tile: usize,
        out: &mut [(usize, &mut [u8])],
        worker: &mut Worker,
        how: Decoding<'_>,
    ) -> Result<(), QueryError> {
        self.try_read(tile, out, worker, how)
            .map_err(self.tiles.locate(self.index.tile_extent(tile as u64)))
            .map_err(|e| self.place.at(tile, e))
    }

    fn try_read(
        &self,
        tile: usize,
        out: &mut [(usize, &mut [u8])],
        worker: &mut Worker,
        how: Decoding<'_>,
    ) -> Result<(), TileError> {
        let one = out.first().map_or(0, |(_, place)| place.len());
        let len = one.saturating_mul(self.dimensions);
        Limits::check(
            "unfiltered tile size",
            "data_tile",
            len as u64,
            how.limits.data_tile,
        )?;
        let mut coordinates = std::mem::take(&mut worker.tile);
        let decoded = coordinates.lend(len, how.limits)?;
        let result = self
            .tiles
            .decode(self.index.tile_extent(tile as u64), decoded, worker, how);
        if result.is_ok() {
            how.counters.add_cells((len / self.size.max(1)) as u64);
            for (dimension, place) in out {
                self.copy(decoded, *dimension, one, place);
            }
        }
        worker.tile = coordinates;
        result
    }

    fn copy(&self, tile: &[u8], dimension: usize, one: usize, place: &mut [u8]) {
        if !self.interleaved {
            let start = one.saturating_mul(dimension);
            if let Some(values) = tile.get(start..start.saturating_add(one)) {
                place.copy_from_slice(values);
            }
            return;
        }
        let tuple = self.size.saturating_mul(self.dimensions).max(1);
        let at = self.size.saturating_mul(dimension);
        for (cell, tuple) in place
            .chunks_exact_mut(self.size.max(1))
            .zip(tile.chunks_exact(tuple))
        {
            if let Some(value) = tuple.get(at..at.saturating_add(self.size)) {
                cell.copy_from_slice(value);
            }
        }
    }
}
