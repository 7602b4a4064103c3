#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

mod array;
mod condition_text;
mod context;
mod error;
mod files;
mod filter;
mod group;
mod history;
mod interval;
mod memory_stores;
#[cfg(feature = "object-store")]
mod object_stores;
mod objects;
mod open;
mod order;
pub mod place;
mod schema;
#[cfg(feature = "serde")]
mod schema_serde;
mod settings;
mod stores;
mod time;
mod value;
mod walk;

pub use array::{Array, MetadataEntry};
pub use condition_text::{CellCondition, parse_condition, parse_condition_of, unknown_labels};
pub use context::Context;
pub use error::{Error, Excerpt, Result};
pub use files::{FileEntry, Files, OpenFile, OpenMode};
pub use filter::{Filter, filter_list};
pub use group::{AddOptions, Group, MemberPlace};
pub use interval::{Axis, Interval};
pub use memory_stores::MemoryStores;
#[cfg(feature = "object-store")]
pub use object_stores::ObjectStores;
pub use objects::{Objects, ObjectsOutside, in_the_way};
pub use order::Order;
pub use schema::{Attribute, Dimension, Schema, SchemaBuilder};
pub use settings::{MergeSettings, Setting, SettingEffect, Settings};
pub use stores::{LocalStores, RemoteFolder, Stores};
pub use tdb_array::ErrorKind;
#[cfg(feature = "object-store")]
pub use tdb_object_store::Settings as StoreSettings;
pub use tdb_tile::Datatype;
pub use time::{Time, parse_duration};
pub use value::Value;
pub use walk::{FoundObject, WalkOrder};
