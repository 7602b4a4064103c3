//! Brushes for fixed-size values and for validity.

use tdb_cells::{Decoding, Worker};
use tdb_fragment::TileNumber;
use tdb_tile::Limits;

use super::layers::LayerIndex;
use super::paint::{Brush, PlacedCell};
use super::source::Sources;
use crate::QueryError;
use crate::scatter::{Pass, Scatter, fill, index, outside};

/// Brush that copies fixed-size values into a part of the result.
pub(crate) struct FixedBrush<'a> {
    /// Source of the field's cells, by layer.
    pub(crate) sources: &'a Sources<'a>,
    pub(crate) tile_cells: u64,
    pub(crate) cell_size: usize,
    pub(crate) fill: &'a [u8],
    pub(crate) out: &'a mut [u8],
    pub(crate) worker: &'a mut Worker,
    pub(crate) how: Decoding<'a>,
}

impl Brush for FixedBrush<'_> {
    fn has(&self, layer: LayerIndex) -> bool {
        self.sources.has(layer)
    }

    fn fill(&mut self, pass: &mut Pass) -> Result<(), QueryError> {
        Ok(fill(pass, self.fill, self.out)?)
    }

    fn copy(
        &mut self,
        layer: LayerIndex,
        tile: TileNumber,
        pass: &mut Pass,
    ) -> Result<(), QueryError> {
        let tiles = self.sources.tiles(layer)?;
        if let Some(run) = pass.single().filter(|run| run.len == self.tile_cells) {
            let start = index(run.dest)? * self.cell_size;
            let end = start + index(run.len)? * self.cell_size;
            let place = self.out.get_mut(start..end).ok_or_else(outside)?;
            return Ok(tiles.read_fixed(tile, self.tile_cells, place, self.worker, self.how)?);
        }
        let mut scatter = Scatter::new(pass, self.cell_size, self.out)?;
        let wanted = scatter.wanted();
        let mut each = |first: u64, piece: &[u8]| scatter.take(first, piece);
        tiles.for_each_piece(
            tile,
            self.tile_cells,
            wanted,
            self.worker,
            self.how,
            &mut each,
        )?;
        Ok(scatter.finish()?)
    }

    fn place(&mut self, layer: LayerIndex, cells: &[PlacedCell]) -> Result<(), QueryError> {
        let column = self.sources.cells(layer)?;
        for placed in cells {
            let at = index(placed.dest)? * self.cell_size;
            let place = self.out.get_mut(at..at + self.cell_size);
            let cell = column.cell(placed.cell)?.get(..self.cell_size);
            let (place, cell) = place.zip(cell).ok_or_else(outside)?;
            place.copy_from_slice(cell);
        }
        Ok(())
    }
}

/// Brush that writes one validity byte per cell: 1 if it is not null.
pub(crate) struct ValidityBrush<'a> {
    pub(crate) sources: &'a Sources<'a>,
    pub(crate) tile_cells: u64,
    pub(crate) fill_valid: bool,
    pub(crate) out: &'a mut [u8],
    /// Buffer for a whole tile, reused for each tile.
    pub(crate) tile: Vec<u8>,
    pub(crate) worker: &'a mut Worker,
    pub(crate) how: Decoding<'a>,
}

impl Brush for ValidityBrush<'_> {
    fn has(&self, layer: LayerIndex) -> bool {
        self.sources.has(layer)
    }

    fn fill(&mut self, pass: &mut Pass) -> Result<(), QueryError> {
        Ok(fill(pass, &[u8::from(self.fill_valid)], self.out)?)
    }

    fn copy(
        &mut self,
        layer: LayerIndex,
        tile: TileNumber,
        pass: &mut Pass,
    ) -> Result<(), QueryError> {
        let tiles = self.sources.tiles(layer)?;
        if let Some(run) = pass.single().filter(|run| run.len == self.tile_cells) {
            let place = index(run.dest)?..index(run.dest + run.len)?;
            let place = self.out.get_mut(place).ok_or_else(outside)?;
            return Ok(tiles.read_validity(tile, place, self.worker, self.how)?);
        }
        Limits::check(
            "validity tile size",
            "data_tile",
            self.tile_cells,
            self.how.limits.data_tile,
        )?;
        self.tile.resize(index(self.tile_cells)?, 0);
        tiles.read_validity(tile, &mut self.tile, self.worker, self.how)?;
        let mut scatter = Scatter::new(pass, 1, self.out)?;
        scatter.take(0, &self.tile);
        Ok(scatter.finish()?)
    }

    fn place(&mut self, layer: LayerIndex, cells: &[PlacedCell]) -> Result<(), QueryError> {
        let column = self.sources.cells(layer)?;
        for placed in cells {
            let valid = match &column.validity {
                Some(validity) => validity.get(placed.cell),
                None => Some(&1),
            };
            let place = self.out.get_mut(index(placed.dest)?);
            let (place, valid) = place.zip(valid).ok_or_else(outside)?;
            *place = *valid;
        }
        Ok(())
    }
}
