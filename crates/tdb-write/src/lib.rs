#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod coordinates;
mod copied_bytes;
mod copies;
mod cuts;
mod dense;
mod dense_stream;
mod error;
mod fields;
mod fragment;
mod gather;
mod input;
mod input_fields;
mod metadata;
mod number;
mod numbers;
mod options;
mod problem;
mod repeated;
mod runs;
mod sealed_write;
mod series;
mod sort_folder;
mod sorted;
mod sparse;
mod statistics;
mod target;
mod tile;
mod unfit;
mod unordered;
mod waiting;
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
