//! What tiles take in memory while a batch is made of them, counted before they are fetched.

use tdb_cells::{CellSizes, CellTable};

use super::plan::{PlannedTiles, SparsePlan};

/// Bytes for each row that is sorted: its key, the pair of key and row, its number.
pub(super) const SORTED_ROW: u64 = 40;

/// Bytes for each row that may be left out: how often it counts, and its number.
pub(super) const PICKED_ROW: u64 = 8;

/// What tiles take in memory while a batch is made of them: their cells, the result, and what sorts it.
#[derive(Clone, Debug)]
pub(super) struct Weights {
    sizes: CellSizes,
    /// How often the cells are in memory at a time.
    times: u64,
    per_row: u64,
}

impl Weights {
    pub(super) fn new(plan: &SparsePlan) -> Self {
        // Keys and row numbers, and the result beside the table.
        let (times, per_row) = match plan.sorts {
            true => (2, SORTED_ROW),
            false => (1, PICKED_ROW),
        };
        Self {
            sizes: plan.sizes(),
            times,
            per_row,
        }
    }

    fn of_cells(&self, bytes: u64, cells: usize) -> u64 {
        let rows = self.per_row.saturating_mul(cells as u64);
        bytes.saturating_mul(self.times).saturating_add(rows)
    }

    /// Of a planned tile, by its fragment's and its own place in the plan.
    pub(super) fn of_tile(
        &self,
        plan: &SparsePlan,
        tiles: &PlannedTiles,
        (fragment, tile): (usize, usize),
    ) -> u64 {
        let planned = plan.fragments.get(fragment);
        let planned = planned.and_then(|f| f.tiles.get(tile));
        let known = planned.zip(tiles.tiles.get(fragment));
        known.map_or(0, |(tile, tiles)| {
            let bytes = self.sizes.of_tile(tiles, tile.tile, tile.cells);
            self.of_cells(bytes, tile.cells)
        })
    }

    /// Of cells that are in memory already.
    pub(super) fn of_table(&self, table: &CellTable) -> u64 {
        self.of_cells(table.bytes_held(), table.rows)
    }

    /// Rows of so much weight, where values of varying size are not counted.
    pub(super) fn of_rows(&self, rows: u64) -> u64 {
        let row = self.of_cells(self.sizes.per_row(), 1);
        row.saturating_mul(rows)
    }
}
