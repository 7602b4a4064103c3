//! The next cell of a fragment, as far as it was looked at.

use tdb_fragment::TileNumber;

/// Coordinates as they are stored, by dimension.
pub(super) type Cell = Vec<Vec<u8>>;

/// The next cell of a fragment, once it was looked at.
#[derive(Debug)]
pub(super) struct FirstCell {
    /// The tile that it is the first of.
    pub(super) tile: TileNumber,
    pub(super) cell: Cell,
}
