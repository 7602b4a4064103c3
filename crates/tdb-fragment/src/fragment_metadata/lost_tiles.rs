use bytes::Bytes;
use tdb_schema::ArraySchema;
use tdb_schema::grid::{CellBox, SpaceTileGrid};
use tdb_schema::value::read;
use tdb_tile::{Limits, Range};

use super::{FragmentMetadata, Tiles};
use crate::FragmentError;

/// What a dense fragment lacks if its writer counted too few tiles: releases 2.0 to 2.2 stored only as many as
/// they counted, in order, unless the cells came in global order.
///
/// `docs/format/fragments.md`, "Tiles that are not there".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LostTiles {
    /// The tiles that the writer counted, which are fewer than the box has.
    pub(super) counted: u64,
    /// Whether those that are stored hold what was written.
    is_sound: bool,
    /// Whether it is known that no more than these are stored.
    is_certain: bool,
}

impl LostTiles {
    pub(super) fn of(grid: &SpaceTileGrid, written: &CellBox, count: u64) -> Option<Self> {
        let counted = grid.float_count(written);
        let too_few = (1..count).contains(&counted.tiles);
        too_few.then_some(Self {
            counted: counted.tiles,
            is_sound: !counted.turns_negative,
            is_certain: false,
        })
    }

    /// How many tiles can be read.
    pub(super) fn readable(self) -> u64 {
        if self.is_sound { self.counted } else { 0 }
    }
}

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
