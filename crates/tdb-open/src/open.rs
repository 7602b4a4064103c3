//! Opening and creating arrays.

use std::sync::Arc;

use tdb_array::{
    Array as EngineArray, ArrayError, ChangeOptions, ObjectType, OpenOptions, StoredSchema,
    TimeWindow,
};
use tdb_schema::{ArraySchema, Enumeration};

use crate::place::{self, Place};
use crate::{Array, Context, Result, Schema, Time};

impl Context {
    /// Opens an array as it is now.
    ///
    /// # Errors
    /// Fails if there is no array, or if its stored data cannot be read.
    pub fn open(&self, uri: &str) -> Result<Array> {
        self.open_with(uri, OpenOptions::at(Time::now().0))
    }

    /// Opens an array as it was at a time.
    ///
    /// # Errors
    /// As for [`Context::open`]; fails also if there was no array at that time.
    pub fn open_at(&self, uri: &str, time: impl Into<Time>) -> Result<Array> {
        self.open_with(uri, OpenOptions::at(time.into().0))
    }

    /// Opens an array with only the writes from `since` to `until`, both inclusive.
    ///
    /// # Errors
    /// As for [`Context::open`].
    pub fn open_between(
        &self,
        uri: &str,
        since: impl Into<Time>,
        until: impl Into<Time>,
    ) -> Result<Array> {
        let window = TimeWindow {
            since: since.into().0,
            at: until.into().0,
        };
        self.open_with(uri, OpenOptions::default().window(window))
    }

    /// Opens an array with all available options.
    ///
    /// # Errors
    /// As for [`Context::open`].
    pub fn open_with(&self, uri: &str, options: OpenOptions) -> Result<Array> {
        self.open_place(&place::folder(uri, self.opener())?, options)
    }

    /// Opens the array at a place with all available options.
    ///
    /// # Errors
    /// As for [`Context::open`].
    pub fn open_place(&self, place: &Place, options: OpenOptions) -> Result<Array> {
        let opened = self.opened(place, options);
        opened.map_err(|error| place.unopened(error))
    }

    /// Opens the array at a place with all available options, or returns `None` if there is a group. Most objects are
    /// arrays: opening one also tells the type, which saves a request to a remote store.
    ///
    /// # Errors
    /// Fails if there is neither an array nor a group, or if the array's stored data cannot be read.
    pub fn open_unless_group(&self, place: &Place, options: OpenOptions) -> Result<Option<Array>> {
        let error = match self.opened(place, options) {
            Ok(array) => return Ok(Some(array)),
            Err(error) => error,
        };
        if !matches!(error, ArrayError::NoSuch { .. }) {
            return Err(place.failed(error));
        }
        match place.object_type()? {
            ObjectType::Group => Ok(None),
            ObjectType::Array => Err(place.failed(error)),
            ObjectType::Invalid => Err(place.nothing("array or group")),
        }
    }

    fn opened(&self, place: &Place, options: OpenOptions) -> Result<Array, ArrayError> {
        let options = self.options(options);
        let opened = tdb_array::Array::open_location(&self.location(place), options)?;
        Ok(Array::of_engine(
            self.clone(),
            place.clone(),
            Arc::new(opened),
        ))
    }

    /// Returns the schema of an array as it is now, with the labels of its enumerations. The array itself is not
    /// opened, so the time does not depend on the number of fragments, and damage elsewhere goes unnoticed.
    ///
    /// ```
    /// # let folder = tempfile::tempdir()?;
    /// # let uri = folder.path().join("array");
    /// # let uri = uri.to_str().expect("a path of text");
    /// use tdb_open::{Attribute, Context, Datatype, Dimension, Schema};
    ///
    /// let context = Context::new();
    /// let schema = Schema::dense()
    ///     .dimension(Dimension::new("day", Datatype::Int32).domain(1..=365).tile(7))
    ///     .attribute(Attribute::new("rain", Datatype::Float32))
    ///     .build()?;
    /// context.create(uri, &schema)?;
    /// assert_eq!(context.schema(uri)?.attributes[0].name, "rain");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Fails if there is no array, or if its schema cannot be read.
    pub fn schema(&self, uri: &str) -> Result<Schema> {
        self.schema_with(uri, OpenOptions::at(Time::now().0))
    }

