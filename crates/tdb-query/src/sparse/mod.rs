//! Sparse arrays: cells with coordinates, in tiles under rectangles.

mod deletes;
mod keys;
pub(crate) mod merge;
pub(crate) mod plan;
mod reader;
mod select;
mod slabs;
mod tally;
mod visible;
mod whole;

pub(crate) use deletes::apply_deletes;
pub(crate) use reader::SparseReader;
pub(crate) use tally::Tally;
