use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;

use tdb_array::{Location, OpenOptions};
use tdb_cells::{Progress, Session, SessionOptions, SpillFolder};
use tdb_filters::EncryptionKey;

use crate::place::Place;
use crate::stores::Stores;
use crate::{Error, Result, Settings};

/// Settings shared by opening, reading and writing: threads, memory, a key, and the stores that URIs lead to. Cheap to
/// clone; two contexts do not disturb each other.
///
/// ```
/// use tdb_open::Context;
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
    whole_history: bool,
}

impl Default for Context {
    fn default() -> Self {
        Self::new()
    }
}

impl Context {
    /// Creates a context with all threads of the machine, at most 1 GiB of memory, the system's temporary folder, no
    /// key, and local folders; with the feature `object-store` also object stores, with settings from the environment.
    #[must_use]
    pub fn new() -> Self {
        let options =
            SessionOptions::default().spill(Some(SpillFolder::local(&std::env::temp_dir())));
        Self {
            session: Session::new(options.clone()),
            options,
            stores: usual_stores(),
            key: None,
            whole_history: false,
        }
    }

    /// Sets the number of threads; with one, no thread is started.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.options.threads = NonZeroUsize::new(threads.max(1));
        self.session = Session::new(self.options.clone());
        self
    }

    /// Sets the memory budget for reading and writing, in bytes.
    #[must_use]
    pub fn memory(mut self, bytes: u64) -> Self {
        self.options.memory = Some(bytes);
        self.session = Session::new(self.options.clone());
        self
    }

    /// Sets the temporary folder. Groups and sorted cells spill to it if they need more than a part of the context's
    /// memory. The folder must exist by then; spilled data is not encrypted, and is removed at the end.
    #[must_use]
    pub fn temp(mut self, folder: impl AsRef<Path>) -> Self {
        self.options.spill = Some(SpillFolder::local(folder.as_ref()));
        self.session = Session::new(self.options.clone());
        self
    }

    /// Applies settings by TileDB's names: threads, memory, key, object stores, and whether an incomplete history is an
    /// error. What they do not name stays as it is, but for the stores, which are replaced by those of the settings.
    ///
    /// ```
    /// use tdb_open::{Context, Settings};
    ///
    /// let mut settings = Settings::of_environment(std::env::vars_os());
    /// settings.set("sm.compute_concurrency_level", "2")?;
    /// settings.set("vfs.s3.region", "eu-central-1")?;
    /// let context = Context::new().settings(&settings)?;
    /// # let _ = context;
    /// # Ok::<(), tdb_open::Error>(())
    /// ```
    ///
    /// # Errors
    /// Fails if encryption is on without a key of 32 bytes.
    pub fn settings(mut self, settings: &Settings) -> Result<Self> {
        let (threads, memory) = (settings.threads()?, settings.memory()?);
        if threads.is_some() || memory.is_some() {
            self.options.threads = threads.or(self.options.threads);
            self.options.memory = memory.or(self.options.memory);
            self.session = Session::new(self.options.clone());
        }
        if let Some(key) = settings.key()? {
            self.key = Some(key);
        }
        self.whole_history |= settings.refuses_incomplete_history()?;
        self.stores = stores_with(settings);
        Ok(self)
    }

    /// Uses the threads and the memory of an existing session.
    #[must_use]
    pub fn session(mut self, session: Session) -> Self {
        self.session = session;
        self
    }

    /// Reports the progress of long operations to `listener`: imports, exports, merges, checks, rewrites and copies of
    /// everything opened by this context. The listener is called often, and from any worker thread.
    ///
    /// ```no_run
    /// use tdb_open::Context;
    ///
    /// let context = Context::new().progress(|p| eprint!("\r{} {} of {:?}", p.activity, p.done, p.total));
    /// let weather = context.open("weather")?;
    /// # Ok::<(), tdb_open::Error>(())
    /// ```
    #[must_use]
    pub fn progress(mut self, listener: impl Fn(&Progress) + Send + Sync + 'static) -> Self {
        self.session = self.session.with_progress(listener);
        self
    }

    /// Sets the key of 32 bytes for encrypted arrays and groups, existing or new.
    ///
    /// # Errors
    /// Fails if the key does not have 32 bytes.
    pub fn key(mut self, key: &[u8]) -> Result<Self> {
        let key = EncryptionKey::new(key).map_err(|error| Error::invalid(error.to_string()))?;
        self.key = Some(key);
        Ok(self)
    }

    /// True if the context has a key.
    #[must_use]
    pub fn has_key(&self) -> bool {
        self.key.is_some()
    }

    /// Removes the key: for arrays and groups that are not encrypted.
    #[must_use]
    pub fn without_key(mut self) -> Self {
        self.key = None;
        self
    }

    /// Replaces the stores that URIs lead to.
    #[must_use]
    pub fn stores(mut self, stores: Arc<dyn Stores>) -> Self {
        self.stores = stores;
        self
    }

    /// Makes it an error to open a time of which something can no longer be read, instead of a warning: see
    /// [`Array::gaps`](crate::Array::gaps).
    #[must_use]
    pub fn whole_history(mut self, whole: bool) -> Self {
        self.whole_history = whole;
        self
    }

    /// Returns the stores that URIs lead to.
    #[must_use]
    pub fn opener(&self) -> &dyn Stores {
        &*self.stores
    }

    /// Returns the stores that URIs lead to, for what outlives the context.
    #[must_use]
    pub fn shared_stores(&self) -> Arc<dyn Stores> {
        Arc::clone(&self.stores)
    }

    /// Returns where the engine finds an array or a group: the place with the context's key and limits.
    #[must_use]
    pub fn location(&self, place: &Place) -> Location {
        let location = place.location.clone().with_key(self.key.clone());
        location.with_limits(self.session.limits().clone())
    }

    /// Returns options of opening, with what this context asks of all arrays.
    pub(crate) fn options(&self, options: OpenOptions) -> OpenOptions {
        let needs_all = options.whole_history || self.whole_history;
        options.whole_history(needs_all)
    }

    /// Returns the session: threads and memory.
    #[must_use]
    pub fn shared_session(&self) -> &Session {
        &self.session
    }
}

#[cfg(feature = "object-store")]
fn usual_stores() -> Arc<dyn Stores> {
    Arc::new(crate::ObjectStores::of_environment())
}

#[cfg(feature = "object-store")]
fn stores_with(settings: &Settings) -> Arc<dyn Stores> {
    Arc::new(crate::ObjectStores::new(settings.stores()))
}

#[cfg(not(feature = "object-store"))]
fn usual_stores() -> Arc<dyn Stores> {
    Arc::new(crate::LocalStores)
}

#[cfg(not(feature = "object-store"))]
fn stores_with(_settings: &Settings) -> Arc<dyn Stores> {
    usual_stores()
}
