#![doc = include_str!("../README.md")]
#![cfg_attr(
    not(test),
    warn(clippy::arithmetic_side_effects, clippy::disallowed_methods)
)]

mod condition;
mod consolidated_metadata;
mod error;
mod field_layout;
mod file_names;
mod footer;
mod footer_place;
mod fragment_metadata;
mod fragment_statistics;
mod generic_tile_offsets;
mod legacy;
mod metadata_file;
mod metadata_part;
mod opened_part;
mod position;
mod processed_conditions;
mod stored_fragment;
mod tile_bounds;
mod tile_index;
mod tile_statistics;
mod tile_summary;
mod tile_vector;
mod trust;

pub use condition::{
    Combine, ConditionError, ConditionNode, ConditionOp, ConditionTree, ConditionValue,
};
pub use consolidated_metadata::{ConsolidatedEntry, ConsolidatedMetadata};
pub use error::FragmentError;
pub use field_layout::{ExtraFields, FieldLayout};
pub use file_names::{DataFiles, FRAGMENT_METADATA};
pub use footer::{Footer, FooterStart, OptionalSection};
pub use footer_place::{FooterBytes, Next};
pub use fragment_metadata::FragmentMetadata;
pub use fragment_statistics::{FieldStatistics, FragmentStatistics};
pub use generic_tile_offsets::GenericTileOffsets;
pub use legacy::LegacyMetadata;
pub use metadata_file::{FieldTiles, MetadataFile};
pub use metadata_part::{MetadataPart, PartPlace};
pub use opened_part::OpenedPart;
pub use position::{FragmentIndex, TileNumber};
pub use processed_conditions::ProcessedConditions;
pub use stored_fragment::StoredFragment;
pub use tile_bounds::TileBounds;
pub use tile_index::TileIndex;
pub use tile_statistics::TileStatistics;
pub use tile_summary::TileSum;
pub use tile_vector::TileVector;
// The types of other crates in this crate's interface, and the function that opens schemas, so that
// callers need no other crate.
pub use tdb_filters::{EncryptionKey, FilterError, open_generic_tile};
pub use tdb_rtree::{DimensionType, Mbr, RTree};
pub use tdb_schema::{ArraySchema, Field, FieldKind, SchemaError};
pub use tdb_tile::{
    Datatype, ErrorKind, FormatVersion, GenericTile, Limits, Range, Record, U64Column, WireError,
    WireErrorKind,
};
