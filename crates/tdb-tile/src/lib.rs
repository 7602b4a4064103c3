#![doc = include_str!("../README.md")]
#![cfg_attr(
    not(test),
    warn(clippy::arithmetic_side_effects, clippy::disallowed_methods)
)]

mod bug;
mod chunk;
mod code;
mod cursor;
mod datatype;
mod describe;
mod error;
mod error_kind;
mod exact;
mod generic_tile;
mod has_kind;
mod limits;
mod range;
mod record;
mod scalar;
mod u64_column;
mod version;
mod walk;

pub use bug::Bug;
pub use chunk::{ChunkEntry, ChunkHeader, ChunkTable, ChunkWriter};
pub use code::Code;
pub use cursor::Cursor;
pub use datatype::{Datatype, Physical};
pub use error::{WireError, WireErrorKind};
pub use error_kind::ErrorKind;
pub use exact::Exact;
pub use generic_tile::{EncryptionType, GenericTile, GenericTileHeader};
pub use has_kind::HasKind;
pub use limits::{Budget, Grant, LimitError, Limits, length};
pub use range::Range;
pub use record::Record;
pub use scalar::Scalar;
pub use u64_column::U64Column;
pub use version::FormatVersion;
pub use walk::{Decode, Encode, Size, Walk};
