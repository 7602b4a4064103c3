//! Reads var-sized values in two passes: first the source of each cell, then all values.

use tdb_cells::{Decoding, Worker};
use tdb_fragment::TileNumber;
use tdb_tile::{Bug, Limits};

use super::layers::LayerIndex;
use super::paint::{Brush, PlacedCell};
use super::source::Sources;
use crate::QueryError;
use tdb_cells::scatter::{Pass, fill_numbers, index, number, outside};

/// The cells of one decoded tile.
#[derive(Debug, Default)]
pub(crate) struct Slot {
    /// Where each cell begins, and the end.
    starts: Vec<u64>,
    values: Vec<u8>,
}

/// The source of every row of a part of the result.
///
/// A row's source is a slot in the upper half of its number and a cell of it in the lower half.
/// Slot 0 has one cell: the fill value.
#[derive(Debug, Default)]
pub(crate) struct VarRows {
    slots: Vec<Slot>,
    rows: Vec<u64>,
}

/// Notes where the values of each row come from, decoding their tiles.
pub(crate) struct VarBrush<'a> {
    pub(crate) sources: &'a Sources<'a>,
    pub(crate) tile_cells: u64,
    /// Decoded tiles of this part of the result.
    pub(crate) slots: &'a mut Vec<Slot>,
    pub(crate) rows: &'a mut [u64],
    pub(crate) worker: &'a mut Worker,
    pub(crate) how: Decoding<'a>,
}

impl VarRows {
    /// Rows that all hold the fill value.
    pub(crate) fn new(rows: usize, fill: &[u8]) -> Self {
        let slot = Slot {
            starts: vec![0, fill.len() as u64],
            values: fill.to_vec(),
        };
        Self {
            slots: vec![slot],
            rows: vec![0; rows],
        }
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows.len()
    }

    /// What a brush works on.
    pub(crate) fn parts(&mut self) -> (&mut Vec<Slot>, &mut [u64]) {
        (&mut self.slots, &mut self.rows)
    }

    /// Writes where the values of each row end, from 0 on.
    pub(crate) fn ends(&self, out: &mut [u64]) -> Result<(), Bug> {
        let mut end = 0_u64;
        for (place, &row) in out.iter_mut().zip(&self.rows) {
            end = end.saturating_add(self.cells(row, 1)?.len() as u64);
            *place = end;
        }
        Ok(())
    }

    /// Writes the values of all rows, one after the other.
    pub(crate) fn gather(&self, out: &mut [u8]) -> Result<(), Bug> {
        let mut rest = out;
        let mut rows = &self.rows[..];
        while let Some(&first) = rows.first() {
            // Cells that follow each other in their tile are copied together.
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

    /// The values of cells that follow each other in one slot.
    fn cells(&self, row: u64, count: usize) -> Result<&[u8], Bug> {
        let unknown = Bug::new("a row whose values are in no tile that was decoded");
        let slot = self.slots.get(index(row >> 32)?).ok_or(unknown)?;
        let cell = index(row & u64::from(u32::MAX))?;
        let ends = slot.starts.get(cell).zip(slot.starts.get(cell + count));
        let (start, end) = ends.ok_or(unknown)?;
        let values = slot.values.get(index(*start)?..index(*end)?);
        values.ok_or(unknown)
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
        let bytes = self.tile_cells.saturating_mul(8);
        Limits::check(
            "offsets tile size",
            "data_tile",
            bytes,
            self.how.limits.data_tile.min(u64::from(u32::MAX)),
        )?;
        let size = tiles.var_size(tile);
        Limits::check(
            "values tile size",
            "data_tile",
            size,
            self.how.limits.data_tile,
        )?;
        let mut slot = Slot {
            starts: vec![0; index(self.tile_cells)? + 1],
            values: vec![0; index(size)?],
        };
        if let Some((end, starts)) = slot.starts.split_last_mut() {
            tiles.read_var(tile, starts, &mut slot.values, self.worker, self.how)?;
            *end = size;
        }
        number(pass, (self.slots.len() as u64) << 32, self.rows)?;
        self.slots.push(slot);
        Ok(())
    }

    fn place(&mut self, layer: LayerIndex, cells: &[PlacedCell]) -> Result<(), QueryError> {
        let column = self.sources.cells(layer)?;
        let base = (self.slots.len() as u64) << 32;
        let mut slot = Slot {
            starts: vec![0],
            values: Vec::new(),
        };
        for (number, placed) in (0_u64..).zip(cells) {
            slot.values.extend_from_slice(column.cell(placed.cell)?);
            slot.starts.push(slot.values.len() as u64);
            let place = self.rows.get_mut(index(placed.dest)?);
            *place.ok_or_else(outside)? = base + number;
        }
        self.slots.push(slot);
        Ok(())
    }
}
