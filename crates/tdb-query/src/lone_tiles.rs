//! Tiles that a read can skip if the caller knows the result for their cells.

use tdb_fragment::{FragmentIndex, TileNumber};

/// Tiles of one fragment whose cells are all part of a result, each once, whatever other fragments contain: the
/// stored statistics of such a tile hold for its part of the result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoneTiles {
    /// Index of the fragment in the list of [`Reader::array`](crate::Reader::array).
    pub fragment: FragmentIndex,
    /// Tile numbers in the fragment, ascending.
    pub tiles: Vec<TileNumber>,
}
