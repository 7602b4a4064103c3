//! The parts of a dense batch.

use tdb_cells::dense::{Block, BlockTiles};
use tdb_cells::scatter::outside;
use tdb_tile::Bug;

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
    /// Bytes of cells that are decoded for them, about.
    pub(crate) bytes: u64,
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

/// Cuts the first `n` off a slice.
pub(super) fn cut<'a, T>(rest: &mut &'a mut [T], n: usize) -> Result<&'a mut [T], Bug> {
    let (first, behind) = std::mem::take(rest)
        .split_at_mut_checked(n)
        .ok_or_else(outside)?;
    *rest = behind;
    Ok(first)
}

/// Memory that is left of a band would hold cells of other results.
pub(super) fn all_written(rest: &[u8]) -> Result<(), Bug> {
    if rest.is_empty() {
        return Ok(());
    }
    Err(Bug::new("a band with more memory than its blocks fill"))
}
