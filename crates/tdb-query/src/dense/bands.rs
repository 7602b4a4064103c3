//! The parts of a dense batch.

use tdb_cells::dense::{Block, BlockTiles};

/// A part of the result that is read by one task for each field.
#[derive(Debug)]
pub(crate) struct Band {
    pub(crate) blocks: Vec<(Block, BlockTiles)>,
    pub(crate) rows: usize,
}

/// The parts of a batch.
#[derive(Debug)]
pub(crate) struct Bands {
    pub(crate) bands: Vec<Band>,
    /// Whether some of them take cells of the same tiles.
    pub(crate) cuts_tiles: bool,
}

impl Bands {
    /// The blocks of all bands, in their order.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = &(Block, BlockTiles)> {
        self.bands.iter().flat_map(|band| &band.blocks)
    }

    /// The rows of all bands.
    pub(crate) fn rows(&self) -> usize {
        self.bands.iter().map(|band| band.rows).sum()
    }
}
