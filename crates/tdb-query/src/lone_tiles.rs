//! Tiles that a read can do without, where someone knows what their cells come to.

use tdb_fragment::{FragmentIndex, TileNumber};

/// Tiles of one fragment all of whose cells are part of a result, each once, whatever other fragments hold: what is stored
/// about such a tile holds for its part of the result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoneTiles {
    /// The fragment, in the list of [`Reader::array`](crate::Reader::array).
    pub fragment: FragmentIndex,
    /// The tiles in it, ascending.
    pub tiles: Vec<TileNumber>,
}
