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
        Array, ArrayError, At, ChangeOptions, CommittedNames, Contents, ContentsOutside,
        ContentsSize, DataFile, DatedObject, Delete, DeleteCommit, Descendant, Directory, Draft,
        ErrorKind, FinishedFile, FoundFolder, Fragment, FragmentEntries, FragmentEntry, Group,
        GroupDetails, GroupMember, HasKind, HistoryGap, LabelParts, LaterObjects, Live, Location,
        LostContent, MemberChange, Metadata, MetadataRecord, MetadataValue, NameError, NameForm,
        NameSource, Names, NewFragment, ObjectType, OpenOptions, PartsToOpen, Reach,
        ReadModifyWrite, SchemaEntry, Schemas, SealedFragment, Snapshot, StoredSchema, SystemNames,
        TimeWindow, TimestampedName, Unsound, UriTarget, View, Warning, Work,
    };

    /// Merged commits.
    pub mod commits {
        pub use tdb_array::commits::{ConsolidatedCommit, parse_consolidated, parse_lines};
    }

    /// Names of the folders and objects of an array.
    pub mod directory {
        pub use tdb_array::directory::{
            DatedObjects, DeleteLocation, LEGACY_SCHEMA, ListingComparison, Lists, METADATA_FOLDER,
        };
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
        Batch, Buffer, Cancelled, CellProblem, CellType, CellsError, Column, ColumnProblem,
        Counters, FieldInfo, LentWorker, Profile, Session, SessionOptions, SpillFolder, Stage,
        TileError, WholeTiles,
    };

    /// Geometry of dense arrays.
    pub mod dense {
        pub use tdb_cells::dense::TileSet;
    }

    /// Types that readers and writers of files share.
    pub mod files {
        pub use tdb_cells::files::{
            BatchWriter, ColumnGuess, ConversionError, InputError, InputPlace, Labels,
            OutputOptions,
        };
    }
}

/// Changes in place, in the engine's form.
pub mod change {
    pub use tdb_change::{DeleteError, DeleteOptions, Deletion, delete_cells};
}

/// Query conditions.
pub mod condition {
    pub use tdb_condition::{
        CompareOp, Comparison, Condition, ConditionError, ConditionNode, ConditionRules,
        FieldCells, FieldTest, GatheredPoints, KeepCondition, Literal, Matcher, Pattern, Points,
        ResolvedComparison, ResolvedCondition, ResolvedField, ResolvedTerm, ResolvedTest, Step,
        Term, TermPart, Test,
    };
}

/// Merging and removing what is stored.
pub mod consolidate {
    pub use tdb_consolidate::{
        History, MergeError, MergeOptions, MergeOutcome, MergePlan, MergeStep, Mode, Plan, Source,
        Step, StepPolicy, VacuumOptions, consolidate_array_metadata, consolidate_commits,
        consolidate_fragment_metadata, consolidate_group_metadata, debris,
        plan_contained_fragment_removal, plan_fragment_removal, plan_merge,
        plan_merged_array_metadata, plan_merged_commits, plan_merged_footers,
        plan_merged_group_metadata, plan_named_fragment_removal, plan_vacuum, suggest_merges,
    };
}

/// Filters and their pipelines.
pub mod filters {
    pub use tdb_filters::{
        Description, EncryptionKey, Entry, FilterError, FilterList, FilterRecord, OptionValue,
        Options, Registry, describe, open_generic_tile, seal_generic_tile,
    };

    /// header
    pub mod header {
        pub use tdb_filters::header::Reader;
    }
}

/// Metadata of one fragment.
pub mod fragment {
    pub use tdb_fragment::{
        Combine, ConditionError, ConditionNode, ConditionOp, ConditionTree, ConditionValue,
        ConsolidatedEntry, ConsolidatedMetadata, DataFiles, ExtraFields, FRAGMENT_METADATA,
        FieldLayout, FieldStatistics, Footer, FooterBytes, FooterStart, FragmentError,
        FragmentIndex, FragmentMetadata, FragmentStatistics, GenericTileOffsets, LegacyMetadata,
        MetadataPart, Next, OpenedPart, OptionalSection, PartPlace, ProcessedConditions,
        StoredFragment, TileBounds, TileIndex, TileNumber, TileStatistics, TileSum, TileVector,
    };
}

/// Looking at what is stored, and checking it.
pub mod inspect {
    pub use tdb_inspect::{
        Damage, DamagedPlace, StoredField, TileExtents, Verification, verify, verify_group,
    };
}

/// Reads in the engine's form.
pub mod query {
    pub use tdb_query::{
        Advance, BufferedRead, ChosenTiles, Failing, Fetch, FieldBuffers, FilledBytes, FilledCells,
        LabelSearch, LoneTiles, NextCells, OffsetFormat, QueryError, ReadOptions, Reader,
        ResultOrder, Tally, Versions, rows_of,
    };
}

/// R-trees of MBRs.
pub mod rtree {
    pub use tdb_rtree::{DimensionType, Mbr, RTree, RTreeError, TileOverlap};
}

/// Array schemas.
pub mod schema {
    pub use tdb_schema::{
        ArraySchema, ArrayType, Attribute, AttributeRecord, COORDS, CellOrder, CellValNum,
        CurrentDomainRecord, CurrentDomainType, DELETE_CONDITION_INDEX, DELETE_TIMESTAMPS,
        DataOrder, Dimension, DimensionLabel, DimensionRecord, Enumeration, EnumerationEntryRecord,
        EnumerationRecord, EnumerationRef, Field, FieldKind, LabelRecord, Order, Problem,
        RangeError, RangeRecord, SchemaError, SchemaRecord, SchemaWarning, Subarray, TIMESTAMPS,
    };

    /// Grids of space tiles.
    pub mod grid {
        pub use tdb_schema::grid::{
            CellBox, CellLayout, FloatCount, GridAxis, SpaceTileGrid, TileBox,
        };
    }

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

    /// Cell orders.
    pub mod order {
        pub use tdb_schema::order::SortOrder;
    }

    /// Values as text, and text as values.
    pub mod value {
        pub use tdb_schema::value::{
            Cell, Moment, Value, ValueError, holds_bytes, parse_number, read_cell, rfc3339,
            unpadded,
        };
    }
}

/// Stores of named objects.
pub mod store {
    pub use tdb_store::{
        ByteRange, Counts, Distance, JoinedReads, Listing, MemoryStore, Object, ObjectWriter, Page,
        Piece, Read, ReadAndListed, SentReads, Store, StoreError, answers, check_prefix, is_draft,
        join, list_all, list_folders, name, parent, read_one, read_whole,
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
        Budget, Bug, ChunkEntry, ChunkHeader, ChunkTable, Code, Datatype, EncryptionType, Exact,
        FormatVersion, GenericTile, GenericTileHeader, Grant, LimitError, Limits, Physical, Range,
        Record, Scalar, U64Column, WireError, WireErrorKind, with_scalar,
    };
}

/// Writes in the engine's form.
pub mod write {
    pub use tdb_write::{
        CopiedFragment, Duplicates, OrderProblem, PlaceProblem, RangeProblem, RepeatedCell,
        Replacement, SealedWrite, WriteError, WriteOptions, WriteOrder, Writer,
    };
}
