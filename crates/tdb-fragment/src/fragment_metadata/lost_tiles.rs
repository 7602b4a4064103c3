use bytes::Bytes;
use tdb_schema::ArraySchema;
use tdb_schema::grid::SpaceTileGrid;
use tdb_schema::value::read;
use tdb_tile::{Limits, Range};

use super::FragmentMetadata;
use super::tiles::{LostTiles, Tiles};
use crate::FragmentError;

impl FragmentMetadata {
    /// True if the fragment may lack tiles, judged by the footer alone;
    /// [`FragmentMetadata::settle_tiles`] decides it.
    #[must_use]
    pub fn may_lack_tiles(&self) -> bool {
        self.lost().is_some_and(|lost| !lost.is_certain)
    }

    /// Decides whether tiles are missing, given the opened
    /// [`MetadataPart::TileOffsets`](crate::MetadataPart) of one field.
    ///
    /// # Errors
    /// Fails if the bytes break the format, or have an impossible number of tiles.
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

    /// The first of the tiles that were lost when the fragment was written; all later ones were
    /// lost, too. `None` if no tile is missing, or before
    /// [`settle_tiles`](FragmentMetadata::settle_tiles) has decided that.
    #[must_use]
    pub fn lost_from(&self) -> Option<u64> {
        let lost = self.lost().filter(|lost| lost.is_certain);
        lost.map(LostTiles::readable)
    }

    /// Returns the coordinates of the written cells in a tile of a dense fragment.
    #[must_use]
    pub fn tile_ranges(&self, tile: u64, schema: &ArraySchema) -> Option<Vec<Range>> {
        let grid = SpaceTileGrid::new(schema)?;
        let place = self.space_tiles()?.tile(tile)?;
        let written = grid.cell_box(&self.non_empty_domain)?;
        grid.ranges(&grid.tile_cells(&place).intersection(&written)?)
    }

    /// Formats the coordinates of the written cells in a tile of a dense fragment: `x 1..4, y
    /// 0..9`.
    #[must_use]
    pub fn tile_text(&self, tile: u64, schema: &ArraySchema) -> String {
        // Empty if the tile is not a tile of a dense fragment.
        let ranges = self.tile_ranges(tile, schema);
        let dimensions = schema.dimensions.iter().zip(ranges.iter().flatten());
        let along = dimensions.map(|(dimension, range)| {
            // The bounds lie within the domain, so they have the size of the datatype.
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

    /// Returns the number of tiles that a vector of `found` values must have. Fewer than the
    /// fragment's tiles are accepted if the writer may have counted exactly that many.
    pub(super) fn stored_tiles(&self, found: u64) -> u64 {
        let counted = self.lost().map(|lost| lost.counted);
        if counted == Some(found) {
            found
        } else {
            self.tile_count()
        }
    }
}
