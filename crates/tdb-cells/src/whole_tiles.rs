/// Tiles of one fragment that are, one after the other, the next cells of a result in global order: no cell of another
/// fragment lies among theirs, and none of theirs is left out.
#[derive(Debug, PartialEq, Eq)]
pub struct WholeTiles {
    /// Position of the fragment in the array's list.
    pub fragment: usize,
    /// Their numbers.
    pub tiles: Vec<usize>,
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
