use tdb_schema::grid::{CellBox, SpaceTileGrid, TileBox};

/// How many tiles there are, and of how many cells.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Tiles {
    Sparse {
        count: u64,
        capacity: u64,
    },
    Dense {
        tiles: TileBox,
        count: u64,
        cells: u64,
        /// Where the writer may have counted too few.
        lost: Option<LostTiles>,
    },
}

/// What a dense fragment lacks if its writer counted too few tiles: releases 2.0 to 2.2 stored only as many as
/// they counted, in order, unless the cells came in global order.
///
/// `docs/format/fragments.md`, "Tiles that are not there".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LostTiles {
    /// The tiles that the writer counted, which are fewer than the box has.
    pub(super) counted: u64,
    /// Whether those that are stored hold what was written.
    pub(super) is_sound: bool,
    /// Whether it is known that no more than these are stored.
    pub(super) is_certain: bool,
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
