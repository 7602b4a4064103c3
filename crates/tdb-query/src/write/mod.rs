//! Writes cells: columns in, committed fragments out.
//!
//! What is handed in is checked ([`input`], [`coordinates`]) and, where it may come in any order, sorted ([`sparse`],
//! [`unordered`], [`runs`]). A [`tile::TileSource`] puts the cells of one field of one tile together ([`gather`], [`dense`]),
//! which any thread can do; the tile is filtered and summed up ([`fields`], [`statistics`]). [`series`] hands the
//! tiles in their order to one fragment after the other ([`fragment`], [`metadata`]), and commits them at the end.

mod coordinates;
pub(crate) mod copies;
mod cuts;
mod dense;
mod dense_stream;
mod error;
mod fields;
mod fragment;
mod gather;
mod input;
mod metadata;
mod number;
mod options;
mod runs;
mod series;
mod sorted;
mod sparse;
mod statistics;
mod tile;
mod unfit;
mod unordered;
mod waiting;
mod writer;

pub use error::{CellProblem, CellType, ColumnProblem};
pub use options::{Duplicates, Replacement, WriteOptions, WriteOrder};
pub(crate) use sorted::out_of_order;
pub use writer::Writer;
