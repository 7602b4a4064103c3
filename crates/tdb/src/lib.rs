#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod array;
mod changes;
mod column;
mod context;
pub mod engine;
mod filestore;
#[cfg(any(feature = "arrow", feature = "text"))]
mod imports;
mod inspection;
mod open;
mod read;
mod settings;
#[cfg(feature = "sql")]
mod sql;
mod upkeep;
mod write;

#[cfg(feature = "arrow")]
mod arrow;
#[cfg(feature = "ndarray")]
mod ndarray;
#[cfg(feature = "serde")]
mod rows;

pub use array::{Array, Consolidation};
#[cfg(feature = "arrow")]
pub use arrow::ArrowBatches;
pub use changes::{compare, narrow_comparison};
pub use column::{Element, GivenCells, IntoColumn, Kind};
pub use context::Context;
pub use filestore::{FileFacts, StoredFile, file_schema};
pub use read::{Batches, Groups as CellGroups, ReadBuilder};
#[cfg(feature = "serde")]
pub use rows::Rows;
pub use settings::merge_options;
#[cfg(feature = "distributed")]
pub use sql::Worker;
#[cfg(feature = "sql")]
pub use sql::{Answer as SqlAnswer, Rows as SqlRows, Sql};
pub use tdb_aggregate::{Aggregate, Bin, Function, Group as CellGroup, Histogram, Outcome, Table};
pub use tdb_array::{
    ChangeOptions, ErrorKind, HistoryGap, LaterObjects, LostContent, ObjectType, OpenOptions,
};
#[cfg(feature = "arrow")]
pub use tdb_arrow::RecordBatches;
pub use tdb_cells::{Activity, Batch, Column, Progress, Session, SessionOptions};
pub use tdb_change::{
    CellValue, DeleteOptions, Deletion, Difference, DifferenceCount, Differences, Evolution,
    RestoreOptions, RestoredCells, RewriteOptions, Rewritten, SetBuilder, SetCells, WrittenCells,
};
pub use tdb_condition::{Condition, FieldCondition, Operation, Term, UnknownLabel};
#[cfg(feature = "sql")]
pub use tdb_datafusion::ObjectStore as FileStore;
#[cfg(feature = "distributed")]
pub use tdb_distributed::{Allowed, Certificates, Cluster, Token, WorkerLimits};
#[cfg(any(feature = "arrow", feature = "text"))]
pub use tdb_files::{
    CellSink, ExportedCells, FileFormat, FileLayout, ImportBuilder, ImportNotice, ImportedCells,
    InputFile, InputRequirements, NpyColumn, OpenInput, OutputFile, Part, Partitioning, WholeFile,
    batch_bytes_of_folder, check_folder, shape_of_box,
};
pub use tdb_inspect::{
    Map, MapBox, MappedFragment, Picture, PictureAxis, PictureOptions, Pixel, TileTrial,
    TileTrials, Tiles, Trial, Trials, read_picture,
};
#[cfg(feature = "serde")]
pub use tdb_open::Profile;
pub use tdb_open::{
    AddOptions, Attribute, Axis, CellCondition, Dimension, Error, Excerpt, FileEntry, Files,
    Filter, FoundObject, Group, Interval, LocalStores, MemberPlace, MemoryStores, MergeSettings,
    MetadataEntry, ObjectWalk, Objects, ObjectsOutside, OpenFile, OpenMode, Order, RemoteFolder,
    Result, Schema, SchemaBuilder, Setting, SettingEffect, Settings, Stores, Time, Value,
    WalkOrder, parse_condition, parse_condition_of, parse_duration, unknown_labels,
};
pub use tdb_open::{Array as OpenArray, Context as OpenContext};
#[cfg(feature = "object-store")]
pub use tdb_open::{ObjectStores, StoreSettings};
pub use tdb_query::{
    ArrangedCells, Arrangement, FittedArrangement, MOST_WALKED, SortKey, WalkNarrowing,
    narrow_walk, split,
};
pub use tdb_schema::value::DatePart;
pub use tdb_tile::{Datatype, Scalar};
pub use tdb_write::{Duplicates, WriteOptions, input_fields};
pub use write::{WriteBuilder, WriteStream};

/// The history of arrays and groups: [`Array::log`] and [`Context::group_log`].
pub mod log {
    pub use tdb_change::log::{Change, Event, LoggedCells};
}

/// Checks of places: [`Context::doctor`].
pub mod doctor {
    pub use tdb_inspect::doctor::{Answer, Check, Diagnosis, diagnose, in_words};
}

/// The cost of a read before it runs: [`ReadBuilder::explain`].
pub mod explain {
    pub use tdb_inspect::explain::{ExplainedField, ExplainedFragment, Explanation};
}

/// The bytes of an array, by fragment, field and part.
pub mod layout {
    pub use tdb_inspect::layout::{
        FieldBytes, FilterList, FragmentBytes, Layout, MEASURED, Part, Sizes, fields,
        unfiltered_var_bytes,
    };
}

/// The folders in stores that URIs lead to.
pub mod place {
    pub use tdb_open::place::{
        Place, PlacedObject, absolute, array, folder, from_above, group, labelled, missing, object,
        refuse_link, unfinished, vacant,
    };
}

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
pub fn import(file: impl Into<InputFile>, uri: &str) -> Result<ImportedCells> {
    Context::new().import(file, uri).run()
}

/// Begins a condition on a field: `field("temp").lt(-5)`.
pub fn field(name: &str) -> FieldCondition {
    Condition::field(name)
}
