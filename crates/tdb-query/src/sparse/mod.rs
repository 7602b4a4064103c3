//! Reads sparse arrays: cells with coordinates, in tiles that are found by their MBRs.

mod ahead;
mod bounds;
mod chosen;
mod corner;
mod cursors;
mod deletes;
mod first_cell;
mod fragment_plan;
mod lone_tiles;
mod merge;
mod merge_position;
mod output;
mod outset;
mod plan;
mod plan_index;
mod planned_read;
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
mod slab_beginning;
mod slab_read;
mod slabs;
mod stages;
mod step;
mod tally;
mod tile_read;
mod visibility;
mod weights;
mod whole_tile_search;
mod whole_tiles;

pub(crate) use plan::SparsePlan;
pub(crate) use planned_tiles::PlannedTiles;
pub(crate) use portions_work::PortionsWork;
pub(crate) use read::SparseRead;
pub(crate) use step::SparseStep;
pub(crate) use tally::Tally;
