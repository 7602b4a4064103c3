//! Coordinates of fragments before format version 5: those of all dimensions in one file.

use tdb_fragment::{TileIndex, TileNumber};
use tdb_store::Read;
use tdb_tile::{Bug, Limits};

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
        let beside = [self.owner.bytes_beside(), self.tiles.bytes_beside()];
        beside.iter().chain([&size_of::<Self>()]).sum()
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
        let Some(one) = out.first().map(|(_, place)| place.len()) else {
            return Ok(());
        };
        let len = one
            .checked_mul(self.dimensions)
            .ok_or_else(|| Bug::new("a tile of coordinates beyond memory"))?;
        Limits::check(
            "unfiltered tile size",
            "data_tile",
            len as u64,
            how.limits.data_tile,
        )?;
        let mut coordinates = std::mem::take(&mut worker.tile);
        let decoded = coordinates.lend(len, how.limits)?;
        let mut result =
            self.tiles
                .decode(self.index.tile_extent(tile.get()), decoded, worker, how);
        if result.is_ok() {
            how.counters
                .add_cells(len.checked_div(self.size).map_or(0, |cells| cells as u64));
            let mut places = out.iter_mut();
            let copied = places.try_for_each(|(dimension, place)| {
                let copied = self.copy(decoded, *dimension, place);
                copied.ok_or_else(|| Bug::new("coordinates outside their tile"))
            });
            result = copied.map_err(TileError::from);
        }
        worker.tile = coordinates;
        result
    }

    /// Copies the coordinates of a dimension; `None` unless there is exactly one for each place.
    fn copy(&self, tile: &[u8], dimension: usize, place: &mut [u8]) -> Option<()> {
        if tile.len() != place.len().checked_mul(self.dimensions)? {
            return None;
        }
        if !self.interleaved {
            if !place.is_empty() {
                place.copy_from_slice(tile.chunks_exact(place.len()).nth(dimension)?);
            }
            return Some(());
        }
        let tuple = self
            .size
            .checked_mul(self.dimensions)
            .filter(|bytes| *bytes > 0)?;
        let at = self.size.checked_mul(dimension)?;
        let value = at..at.checked_add(self.size)?;
        let tuples = tile.chunks_exact(tuple);
        let cells = place.chunks_exact_mut(self.size);
        for (cell, tuple) in cells.zip(tuples) {
            cell.copy_from_slice(tuple.get(value.clone())?);
        }
        Some(())
    }
}
