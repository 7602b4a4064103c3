//! Reads dense arrays: every cell of the domain has a position, and newer fragments overwrite older ones.

#![cfg_attr(
    not(test),
    expect(
        clippy::arithmetic_side_effects,
        reason = "numbers of cells and tiles along the axes of a grid: `TileShape` and `Runs` refuse those that 64 bits do not hold"
    )
)]

mod bands;
mod byte_ranges;
mod chosen_tiles;
mod columns;
mod condition;
mod coordinates;
mod cutter;
mod fixed;
mod layers;
mod lone_tiles;
mod paint;
mod plan;
mod read;
mod ruled_out;
mod shared_tiles;
mod source;
mod sparse_cells;
mod sparse_tiles;
#[cfg(test)]
mod tests;
mod tile_shape;
mod var;
mod var_band;
mod var_runs;
mod var_tile;
mod visits;
mod walk;
mod whole_tiles;

pub(crate) use bands::Bands;
pub(crate) use byte_ranges::reads_of;
pub(crate) use columns::{FieldValues, read_columns, read_values};
pub(crate) use plan::{DenseCandidates, DensePlan};
pub(crate) use read::{DenseRead, DenseStep};
