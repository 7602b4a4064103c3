//! Reads sparse arrays: cells with coordinates, in tiles that are found by their MBRs.

mod ahead;
mod batch;
mod bounds;
mod corner;
mod cursors;
mod deletes;
mod first_cell;
mod fragment_plan;
mod keys;
mod merge;
mod plan;
mod read;
mod ready;
mod rows;
mod select;
mod slabs;
mod tally;
mod visible;
mod weights;
mod whole;

pub(crate) use plan::{PlannedTiles, SparsePlan};
pub(crate) use read::{SparseRead, Step};
pub(crate) use tally::Tally;
