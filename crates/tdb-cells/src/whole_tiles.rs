use tdb_fragment::{FragmentIndex, TileNumber};
use tdb_tile::{Bug, Exact};

/// Consecutive tiles of one fragment that can be copied to a result in global order as they are: no cell of another
/// fragment lies between their cells, and all of their cells are in the result.
#[derive(Debug, PartialEq, Eq)]
pub struct WholeTiles {
    /// Index of the fragment.
    pub fragment: FragmentIndex,
    /// Numbers of the tiles in the fragment.
    pub tiles: Vec<TileNumber>,
    /// Number of cells in each tile.
    pub cells: usize,
}

impl WholeTiles {
    /// Number of cells in all tiles.
    ///
    /// # Errors
    /// There are more than can be counted.
    pub fn rows(&self) -> Result<u64, Bug> {
        (self.cells as u64).exact_mul(self.tiles.len() as u64)
    }
}
