//! Types and functions of the engine's crates, by name, for programs that look below the builders: the arguments and
//! results of [`OpenArray::engine`](crate::OpenArray::engine) and of the other public items of this crate. A module
//! stands for the crate of that name: `tdb::engine::schema` for `tdb-schema`.

/// Counts, sums and other aggregates of cells.
pub mod aggregate {
    pub use tdb_aggregate::{
        Aggregate, AggregateError, Bin, FieldSummary, Group, GroupResults, Histogram, Outcome,
        count_cells, grouped, histogram, known_count, summarize,
    };
}

/// Arrays and groups as their objects make them up.
pub mod array {
    pub use tdb_array::{
        Array, ArrayError, At, ChangeOptions, Contents, ContentsSize, ErrorKind, Fragment, Group,
        GroupDetails, GroupMember, HasKind, HistoryGap, LaterObjects, Location, LostContent,
        Metadata, MetadataRecord, MetadataValue, NameSource, ObjectType, OpenOptions, StoredSchema,
        TimeWindow, TimestampedName, UriTarget, Warning, Work,
    };

    /// Merged commits.
    pub mod commits {
        pub use tdb_array::commits::{parse_consolidated, parse_lines};
    }

    /// Names of the folders and objects of an array.
    pub mod directory {
        pub use tdb_array::directory::{LEGACY_SCHEMA, METADATA_FOLDER};
    }
}

#[cfg(feature = "arrow")]
/// Arrow IPC and Parquet files.
pub mod arrow {
    pub use tdb_arrow::{IpcFileWriter, ParquetWriter, panics_are_errors};
}

/// Cells in memory, and the session that reads share.
pub mod cells {
    pub use tdb_cells::{
        Batch, Buffer, CellsError, Column, FieldInfo, Session, SessionOptions, SpillFolder,
    };

    /// Types that readers and writers of files share.
    pub mod files {
        pub use tdb_cells::files::{BatchWriter, ConversionError, OutputOptions};
    }
}

/// Query conditions.
pub mod condition {
    pub use tdb_condition::{Condition, ConditionError, Points, Term, TermPart};
}

/// Merging, removing and checking what is stored.
pub mod consolidate {
    pub use tdb_consolidate::{
        Damage, DamagedPlace, History, MergeError, MergeOptions, MergePlan, Mode, Plan, Step,
        StoredField, VacuumOptions, Verified, consolidate_array_metadata, consolidate_commits,
        consolidate_fragment_metadata, consolidate_group_metadata, debris, plan_fragment_removal,
        plan_merge, plan_merged_array_metadata, plan_merged_commits, plan_merged_footers,
        plan_merged_group_metadata, plan_vacuum, verify, verify_group,
    };
}

/// Filters and their pipelines.
pub mod filters {
    pub use tdb_filters::{
        Description, EncryptionKey, Entry, FilterList, FilterRecord, OptionValue, Registry,
        describe, open_generic_tile, seal_generic_tile,
    };
}

/// Metadata of one fragment.
pub mod fragment {
    pub use tdb_fragment::{
        ConditionTree, ConsolidatedMetadata, ExtraFields, FRAGMENT_METADATA, FieldLayout, Footer,
        FooterBytes, FooterStart, FragmentStatistics, LegacyMetadata, Next, ProcessedConditions,
        TileBounds, TileVector,
    };
}

/// Reads in the engine's form.
pub mod query {
    pub use tdb_query::{
        DeleteOptions, Deletion, Failing, QueryError, ReadOptions, Reader, ResultOrder,
        delete_cells,
    };
}

/// R-trees of MBRs.
pub mod rtree {
    pub use tdb_rtree::RTree;
}

/// Array schemas.
pub mod schema {
    pub use tdb_schema::{
        ArraySchema, Attribute, COORDS, CellOrder, CellValNum, DELETE_CONDITION_INDEX,
        DELETE_TIMESTAMPS, DataOrder, Dimension, Enumeration, EnumerationRecord, FieldKind,
        RangeError, SchemaError, Subarray, TIMESTAMPS,
    };

    /// Schemas and values as JSON.
    #[cfg(feature = "serde")]
    pub mod json {
        pub use tdb_schema::json::{
            Times, attribute_to_json, attributes_from_json, cell_from_json, cell_to_json,
            dimension_to_json, enumerations_from_json, ranges_from_json, ranges_to_json,
            schema_from_json, schema_to_json,
        };
    }

    /// Unknown names, and hints at what was meant.
    pub mod names {
        pub use tdb_schema::names::{UnknownName, hint};
    }

    /// Values as text, and text as values.
    pub mod value {
        pub use tdb_schema::value::{
            Cell, Value, holds_bytes, parse_number, read_cell, rfc3339, unpadded,
        };
    }
}

/// Stores of named objects.
pub mod store {
    pub use tdb_store::{
        Distance, Listing, Object, ObjectWriter, Page, Piece, Read, ReadAndListed, Store,
        StoreError, answers, check_prefix, is_draft, join, list_all, list_folders, name, parent,
        read_one, read_whole,
    };
}

#[cfg(feature = "text")]
/// CSV, JSON lines and `.npy` files.
pub mod text {
    pub use tdb_text::{CsvWriter, JsonLinesWriter, PlainText, cell_of_bytes};
}

/// Datatypes, format versions and the framing of tiles.
pub mod tile {
    pub use tdb_tile::{
        ChunkHeader, ChunkTable, Code, Datatype, FormatVersion, GenericTile, Limits, Range, Record,
        Scalar, WireError, with_scalar,
    };
}

/// Writes in the engine's form.
pub mod write {
    pub use tdb_write::{WriteError, WriteOrder};
}
