//! Coordinates of fragments before format version 5: those of all dimensions in one file.

use tdb_fragment::{TileIndex, TileNumber};
use tdb_store::Read;
use tdb_tile::Limits;

use crate::stored_tiles::{Owner, StoredTiles};
use crate::worker::Worker;
use crate::{CellsError, Decoding, TileError};

/// Coordinates of all dimensions, stored together tile by tile, as in fragments before format version 5.
#[derive(Debug)]
pub struct ZippedTiles {
    pub(crate) owner: Owner,
    /// The stored tiles.
    pub tiles: StoredTiles,
    /// Locations of the tiles.
    pub index: TileIndex,
    /// Bytes of one coordinate.
    pub size: usize,
    /// Number of dimensions.
    pub dimensions: usize,
    /// Whether coordinates are stored cell by cell rather than dimension by dimension.
    pub interleaved: bool,
}

impl ZippedTiles {
    /// Approximate bytes of memory that this takes, without the contents of the tile index.
    pub(crate) fn bytes(&self) -> usize {
        let beside = self.owner.bytes_beside();
        size_of::<Self>()
            .saturating_add(beside)
            .saturating_add(self.tiles.bytes_beside())
    }

    /// The byte range that must be read to decode a tile.
    pub fn reads(&self, tile: TileNumber) -> Option<Read> {
        self.tiles.read(self.index.tile_extent(tile.get()))
    }

    /// Decodes the coordinates of a tile into separate memory for each requested dimension.
    pub fn read(
        &self,
        tile: TileNumber,
        out: &mut [(usize, &mut [u8])],
        worker: &mut Worker,
        how: Decoding<'_>,
    ) -> Result<(), CellsError> {
        self.try_read(tile, out, worker, how)
            .map_err(self.tiles.locate(self.index.tile_extent(tile.get())))
            .map_err(|e| self.owner.at(tile, e))
    }

    fn try_read(
        &self,
        tile: TileNumber,
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
            .decode(self.index.tile_extent(tile.get()), decoded, worker, how);
        if result.is_ok() {
            how.counters
                .add_cells(len.checked_div(self.size).map_or(0, |cells| cells as u64));
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
