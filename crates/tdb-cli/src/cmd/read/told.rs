//! What a file tells of an array, beside its cells.

use tdb_array::Array;
use tdb_query::ReadOptions;
use tdb_schema::json::{Times, schema_to_json};

use super::format::Format;
use crate::cmd::shape;
use crate::failure::Failure;

/// What a file tells of the array, beside its cells.
#[derive(Debug)]
pub(super) struct Told {
    /// `.npy`: cells along each dimension of the result.
    pub(super) shape: Vec<u64>,
    /// Arrow and Parquet: the schema, as JSON, which `tdb import` takes up.
    array_schema: Option<String>,
}

impl Told {
    pub(super) fn of(
        array: &Array,
        options: &ReadOptions,
        format: Format,
    ) -> Result<Self, Failure> {
        let schema = array.schema();
        let remembers = matches!(format, Format::Arrow | Format::Parquet);
        Ok(Self {
            shape: match format {
                Format::Npy => shape::of_result(schema, options)?,
                _ => Vec::new(),
            },
            // The labels are part of the cells.
            array_schema: remembers.then(|| schema_to_json(schema, &[], Times::Iso).to_string()),
        })
    }

    pub(super) fn array_schema(&self) -> Option<&str> {
        self.array_schema.as_deref()
    }
}
