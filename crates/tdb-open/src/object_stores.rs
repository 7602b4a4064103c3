//! Object stores, in addition to local folders.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tdb_array::ErrorKind;
use tdb_object_store::{Connection, OpenError, RemoteStore, RemoteUri, Runtime, Service, Settings};
use tdb_store::{Store, StoreError};

use crate::stores::no_such_store;
use crate::{Error, LocalStores, RemoteFolder, Result, Stores};

/// Local folders, S3, Google Cloud Storage, Azure Blob Storage and HTTP servers, with shared settings. URIs of the
/// same bucket share connections; I/O threads are started when the first store is opened.
#[derive(Debug, Default)]
pub struct ObjectStores {
    settings: Settings,
    opened: Mutex<OpenStores>,
}

/// Runtime and stores kept for further URIs.
#[derive(Debug, Default)]
struct OpenStores {
    runtime: Option<Runtime>,
    /// Stores by the URI of their root.
    stores: BTreeMap<String, Arc<RemoteStore>>,
}

impl ObjectStores {
    /// Creates stores with these settings; settings not given are taken from the environment.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use tdb_open::{Context, ObjectStores, StoreSettings};
    ///
    /// let mut settings = StoreSettings::of_environment(std::env::vars_os());
    /// settings.set("vfs.s3.endpoint_override", "http://127.0.0.1:9000");
    /// let context = Context::new().stores(Arc::new(ObjectStores::new(settings)));
    /// # let _ = context;
    /// ```
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        Self {
            settings,
            opened: Mutex::default(),
        }
    }

    /// Creates stores with settings from the environment only.
    #[must_use]
    pub fn of_environment() -> Self {
        Self::new(Settings::of_environment(std::env::vars_os()))
    }

    fn opened(&self) -> MutexGuard<'_, OpenStores> {
        self.opened.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn store(&self, uri: &str, root: &str) -> Result<Arc<dyn Store>> {
        let mut opened = self.opened();
        if let Some(store) = opened.stores.get(root) {
            return Ok(Arc::<RemoteStore>::clone(store));
        }
        let failed = |error| unopened(uri, error);
        let runtime = match opened.runtime.take() {
            Some(runtime) => runtime,
            None => Runtime::start().map_err(|error| failed(error.into()))?,
        };
        let store = tdb_object_store::open(root, &self.settings, &runtime);
        opened.runtime = Some(runtime);
        let store = Arc::new(store.map_err(failed)?);
        opened.stores.insert(root.to_owned(), Arc::clone(&store));
        Ok(store)
    }
}

impl Stores for ObjectStores {
    fn open(&self, folder: &Path) -> Result<Arc<dyn Store>, StoreError> {
        LocalStores.open(folder)
    }

    #[cfg(feature = "files")]
    fn files(&self, root: &str) -> Result<Arc<dyn object_store::ObjectStore>> {
        if !RemoteUri::is_remote(root) {
            return Err(no_such_store(root));
        }
        let store = tdb_object_store::objects(root, &self.settings);
        store.map_err(|error| unopened(root, error))
    }

    fn cancel(&self) {
        if let Some(runtime) = &self.opened().runtime {
            runtime.cancel();
        }
    }

    fn resume(&self) {
        if let Some(runtime) = &self.opened().runtime {
            runtime.resume();
        }
    }

    fn has_noticed_cancel(&self) -> bool {
        let runtime = &self.opened().runtime;
        runtime.as_ref().is_some_and(Runtime::has_noticed_cancel)
    }

    fn notes(&self) -> Vec<String> {
        let opened = self.opened();
        let stores = opened.stores.iter();
        let notes = stores.flat_map(|(root, store)| {
            let notes = store.notes().into_iter();
            notes.map(move |note| format!("{root}: {note}"))
        });
        notes.collect()
    }

    fn connection(&self, uri: &str) -> Result<Vec<(&'static str, String)>> {
        if !RemoteUri::is_remote(uri) {
            return LocalStores.connection(uri);
        }
        let found = Connection::of(uri, &self.settings)
            .map_err(|error| Error::new(ErrorKind::Invalid, error))?;
        let (store, root) = match found.service {
            Service::S3 => ("S3", "bucket"),
            Service::Gcs => ("Google Cloud Storage", "bucket"),
            Service::Azure => ("Azure Blob Storage", "container"),
            Service::Http => ("HTTP", "server"),
        };
        let mut facts = vec![("store", store.to_owned()), (root, found.root)];
        let server = found.endpoint.filter(|_| found.service != Service::Http);
        facts.extend(server.map(|server| ("address", server)));
        facts.extend(found.region.map(|region| ("region", region)));
        facts.push(("credentials", found.credentials));
        Ok(facts)
    }

    fn open_remote(&self, uri: &str) -> Result<RemoteFolder> {
        if !RemoteUri::is_remote(uri) {
            return Err(no_such_store(uri));
        }
        let parsed =
            RemoteUri::parse(uri).map_err(|error| Error::new(ErrorKind::Invalid, error))?;
        let root_uri = parsed.root_uri();
        Ok(RemoteFolder {
            store: self.store(uri, &root_uri)?,
            root_uri,
            folder: parsed.folder,
        })
    }
}

fn unopened(uri: &str, error: OpenError) -> Error {
    if matches!(error, OpenError::Runtime(_)) {
        let hint = "two more threads are needed to wait for servers: raise ulimit -u, or pids.max of the container";
        return Error::new(ErrorKind::Store, error).at(uri).with_hint(hint);
    }
    let error = Error::new(ErrorKind::Invalid, error);
    error.with_hint(format!("use tdb doctor {uri} to see what is missing"))
}
