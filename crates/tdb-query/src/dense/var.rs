//! Values of varying size: first where each cell comes from, then all values in one go.

use tdb_cells::{Decoding, Worker};
use tdb_tile::Limits;

use super::paint::{Brush, PlacedCell};
use super::pass::Pass;
use super::scatter::{fill_numbers, index, number};
use super::source::FieldSource;
use crate::QueryError;

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
    pub(crate) sources: &'a [Option<FieldSource<'a>>],
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
    pub(crate) fn ends(&self, out: &mut [u64]) {
        let mut end = 0_u64;
        for (place, &row) in out.iter_mut().zip(&self.rows) {
            end = end.saturating_add(self.cell(row).len() as u64);
            *place = end;
        }
    }

    /// Writes the values of all rows, one after the other.
    pub(crate) fn gather(&self, out: &mut [u8]) {
        let mut rest = out;
        let mut rows = &self.rows[..];
        while let Some(&first) = rows.first() {
            // Cells that follow each other in their tile are copied together.
            let joined = (first..)
                .zip(rows)
                .take_while(|(number, row)| number == *row)
                .count();
            let (run, behind) = rows.split_at(if slot_of(first) == 0 { 1 } else { joined });
            let values = self.cells(first, run.len());
            let n = values.len().min(rest.len());
            let (place, after) = rest.split_at_mut(n);
            place.copy_from_slice(values.get(..n).unwrap_or_default());
            (rest, rows) = (after, behind);
        }
    }

    fn cell(&self, row: u64) -> &[u8] {
        self.cells(row, 1)
    }

    /// The values of cells that follow each other in one slot.
    fn cells(&self, row: u64, count: usize) -> &[u8] {
        let Some(slot) = self.slots.get(slot_of(row)) else {
            return &[];
        };
        let cell = index(row & u64::from(u32::MAX));
        match (slot.starts.get(cell), slot.starts.get(cell + count)) {
            (Some(&start), Some(&end)) => slot
                .values
                .get(index(start)..index(end))
                .unwrap_or_default(),
            _ => &[],
        }
    }
}

fn slot_of(row: u64) -> usize {
    index(row >> 32)
}

impl Brush for VarBrush<'_> {
    fn has(&self, fragment: usize) -> bool {
        self.sources.get(fragment).is_some_and(Option::is_some)
    }

    fn fill(&mut self, pass: &mut Pass) {
        fill_numbers(pass, 0, self.rows);
    }

    fn copy(&mut self, fragment: usize, tile: usize, pass: &mut Pass) -> Result<(), QueryError> {
        let Some(FieldSource::Tiles(tiles)) = self.sources.get(fragment).copied().flatten() else {
            return Ok(());
        };
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
            starts: vec![0; index(self.tile_cells) + 1],
            values: vec![0; index(size)],
        };
        if let Some((end, starts)) = slot.starts.split_last_mut() {
            tiles.read_var(tile, starts, &mut slot.values, self.worker, self.how)?;
            *end = size;
        }
        number(pass, (self.slots.len() as u64) << 32, self.rows);
        self.slots.push(slot);
        Ok(())
    }

    fn place(&mut self, fragment: usize, cells: &[PlacedCell]) -> Result<(), QueryError> {
        let Some(FieldSource::Cells(column)) = self.sources.get(fragment).copied().flatten() else {
            return Ok(());
        };
        let base = (self.slots.len() as u64) << 32;
        let mut slot = Slot {
            starts: vec![0],
            values: Vec::new(),
        };
        for (number, placed) in (0_u64..).zip(cells) {
            slot.values.extend_from_slice(column.cell(placed.cell));
            slot.starts.push(slot.values.len() as u64);
            if let Some(place) = self.rows.get_mut(index(placed.dest)) {
                *place = base + number;
            }
        }
        self.slots.push(slot);
        Ok(())
    }
}
