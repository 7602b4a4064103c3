//! Reads sparse arrays: cells with coordinates, in tiles that are found by their MBRs.

mod ahead;
mod batch;
mod bounds;
mod chosen;
mod collected;
mod corner;
mod cursors;
mod deletes;
mod first_cell;
mod fragment_plan;
mod lone_tiles;
mod merge;
mod outset;
mod plan;
mod plan_index;
mod planned_tiles;
mod portions;
mod portions_work;
mod read;
mod ready;
mod row_keys;
#[cfg(test)]
mod row_keys_tests;
mod row_times;
mod rows;
mod select;
mod slab_steps;
mod slabs;
mod stages;
mod tally;
mod visibility;
mod weights;
mod whole_tiles;

pub(crate) use plan::SparsePlan;
pub(crate) use planned_tiles::PlannedTiles;
pub(crate) use portions_work::PortionsWork;
pub(crate) use read::{SparseRead, SparseStep};
pub(crate) use tally::Tally;
