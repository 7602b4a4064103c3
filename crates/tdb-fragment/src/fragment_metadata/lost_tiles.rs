use bytes::Bytes;
use tdb_schema::ArraySchema;
use tdb_schema::grid::SpaceTileGrid;
use tdb_schema::value::read;
use tdb_tile::{Limits, Range};

use super::FragmentMetadata;
use super::tiles::{LostTiles, Tiles};
use crate::FragmentError;

impl FragmentMetadata {
    /// Whether the fragment may lack tiles, as far as the footer tells;
    /// [`FragmentMetadata::settle_tiles`] finds out.
    #[must_use]
    pub fn may_lack_tiles(&self) -> bool {
        self.lost().is_some_and(|lost| !lost.is_certain)
    }

    /// Finds out whether tiles are missing, from the opened [`MetadataPart::TileOffsets`](crate::MetadataPart)
    /// of one field.
    ///
    /// # Errors
    /// Where the bytes break the format, or speak of a number of tiles that cannot be.
    pub fn settle_tiles(&mut self, offsets: &Bytes, limits: &Limits) -> Result<(), FragmentError> {
        let found = self.tile_values(offsets, limits)?.len() as u64;
        let count = self.tile_count();
        if let Tiles::Dense { lost, .. } = &mut self.tiles {
            *lost = lost.filter(|_| found < count).map(|lost| LostTiles {
                is_certain: true,
                ..lost
            });
        }
        Ok(())
    }

    /// The tiles from this one on were lost when the fragment was written. `None` where all are there, or
    /// that was not [found out](FragmentMetadata::settle_tiles).
    #[must_use]
    pub fn lost_from(&self) -> Option<u64> {
        let lost = self.lost().filter(|lost| lost.is_certain);
        lost.map(LostTiles::readable)
    }

    /// The coordinates of the written cells of a tile of a dense fragment.
    #[must_use]
    pub fn tile_ranges(&self, tile: u64, schema: &ArraySchema) -> Option<Vec<Range>> {
        let grid = SpaceTileGrid::new(schema)?;
        let place = self.space_tiles()?.tile(tile)?;
        let written = grid.cell_box(&self.non_empty_domain)?;
        grid.ranges(&grid.tile_cells(&place).intersection(&written)?)
    }

    /// The written cells of a tile of a dense fragment, for people: `x 1..4, y 0..9`.
    #[must_use]
    pub fn tile_text(&self, tile: u64, schema: &ArraySchema) -> String {
        // No text where the tile is not one of a dense fragment.
        let ranges = self.tile_ranges(tile, schema);
        let dimensions = schema.dimensions.iter().zip(ranges.iter().flatten());
        let along = dimensions.map(|(dimension, range)| {
            // A bound has the size of the datatype, as it lies in the domain.
            let lo = read(dimension.datatype, &range.lo)?;
            let hi = read(dimension.datatype, &range.hi)?;
            Some(format!("{} {lo}..{hi}", dimension.name))
        });
        along.flatten().collect::<Vec<_>>().join(", ")
    }

    pub(super) fn lost(&self) -> Option<LostTiles> {
        match self.tiles {
            Tiles::Dense { lost, .. } => lost,
            Tiles::Sparse { .. } => None,
        }
    }

    /// How many tiles a vector of so many values stands for; fewer than the fragment should have are allowed
    /// where its writer may have counted so many.
    pub(super) fn stored_tiles(&self, found: u64) -> u64 {
        let counted = self.lost().map(|lost| lost.counted);
        if counted == Some(found) {
            found
        } else {
            self.tile_count()
        }
    }
}
