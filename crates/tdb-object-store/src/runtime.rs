//! The threads on which answers are waited for.

use std::future::Future;
use std::io;
use std::sync::{Arc, mpsc};

use tdb_store::StoreError;
use tokio::runtime::{Builder, Handle};

use crate::error::broken;

/// A runtime of tokio on which requests are under way while the callers wait, or compute.
///
/// A clone is the same runtime. It ends with its last clone, unless it was handed in.
#[derive(Clone, Debug)]
pub struct Runtime {
    handle: Handle,
    /// Kept only to end it.
    _own: Option<Arc<Own>>,
}

impl Runtime {
    /// Starts a runtime with two threads.
    ///
    /// # Errors
    /// Where the system starts no thread.
    pub fn start() -> io::Result<Self> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("tdb-object-store")
            .enable_all()
            .build()?;
        Ok(Self {
            handle: runtime.handle().clone(),
            _own: Some(Arc::new(Own(Some(runtime)))),
        })
    }

    /// A runtime that the program has, which must have several threads, and time and network switched on. Stores must not be
    /// used on its threads: who calls them waits.
    #[must_use]
    pub fn of(handle: Handle) -> Self {
        Self { handle, _own: None }
    }

    /// Runs a future on the runtime, and waits for what it gives. The thread that waits is none of the runtime's.
    pub(crate) fn wait<T: Send + 'static>(
        &self,
        future: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (tell, told) = mpsc::sync_channel(1);
        self.handle.spawn(async move {
            // Nobody waits any more if this fails.
            let _ = tell.send(future.await);
        });
        told.recv()
            .map_err(|_| broken("", "the runtime ended while an answer was waited for"))
    }

    /// Where futures can be started.
    pub(crate) fn handle(&self) -> &Handle {
        &self.handle
    }
}

/// A runtime that ends when it is dropped, without waiting for what is under way.
#[derive(Debug)]
struct Own(Option<tokio::runtime::Runtime>);

impl Drop for Own {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}
