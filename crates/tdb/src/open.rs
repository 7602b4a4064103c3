//! Opening and making arrays.

use std::sync::Arc;

use tdb_array::{ArrayError, ChangeOptions, ObjectType, OpenOptions, TimeWindow};
use tdb_schema::{ArraySchema, Enumeration};

use crate::{Array, Context, Result, Schema, Time, place};

impl Context {
    /// Opens an array, as it is now.
    ///
    /// # Errors
    /// Where there is none, and where what is stored cannot be read.
    pub fn open(&self, uri: &str) -> Result<Array> {
        self.open_with(uri, OpenOptions::at(Time::now().0))
    }

    /// Opens an array as it was at a time.
    ///
    /// # Errors
    /// As for [`Context::open`]; where there was no array yet.
    pub fn open_at(&self, uri: &str, time: impl Into<Time>) -> Result<Array> {
        self.open_with(uri, OpenOptions::at(time.into().0))
    }

    /// Opens an array with only what was written from `since` until `until`, both included.
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
        self.open_with(
            uri,
            OpenOptions {
                window,
                ..OpenOptions::default()
            },
        )
    }

    /// Opens an array with all the options that there are.
    ///
    /// # Errors
    /// As for [`Context::open`].
    pub fn open_with(&self, uri: &str, options: OpenOptions) -> Result<Array> {
        let place = place::folder(uri, self.opener())?;
        let opened = tdb_array::Array::open_location(&self.location(&place), options);
        let opened = opened.map_err(|error| place.unopened(error))?;
        Ok(Array::new(self.clone(), place, Arc::new(opened)))
    }

    /// Makes an array, and opens it. Nothing may be there yet; folders above are made.
    ///
    /// # Errors
    /// Where something is in the way, and as the store reports.
    pub fn create(&self, uri: &str, schema: &Schema) -> Result<Array> {
        let place = place::vacant(uri, self.opener())?;
        let location = self.location(&place);
        let options = ChangeOptions::default();
        tdb_array::Array::create(&location, schema, schema.enumerations(), &options)
            .map_err(|error| place.failed(error))?;
        self.open(uri)
    }

    /// What a URI leads to.
    ///
    /// # Errors
    /// Where there is nothing, and as the store reports.
    pub fn object_type(&self, uri: &str) -> Result<ObjectType> {
        place::folder(uri, self.opener())?.object_type()
    }
}

impl Array {
    /// The same array as it is now.
    ///
    /// # Errors
    /// As for [`Context::open`].
    pub fn reopen(&self) -> Result<Self> {
        self.context().open(self.uri())
    }

    /// The newest schema, to make another array of it.
    ///
    /// # Errors
    /// Enumerations that cannot be read.
    pub fn newest_schema(&self) -> Result<Schema> {
        let engine = self.engine();
        self.with_labels(engine.newest_schema(), |name| {
            engine.newest_enumeration(name)
        })
    }

    /// The schema with the labels of its enumerations, as [`Context::create`] and [`Array::rewrite`] take one.
    ///
    /// # Errors
    /// Enumerations that cannot be read.
    pub fn full_schema(&self) -> Result<Schema> {
        let engine = self.engine();
        self.with_labels(engine.schema(), |name| engine.enumeration(name))
    }

    fn with_labels(
        &self,
        schema: &ArraySchema,
        labels: impl Fn(&str) -> Result<Arc<Enumeration>, ArrayError>,
    ) -> Result<Schema> {
        let names = schema.enumerations.iter().map(|entry| &entry.name);
        let read = names.map(|name| labels(name).map(|labels| Enumeration::clone(&labels)));
        let read: Result<Vec<Enumeration>, ArrayError> = read.collect();
        let labels = read.map_err(|error| self.failed(error))?;
        Ok(Schema::of(schema.clone(), labels))
    }
}
