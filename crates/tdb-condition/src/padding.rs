//! Text of fixed size.

use tdb_schema::{CellValNum, value};
use tdb_tile::Datatype;

/// The text of a cell of fixed size, without the NUL bytes at its end.
pub(crate) fn unpadded(cell: &[u8]) -> &[u8] {
    value::unpadded(Datatype::Char, CellValNum::Fixed(1), cell)
}
