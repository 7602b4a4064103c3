use tdb_schema::grid::{CellBox, SpaceTileGrid, TileBox};

/// The number of tiles, and of cells per tile.
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
        /// The tiles that the writer may not have stored.
        lost: Option<LostTiles>,
    },
}

/// The missing tiles of a dense fragment whose writer computed too small a number of tiles.
/// Releases 2.0 to 2.2 stored only that many tiles, in order, unless cells were written in global
/// order.
///
/// `docs/format/fragments.md`, "Tiles that are not there".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LostTiles {
    /// The number of tiles that the writer computed, less than the true number.
    pub(super) counted: u64,
    /// True if the stored tiles have the correct content.
    pub(super) is_sound: bool,
    /// True if it is certain that only these tiles are stored.
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

    /// The number of tiles that can be read.
    pub(super) fn readable(self) -> u64 {
        if self.is_sound { self.counted } else { 0 }
    }
}
