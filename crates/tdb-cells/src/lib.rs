#![doc = include_str!("../README.md")]
#![cfg_attr(
    not(test),
    warn(clippy::disallowed_methods, clippy::arithmetic_side_effects)
)]

mod buffer;
mod cell_set;
mod cell_sizes;
mod column;
mod copy_text;
mod corner;
pub mod dense;
mod error;
mod field;
mod field_tiles;
pub mod files;
mod fragment_tiles;
mod gather;
mod gathered;
mod keys;
mod load;
mod memory;
mod problem;
mod profile;
mod progress;
mod row;
mod row_keys;
pub mod scatter;
mod session;
mod share;
mod shared_sort;
mod sort;
mod sorted;
mod spare;
mod stored_tiles;
mod table;
pub mod threads;
mod tile_bytes;
mod tile_facts;
mod unfiltered;
mod value_order;
mod whole_tiles;
mod worker;
mod zipped_tiles;

pub use buffer::Buffer;
pub use cell_set::CellSet;
pub use cell_sizes::CellSizes;
pub use column::{Batch, Column};
pub use copy_text::copy_text;
pub use corner::Corner;
pub use error::{CellsError, TileError};
pub use field::{FieldInfo, unit_size};
pub use field_tiles::FieldTiles;
pub use fragment_tiles::{FragmentTiles, stored_field};
pub use gathered::{Gathered, gather, gather_set};
pub use keys::{Keys, Numbers};
pub use load::{FindTiles, Loading, fill_is_valid, fill_of, load};
pub use problem::{CellProblem, CellType, ColumnProblem};
pub use profile::{Counters, Profile, Stage};
pub use progress::{Activity, Progress};
pub use row::{Row, RowList, RowRange};
pub use row_keys::{Coordinates, cell_keys, dimension_types, row_keys};
pub use session::{Cancelled, Session, SessionOptions};
pub use share::{scaled, share};
pub use sort::Compare;
pub use sorted::Sorted;
pub use stored_tiles::StoredTiles;
pub use table::{CellTable, Segment, TableColumn, TileRows};
pub use tile_bytes::{Decoding, Fetched, KeptMemory, SharedBytes, StoredBytes, TileBytes};
pub use tile_facts::{KnownCells, TileFacts};
pub use value_order::{out_of_order, value_text};
pub use whole_tiles::WholeTiles;
pub use worker::{LentWorker, Worker};
pub use zipped_tiles::ZippedTiles;
