//! Contexts: what every function of the interface gets first.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use tdb::{MemoryStores, ObjectStores, Settings};

use super::{Error, Result, handle};

/// A context: settings, the last error, and the engine's context, which is made when it is first needed.
#[derive(Debug)]
pub(crate) struct Context {
    settings: Settings,
    engine: OnceLock<tdb::Context>,
    last_error: Mutex<Option<Error>>,
}

impl Context {
    pub(crate) fn new(settings: Settings) -> Self {
        Self {
            settings,
            engine: OnceLock::new(),
            last_error: Mutex::new(None),
        }
    }

    /// Returns the settings.
    pub(crate) fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns the engine's context.
    ///
    /// # Errors
    /// Fails if the settings contradict each other.
    pub(crate) fn engine(&self) -> Result<&tdb::Context> {
        if let Some(engine) = self.engine.get() {
            return Ok(engine);
        }
        let stores = Arc::new(ObjectStores::new(self.settings.stores()));
        let engine = tdb::Context::new()
            .settings(&self.settings)?
            .stores(Arc::new(MemoryStores::beside(stores)));
        Ok(self.engine.get_or_init(|| with_enough_memory(engine)))
    }

    /// Returns the last error.
    pub(crate) fn last_error(&self) -> Option<Error> {
        let last = self.last_error.lock();
        last.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Keeps an error for `tiledb_ctx_get_last_error`.
    pub(crate) fn set_last_error(&self, error: Error) {
        *self
            .last_error
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = Some(error);
    }
}

/// The least memory of a context. TileDB's budgets for parts of a read may be smaller; with less memory than this, not
/// even an array could be opened.
const LEAST_MEMORY: u64 = 64 << 20;

fn with_enough_memory(engine: tdb::Context) -> tdb::Context {
    let memory = engine.shared_session().limits().budget.limit();
    if memory < LEAST_MEMORY {
        return engine.memory(LEAST_MEMORY);
    }
    engine
}

/// Returns an engine's context with other settings. The stores stay those of the context, as in TileDB: it may have
/// something in memory.
///
/// # Errors
/// Fails if the settings contradict each other.
pub(crate) fn with_settings(engine: &tdb::Context, settings: &Settings) -> Result<tdb::Context> {
    let stores = engine.shared_stores();
    let changed = engine.clone().settings(settings)?.stores(stores);
    Ok(with_enough_memory(changed))
}

handle!(
    /// A context: settings, threads, memory and the last error.
    tiledb_ctx_t => Context, "context"
);
