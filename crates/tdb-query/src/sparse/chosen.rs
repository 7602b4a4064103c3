//! The tiles of the next batch of a sparse read.

use std::ops::Range;

use tdb_cells::{RowRange, Segment};
use tdb_tile::Bug;

use super::plan_index::PlanIndex;
use super::weights::Supply;
use crate::QueryError;

/// Tiles that were chosen, and what they take.
#[derive(Debug, Default)]
pub(super) struct Chosen {
    /// Of each fragment, by their places in the plan.
    parts: Vec<(PlanIndex, Range<usize>)>,
    /// How many cells they have.
    pub(super) rows: u64,
    /// What making a batch of them takes, what is left of the batch before included.
    pub(super) weight: u64,
    /// What decoding one of them takes beside.
    pub(super) decoding: u64,
}

impl Chosen {
    /// Adds tiles of a fragment from this one on until they have this weight; at least one.
    pub(super) fn add(
        &mut self,
        supply: Supply<'_>,
        (at, first): (PlanIndex, usize),
        part: u64,
    ) -> Result<(), Bug> {
        let (fragment, stored) = (supply.plan.fragment(at)?, supply.tiles.at(at)?);
        let (mut weight, mut end) = (0_u64, first);
        while let Some(planned) = fragment.tiles.get(end).filter(|_| weight < part) {
            weight = weight.saturating_add(supply.weights.of_tile(stored, planned));
            let decoding = stored.decoding_bytes(planned.tile, planned.cells);
            self.decoding = self.decoding.max(decoding);
            self.rows = self.rows.saturating_add(planned.cells as u64);
            end = end.saturating_add(1);
        }
        supply.counters.add_visited_tiles(end.saturating_sub(first));
        self.weight = self.weight.saturating_add(weight);
        self.parts.push((at, first..end));
        Ok(())
    }

    /// The tiles of each fragment, by their places in the plan.
    pub(super) fn parts(&self) -> &[(PlanIndex, Range<usize>)] {
        &self.parts
    }

    /// Whether no tile is left.
    pub(super) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// The tiles as parts of a table.
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
