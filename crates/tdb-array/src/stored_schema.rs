//! The schema of an array, without the rest of the array.

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

/// The schema of an array as of a time, for callers that need nothing else: opening it lists one folder and usually
/// reads one object, however many fragments there are.
///
/// It is the schema that [`Array::open`](crate::Array::open) would return. Nothing else is checked: damage to other
/// schemas, fragments or commits is not an error here.
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
    /// Reads the schema of the array at a location. The option to leave out fragments has no effect.
    ///
    /// # Errors
    /// [`ArrayError::NoSuch`] if there is no array; a schema, or a name in the folder of schemas, that breaks the
    /// format; or any error of the store.
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

    /// Returns the schema.
    pub fn schema(&self) -> &Arc<ArraySchema> {
        &self.schema
    }

    /// Returns the time of the schema, in milliseconds since 1970, if it is after the requested window: then the array
    /// had no schema yet.
    pub fn came_later(&self) -> Option<u64> {
        let name = TimestampedName::of_key(&self.key).ok()?;
        Some(name.start()).filter(|start| *start > self.place.options.window.at)
    }

    /// Returns the times in the schema's name, in milliseconds since 1970; `None` for the undated one of old versions.
    pub fn times(&self) -> Option<(u64, u64)> {
        let name = TimestampedName::of_key(&self.key).ok()?;
        Some((name.start(), name.end()))
    }

    /// Returns the warnings about the schema.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Reads an enumeration of the schema.
    ///
    /// # Errors
    /// [`ArrayError::Invalid`] if the schema has no enumeration of that name, or any error of the store.
    pub fn enumeration(&self, name: &str) -> Result<Arc<Enumeration>, ArrayError> {
        self.place.enumeration(&self.schema, name)
    }
}

/// A schema with its key, and warnings about it and about the schemas that were skipped.
struct SchemaWithKey {
    key: String,
    schema: Arc<ArraySchema>,
    warnings: Vec<Warning>,
}

/// Returns the first schema, in the order of [`in_turn`], that was completely written.
fn find(place: &ObjectReader, names: &Names) -> Result<SchemaWithKey, ArrayError> {
    let directory = Directory::from_names(names, place.options.window)?;
    let strays = directory.strays().map(str::to_owned);
    let mut warnings: Vec<Warning> = strays.map(|key| Warning::Stray { key }).collect();
    for key in in_turn(directory.schemas(), place.options.window) {
        let Some(bytes) = stored(place, key)? else {
            continue;
        };
        if let Some(schema) = open_schema(place, key, &bytes, &mut warnings)? {
            return Ok(SchemaWithKey {
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

/// Returns the keys of all schemas in the order in which [`Directory::schema`] prefers them: those in the window,
/// latest first, then the undated one of old versions, then the later ones.
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

/// Reads a schema; `None` if the undated one does not exist, since it was not listed before.
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
