#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod arrangement;
mod array;
mod column;
mod condition_text;
mod context;
mod difference;
mod error;
mod evolve;
pub mod explain;
mod group;
mod interval;
pub mod layout;
pub mod log;
mod map;
mod objects;
mod open;
mod order;
mod partition;
mod picture;
pub mod place;
mod read;
mod replace;
mod restore;
mod rewrite;
mod schema;
mod schema_changes;
#[cfg(feature = "serde")]
mod schema_serde;
mod set;
mod stores;
mod tile_trial;
mod time;
mod trial;
mod value;
mod write;
mod written;

#[cfg(feature = "arrow")]
mod arrow;
#[cfg(feature = "ndarray")]
mod ndarray;
#[cfg(feature = "serde")]
mod rows;

pub use arrangement::{Arranged, Arrangement, Prepared, SortKey};
pub use array::{Array, Consolidation, MetadataEntry};
pub use column::{Element, GivenCells, IntoColumn, Kind};
pub use condition_text::{Where, parse_condition, unknown_labels};
pub use context::Context;
pub use difference::{CellValue, Difference, DifferenceCount, Differences, compare};
pub use error::{Error, Excerpt, Result};
pub use evolve::Evolution;
pub use group::{AddOptions, Group, MemberPlace};
pub use interval::{Axis, Interval};
pub use map::{Map, MapBox, MappedFragment};
pub use objects::{Objects, ObjectsOutside};
pub use order::Order;
pub use partition::{Part, Partitioning, split};
pub use picture::{Picture, PictureAxis, PictureOptions, Pixel, read_picture};
pub use read::{Batches, ReadBuilder};
pub use restore::{RestoreOptions, Restored};
pub use rewrite::{RewriteOptions, Rewritten};
#[cfg(feature = "serde")]
pub use rows::Rows;
pub use schema::{Attribute, Dimension, Filter, Schema, SchemaBuilder};
pub use set::{SetBuilder, SetCells};
pub use stores::{LocalStores, Stores};
pub use tdb_aggregate::{Aggregate, Bin, Function, Group as CellGroup, Histogram, Outcome, Table};
pub use tdb_array::{ChangeOptions, ErrorKind, ObjectType, OpenOptions};
pub use tdb_cells::{Batch, Column, Session, SessionOptions};
pub use tdb_condition::{Condition, FieldCondition, Operation, Term, UnknownLabel};
pub use tdb_query::{DeleteOptions, Deletion};
pub use tdb_schema::value::DatePart;
pub use tdb_tile::{Datatype, Scalar};
pub use tile_trial::{TileTrial, TileTrials, Tiles};
pub use time::{Time, parse_duration};
pub use trial::{Trial, Trials};
pub use value::Value;
pub use write::{WriteBuilder, WriteStream, input_fields};
pub use written::Written;

/// Opens an array, as it is now, with the threads of the machine and at most 1 GiB of memory; see [`Context`] for other ways.
///
/// # Errors
/// Where there is none, and where what is stored cannot be read.
pub fn open(uri: &str) -> Result<Array> {
    Context::new().open(uri)
}

/// Opens an array as it was at a time, in milliseconds since 1970.
///
/// # Errors
/// As for [`open`]; where there was no array yet.
pub fn open_at(uri: &str, time: impl Into<Time>) -> Result<Array> {
    Context::new().open_at(uri, time)
}

/// Makes an array, and opens it. Nothing may be there yet; folders above are made.
///
/// # Errors
/// Where something is in the way, and as the store reports.
pub fn create(uri: &str, schema: &Schema) -> Result<Array> {
    Context::new().create(uri, schema)
}

/// Begins a condition on a field: `field("temp").lt(-5)`.
pub fn field(name: &str) -> FieldCondition {
    Condition::field(name)
}
