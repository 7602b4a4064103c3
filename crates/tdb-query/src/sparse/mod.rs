//! Sparse arrays: cells with coordinates, in tiles under rectangles.

mod deletes;
pub(crate) mod gather;
mod keys;
pub(crate) mod load;
pub(crate) mod merge;
pub(crate) mod plan;
mod predicate;
mod reader;
mod select;
mod slabs;
pub(crate) mod sort;
pub(crate) mod table;
mod tally;
mod visible;
mod whole;

pub(crate) use deletes::apply_deletes;
pub(crate) use predicate::Predicate;
pub(crate) use reader::SparseReader;
pub(crate) use tally::Tally;
