//! The threads that perform requests.

use std::future::Future;
use std::io;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};

use futures_util::future::{Either, select};
use tdb_store::StoreError;
use tokio::runtime::{Builder, Handle};
use tokio::sync::Notify;

use crate::error::broken;

/// A tokio runtime that performs the requests while the calling threads wait or compute.
///
/// Clones share the runtime. It is shut down with its last clone, unless it was passed to [`Runtime::of`].
#[derive(Clone, Debug)]
pub struct Runtime {
    handle: Handle,
    cancel: Arc<Cancel>,
    /// Kept only to shut the runtime down on drop.
    _own: Option<Arc<OwnedRuntime>>,
}

impl Runtime {
    /// Starts a runtime with two threads.
    ///
    /// # Errors
    /// The system cannot start threads.
    pub fn start() -> io::Result<Self> {
        check_threads()?;
        let runtime = Builder::new_multi_thread()
            .worker_threads(THREADS)
            .thread_name("tdb-object-store")
            .enable_all()
            .build()?;
        Ok(Self {
            handle: runtime.handle().clone(),
            cancel: Arc::default(),
            _own: Some(Arc::new(OwnedRuntime(Some(runtime)))),
        })
    }

    /// Uses a runtime of the program. It must have several threads, with time and I/O enabled. Stores must not be
    /// called on its threads: their calls block.
    #[must_use]
    pub fn of(handle: Handle) -> Self {
        Self {
            handle,
            cancel: Arc::default(),
            _own: None,
        }
    }

    /// Makes reads and writes fail from now on, including those that are waiting for an answer. Listings, removals and
    /// aborts of uploads still work, since cleaning up needs them.
    pub fn cancel(&self) {
        self.cancel.is_asked.store(true, Ordering::SeqCst);
        self.cancel.asked.notify_waiters();
    }

    /// Allows new reads and writes again. Call it when the cancelled operations have ended.
    pub fn resume(&self) {
        self.cancel.is_asked.store(false, Ordering::SeqCst);
        self.cancel.is_noticed.store(false, Ordering::SeqCst);
    }

    /// True if a read or write has failed because of [`Runtime::cancel`].
    #[must_use]
    pub fn has_noticed_cancel(&self) -> bool {
        self.cancel.is_noticed.load(Ordering::SeqCst)
    }

    /// Like [`Runtime::wait`], but fails when the runtime is cancelled; for reads and writes.
    pub(crate) fn wait_unless_cancelled<T: Send + 'static>(
        &self,
        key: &str,
        future: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.wait(self.unless_cancelled(key, future))?
    }

    /// Like [`Runtime::wait_unless_cancelled`], but returns a future of the result at once. The work goes on if that
    /// future is dropped.
    pub(crate) fn send_unless_cancelled<T: Send + 'static>(
        &self,
        key: &str,
        future: impl Future<Output = T> + Send + 'static,
    ) -> impl Future<Output = Result<T, StoreError>> + Send + 'static {
        let key = key.to_owned();
        let sent = self.handle.spawn(self.unless_cancelled(&key, future));
        async move {
            let answer = sent.await;
            answer.map_err(|error| broken(&key, format!("an answer was cut off: {error}")))?
        }
    }

    /// Returns the future that fails when the runtime is cancelled.
    fn unless_cancelled<T: Send + 'static>(
        &self,
        key: &str,
        future: impl Future<Output = T> + Send + 'static,
    ) -> impl Future<Output = Result<T, StoreError>> + Send + 'static {
        let (cancel, key) = (Arc::clone(&self.cancel), key.to_owned());
        async move {
            if let Either::Left((answer, _)) = select(pin!(future), pin!(cancel.wait())).await {
                return Ok(answer);
            }
            cancel.is_noticed.store(true, Ordering::SeqCst);
            let error = io::Error::new(io::ErrorKind::Interrupted, "interrupted");
            Err(StoreError::from_io(&key, error))
        }
    }

    /// Runs a future on the runtime and waits for its result. Must not be called on a thread of the runtime.
    pub(crate) fn wait<T: Send + 'static>(
        &self,
        future: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (tell, told) = mpsc::sync_channel(1);
        self.handle.spawn(async move {
            // Fails only if the waiting thread is gone.
            let _ = tell.send(future.await);
        });
        told.recv()
            .map_err(|_| broken("", "the runtime ended while an answer was waited for"))
    }

    /// Returns a handle to spawn futures.
    pub(crate) fn handle(&self) -> &Handle {
        &self.handle
    }
}

/// Number of threads of a runtime.
const THREADS: usize = 2;

/// Fails if the system cannot start that many threads, in which case tokio would panic.
fn check_threads() -> io::Result<()> {
    let mut tried = Vec::new();
    for _ in 0..THREADS {
        // Each thread waits until all have started, so that they exist at the same time.
        let (end, ended) = mpsc::channel::<()>();
        let thread = std::thread::Builder::new().spawn(move || ended.recv());
        tried.push((end, thread?));
    }
    for (end, thread) in tried {
        drop(end);
        // The thread has no result to check.
        let _ = thread.join();
    }
    Ok(())
}

/// State of [`Runtime::cancel`].
#[derive(Debug, Default)]
struct Cancel {
    is_asked: AtomicBool,
    is_noticed: AtomicBool,
    asked: Notify,
}

impl Cancel {
    async fn wait(&self) {
        // Registered before the check, so that no notification is missed.
        let asked = self.asked.notified();
        if !self.is_asked.load(Ordering::SeqCst) {
            asked.await;
        }
    }
}

/// A runtime that is shut down on drop, without waiting for its requests.
#[derive(Debug)]
struct OwnedRuntime(Option<tokio::runtime::Runtime>);

impl Drop for OwnedRuntime {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}
