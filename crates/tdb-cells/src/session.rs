use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tdb_tile::{Budget, Limits};

use crate::cancelled::Cancelled;
use crate::profile::{Counters, Profile};
use crate::progress::{Listener, Progress};
use crate::spare::Spare;
use crate::spill_folder::SpillFolder;
use crate::threads::Threads;
use crate::worker::{LentWorker, Workers};
use crate::{Buffer, CellsError};

/// Resources that a [`Session`] may use.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct SessionOptions {
    /// Number of worker threads: by default that of the machine, at most [`Session::MOST_THREADS`]. With 1, no thread
    /// is started.
    pub threads: Option<NonZeroUsize>,
    /// Maximum memory of reads at any time, in bytes; 1 GiB by default.
    pub memory: Option<u64>,
    /// Minimum number of bytes for which work is shared among threads. The default, 256 KiB, takes about as long to
    /// handle as waking a thread and waiting for it.
    pub share_from: Option<u64>,
    /// Folder for groups and sorted cells that do not fit in memory. Without it, exceeding the memory is an error.
    pub spill: Option<SpillFolder>,
    /// Limits on decoded data; their budget is replaced by one of `memory` bytes.
    pub limits: Limits,
}

impl SessionOptions {
    /// Sets [`threads`](field@Self::threads).
    #[must_use]
    pub fn threads(mut self, threads: Option<NonZeroUsize>) -> Self {
        self.threads = threads;
        self
    }

    /// Sets [`memory`](field@Self::memory).
    #[must_use]
    pub fn memory(mut self, memory: Option<u64>) -> Self {
        self.memory = memory;
        self
    }

    /// Sets [`share_from`](field@Self::share_from).
    #[must_use]
    pub fn share_from(mut self, share_from: Option<u64>) -> Self {
        self.share_from = share_from;
        self
    }

    /// Sets [`spill`](field@Self::spill).
    #[must_use]
    pub fn spill(mut self, spill: Option<SpillFolder>) -> Self {
        self.spill = spill;
        self
    }

    /// Sets [`limits`](field@Self::limits).
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }
}

/// The threads and memory that reads and writes share. Cheap to clone; nothing is global.
#[derive(Clone, Debug)]
pub struct Session {
    shared: Arc<SessionState>,
    listener: Option<Listener>,
}

#[derive(Debug)]
struct SessionState {
    wanted: usize,
    share_from: u64,
    threads: Threads,
    limits: Limits,
    spill: Option<SpillFolder>,
    workers: Workers,
    counters: Counters,
    spare: Arc<Spare>,
    cancelling: Cancelling,
}

/// State of cancellation.
#[derive(Debug, Default)]
struct Cancelling {
    is_asked: AtomicBool,
    is_noticed: AtomicBool,
}

impl Default for Session {
    fn default() -> Self {
        Self::new(SessionOptions::default())
    }
}

/// Default memory in bytes; a program that knows its machine sets more.
const DEFAULT_MEMORY: u64 = 1 << 30;

/// Default of [`SessionOptions::share_from`].
const SHARE_FROM: u64 = 256 << 10;

impl Session {
    /// Upper bound for the number of threads, whatever is requested.
    pub const MOST_THREADS: usize = 1024;

    /// Creates a session with its own threads and memory.
    #[must_use]
    pub fn new(options: SessionOptions) -> Self {
        let wanted = options.threads.map_or_else(
            || std::thread::available_parallelism().map_or(1, NonZeroUsize::get),
            NonZeroUsize::get,
        );
        let memory = options.memory.unwrap_or(DEFAULT_MEMORY);
        let limits = Limits {
            budget: Budget::new(memory),
            ..options.limits
        };
        Self {
            shared: Arc::new(SessionState {
                wanted,
                share_from: options.share_from.unwrap_or(SHARE_FROM),
                threads: Threads::new(wanted.min(Self::MOST_THREADS)),
                spare: Arc::new(Spare::new(limits.budget.clone())),
                limits,
                spill: options.spill,
                workers: Workers::default(),
                counters: Counters::default(),
                cancelling: Cancelling::default(),
            }),
            listener: None,
        }
    }

    /// Returns a session with the same threads and memory that reports the progress of imports, exports, merges and
    /// checks to `listener`. The listener is called often, and on any thread; it must be quick and must not use the
    /// session.
    #[must_use]
    pub fn with_progress(&self, listener: impl Fn(&Progress) + Send + Sync + 'static) -> Self {
        Self {
            shared: Arc::clone(&self.shared),
            listener: Some(Listener(Arc::new(listener))),
        }
    }

