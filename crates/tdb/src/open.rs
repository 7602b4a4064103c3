//! Opening and creating arrays.

use tdb_array::OpenOptions;
use tdb_open::place::Place;
use tdb_open::{Result, Schema, Time};

use crate::{Array, Context};

impl Context {
    /// Opens an array as it is now.
    ///
    /// # Errors
    /// Fails if there is no array, or if its stored data cannot be read.
    pub fn open(&self, uri: &str) -> Result<Array> {
        let opened = self.open_context().open(uri)?;
        Ok(Array::in_context(self, opened))
    }

    /// Opens an array as it was at a time.
    ///
    /// # Errors
    /// As for [`Context::open`]; fails also if there was no array at that time.
    pub fn open_at(&self, uri: &str, time: impl Into<Time>) -> Result<Array> {
        let opened = self.open_context().open_at(uri, time)?;
        Ok(Array::in_context(self, opened))
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
        let opened = self.open_context().open_between(uri, since, until)?;
        Ok(Array::in_context(self, opened))
    }

    /// Opens an array with all available options.
    ///
    /// # Errors
    /// As for [`Context::open`].
    pub fn open_with(&self, uri: &str, options: OpenOptions) -> Result<Array> {
        let opened = self.open_context().open_with(uri, options)?;
        Ok(Array::in_context(self, opened))
    }

    /// Opens the array at a place with all available options.
    ///
    /// # Errors
    /// As for [`Context::open`].
    pub fn open_place(&self, place: &Place, options: OpenOptions) -> Result<Array> {
        let opened = self.open_context().open_place(place, options)?;
        Ok(Array::in_context(self, opened))
    }

    /// Opens the array at a place with all available options, or returns `None` if there is a group.
    ///
    /// # Errors
    /// Fails if there is neither an array nor a group, or if the array's stored data cannot be read.
    pub fn open_unless_group(&self, place: &Place, options: OpenOptions) -> Result<Option<Array>> {
        let opened = self.open_context().open_unless_group(place, options)?;
        Ok(opened.map(|opened| Array::in_context(self, opened)))
    }

    /// Creates an array, and opens it. Nothing may exist there yet; parent folders are created.
    ///
    /// # Errors
    /// Fails if something exists there already, or if the store fails.
    pub fn create(&self, uri: &str, schema: &Schema) -> Result<Array> {
        let opened = self.open_context().create(uri, schema)?;
        Ok(Array::in_context(self, opened))
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
}
