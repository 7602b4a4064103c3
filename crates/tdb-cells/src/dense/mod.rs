//! The geometry of a dense result: how it is cut into blocks.
//!
//! [`Runs`] describe the requested cells along one dimension. A [`Cursor`] cuts the result into [`Block`]s, batch by
//! batch, which end at [`borders`] of space tiles if possible.

#![cfg_attr(
    not(test),
    expect(
        clippy::arithmetic_side_effects,
        reason = "numbers of cells and tiles along the axes of a grid: `Runs` refuse those that 64 bits do not hold"
    )
)]

mod block;
mod borders;
mod runs;
mod tile_set;

pub use block::{Block, Borders, Cursor, Share, slow_to_fast};
pub use borders::{borders, chunk_borders};
pub use runs::{Run, Runs};
pub use tile_set::TileSet;
