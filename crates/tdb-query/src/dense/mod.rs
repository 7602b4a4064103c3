//! Dense arrays: every cell of the domain has a place, and fragments lie over each other.

mod block;
mod columns;
mod condition;
mod coordinates;
mod fixed;
mod layers;
mod paint;
mod pass;
mod reader;
mod runs;
mod scatter;
mod source;
mod sparse_cells;
#[cfg(test)]
mod tests;
mod var;
mod visits;
mod walk;
mod whole;

pub(crate) use reader::DenseReader;
