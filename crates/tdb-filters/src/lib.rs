#![doc = include_str!("../README.md")]
#![cfg_attr(
    not(test),
    warn(clippy::arithmetic_side_effects, clippy::disallowed_methods)
)]

mod bit_planes;
mod bits;
mod checksum;
mod chunk;
mod chunking;
mod codec;
mod compressor;
#[cfg(feature = "conformance")]
pub mod conformance;
mod decode;
mod delta;
mod description;
mod encode;
mod error;
mod filter;
pub mod filters;
mod float;
mod generic_tile;
pub mod header;
mod key;
mod pipeline;
mod planes;
mod record;
mod registry;
mod room;
mod run;
mod runs;
mod scratch;
mod stage;
mod step;
mod strings;
mod tile_kind;
mod turn;
mod windows;
mod word;

pub use chunk::{Chunk, Parts};
pub use codec::{Codec, Compression, Leveled, build_leveled, parse_leveled};
pub use description::{Description, OptionValue};
pub use error::FilterError;
pub use filter::{BrokenValues, Entry, Filter, Offsets, Options, Unfit};
pub use generic_tile::{
    open_generic_tile, open_generic_tile_with, seal_generic_tile, seal_generic_tile_in_pieces,
    seal_generic_tile_with,
};
pub use key::EncryptionKey;
pub use pipeline::{NO_CHUNKS, Pipeline};
pub use record::{FilterList, FilterRecord};
pub use registry::{Registry, describe};
pub use scratch::Scratch;
pub use stage::{Out, Stage};
pub use tile_kind::{FilteredField, Misfit, TileKind};
// The types of `tdb-tile` in this crate's interface, so that callers need no other crate.
pub use tdb_tile::{
    Bug, Datatype, EncryptionType, ErrorKind, FormatVersion, GenericTile, LimitError, Limits,
    Record, WireError, WireErrorKind,
};
