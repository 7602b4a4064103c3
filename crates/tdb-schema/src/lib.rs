#![doc = include_str!("../README.md")]
#![cfg_attr(
    not(test),
    warn(clippy::arithmetic_side_effects, clippy::disallowed_methods)
)]

mod attribute;
mod attribute_record;
mod check;
mod check_filters;
mod check_new;
mod codes;
mod coordinate;
mod current_domain;
mod dimension;
mod dimension_record;
mod enumeration;
mod enumeration_record;
mod error;
mod evolution;
mod field;
pub mod grid;
pub mod hilbert;
mod image_shape;
#[cfg(feature = "serde")]
pub mod json;
mod label;
mod label_record;
pub mod names;
pub mod order;
mod presence;
mod schema;
mod schema_record;
mod subarray;
pub mod value;

pub use attribute::Attribute;
pub use attribute_record::AttributeRecord;
pub use codes::{ArrayType, CellOrder, CellValNum, CurrentDomainType, DataOrder, Order};
pub use current_domain::{CurrentDomainRecord, RangeRecord};
pub use dimension::Dimension;
pub use dimension_record::DimensionRecord;
pub use enumeration::Enumeration;
pub use enumeration_record::{EnumerationEntryRecord, EnumerationRecord};
pub use error::{Problem, SchemaError};
pub use field::{COORDS, DELETE_CONDITION_INDEX, DELETE_TIMESTAMPS, Field, FieldKind, TIMESTAMPS};
pub use label::DimensionLabel;
pub use label_record::LabelRecord;
pub use schema::{ArraySchema, EnumerationRef, SchemaWarning};
pub use schema_record::SchemaRecord;
pub use subarray::{RangeError, Subarray};
