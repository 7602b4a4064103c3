//! Threads on which statements run.

use std::future::Future;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use tdb_cells::Session;
use tdb_open::{Error, ErrorKind, Result};
use tokio::runtime::{Builder, Handle, Runtime};

/// Stack size of a thread in bytes; conditions of many terms are deep trees.
const STACK: usize = 64 << 20;

/// Interval between checks for cancellation.
const TICK: Duration = Duration::from_millis(50);

/// A shared tokio runtime. Dropping the last clone shuts it down without waiting for abandoned tasks.
#[derive(Clone, Debug)]
pub(super) struct Threads {
    handle: Handle,
    _own: Arc<Own>,
}

/// Shuts down a runtime when dropped.
#[derive(Debug)]
struct Own(Option<Runtime>);

impl Drop for Own {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

/// Starts a runtime with this number of threads.
pub(super) fn start(threads: usize) -> Result<Runtime> {
    let runtime = Builder::new_multi_thread()
        .worker_threads(threads)
        .thread_stack_size(STACK)
        .thread_name("tdb-sql")
        .enable_all()
        .build();
    runtime.map_err(|error| Error::new(ErrorKind::Store, error))
}

impl Threads {
    pub(super) fn new(runtime: Runtime) -> Self {
        Self {
            handle: runtime.handle().clone(),
            _own: Arc::new(Own(Some(runtime))),
        }
    }

    pub(super) fn handle(&self) -> &Handle {
        &self.handle
    }

    /// Runs a future on these threads, and waits for it. Cancelling the session abandons the future, so it must not
    /// change what is stored.
    pub(super) fn unless_cancelled<T: Send + 'static>(
        &self,
        session: &Session,
        future: impl Future<Output = T> + Send + 'static,
    ) -> Result<T> {
        let (tell, told) = mpsc::sync_channel(1);
        let task = self.handle.spawn(async move {
            // Sending fails if the receiver has been cancelled.
            let _ = tell.send(future.await);
        });
        loop {
            // A timer of the runtime would not fire while all its threads are busy.
            match told.recv_timeout(TICK) {
                Ok(done) => return Ok(done),
                Err(RecvTimeoutError::Disconnected) => {
                    let what = "a statement ended without an answer";
                    return Err(Error::new(ErrorKind::Bug, what));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            if let Err(cancelled) = session.check_cancelled() {
                task.abort();
                return Err(Error::new(ErrorKind::Store, cancelled));
            }
        }
    }
}
