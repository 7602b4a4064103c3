//! Schemas and values as JSON, in the form that `tdb schema --json` prints and `tdb create
//! --schema` reads.
//!
//! ```
//! use tdb_schema::json::{Times, schema_from_json, schema_to_json};
//! use serde_json::json;
//!
//! let json = json!({
//!     "type": "dense",
//!     "dimensions": [{"name": "day", "datatype": "datetime_day",
//!                     "domain": ["2024-01-01", "2024-12-31"], "extent": 7}],
//!     "attributes": [{"name": "rain", "datatype": "float32", "filters": [{"name": "zstd"}]}],
//! });
//! let (schema, enumerations) = schema_from_json(&json, || "__0123_0".to_owned())?;
//! let shown = schema_to_json(&schema, &enumerations, Times::Iso);
//! assert_eq!(shown["dimensions"][0]["domain"], json!(["2024-01-01", "2024-12-31"]));
//! assert_eq!(shown["attributes"][0]["fill"], json!("NaN"));
//! # Ok::<(), tdb_schema::SchemaError>(())
//! ```

mod cell;
mod filters;
mod object;
mod read;
mod write;

pub use cell::{cell_from_json, cell_to_json, value_to_json};
pub use filters::{filters_from_json, filters_to_json};
pub use read::{
    attribute_from_json, attributes_from_json, enumerations_from_json, ranges_from_json,
    schema_from_json,
};
pub use write::{
    attribute_to_json, dimension_to_json, enumeration_to_json, range_to_json, ranges_to_json,
    schema_to_json,
};

/// The form in which dates and times are written. Both forms can be read: text is ISO 8601, numbers
/// are ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Times {
    /// As ISO 8601.
    #[default]
    Iso,
    /// As the stored 64-bit numbers.
    Ticks,
}
