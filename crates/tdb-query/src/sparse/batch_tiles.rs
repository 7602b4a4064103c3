//! Tiles of the next batch of a sparse read.

use std::ops::Range;

use tdb_cells::{RowRange, Segment};
use tdb_tile::Exact;

use super::plan_index::PlanIndex;
use super::weights::Supply;
use crate::QueryError;

/// Chosen tiles, and the memory that they need.
#[derive(Debug, Default)]
pub(super) struct TileChoice {
    /// Tiles of each fragment, by position in the plan.
    parts: Vec<(PlanIndex, Range<usize>)>,
    /// Number of cells in the tiles.
    pub(super) rows: u64,
    /// Memory for making a batch of the tiles, including the rest of the previous batch.
    pub(super) weight: u64,
    /// Additional memory for decoding one tile; the maximum over all tiles.
    pub(super) decoding: u128,
}

impl TileChoice {
    /// Adds tiles of a fragment, from the tile `first` on, until their weight reaches `part`; at least one tile.
    pub(super) fn add(
        &mut self,
        supply: Supply<'_>,
        at: PlanIndex,
        first: usize,
        part: u64,
    ) -> Result<(), QueryError> {
        let (fragment, stored) = (supply.plan.fragment(at)?, supply.tiles.at(at)?);
        let (mut weight, mut end) = (0_u64, first);
        while let Some(planned) = fragment.tiles.get(end).filter(|_| weight < part) {
            weight = weight.exact_add(supply.weights.of_tile(stored, planned)?)?;
            let decoding = stored.decoding_bytes(planned.tile, planned.cells);
            self.decoding = self.decoding.max(decoding);
            self.rows = self.rows.exact_add(planned.cells as u64)?;
            end = end.exact_add(1)?;
        }
        supply.counters.add_visited_tiles(end.exact_sub(first)?);
        self.weight = self.weight.exact_add(weight)?;
        self.parts.push((at, first..end));
        Ok(())
    }

    /// Returns the tiles of each fragment, by position in the plan.
    pub(super) fn parts(&self) -> &[(PlanIndex, Range<usize>)] {
        &self.parts
    }

    /// True if no tile was chosen.
    pub(super) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Returns the tiles as segments of a table.
    ///
    /// # Errors
    /// More rows than a table can number.
    pub(super) fn segments(&self, supply: Supply<'_>) -> Result<Vec<Segment>, QueryError> {
        let mut end = RowRange::default();
        let parts = self.parts.iter().map(|(at, tiles)| {
            let planned = supply.planned(*at, tiles.clone())?;
            let segment = supply.plan.fragment(*at)?.segment(planned, end)?;
            end = segment.rows;
            Ok(segment)
        });
        parts.collect()
    }
}
