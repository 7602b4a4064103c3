use std::num::NonZeroUsize;
use std::sync::Arc;

use tdb_array::{ChangeOptions, Location, ObjectType, OpenOptions, TimeWindow};
use tdb_cells::{Session, SessionOptions};
use tdb_filters::EncryptionKey;

use crate::place::{self, Place};
use crate::{Array, Error, LocalStores, Result, Schema, Stores, Time};

/// What opening, reading and writing share: threads, memory, a key, and the stores that URIs lead to. Cheap to clone; two
/// contexts do not disturb each other.
///
/// ```
/// use tdb::Context;
///
/// let context = Context::new().threads(2).memory(512 << 20);
/// assert!(context.open("nowhere").is_err());
/// ```
#[derive(Clone, Debug)]
pub struct Context {
    options: SessionOptions,
    session: Session,
    stores: Arc<dyn Stores>,
    key: Option<EncryptionKey>,
}

impl Default for Context {
    fn default() -> Self {
        Self::new()
    }
}

impl Context {
    /// All threads of the machine, at most 1 GiB of memory, no key, local folders.
    #[must_use]
    pub fn new() -> Self {
        Self {
            options: SessionOptions::default(),
            session: Session::default(),
            stores: Arc::new(LocalStores),
            key: None,
        }
    }

    /// The same with this number of threads; with one, none is started.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.options.threads = NonZeroUsize::new(threads.max(1));
        self.session = Session::new(self.options.clone());
        self
    }

    /// The same with this many bytes of memory for reading and writing.
    #[must_use]
    pub fn memory(mut self, bytes: u64) -> Self {
        self.options.memory = Some(bytes);
        self.session = Session::new(self.options.clone());
        self
    }

    /// The same with the threads and the memory of a session that is there already.
    #[must_use]
    pub fn session(mut self, session: Session) -> Self {
        self.session = session;
        self
    }

    /// The same with a key of 32 bytes: for arrays and groups that are encrypted, or are to be.
    ///
    /// # Errors
    /// Any other number of bytes.
    pub fn key(mut self, key: &[u8]) -> Result<Self> {
        let key = EncryptionKey::new(key).map_err(|error| Error::invalid(error.to_string()))?;
        self.key = Some(key);
        Ok(self)
    }

    /// The same with other stores.
    #[must_use]
    pub fn stores(mut self, stores: Arc<dyn Stores>) -> Self {
        self.stores = stores;
        self
    }

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
        let place = place::array(uri, &*self.stores)?;
        let opened = tdb_array::Array::open_location(&self.location(&place), options);
        let opened = opened.map_err(|error| place.failed(error))?;
        Ok(Array::new(self.clone(), place, Arc::new(opened)))
    }

    /// Makes an array, and opens it. Nothing may be there yet; folders above are made.
    ///
    /// # Errors
    /// Where something is in the way, and as the store reports.
    pub fn create(&self, uri: &str, schema: &Schema) -> Result<Array> {
        let place = place::vacant(uri, &*self.stores)?;
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
        place::folder(uri, &*self.stores)?.object_type()
    }

    pub(crate) fn location(&self, place: &Place) -> Location {
        let location = place.location.clone().with_key(self.key.clone());
        location.with_limits(self.session.limits().clone())
    }

    /// The threads and the memory.
    #[must_use]
    pub fn shared_session(&self) -> &Session {
        &self.session
    }
}
