#![doc = include_str!("../README.md")]
#![cfg_attr(
    not(test),
    warn(clippy::disallowed_methods, clippy::arithmetic_side_effects)
)]

mod ahead;
mod arrangement;
mod boxes;
mod buffered_read;
mod cell_sizes;
mod chosen_tiles;
mod dense;
mod error;
mod field;
mod fragment_tiles;
mod labels;
mod load;
mod lone_tiles;
mod options;
mod piece;
mod planning;
mod read;
mod reader;
mod request;
mod scatter;
mod shared_plan;
mod sparse;
mod steps;
mod table_work;
#[cfg(test)]
mod test_support;
mod tile_statistics;
mod walk;

pub use arrangement::{
    ArrangedCells, Arrangement, FittedArrangement, SortKey, SortedCells, Sorter, rows_of, split,
};
pub use boxes::{bounding_box, named_ranges};
pub use buffered_read::{BufferedRead, FieldBuffers, FilledBytes, FilledCells, OffsetFormat};
pub use chosen_tiles::ChosenTiles;
pub use error::QueryError;
pub use labels::LabelSearch;
pub use lone_tiles::LoneTiles;
pub use options::{Failing, ReadOptions, ResultOrder, Versions};
pub use piece::{DecodedPiece, Piece};
pub use read::{Next, Read};
pub use reader::{Advance, Reader};
pub use request::Request;
pub use shared_plan::SharedPlan;
pub use sparse::Tally;
pub use steps::{Fetch, NextCells};
pub use walk::{MOST_WALKED, Walk, WalkNarrowing, narrow_walk, narrow_walks};
