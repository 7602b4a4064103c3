//! A set of tiles of one fragment.

use std::ops::Range;

use tdb_fragment::TileNumber;
use tdb_tile::{Budget, Grant, LimitError};

/// Tiles of a fragment none of whose cells fits the condition.
#[derive(Debug, Default)]
pub(crate) struct RuledOut {
    /// Ascending and apart from each other.
    tiles: Vec<Range<u64>>,
    held: Option<Grant>,
}

impl RuledOut {
    pub(super) fn contains(&self, tile: TileNumber) -> bool {
        let next = self.tiles.partition_point(|range| range.end <= tile.get());
        let next = self.tiles.get(next);
        next.is_some_and(|range| range.start <= tile.get())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.tiles.is_empty()
    }

    pub(super) fn push(&mut self, tile: u64) {
        match self.tiles.last_mut().filter(|range| range.end == tile) {
            Some(range) => range.end = tile + 1,
            None => self.tiles.push(tile..tile + 1),
        }
    }

    /// Counts what it takes in memory.
    pub(super) fn hold(&mut self, budget: &Budget) -> Result<(), LimitError> {
        let bytes = self.tiles.len().saturating_mul(size_of::<Range<u64>>());
        self.held = Some(budget.take(bytes as u64)?);
        Ok(())
    }
}
