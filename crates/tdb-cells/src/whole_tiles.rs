use tdb_fragment::{FragmentIndex, TileNumber};

/// Tiles of one fragment that are, one after the other, the next cells of a result in global order: no cell of another
/// fragment lies among theirs, and none of theirs is left out.
#[derive(Debug, PartialEq, Eq)]
pub struct WholeTiles {
    /// The fragment.
    pub fragment: FragmentIndex,
    /// The tiles in it.
    pub tiles: Vec<TileNumber>,
    /// Cells of each tile.
    pub cells: usize,
}

impl WholeTiles {
    /// Cells of all tiles.
    #[must_use]
    pub fn rows(&self) -> u64 {
        (self.cells as u64).saturating_mul(self.tiles.len() as u64)
    }
}
