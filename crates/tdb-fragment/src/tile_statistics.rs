use tdb_tile::{Datatype, U64Column};

use crate::TileBounds;
use crate::trust::{Nulls, Trust};

/// Statistics of the cells of each tile of a field (from format 11).
#[derive(Clone, Debug, PartialEq)]
pub struct TileStatistics {
    pub(crate) mins: TileBounds,
    pub(crate) maxs: TileBounds,
    pub(crate) sums: U64Column,
    pub(crate) null_counts: U64Column,
    pub(crate) datatype: Datatype,
    pub(crate) cell_size: Option<usize>,
    pub(crate) trust: Trust,
    pub(crate) nulls: Nulls,
}

impl TileStatistics {
    /// The minimum of a tile as stored, whether or not it can be trusted.
    #[must_use]
    pub fn min(&self, tile: usize) -> Option<&[u8]> {
        self.mins.get(tile, self.cell_size)
    }

    /// The maximum of a tile as stored, whether or not it can be trusted.
    #[must_use]
    pub fn max(&self, tile: usize) -> Option<&[u8]> {
        self.maxs.get(tile, self.cell_size)
    }

    /// Returns bounds of all cells of a tile that are not null; `cells` is the number of cells in
    /// the tile. `None` if the stored bounds cannot be trusted.
    #[must_use]
    pub fn bounds(&self, tile: usize, cells: u64) -> Option<(&[u8], &[u8])> {
        if self.null_count(tile).is_some_and(|nulls| nulls >= cells) {
            return None;
        }
        let (min, max) = (self.min(tile)?, self.max(tile)?);
        // The bounds are out of order if all cells written to a tile are null.
        let ordered = self.datatype.compare(min, max)?.is_le();
        (ordered && self.trust.accepts(min) && self.trust.accepts(max)).then_some((min, max))
    }

    /// The sum of a tile as stored: the bits of an `i64`, `u64` or `f64`, depending on the
    /// datatype.
    #[must_use]
    pub fn sum(&self, tile: usize) -> Option<u64> {
        self.sums.get(tile)
    }

    /// The number of null cells of a tile as stored; `None` for fields that cannot be null.
    #[must_use]
    pub fn null_count(&self, tile: usize) -> Option<u64> {
        self.null_counts.get(tile)
    }
}