    /// Reports progress to the listener, if there is one.
    pub fn tell(&self, progress: &Progress) {
        if let Some(Listener(listener)) = &self.listener {
            listener(progress);
        }
    }

    /// Cancels long operations of this session and its clones, on any thread: each fails at its next
    /// [`Session::check_cancelled`] and undoes what it began, as after any error. A store can check for cancellation
    /// in the same way while it reads and writes.
    pub fn cancel(&self) {
        let cancelling = &self.shared.cancelling;
        cancelling.is_asked.store(true, Ordering::SeqCst);
    }

    /// Allows new work on this session and its clones again, once the work that [`Session::cancel`] cancelled has
    /// ended.
    pub fn resume(&self) {
        let cancelling = &self.shared.cancelling;
        cancelling.is_asked.store(false, Ordering::SeqCst);
        cancelling.is_noticed.store(false, Ordering::SeqCst);
    }

    /// Fails if the session was cancelled.
    ///
    /// # Errors
    /// [`Cancelled`] after [`Session::cancel`].
    pub fn check_cancelled(&self) -> Result<(), Cancelled> {
        let cancelling = &self.shared.cancelling;
        if !cancelling.is_asked.load(Ordering::Relaxed) {
            return Ok(());
        }
        cancelling.is_noticed.store(true, Ordering::SeqCst);
        Err(Cancelled)
    }

    /// Whether any operation has failed because of [`Session::cancel`].
    #[must_use]
    pub fn has_noticed_cancel(&self) -> bool {
        self.shared.cancelling.is_noticed.load(Ordering::SeqCst)
    }

    /// Number of worker threads. Before threads are started, the number that will be; afterwards the actual number,
    /// which is 1, the caller's own thread, if the system starts none.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.shared.threads.count()
    }

    /// Requested number of threads: [`SessionOptions::threads`] or the machine's number.
    #[must_use]
    pub fn threads_wanted(&self) -> usize {
        self.shared.wanted
    }

    /// The limits in force; their budget is the session's memory.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.shared.limits
    }

    /// Folder for data that does not fit in memory, if one is set.
    #[must_use]
    pub fn spill(&self) -> Option<&SpillFolder> {
        self.shared.spill.as_ref()
    }

    /// Work and time of this session and its clones so far.
    #[must_use]
    pub fn profile(&self) -> Profile {
        self.shared.counters.profile()
    }

    /// The counters of reads and decoding.
    pub fn counters(&self) -> &Counters {
        &self.shared.counters
    }

    /// Borrows a [`Worker`](crate::Worker): memory that a thread reuses from tile to tile.
    pub fn worker(&self) -> LentWorker<'_> {
        self.shared.workers.lend()
    }

    /// Returns a buffer for `len` bytes of cells that the caller is about to write. It may reuse the memory of a
    /// dropped buffer and contain old cells: bytes that are not written must not be read. The caller takes the memory
    /// from the budget.
    ///
    /// # Errors
    /// [`CellsError::Limit`] if the system cannot provide `len` bytes.
    pub fn buffer(&self, len: usize) -> Result<Buffer, CellsError> {
        Buffer::unwritten(len, &Arc::downgrade(&self.shared.spare))
    }

    /// Runs `work` on the session's threads, among which [`crate::threads`] shares it; with one thread, or if none can
    /// be started, on the caller's thread.
    pub fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        self.shared.threads.install(work)
    }

    /// Minimum number of bytes for which work is shared among threads: [`SessionOptions::share_from`].
    #[must_use]
    pub fn share_from(&self) -> u64 {
        self.shared.share_from
    }

    /// Like [`Session::install`], for work on `bytes` bytes. If these are few, the work is done on the caller's
    /// thread, because handing it over takes longer than other threads could save.
    pub fn install_for<R: Send>(&self, bytes: u64, work: impl FnOnce() -> R + Send) -> R {
        if bytes < self.share_from() {
            work()
        } else {
            self.install(work)
        }
    }

    /// Runs `work` on the session's threads while the caller's thread runs `here`, which may block. Without session
    /// threads, runs `work` first and then `here`.
    pub fn beside<T>(&self, work: impl FnOnce() + Send, here: impl FnOnce() -> T) -> T {
        self.shared.threads.beside(work, here)
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn little_work_is_done_where_it_is_asked_for() {
        let session = Session::new(SessionOptions {
            threads: NonZeroUsize::new(2),
            ..SessionOptions::default()
        });
        let here = thread::current().id();
        let worker = |bytes| session.install_for(bytes, || thread::current().id());
        assert_eq!(worker(SHARE_FROM - 1), here);
        assert_ne!(worker(SHARE_FROM), here);
    }
}
