use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;

use tdb_array::Location;
use tdb_cells::{Progress, Session, SessionOptions, SpillFolder};
use tdb_filters::EncryptionKey;

use crate::place::Place;
use crate::stores::Stores;
use crate::{Error, Result};

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
    #[cfg(feature = "distributed")]
    pub(crate) cluster: Option<Arc<crate::Cluster>>,
}

impl Default for Context {
    fn default() -> Self {
        Self::new()
    }
}

impl Context {
    /// All threads of the machine, at most 1 GiB of memory, the temporary folder of the system, no key; local folders and, with the feature `object-store`, object
    /// stores with the settings of the environment.
    #[must_use]
    pub fn new() -> Self {
        let options = SessionOptions {
            spill: Some(SpillFolder::local(&std::env::temp_dir())),
            ..SessionOptions::default()
        };
        Self {
            session: Session::new(options.clone()),
            options,
            stores: usual_stores(),
            key: None,
            #[cfg(feature = "distributed")]
            cluster: None,
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

    /// The same with another temporary folder: groups and cells that are put in order are kept there where they take more memory
    /// than a part of that of the context. It has to be there then; what is kept is not encrypted, and removed in the end.
    #[must_use]
    pub fn temp(mut self, folder: impl AsRef<Path>) -> Self {
        self.options.spill = Some(SpillFolder::local(folder.as_ref()));
        self.session = Session::new(self.options.clone());
        self
    }

    /// The same with the threads and the memory of a session that is there already.
    #[must_use]
    pub fn session(mut self, session: Session) -> Self {
        self.session = session;
        self
    }

    /// The same for work that tells how far it has come: imports, exports, merges, checks, rewrites and copies of all that is
    /// opened by this context. Who is told is called often, on whichever thread works.
    ///
    /// ```no_run
    /// use tdb::Context;
    ///
    /// let context = Context::new().progress(|p| eprint!("\r{} {} of {:?}", p.activity, p.done, p.total));
    /// context.open("weather")?.consolidate()?;
    /// # Ok::<(), tdb::Error>(())
    /// ```
    #[must_use]
    pub fn progress(mut self, listener: impl Fn(&Progress) + Send + Sync + 'static) -> Self {
        self.session = self.session.with_progress(listener);
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

    /// The same without a key: for arrays and groups that are not encrypted.
    #[must_use]
    pub fn without_key(mut self) -> Self {
        self.key = None;
        self
    }

    /// The same with other stores.
    #[must_use]
    pub fn stores(mut self, stores: Arc<dyn Stores>) -> Self {
        self.stores = stores;
        self
    }

    /// The same with workers, which answer what is asked in SQL: [`Context::sql`] and its kin.
    #[cfg(feature = "distributed")]
    #[must_use]
    pub fn cluster(mut self, cluster: crate::Cluster) -> Self {
        self.cluster = Some(Arc::new(cluster));
        self
    }

    /// The stores that URIs lead to.
    pub(crate) fn opener(&self) -> &dyn Stores {
        &*self.stores
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

#[cfg(feature = "object-store")]
fn usual_stores() -> Arc<dyn Stores> {
    Arc::new(crate::ObjectStores::of_environment())
}

#[cfg(not(feature = "object-store"))]
fn usual_stores() -> Arc<dyn Stores> {
    Arc::new(crate::LocalStores)
}