    /// As [`Context::schema`], as of the time of the options.
    ///
    /// # Errors
    /// As for [`Context::schema`].
    pub fn schema_with(&self, uri: &str, options: OpenOptions) -> Result<Schema> {
        let place = place::folder(uri, self.opener())?;
        let stored = self.stored_schema_at(&place, options)?;
        let labels = |name: &str| stored.enumeration(name);
        with_labels(stored.schema(), labels).map_err(|error| place.failed(error))
    }

    /// Reads the schema of an array without its enumerations, which can be read later.
    ///
    /// # Errors
    /// As for [`Context::schema`].
    pub fn stored_schema(&self, uri: &str, options: OpenOptions) -> Result<StoredSchema> {
        self.stored_schema_at(&place::folder(uri, self.opener())?, options)
    }

    fn stored_schema_at(&self, place: &Place, options: OpenOptions) -> Result<StoredSchema> {
        StoredSchema::open(&self.location(place), options).map_err(|error| place.unopened(error))
    }

    /// Creates an array, and opens it. Nothing may exist there yet; parent folders are created.
    ///
    /// # Errors
    /// Fails if something exists there already, or if the store fails.
    pub fn create(&self, uri: &str, schema: &Schema) -> Result<Array> {
        self.create_with(uri, schema, &ChangeOptions::default())?;
        self.open(uri)
    }

    /// Creates an array at a time, with all available options.
    ///
    /// # Errors
    /// As for [`Context::create`].
    pub fn create_with(&self, uri: &str, schema: &Schema, options: &ChangeOptions) -> Result<()> {
        let place = place::vacant(uri, self.opener())?;
        let location = self.location(&place);
        let (enumerations, labels) = (schema.enumerations(), schema.label_parts());
        let made = EngineArray::create_labelled(&location, schema, enumerations, labels, options);
        made.map_err(|error| place.failed(error))
    }

    /// Returns whether a URI leads to an array, to a group or to neither.
    ///
    /// # Errors
    /// Fails if nothing exists there, or if the store fails.
    pub fn object_type(&self, uri: &str) -> Result<ObjectType> {
        place::folder(uri, self.opener())?.object_type()
    }
}

impl Array {
    /// Opens the same array again, as it is now.
    ///
    /// # Errors
    /// As for [`Context::open`].
    pub fn reopen(&self) -> Result<Self> {
        self.context().open(self.uri())
    }

    /// Returns the newest schema, as a template for another array.
    ///
    /// # Errors
    /// Fails if enumerations cannot be read.
    pub fn newest_schema(&self) -> Result<Schema> {
        let engine = self.engine();
        let labels = |name: &str| engine.newest_enumeration(name);
        with_labels(engine.newest_schema(), labels).map_err(|error| self.failed(error))
    }

    /// Returns the schema with the labels of its enumerations, as [`Context::create`] and `rewrite` of `tdb-change` take it.
    ///
    /// # Errors
    /// Fails if enumerations cannot be read.
    pub fn full_schema(&self) -> Result<Schema> {
        let engine = self.engine();
        let labels = |name: &str| engine.enumeration(name);
        with_labels(engine.schema(), labels).map_err(|error| self.failed(error))
    }
}

/// Adds the labels of its enumerations to a schema.
fn with_labels(
    schema: &ArraySchema,
    labels: impl Fn(&str) -> Result<Arc<Enumeration>, ArrayError>,
) -> Result<Schema, ArrayError> {
    let names = schema.enumerations.iter().map(|entry| &entry.name);
    let read = names.map(|name| labels(name).map(|labels| Enumeration::clone(&labels)));
    let labels = read.collect::<Result<Vec<Enumeration>, ArrayError>>()?;
    Ok(Schema::of(schema.clone(), labels))
}
