//! Parts of a dense batch.

use tdb_cells::dense::Block;
use tdb_tile::Bug;

use super::visits::BlockTiles;
use crate::scatter::outside;

/// Part of a batch, read by one task per field.
#[derive(Debug)]
pub(crate) struct Band {
    pub(crate) blocks: Vec<(Block, BlockTiles)>,
    pub(crate) rows: usize,
}

/// All parts of a batch.
#[derive(Debug)]
pub(crate) struct Bands {
    pub(crate) bands: Vec<Band>,
    /// Whether several bands take cells of the same tiles.
    pub(crate) cuts_tiles: bool,
    /// Approximate number of bytes of cells that are decoded for the bands.
    pub(crate) bytes: u64,
}

impl Bands {
    /// Iterates over the blocks of all bands, in order.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = &(Block, BlockTiles)> {
        self.bands.iter().flat_map(|band| &band.blocks)
    }

    /// Returns the number of rows of all bands.
    pub(crate) fn rows(&self) -> usize {
        self.bands.iter().map(|band| band.rows).sum()
    }
}

/// Cuts off the first `n` elements of a slice and returns them.
pub(super) fn cut<'a, T>(rest: &mut &'a mut [T], n: usize) -> Result<&'a mut [T], Bug> {
    let (first, behind) = std::mem::take(rest)
        .split_at_mut_checked(n)
        .ok_or_else(outside)?;
    *rest = behind;
    Ok(first)
}

/// Checks that the blocks of a band filled all of its memory; the rest would contain cells of earlier results.
pub(super) fn all_written(rest: &[u8]) -> Result<(), Bug> {
    if rest.is_empty() {
        return Ok(());
    }
    Err(Bug::new("a band with more memory than its blocks fill"))
}
