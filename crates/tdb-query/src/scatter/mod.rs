//! Copies boxes of cells from tiles into a result of another shape or order, while the bytes of the tiles arrive in
//! pieces.
//!
//! A [`Pass`] describes, dimension by dimension, where the cells of one tile go; [`Scatter`] copies them.

#![cfg_attr(
    not(test),
    expect(
        clippy::arithmetic_side_effects,
        reason = "numbers of cells of a tile and of a result in memory, whose products their owner has checked to fit"
    )
)]

mod copy;
mod pass;
#[cfg(test)]
mod tests;

pub(crate) use copy::{Scatter, fill, fill_numbers, index, number, outside, repeat};
pub(crate) use pass::{AxisSegment, Pass};
