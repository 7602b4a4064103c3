//! Locations of the tiles of the planned fragments.

use std::sync::Arc;

use tdb_cells::{CellTable, FragmentTiles, Segment, TileRows};
use tdb_fragment::FragmentIndex;
use tdb_schema::FieldKind;
use tdb_store::Read;
use tdb_tile::{Bug, WireError};

use super::plan_index::PlanIndex;
use crate::cell_sizes::{CellSizes, bytes_of_tiles};

/// Locations of the tiles of the planned fragments.
#[derive(Debug, Default)]
pub(crate) struct PlannedTiles {
    /// Fragments, ascending.
    pub(crate) fragments: Vec<FragmentIndex>,
    /// Tiles of each fragment, in the same order; shared by the parts of a read.
    pub(crate) tiles: Vec<Arc<FragmentTiles>>,
}

impl PlannedTiles {
    /// Returns the tiles of a fragment of the array.
    pub(crate) fn find(&self, fragment: FragmentIndex) -> Option<&FragmentTiles> {
        let place = self.fragments.binary_search(&fragment).ok()?;
        self.tiles.get(place).map(|tiles| &**tiles)
    }

    /// Returns the memory that the cells of a table's tiles need, before they are loaded.
    ///
    /// # Errors
    /// The stored sizes of the tiles are damaged: they add up to more than any memory.
    pub(crate) fn weight(&self, table: &CellTable, sizes: &CellSizes) -> Result<u64, WireError> {
        let segments = table.segments.iter();
        let tiles = segments.flat_map(|segment| {
            let found = self.find(segment.fragment).into_iter();
            found.flat_map(|found| segment.tiles.iter().map(move |tile| (found, tile)))
        });
        let weights = tiles.map(|(found, tile)| sizes.of_tile(found, tile.tile, tile.rows.len()));
        bytes_of_tiles(weights.sum())
    }

    /// Returns the byte ranges of these fields of the tiles that are wanted.
    pub(crate) fn reads<'a>(
        &self,
        segments: impl IntoIterator<Item = &'a Segment>,
        fields: &[FieldKind],
    ) -> Result<Vec<Read>, Bug> {
        self.reads_where(segments, fields, |tile| tile.wanted)
    }

    /// Returns the byte ranges of these fields of all tiles.
    pub(crate) fn reads_of_all<'a>(
        &self,
        segments: impl IntoIterator<Item = &'a Segment>,
        fields: &[FieldKind],
    ) -> Result<Vec<Read>, Bug> {
        self.reads_where(segments, fields, |_| true)
    }

    fn reads_where<'a>(
        &self,
        segments: impl IntoIterator<Item = &'a Segment>,
        fields: &[FieldKind],
        is_meant: fn(&TileRows) -> bool,
    ) -> Result<Vec<Read>, Bug> {
        let mut reads = Vec::new();
        for segment in segments {
            let tiles = self
                .find(segment.fragment)
                .ok_or_else(|| Bug::new("tiles of a fragment that was not planned"))?;
            for tile in segment.tiles.iter().filter(|tile| is_meant(tile)) {
                reads.extend(tiles.reads(fields, tile.tile));
            }
        }
        Ok(reads)
    }

    /// Returns the tiles of the fragment at a position in the plan, to be shared with another read.
    pub(super) fn shared(&self, at: PlanIndex) -> Result<Arc<FragmentTiles>, Bug> {
        let tiles = self.tiles.get(at.get()).cloned();
        tiles.ok_or_else(|| Bug::new("tiles of a fragment that was not planned"))
    }

    /// Returns the tiles of the fragment at a position in the plan.
    pub(crate) fn at(&self, at: PlanIndex) -> Result<&FragmentTiles, Bug> {
        let tiles = self.tiles.get(at.get()).map(|tiles| &**tiles);
        tiles.ok_or_else(|| Bug::new("tiles of a fragment that was not planned"))
    }
}
