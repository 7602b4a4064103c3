//! The schema of a draft that is not stored before the draft is published.

use std::sync::Arc;

use tdb_schema::ArraySchema;

use crate::directory::SCHEMA_FOLDER;
use crate::open::ObjectReader;
use crate::put::{put_schema, refused};
use crate::{
    Array, ArrayError, At, Directory, Location, Names, OpenOptions, Schemas, Snapshot,
    TimestampedName,
};

/// A schema in memory, under the name that it is going to have.
#[derive(Debug)]
pub(crate) struct PendingSchema {
    pub(crate) name: TimestampedName,
    pub(crate) schema: ArraySchema,
}

impl PendingSchema {
    /// Returns the array as it is going to be, without cells: what is written to it goes to `location`.
    pub(crate) fn array(&self, location: &Location) -> Result<Array, ArrayError> {
        let options = OpenOptions::default();
        let name = self.name.to_string();
        let key = format!("{SCHEMA_FOLDER}/{name}");
        // Readers will see the schema as it is decoded.
        let bytes = self.schema.encode().map_err(refused)?;
        let schema = ArraySchema::decode(&bytes.into(), location.limits()).at(&key)?;
        let directory = Directory::from_names(&Names::of_objects([key.as_str()]), options.window)?;
        let snapshot = Snapshot::new(
            location.prefix(),
            options.window,
            directory,
            Schemas::from([(name, Arc::new(schema))]),
            Vec::new(),
            Vec::new(),
        )?;
        let snapshot = Snapshot {
            access: location.access.clone(),
            ..snapshot
        };
        Ok(Array::of_snapshot(
            ObjectReader::new(location, options),
            snapshot,
        ))
    }

    /// Stores the schema.
    pub(crate) fn put(&self, location: &Location) -> Result<(), ArrayError> {
        put_schema(location, &self.name, &self.schema)
    }
}
