//! The geometry of a dense result: which cells belong to which block, and which space tiles contain them.
//!
//! [`Runs`] describe the requested cells along one dimension. A [`Walk`] cuts the result into [`Block`]s, batch by
//! batch. [`BlockTiles`] lists the tiles of a block and the destination of their cells.

#![cfg_attr(
    not(test),
    expect(
        clippy::arithmetic_side_effects,
        reason = "numbers of cells and tiles along the axes of a grid: `TileShape` and `Runs` refuse those that 64 bits do not hold"
    )
)]

mod block;
mod coordinates;
mod runs;
mod tile_set;
mod tile_shape;
mod visits;
mod walk;

pub use block::{Block, Borders, Cursor, Share, slow_to_fast};
pub use coordinates::fill_coordinates;
pub use runs::{Run, Runs};
pub use tile_set::TileSet;
pub use tile_shape::TileShape;
pub use visits::{BlockTiles, Visits};
pub use walk::{TileWalk, Walk, borders, chunk_borders};
