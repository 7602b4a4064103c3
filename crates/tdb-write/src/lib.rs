#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod buffered_cells;
mod coordinates;
mod copied_bytes;
mod copies;
mod data_order;
mod dense;
mod dense_stream;
mod error;
mod fields;
mod filter_check;
mod fragment;
mod fragment_cuts;
mod gather;
mod input;
mod input_fields;
mod metadata;
mod number;
mod number_statistics;
mod options;
mod problem;
mod repeated;
mod runs;
mod sealed_write;
mod series;
mod sort_folder;
mod sparse;
mod statistics;
mod target;
mod tile;
mod unordered;
mod writer;
mod written_tiles;

pub use copies::CopiedFragment;
pub use error::WriteError;
pub use input_fields::input_fields;
pub use options::{Duplicates, Replacement, WriteOptions, WriteOrder};
pub use problem::{OrderProblem, PlaceProblem, RangeProblem};
pub use repeated::RepeatedCell;
pub use sealed_write::SealedWrite;
pub use sort_folder::SortFolder;
pub use writer::Writer;
