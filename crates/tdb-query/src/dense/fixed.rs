//! Values of fixed size, and validity.

use tdb_cells::{Decoding, Worker};
use tdb_tile::Limits;

use super::paint::{Brush, PlacedCell};
use super::pass::Pass;
use super::scatter::{Scatter, fill, index};
use super::source::FieldSource;
use crate::QueryError;

/// Paints values of fixed size into a part of the result.
pub(crate) struct FixedBrush<'a> {
    /// Where the field's cells are, by layer.
    pub(crate) sources: &'a [Option<FieldSource<'a>>],
    pub(crate) tile_cells: u64,
    pub(crate) cell_size: usize,
    pub(crate) fill: &'a [u8],
    pub(crate) out: &'a mut [u8],
    pub(crate) worker: &'a mut Worker,
    pub(crate) how: Decoding<'a>,
}

impl Brush for FixedBrush<'_> {
    fn has(&self, fragment: usize) -> bool {
        self.sources.get(fragment).is_some_and(Option::is_some)
    }

    fn fill(&mut self, pass: &mut Pass) {
        fill(pass, self.fill, self.out);
    }

    fn copy(&mut self, fragment: usize, tile: usize, pass: &mut Pass) -> Result<(), QueryError> {
        let Some(FieldSource::Tiles(tiles)) = self.sources.get(fragment).copied().flatten() else {
            return Ok(());
        };
        if let Some(run) = pass.single().filter(|run| run.len == self.tile_cells) {
            let start = index(run.dest) * self.cell_size;
            let end = start + index(run.len) * self.cell_size;
            if let Some(place) = self.out.get_mut(start..end) {
                tiles.read_fixed(tile, self.tile_cells, place, self.worker, self.how)?;
                return Ok(());
            }
        }
        let mut scatter = Scatter::new(pass, self.cell_size, self.out);
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
        Ok(())
    }

    fn place(&mut self, fragment: usize, cells: &[PlacedCell]) -> Result<(), QueryError> {
        let Some(FieldSource::Cells(column)) = self.sources.get(fragment).copied().flatten() else {
            return Ok(());
        };
        for placed in cells {
            let at = index(placed.dest) * self.cell_size;
            if let Some(place) = self.out.get_mut(at..at + self.cell_size)
                && let Some(cell) = column.cell(placed.cell).get(..self.cell_size)
            {
                place.copy_from_slice(cell);
            }
        }
        Ok(())
    }
}

/// Paints which cells are not null, a byte each.
pub(crate) struct ValidityBrush<'a> {
    pub(crate) sources: &'a [Option<FieldSource<'a>>],
    pub(crate) tile_cells: u64,
    pub(crate) fill_valid: bool,
    pub(crate) out: &'a mut [u8],
    /// A whole tile, kept from tile to tile.
    pub(crate) tile: Vec<u8>,
    pub(crate) worker: &'a mut Worker,
    pub(crate) how: Decoding<'a>,
}

impl Brush for ValidityBrush<'_> {
    fn has(&self, fragment: usize) -> bool {
        self.sources.get(fragment).is_some_and(Option::is_some)
    }

    fn fill(&mut self, pass: &mut Pass) {
        fill(pass, &[u8::from(self.fill_valid)], self.out);
    }

    fn copy(&mut self, fragment: usize, tile: usize, pass: &mut Pass) -> Result<(), QueryError> {
        let Some(FieldSource::Tiles(tiles)) = self.sources.get(fragment).copied().flatten() else {
            return Ok(());
        };
        if let Some(run) = pass.single().filter(|run| run.len == self.tile_cells)
            && let Some(place) = self.out.get_mut(index(run.dest)..index(run.dest + run.len))
        {
            tiles.read_validity(tile, place, self.worker, self.how)?;
            return Ok(());
        }
        Limits::check(
            "validity tile size",
            "data_tile",
            self.tile_cells,
            self.how.limits.data_tile,
        )?;
        self.tile.resize(index(self.tile_cells), 0);
        tiles.read_validity(tile, &mut self.tile, self.worker, self.how)?;
        Scatter::new(pass, 1, self.out).take(0, &self.tile);
        Ok(())
    }

    fn place(&mut self, fragment: usize, cells: &[PlacedCell]) -> Result<(), QueryError> {
        let Some(FieldSource::Cells(column)) = self.sources.get(fragment).copied().flatten() else {
            return Ok(());
        };
        for placed in cells {
            let valid = column
                .validity
                .as_ref()
                .and_then(|v| v.get(placed.cell))
                .copied()
                .unwrap_or(1);
            if let Some(place) = self.out.get_mut(index(placed.dest)) {
                *place = valid;
            }
        }
        Ok(())
    }
}
