//! The schema of an array without the array.

use std::sync::Arc;

use bytes::Bytes;
use tdb_schema::{ArraySchema, Enumeration};
use tdb_store::StoreError;

use crate::directory::{LEGACY_SCHEMA, SCHEMA_FOLDER};
use crate::named_objects::open_schema;
use crate::open::ObjectReader;
use crate::settling::settle;
use crate::{
    ArrayError, Directory, Location, Names, OpenOptions, SchemaEntry, TimeWindow, TimestampedName,
    Warning,
};

/// The schema of an array at a time, for who wants nothing else of it: one folder is listed and one object read, however
/// many fragments there are.
///
/// It is the schema that [`Array::open`](crate::Array::open) would show. What that reads besides is not looked at: damage
/// to other schemas, to fragments and commits is no error here.
///
/// ```
/// use std::sync::Arc;
/// use tdb_array::{Array, ChangeOptions, Location, OpenOptions, StoredSchema};
/// use tdb_schema::{ArraySchema, ArrayType, Attribute, Dimension};
/// use tdb_store::MemoryStore;
/// use tdb_tile::Datatype;
///
/// let day = Dimension::numbers("day", Datatype::Int32, (1, 365), 7);
/// let rain = Attribute::new("rain", Datatype::Float32);
/// let schema = ArraySchema::new(ArrayType::Dense, vec![day], vec![rain]);
/// let weather = Location::new(Arc::new(MemoryStore::new()), "weather");
/// Array::create(&weather, &schema, &[], &ChangeOptions::default())?;
///
/// let stored = StoredSchema::open(&weather, OpenOptions::default())?;
/// assert_eq!(stored.schema().attributes[0].name, "rain");
/// # Ok::<(), tdb_array::ArrayError>(())
/// ```
#[derive(Clone, Debug)]
pub struct StoredSchema {
    place: ObjectReader,
    key: String,
    schema: Arc<ArraySchema>,
    warnings: Vec<Warning>,
}

impl StoredSchema {
    /// Reads the schema of the array that is at a location; fragments to leave out mean nothing to it.
    ///
    /// # Errors
    /// [`ArrayError::NoSuch`] where no array is; as the store reports; a schema, or a name among the schemas, that breaks
    /// the format.
    pub fn open(location: &Location, options: OpenOptions) -> Result<Self, ArrayError> {
        let place = ObjectReader::new(location, options);
        let look = || place.names(&[SCHEMA_FOLDER]);
        let attempt = |names: &Names| find(&place, names).map(Some);
        let (found, _) = settle(location.prefix(), look, attempt)?;
        Ok(Self {
            key: found.key,
            schema: found.schema,
            warnings: found.warnings,
            place,
        })
    }

    /// The schema.
    pub fn schema(&self) -> &Arc<ArraySchema> {
        &self.schema
    }

    /// When it came, in milliseconds since 1970, where that is after the end of the time that was asked about: then there was
    /// no schema yet.
    pub fn came_later(&self) -> Option<u64> {
        let name = TimestampedName::of_key(&self.key).ok()?;
        Some(name.start()).filter(|start| *start > self.place.options.window.at)
    }

    /// What is odd about it.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Reads an enumeration of it.
    ///
    /// # Errors
    /// [`ArrayError::Invalid`] if there is none of that name; as the store reports.
    pub fn enumeration(&self, name: &str) -> Result<Arc<Enumeration>, ArrayError> {
        self.place.enumeration(&self.schema, name)
    }
}

/// A schema with its key, and what is odd about it and about those that were passed over.
struct Found {
    key: String,
    schema: Arc<ArraySchema>,
    warnings: Vec<Warning>,
}

/// The first schema, in the order of [`in_turn`], that was ever finished.
fn find(place: &ObjectReader, names: &Names) -> Result<Found, ArrayError> {
    let directory = Directory::from_names(names, place.options.window)?;
    let strays = directory.strays().map(str::to_owned);
    let mut warnings: Vec<Warning> = strays.map(|key| Warning::Stray { key }).collect();
    for key in in_turn(directory.schemas(), place.options.window) {
        let Some(bytes) = stored(place, key)? else {
            continue;
        };
        if let Some(schema) = open_schema(place, key, &bytes, &mut warnings)? {
            return Ok(Found {
                key: key.to_owned(),
                schema,
                warnings,
            });
        }
    }
    Err(ArrayError::NoSuch {
        what: "array",
        prefix: place.location.prefix().to_owned(),
    })
}

/// The keys of schemas with times, and of the one of old, in the order of [`Directory::schema`]: the last one that had come
/// by the end of the window, else the first of all.
fn in_turn(dated: &[SchemaEntry], window: TimeWindow) -> impl Iterator<Item = &str> {
    let has_come = move |entry: &&SchemaEntry| {
        let name = entry.name.as_ref();
        name.is_some_and(|name| name.end() <= window.at)
    };
    let come = dated.iter().rev().filter(has_come);
    let others = dated.iter().filter(move |entry| !has_come(entry));
    let come = come.map(|entry| entry.key.as_str());
    let others = others.map(|entry| entry.key.as_str());
    come.chain([LEGACY_SCHEMA]).chain(others)
}

/// The bytes of a schema; that the one of old is not there is nothing odd, as it was not listed.
fn stored(place: &ObjectReader, key: &str) -> Result<Option<Bytes>, ArrayError> {
    match place.read_one(key) {
        Err(ArrayError::Store(StoreError::NotFound { .. })) if key == LEGACY_SCHEMA => Ok(None),
        read => read.map(Some),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_came_last_is_first_in_turn_and_what_is_to_come_is_last() {
        let entry = |time| {
            let name = TimestampedName::unversioned(time, time, u128::from(time)).unwrap();
            SchemaEntry {
                key: time.to_string(),
                name: Some(name),
            }
        };
        let dated = [10, 20, 30, 40].map(entry);
        let turns = |at| {
            in_turn(&dated, TimeWindow::until(at))
                .collect::<Vec<_>>()
                .join(" ")
        };
        let texts = [5, 20, 99].map(turns).join("\n");
        insta::assert_snapshot!(texts, @r"
        __array_schema.tdb 10 20 30 40
        20 10 __array_schema.tdb 30 40
        40 30 20 10 __array_schema.tdb
        ");
    }
}
