#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod arrangement;
mod array;
mod closed;
mod column;
mod condition_text;
mod context;
mod cover;
mod difference;
pub mod doctor;
mod error;
mod evolve;
pub mod explain;
#[cfg(any(feature = "arrow", feature = "text"))]
mod files;
mod filter;
mod group;
mod history;
#[cfg(any(feature = "arrow", feature = "text"))]
mod import;
mod interval;
pub mod layout;
pub mod log;
mod map;
#[cfg(feature = "object-store")]
mod object_stores;
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
mod sort_folder;
#[cfg(feature = "sql")]
mod sql;
mod stores;
mod tile_trial;
mod time;
mod trial;
mod value;
mod walk;
mod write;
mod write_and_delete;
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
pub use condition_text::{Where, parse_condition, parse_condition_of, unknown_labels};
pub use context::Context;
pub use difference::{CellValue, Difference, DifferenceCount, Differences, compare};
pub use error::{Error, Excerpt, Result};
pub use evolve::Evolution;
#[cfg(any(feature = "arrow", feature = "text"))]
pub use files::{
    Becoming, FileFormat, InputFile, OpenInput, OutputFile, WholeFile, check_folder, shape_of_box,
};
pub use filter::Filter;
pub use group::{AddOptions, Group, MemberPlace};
#[cfg(any(feature = "arrow", feature = "text"))]
pub use import::{ImportBuilder, ImportNotice, Imported};
pub use interval::{Axis, Interval};
pub use map::{Map, MapBox, MappedFragment};
#[cfg(feature = "object-store")]
pub use object_stores::ObjectStores;
pub use objects::{Objects, ObjectsOutside};
pub use order::Order;
pub use partition::{Part, Partitioning, split};
pub use picture::{Picture, PictureAxis, PictureOptions, Pixel, read_picture};
pub use read::{Batches, Groups as CellGroups, ReadBuilder};
#[cfg(any(feature = "arrow", feature = "text"))]
pub use read::{Exported, batch_bytes_of_folder};
pub use restore::{RestoreOptions, Restored};
pub use rewrite::{RewriteOptions, Rewritten};
#[cfg(feature = "serde")]
pub use rows::Rows;
pub use schema::{Attribute, Dimension, Schema, SchemaBuilder};
pub use set::{SetBuilder, SetCells};
#[cfg(feature = "distributed")]
pub use sql::Worker;
#[cfg(feature = "sql")]
pub use sql::{Answer as SqlAnswer, Rows as SqlRows, Sql};
pub use stores::{LocalStores, RemoteFolder, Stores};
pub use tdb_aggregate::{Aggregate, Bin, Function, Group as CellGroup, Histogram, Outcome, Table};
pub use tdb_array::{
    ChangeOptions, ErrorKind, HistoryGap, LaterObjects, LostContent, ObjectType, OpenOptions,
};
pub use tdb_cells::{Activity, Batch, Column, Progress, Session, SessionOptions};
pub use tdb_condition::{Condition, FieldCondition, Operation, Term, UnknownLabel};
#[cfg(feature = "sql")]
pub use tdb_datafusion::ObjectStore as FileStore;
#[cfg(feature = "distributed")]
pub use tdb_distributed::{Allowed, Certificates, Cluster, Token, WorkerLimits};
#[cfg(feature = "object-store")]
pub use tdb_object_store::{SettingEffect as TakenSetting, Settings as StoreSettings};
pub use tdb_query::{DeleteOptions, Deletion};
pub use tdb_schema::value::DatePart;
pub use tdb_tile::{Datatype, Scalar};
pub use tdb_write::{Duplicates, WriteOptions};
pub use tile_trial::{TileTrial, TileTrials, Tiles};
pub use time::{Time, parse_duration};
pub use trial::{Trial, Trials};
pub use value::Value;
pub use walk::{MOST_WALKED, Narrowed, narrow_comparison, narrow_walk};
pub use write::{WriteBuilder, WriteStream, input_fields};
pub use written::Written;

/// Opens an array as it is now, with all threads of the machine and at most 1 GiB of memory; see [`Context`] for other
/// ways.
///
/// # Errors
/// Fails if there is no array, or if its stored data cannot be read.
pub fn open(uri: &str) -> Result<Array> {
    Context::new().open(uri)
}

/// Opens an array as it was at a time, in milliseconds since 1970.
///
/// # Errors
/// As for [`open`]; fails also if there was no array at that time.
pub fn open_at(uri: &str, time: impl Into<Time>) -> Result<Array> {
    Context::new().open_at(uri, time)
}

/// Creates an array, and opens it. Nothing may exist there yet; parent folders are created.
///
/// # Errors
/// Fails if something exists there already, or if the store fails.
pub fn create(uri: &str, schema: &Schema) -> Result<Array> {
    Context::new().create(uri, schema)
}

/// Creates an array from a file whose extension names the format: CSV, JSON lines, Arrow IPC, Parquet or `.npy`. The
/// datatypes of the columns are guessed; the first suitable column becomes the dimension. [`Context::import`] offers
/// the options.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let (file, uri) = (folder.path().join("orders.csv"), folder.path().join("orders"));
/// # let uri = uri.to_str().expect("a path of text");
/// std::fs::write(&file, "id,day,amount\n7,2024-01-31,12.5\n9,2024-02-01,3\n")?;
/// assert_eq!(tdb::import(&file, uri)?.cells, 2);
/// assert_eq!(tdb::open(uri)?.read().range("id", 9..).to_vec::<f64>("amount")?, [3.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As for [`ImportBuilder::run`].
#[cfg(any(feature = "arrow", feature = "text"))]
pub fn import(file: impl Into<InputFile>, uri: &str) -> Result<Imported> {
    Context::new().import(file, uri).run()
}

/// Begins a condition on a field: `field("temp").lt(-5)`.
pub fn field(name: &str) -> FieldCondition {
    Condition::field(name)
}
