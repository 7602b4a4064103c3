//! The threads on which answers are waited for.

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

/// A runtime of tokio on which requests are under way while the callers wait, or compute.
///
/// A clone is the same runtime. It ends with its last clone, unless it was handed in.
#[derive(Clone, Debug)]
pub struct Runtime {
    handle: Handle,
    cancel: Arc<Cancel>,
    /// Kept only to end it.
    _own: Option<Arc<Own>>,
}

impl Runtime {
    /// Starts a runtime with two threads.
    ///
    /// # Errors
    /// Where the system starts no thread.
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
            _own: Some(Arc::new(Own(Some(runtime)))),
        })
    }

    /// A runtime that the program has, which must have several threads, and time and network switched on. Stores must not be
    /// used on its threads: who calls them waits.
    #[must_use]
    pub fn of(handle: Handle) -> Self {
        Self {
            handle,
            cancel: Arc::default(),
            _own: None,
        }
    }

    /// Has reading and writing fail from now on, at once also where an answer is waited for. Listing and removing go on, as
    /// whoever takes back what was begun needs them, and so does giving up an upload.
    pub fn cancel(&self) {
        self.cancel.is_asked.store(true, Ordering::SeqCst);
        self.cancel.asked.notify_waiters();
    }

    /// Lets reading and writing go on that begins after [`Runtime::cancel`], once what was cancelled has ended.
    pub fn resume(&self) {
        self.cancel.is_asked.store(false, Ordering::SeqCst);
        self.cancel.is_noticed.store(false, Ordering::SeqCst);
    }

    /// Whether something has failed by [`Runtime::cancel`].
    #[must_use]
    pub fn has_noticed_cancel(&self) -> bool {
        self.cancel.is_noticed.load(Ordering::SeqCst)
    }

    /// As [`Runtime::wait`], for reading and writing, which can be cancelled.
    pub(crate) fn wait_unless_cancelled<T: Send + 'static>(
        &self,
        key: &str,
        future: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let cancel = Arc::clone(&self.cancel);
        let answer = self.wait(async move {
            match select(pin!(future), pin!(cancel.wait())).await {
                Either::Left((answer, _)) => Some(answer),
                Either::Right(_) => None,
            }
        })?;
        answer.ok_or_else(|| {
            self.cancel.is_noticed.store(true, Ordering::SeqCst);
            let error = io::Error::new(io::ErrorKind::Interrupted, "interrupted");
            StoreError::from_io(key, error)
        })
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

/// Threads of a runtime.
const THREADS: usize = 2;

/// Fails where the system starts no threads: tokio panics there.
fn check_threads() -> io::Result<()> {
    let mut tried = Vec::new();
    for _ in 0..THREADS {
        // Each waits for the last, as all are to run at once.
        let (end, ended) = mpsc::channel::<()>();
        let thread = std::thread::Builder::new().spawn(move || ended.recv());
        tried.push((end, thread?));
    }
    for (end, thread) in tried {
        drop(end);
        // It gives nothing that could be wrong.
        let _ = thread.join();
    }
    Ok(())
}

/// Whether reading and writing are at an end.
#[derive(Debug, Default)]
struct Cancel {
    is_asked: AtomicBool,
    is_noticed: AtomicBool,
    asked: Notify,
}

impl Cancel {
    async fn wait(&self) {
        // Made before it is looked, so that it misses nothing.
        let asked = self.asked.notified();
        if !self.is_asked.load(Ordering::SeqCst) {
            asked.await;
        }
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
