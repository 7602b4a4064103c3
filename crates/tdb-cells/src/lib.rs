#![doc = include_str!("../README.md")]
#![cfg_attr(
    not(test),
    warn(clippy::disallowed_methods, clippy::arithmetic_side_effects)
)]

mod buffer;
mod cancelled;
mod cell_keys;
mod cell_set;
mod column;
mod copy_text;
pub mod dense;
mod error;
mod field;
mod field_tiles;
pub mod files;
mod fragment_tiles;
mod gather;
mod gathered;
mod keys;
mod memory;
mod problem;
mod profile;
mod progress;
mod row;
mod runs;
mod session;
mod share;
mod shared_sort;
mod sort;
mod sorted;
mod spare;
mod spill_folder;
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
pub use cancelled::Cancelled;
pub use cell_keys::cell_keys;
pub use cell_set::CellSet;
pub use column::{Batch, Column};
pub use copy_text::copy_text;
pub use error::{CellsError, TileError};
pub use field::{FieldInfo, unit_size};
pub use field_tiles::FieldTiles;
pub use fragment_tiles::{FragmentTiles, TileAccess, stored_field};
pub use gathered::{Gathered, gather, gather_set};
pub use keys::{Keys, Numbers};
pub use problem::{CellProblem, CellType, ColumnProblem};
pub use profile::{Counters, Profile, Stage};
pub use progress::{Activity, Progress};
pub use row::{Row, RowList, RowRange};
pub use runs::{MOST_MERGED, Run, RunReader, RunWriter, Runs};
pub use session::{Session, SessionOptions};
pub use share::{scaled, share};
pub use sort::Compare;
pub use sorted::SortedRows;
pub use spill_folder::SpillFolder;
pub use stored_tiles::StoredTiles;
pub use table::{CellTable, Segment, TableColumn, TileRows};
pub use tile_bytes::{Decoding, FetchedBytes, KeptMemory, SharedBytes, StoredBytes, TileBytes};
pub use tile_facts::{KnownCells, TileFacts};
pub use value_order::{out_of_order, value_text};
pub use whole_tiles::WholeTiles;
pub use worker::{LentWorker, Worker};
pub use zipped_tiles::ZippedTiles;
