use tdb_tile::{Datatype, U64Column};

use crate::TileBounds;
use crate::trust::{Nulls, Trust};

/// What the cells of each tile of a field come to (from format 11).
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
    /// The least value of a tile as stored, whatever it is worth.
    #[must_use]
    pub fn min(&self, tile: usize) -> Option<&[u8]> {
        self.mins.get(tile, self.cell_size)
    }

    /// The greatest value of a tile as stored, whatever it is worth.
    #[must_use]
    pub fn max(&self, tile: usize) -> Option<&[u8]> {
        self.maxs.get(tile, self.cell_size)
    }

    /// Values between which all of a tile of so many cells lie, nulls apart; `None` where nothing
    /// that is stored may be relied on.
    #[must_use]
    pub fn bounds(&self, tile: usize, cells: u64) -> Option<(&[u8], &[u8])> {
        if self.null_count(tile).is_some_and(|nulls| nulls >= cells) {
            return None;
        }
        let (min, max) = (self.min(tile)?, self.max(tile)?);
        // Out of order where all of the few cells written to a tile are null.
        let ordered = self.datatype.compare(min, max)?.is_le();
        (ordered && self.trust.accepts(min) && self.trust.accepts(max)).then_some((min, max))
    }

    /// The sum of a tile as stored: `i64`, `u64` or `f64`, by the datatype of the field.
    #[must_use]
    pub fn sum(&self, tile: usize) -> Option<u64> {
        self.sums.get(tile)
    }

    /// How many cells of a tile are null, as stored; `None` for fields that cannot be.
    #[must_use]
    pub fn null_count(&self, tile: usize) -> Option<u64> {
        self.null_counts.get(tile)
    }
}
