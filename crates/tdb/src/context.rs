use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;

use tdb_cells::{Progress, Session};
use tdb_open::{Result, Settings, Stores};

/// Settings shared by opening, reading and writing: threads, memory, a key, and the stores that URIs lead to. Cheap to
/// clone; two contexts do not disturb each other.
///
/// ```
/// use tdb::Context;
///
/// let context = Context::new().threads(2).memory(512 << 20);
/// assert!(context.open("nowhere").is_err());
/// ```
///
/// Dereferences to [`OpenContext`](crate::OpenContext), which opens groups, reads schemas, and copies, moves and removes whole arrays and
/// groups.
#[derive(Clone, Debug, Default)]
pub struct Context {
    context: tdb_open::Context,
    #[cfg(feature = "distributed")]
    pub(crate) cluster: Option<Arc<crate::Cluster>>,
}

impl Deref for Context {
    type Target = tdb_open::Context;

    fn deref(&self) -> &Self::Target {
        &self.context
    }
}

impl From<tdb_open::Context> for Context {
    fn from(context: tdb_open::Context) -> Self {
        Self {
            context,
            #[cfg(feature = "distributed")]
            cluster: None,
        }
    }
}

impl From<Context> for tdb_open::Context {
    fn from(context: Context) -> Self {
        context.context
    }
}

impl Context {
    /// Creates a context with all threads of the machine, at most 1 GiB of memory, the system's temporary folder, no
    /// key, and local folders; with the feature `object-store` also object stores, with settings from the environment.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the number of threads; with one, no thread is started.
    #[must_use]
    pub fn threads(self, threads: usize) -> Self {
        self.with(|context| context.threads(threads))
    }

    /// Sets the memory budget for reading and writing, in bytes.
    #[must_use]
    pub fn memory(self, bytes: u64) -> Self {
        self.with(|context| context.memory(bytes))
    }

    /// Sets the temporary folder. Groups and sorted cells spill to it if they need more than a part of the context's
    /// memory. The folder must exist by then; spilled data is not encrypted, and is removed at the end.
    #[must_use]
    pub fn temp(self, folder: impl AsRef<Path>) -> Self {
        self.with(|context| context.temp(folder))
    }

    /// Applies settings by TileDB's names: threads, memory, key, object stores, and whether an incomplete history is an
    /// error. What they do not name stays as it is, but for the stores, which are replaced by those of the settings.
    ///
    /// # Errors
    /// Fails if encryption is on without a key of 32 bytes.
    pub fn settings(mut self, settings: &Settings) -> Result<Self> {
        self.context = self.context.settings(settings)?;
        Ok(self)
    }

    /// Uses the threads and the memory of an existing session.
    #[must_use]
    pub fn session(self, session: Session) -> Self {
        self.with(|context| context.session(session))
    }

    /// Reports the progress of long operations to `listener`: imports, exports, merges, checks, rewrites and copies of
    /// everything opened by this context. The listener is called often, and from any worker thread.
    ///
    /// ```no_run
    /// use tdb::Context;
    ///
    /// let context = Context::new().progress(|p| eprint!("\r{} {} of {:?}", p.activity, p.done, p.total));
    /// context.open("weather")?.consolidate()?;
    /// # Ok::<(), tdb::Error>(())
    /// ```
    #[must_use]
    pub fn progress(self, listener: impl Fn(&Progress) + Send + Sync + 'static) -> Self {
        self.with(|context| context.progress(listener))
    }

    /// Sets the key of 32 bytes for encrypted arrays and groups, existing or new.
    ///
    /// # Errors
    /// Fails if the key does not have 32 bytes.
    pub fn key(mut self, key: &[u8]) -> Result<Self> {
        self.context = self.context.key(key)?;
        Ok(self)
    }

    /// Removes the key: for arrays and groups that are not encrypted.
    #[must_use]
    pub fn without_key(self) -> Self {
        self.with(|context| context.without_key())
    }

    /// Replaces the stores that URIs lead to.
    #[must_use]
    pub fn stores(self, stores: Arc<dyn Stores>) -> Self {
        self.with(|context| context.stores(stores))
    }

    /// Makes it an error to open a time of which something can no longer be read, instead of a warning.
    #[must_use]
    pub fn whole_history(self, whole: bool) -> Self {
        self.with(|context| context.whole_history(whole))
    }

    /// Sets the cluster of workers that answer SQL queries: [`Context::sql`] and related methods.
    #[cfg(feature = "distributed")]
    #[must_use]
    pub fn cluster(mut self, cluster: crate::Cluster) -> Self {
        self.cluster = Some(Arc::new(cluster));
        self
    }

    /// Returns the context without the cluster.
    pub(crate) fn open_context(&self) -> &tdb_open::Context {
        &self.context
    }

    /// Replaces the context but for the cluster.
    pub(crate) fn with(
        mut self,
        change: impl FnOnce(tdb_open::Context) -> tdb_open::Context,
    ) -> Self {
        self.context = change(self.context);
        self
    }
}
