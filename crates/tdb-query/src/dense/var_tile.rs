//! Tile of var-sized cells of a dense fragment.

use tdb_cells::{Decoding, FieldTiles, Worker};
use tdb_fragment::TileNumber;
use tdb_tile::{Bug, Limits};

use crate::QueryError;
use crate::scatter::index;

/// Tile to decode, whose sizes are within the limits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VarTile<'a> {
    tiles: &'a FieldTiles,
    tile: TileNumber,
    cells: usize,
    bytes: usize,
}

/// Cells of a decoded tile.
#[derive(Debug, Default)]
pub(crate) struct DecodedVarTile {
    /// Offset of each cell, and the end of the last.
    pub(crate) starts: Vec<u64>,
    pub(crate) values: Vec<u8>,
}

impl<'a> VarTile<'a> {
    pub(crate) fn new(
        tiles: &'a FieldTiles,
        tile: TileNumber,
        cells: u64,
        how: Decoding<'_>,
    ) -> Result<Self, QueryError> {
        let most = how.limits.data_tile;
        // More than 64 bits count are refused like all that are more than the limit.
        let offsets = cells.saturating_mul(8);
        // The source of a row is numbered with 32 bits for the tile and 32 for the cell.
        Limits::check(
            "offsets tile size",
            "data_tile",
            offsets,
            most.min(u64::from(u32::MAX)),
        )?;
        let bytes = tiles.var_size(tile);
        Limits::check("values tile size", "data_tile", bytes, most)?;
        let (cells, bytes) = (index(cells)?, index(bytes)?);
        Ok(Self {
            tiles,
            tile,
            cells,
            bytes,
        })
    }

    /// Returns the number of bytes of the values of all cells.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(crate) fn decode(
        &self,
        worker: &mut Worker,
        how: Decoding<'_>,
    ) -> Result<DecodedVarTile, QueryError> {
        let mut decoded = DecodedVarTile {
            starts: vec![0; self.cells + 1],
            values: vec![0; self.bytes],
        };
        if let Some((end, starts)) = decoded.starts.split_last_mut() {
            self.decode_into(starts, &mut decoded.values, worker, how)?;
            *end = self.bytes as u64;
        }
        Ok(decoded)
    }

    /// Writes the offset of each cell, counted from the start of the tile, and all values.
    pub(crate) fn decode_into(
        &self,
        starts: &mut [u64],
        values: &mut [u8],
        worker: &mut Worker,
        how: Decoding<'_>,
    ) -> Result<(), QueryError> {
        Ok(self
            .tiles
            .read_var(self.tile, starts, values, worker, how)?)
    }
}

impl DecodedVarTile {
    /// Returns the values of `count` adjacent cells.
    pub(crate) fn cells(&self, first: usize, count: usize) -> Result<&[u8], Bug> {
        let ends = self.starts.get(first).zip(self.starts.get(first + count));
        let (start, end) = ends.ok_or_else(unknown)?;
        self.values
            .get(index(*start)?..index(*end)?)
            .ok_or_else(unknown)
    }

    /// Copies the values and the offsets of adjacent cells; returns the number of bytes before the first.
    pub(crate) fn copy(
        &self,
        first: usize,
        starts: &mut [u64],
        values: &mut [u8],
    ) -> Result<u64, Bug> {
        let rows = starts.len();
        let from = self.cells(first, rows)?;
        let begins = self.starts.get(first..first + rows).ok_or_else(unknown)?;
        if from.len() != values.len() {
            return Err(unknown());
        }
        values.copy_from_slice(from);
        starts.copy_from_slice(begins);
        Ok(begins.first().copied().unwrap_or(0))
    }
}

fn unknown() -> Bug {
    Bug::new("a row whose values are in no tile that was decoded")
}
