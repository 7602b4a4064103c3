//! Reads var-sized values in two passes: first the source of each cell, then all values.

use tdb_cells::{Decoding, Worker};
use tdb_fragment::TileNumber;
use tdb_tile::{Bug, Exact};

use super::layers::LayerIndex;
use super::paint::{Brush, PlacedCell};
use super::source::Sources;
use super::var_tile::{DecodedVarTile, VarTile};
use crate::QueryError;
use crate::scatter::{Pass, fill_numbers, index, number, outside};

/// Source of every row of a part of the result.
///
/// A row's source is the index of a decoded tile in the upper 32 bits and a cell of that tile in the lower 32 bits.
/// Tile 0 has one cell: the fill value.
#[derive(Debug, Default)]
pub(crate) struct VarRows {
    tiles: Vec<DecodedVarTile>,
    rows: Vec<u64>,
}

/// Brush that decodes tiles and records the source of each row.
pub(crate) struct VarBrush<'a> {
    pub(crate) sources: &'a Sources<'a>,
    pub(crate) tile_cells: u64,
    /// Tiles that were decoded for this part of the result.
    pub(crate) tiles: &'a mut Vec<DecodedVarTile>,
    pub(crate) rows: &'a mut [u64],
    pub(crate) worker: &'a mut Worker,
    pub(crate) how: Decoding<'a>,
}

impl VarRows {
    /// Creates rows that all have the fill value.
    pub(crate) fn new(rows: usize, fill: &[u8]) -> Self {
        let one = DecodedVarTile {
            starts: vec![0, fill.len() as u64],
            values: fill.to_vec(),
        };
        Self {
            tiles: vec![one],
            rows: vec![0; rows],
        }
    }

    /// Returns the tiles and the rows, for a brush.
    pub(crate) fn parts(&mut self) -> (&mut Vec<DecodedVarTile>, &mut [u64]) {
        (&mut self.tiles, &mut self.rows)
    }

    /// Writes the offset of each row's values, starting at 0; returns the number of bytes of all values.
    pub(crate) fn starts(&self, out: &mut [u64]) -> Result<u64, Bug> {
        let mut end = 0_u64;
        for (place, &row) in out.iter_mut().zip(&self.rows) {
            *place = end;
            end = end.exact_add(self.cells(row, 1)?.len() as u64)?;
        }
        Ok(end)
    }

    /// Writes the values of all rows, one after the other.
    pub(crate) fn gather(&self, out: &mut [u8]) -> Result<(), Bug> {
        let mut rest = out;
        let mut rows = &self.rows[..];
        while let Some(&first) = rows.first() {
            // Cells that are adjacent in their tile are copied together.
            let joined = (first..)
                .zip(rows)
                .take_while(|(number, row)| number == *row)
                .count();
            let (run, behind) = rows.split_at(if first >> 32 == 0 { 1 } else { joined });
            let values = self.cells(first, run.len())?;
            let (place, after) = rest
                .split_at_mut_checked(values.len())
                .ok_or_else(outside)?;
            place.copy_from_slice(values);
            (rest, rows) = (after, behind);
        }
        Ok(())
    }

    /// Returns the values of `count` adjacent cells of one tile.
    fn cells(&self, row: u64, count: usize) -> Result<&[u8], Bug> {
        let tile = self
            .tiles
            .get(index(row >> 32)?)
            .ok_or_else(|| Bug::new("a row of a tile that was not decoded"))?;
        tile.cells(index(row & u64::from(u32::MAX))?, count)
    }
}

impl Brush for VarBrush<'_> {
    fn has(&self, layer: LayerIndex) -> bool {
        self.sources.has(layer)
    }

    fn fill(&mut self, pass: &mut Pass) -> Result<(), QueryError> {
        Ok(fill_numbers(pass, 0, self.rows)?)
    }

    fn copy(
        &mut self,
        layer: LayerIndex,
        tile: TileNumber,
        pass: &mut Pass,
    ) -> Result<(), QueryError> {
        let tiles = self.sources.tiles(layer)?;
        let tile = VarTile::new(tiles, tile, self.tile_cells, self.how)?;
        let decoded = tile.decode(self.worker, self.how)?;
        number(pass, (self.tiles.len() as u64) << 32, self.rows)?;
        self.tiles.push(decoded);
        Ok(())
    }

    fn place(&mut self, layer: LayerIndex, cells: &[PlacedCell]) -> Result<(), QueryError> {
        let column = self.sources.cells(layer)?;
        let base = (self.tiles.len() as u64) << 32;
        let mut copied = DecodedVarTile {
            starts: vec![0],
            values: Vec::new(),
        };
        for (number, placed) in (0_u64..).zip(cells) {
            copied.values.extend_from_slice(column.cell(placed.cell)?);
            copied.starts.push(copied.values.len() as u64);
            let place = self.rows.get_mut(index(placed.dest)?);
            *place.ok_or_else(outside)? = base + number;
        }
        self.tiles.push(copied);
        Ok(())
    }
}
