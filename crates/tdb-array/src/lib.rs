#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    warn(clippy::arithmetic_side_effects, clippy::disallowed_methods)
)]

mod array;
mod change;
mod claim;
mod commit_together;
pub mod commits;
mod committed;
mod contents;
mod contents_outside;
mod copying;
mod create;
mod delete;
pub mod directory;
mod draft;
mod draft_store;
mod early;
mod enumerations;
mod error;
mod footer;
mod fragment;
mod fragment_opener;
mod fragment_overlap;
mod fragment_parts;
mod granted_reads;
mod group;
mod group_change;
mod group_details;
mod history;
mod history_gap;
mod history_gaps;
mod kept_enumerations;
mod kept_parts;
mod later_objects;
mod later_time;
mod location;
mod metadata;
mod metadata_parts;
mod name_parts;
mod name_source;
mod named_objects;
mod new_fragment;
mod object_type;
mod open;
mod pending_schema;
mod put;
mod read_modify_write;
mod replace;
mod replaying;
mod settling;
mod snapshot;
mod soundness;
mod stored_schema;
mod stored_sizes;
mod taking_back;
mod time_order;
mod time_window;
mod timestamped_name;
mod unfinished;
mod uri;
mod warning;
mod work;

pub use array::Array;
pub use committed::CommittedNames;
pub use contents::{Contents, ContentsSize};
pub use contents_outside::ContentsOutside;
pub use create::LabelParts;
pub use delete::Delete;
pub use directory::{
    DeleteCommit, Directory, FragmentEntries, FragmentEntry, Live, Names, SchemaEntry,
};
pub use draft::Draft;
pub use error::{ArrayError, At, kind_of_store_error, stored_data_hint};
pub use fragment::{Fragment, FragmentSteps, Schemas};
pub use fragment_overlap::fragments_apart;
pub use fragment_parts::PartsToOpen;
pub use group::{Descendant, Group};
pub use group_change::MemberChange;
pub use group_details::{GroupDetails, GroupMember};
pub use history::DatedObject;
pub use history_gap::{HistoryGap, LostContent};
pub use later_objects::LaterObjects;
pub use location::Location;
pub use metadata::{Metadata, MetadataRecord, MetadataValue};
pub use name_parts::{NameError, NameForm};
pub use name_source::{ChangeOptions, CountedNames, NameSource, SystemNames};
pub use new_fragment::{DataFile, FinishedFile, NewFragment, SealedFragment};
pub use object_type::{FoundFolder, ObjectType};
pub use open::OpenOptions;
pub use read_modify_write::{Reach, ReadModifyWrite, View};
pub use settling::settle;
pub use snapshot::Snapshot;
pub use soundness::Unsound;
pub use stored_schema::StoredSchema;
pub use tdb_fragment::OpenedPart;
pub use tdb_tile::{ErrorKind, HasKind};
pub use time_window::TimeWindow;
pub use timestamped_name::TimestampedName;
pub use uri::UriTarget;
pub use warning::Warning;
pub use work::Work;
