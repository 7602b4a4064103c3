//! Weights: the memory that tiles need while a batch is made of them, computed before they are fetched.

use std::ops::Range;

use tdb_cells::{CellTable, Counters, FragmentTiles, Session};
use tdb_tile::{Bug, WireError};

use super::fragment_plan::PlannedTile;
use super::plan::SparsePlan;
use super::plan_index::PlanIndex;
use super::planned_tiles::PlannedTiles;
use crate::QueryError;
use crate::cell_sizes::{CellSizes, bytes_of_tiles};

/// Maximum number of bytes per row that is sorted: a key of 16, the entry to sort, its number, and whether it repeats
/// another.
pub(super) const SORTED_ROW: u64 = 40;

/// Bytes per row that may be dropped: its count and its number.
pub(super) const PICKED_ROW: u64 = 8;

/// Planned tiles with their locations and weights, from which the next tiles are chosen. It counts the visited tiles
/// and fragments, since a step must not visit those that take no part in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Supply<'a> {
    pub(super) plan: &'a SparsePlan,
    pub(super) tiles: &'a PlannedTiles,
    pub(super) weights: &'a Weights,
    pub(super) counters: &'a Counters,
}

impl<'a> Supply<'a> {
    pub(super) fn new(
        plan: &'a SparsePlan,
        tiles: &'a PlannedTiles,
        weights: &'a Weights,
        session: &'a Session,
    ) -> Self {
        Self {
            plan,
            tiles,
            weights,
            counters: session.counters(),
        }
    }

    /// Returns tiles of a fragment, by position in the plan.
    pub(super) fn planned(
        self,
        at: PlanIndex,
        tiles: Range<usize>,
    ) -> Result<&'a [PlannedTile], Bug> {
        let planned = self.plan.fragment(at)?.tiles.get(tiles);
        planned.ok_or_else(|| Bug::new("tiles behind the last one of a fragment's plan"))
    }

    /// Returns the weight of tiles of a fragment, given by position in the plan.
    ///
    /// # Errors
    /// The metadata of the fragment is damaged: the tiles would take more than any memory.
    pub(super) fn weight(self, at: PlanIndex, tiles: Range<usize>) -> Result<u64, QueryError> {
        let stored = self.tiles.at(at)?;
        self.counters.add_visited_tiles(tiles.len());
        let planned = self.planned(at, tiles)?.iter();
        let weights = planned.map(|planned| {
            let weight = self.weights.of_tile(stored, planned)?;
            Ok::<u128, WireError>(weight.into())
        });
        Ok(bytes_of_tiles(weights.sum::<Result<u128, WireError>>()?)?)
    }
}

/// Memory that tiles need while a batch is made of them: their cells, the result, and the sort keys.
#[derive(Clone, Debug)]
pub(super) struct Weights {
    sizes: CellSizes,
    /// Number of copies of the cells that are in memory at a time.
    times: u64,
    per_row: u64,
}

#[expect(
    clippy::arithmetic_side_effects,
    reason = "a few times numbers of 64 bits in 128, and a few times the bytes of a row"
)]
impl Weights {
    pub(super) fn new(plan: &SparsePlan) -> Self {
        // Sorting needs keys and row numbers, and the result beside the table.
        let (times, per_row) = if plan.sorts {
            (2, SORTED_ROW)
        } else {
            (1, PICKED_ROW)
        };
        Self {
            sizes: plan.sizes(),
            times,
            per_row,
        }
    }

    /// Returns the sizes of the cells alone.
    pub(super) fn sizes(&self) -> &CellSizes {
        &self.sizes
    }

    /// Returns the weight of a planned tile.
    pub(super) fn of_tile(
        &self,
        tiles: &FragmentTiles,
        planned: &PlannedTile,
    ) -> Result<u64, WireError> {
        let bytes = bytes_of_tiles(self.sizes.of_tile(tiles, planned.tile, planned.cells))?;
        bytes_of_tiles(self.of_cells(bytes, planned.cells as u64))
    }

    /// Returns the weight of cells that are in memory already.
    pub(super) fn of_table(&self, table: &CellTable) -> Result<u64, Bug> {
        let weight = self.of_cells(table.bytes_held(), table.rows().len() as u64);
        bytes_of_tiles(weight).map_err(|_| Bug::new("cells in memory that take more than it has"))
    }

    /// Returns the weight of a number of rows, without var-sized values; `u64::MAX` if it is larger, which as a limit excludes nothing.
    pub(super) fn of_rows(&self, rows: u64) -> u64 {
        let row = self.sizes.per_row() * self.times + self.per_row;
        row.saturating_mul(rows)
    }

    fn of_cells(&self, bytes: u64, cells: u64) -> u128 {
        u128::from(bytes) * u128::from(self.times) + u128::from(self.per_row) * u128::from(cells)
    }
}
