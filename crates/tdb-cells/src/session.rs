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

/// What a [`Session`] may use.
#[derive(Clone, Debug, Default)]
pub struct SessionOptions {
    /// Threads that work; the machine's number by default, [`Session::MOST_THREADS`] at most. With one, none is started.
    pub threads: Option<NonZeroUsize>,
    /// Bytes of memory that reading may hold at a time; 1 GiB by default.
    pub memory: Option<u64>,
    /// Bytes that work handles at least that is shared among threads; by default 256 KiB, which takes about as long as waking a
    /// thread and waiting for it.
    pub share_from: Option<u64>,
    /// Where is kept what the memory cannot hold: groups, and cells that are put in order. Without it, they have to fit.
    pub spill: Option<SpillFolder>,
    /// Caps on what is decoded; its budget is replaced by one of `memory` bytes.
    pub limits: Limits,
}

/// The threads and the memory that reads share. Cheap to clone; nothing is global.
#[derive(Clone, Debug)]
pub struct Session {
    shared: Arc<Shared>,
    listener: Option<Listener>,
}

#[derive(Debug)]
struct Shared {
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

/// Whether what a session does is to end.
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

/// What reading may hold where nobody says: a program that knows its machine says more.
const DEFAULT_MEMORY: u64 = 1 << 30;

/// From how many bytes on work is shared where nobody says.
const SHARE_FROM: u64 = 256 << 10;

impl Session {
    /// More threads than this are never started, whoever asks for them.
    pub const MOST_THREADS: usize = 1024;

    /// A session of its own threads and memory.
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
            shared: Arc::new(Shared {
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

    /// The same threads and memory, for work that tells how far it has come: imports, exports, merges, checks. It is told on
    /// whichever thread works, often; who is told should be quick, and not work with the session itself.
    #[must_use]
    pub fn with_progress(&self, listener: impl Fn(&Progress) + Send + Sync + 'static) -> Self {
        Self {
            shared: Arc::clone(&self.shared),
            listener: Some(Listener(Arc::new(listener))),
        }
    }

    /// Tells how far something has come, if somebody wants to know.
    pub fn tell(&self, progress: &Progress) {
        if let Some(Listener(listener)) = &self.listener {
            listener(progress);
        }
    }

    /// Has long work of this session and its clones fail where it looks at [`Session::check_cancelled`], on whichever thread it
    /// is: what it had begun is taken back then, as after any error. Where bytes are read and written, a store can do the same.
    pub fn cancel(&self) {
        let cancelling = &self.shared.cancelling;
        cancelling.is_asked.store(true, Ordering::SeqCst);
    }

    /// Lets work of this session and its clones go on that begins after [`Session::cancel`], once what was cancelled has ended.
    pub fn resume(&self) {
        let cancelling = &self.shared.cancelling;
        cancelling.is_asked.store(false, Ordering::SeqCst);
        cancelling.is_noticed.store(false, Ordering::SeqCst);
    }

    /// Fails after [`Session::cancel`].
    ///
    /// # Errors
    /// [`Cancelled`].
    pub fn check_cancelled(&self) -> Result<(), Cancelled> {
        let cancelling = &self.shared.cancelling;
        if !cancelling.is_asked.load(Ordering::Relaxed) {
            return Ok(());
        }
        cancelling.is_noticed.store(true, Ordering::SeqCst);
        Err(Cancelled)
    }

    /// Whether anything has failed since it was cancelled.
    #[must_use]
    pub fn has_noticed_cancel(&self) -> bool {
        self.shared.cancelling.is_noticed.load(Ordering::SeqCst)
    }

    /// Threads that work: before there was work for them, as many as will be started; then as many as could be, which is
    /// one, the caller's own, where the system starts none.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.shared.threads.count()
    }

    /// Threads that were asked for: by [`SessionOptions::threads`], or as many as the machine has.
    #[must_use]
    pub fn threads_wanted(&self) -> usize {
        self.shared.wanted
    }

    /// The caps in force; their budget is the session's memory.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.shared.limits
    }

    /// Where is kept what the memory cannot hold, if there is such a place.
    #[must_use]
    pub fn spill(&self) -> Option<&SpillFolder> {
        self.shared.spill.as_ref()
    }

    /// What the reads of this session, and of its clones, took so far.
    #[must_use]
    pub fn profile(&self) -> Profile {
        self.shared.counters.profile()
    }

    /// Where what is read and decoded is counted.
    pub fn counters(&self) -> &Counters {
        &self.shared.counters
    }

    /// What a thread keeps from tile to tile, on loan.
    pub fn worker(&self) -> LentWorker<'_> {
        self.shared.workers.lend()
    }

    /// Memory for `len` bytes of cells that are about to be written. It may be that of a buffer that was dropped, and
    /// then holds its cells until they are overwritten: those that are not are nobody's to look at. The memory is taken from the budget by whoever asks.
    ///
    /// # Errors
    /// [`CellsError::Limit`] where the system has no such amount.
    pub fn buffer(&self, len: usize) -> Result<Buffer, CellsError> {
        Buffer::unwritten(len, &Arc::downgrade(&self.shared.spare))
    }

    /// Runs `work` on the session's threads, among which [`crate::threads`] shares it; at one thread, or where none
    /// can be started, right here.
    pub fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        self.shared.threads.install(work)
    }

    /// Bytes that work handles at least that is shared among threads: [`SessionOptions::share_from`].
    #[must_use]
    pub fn share_from(&self) -> u64 {
        self.shared.share_from
    }

    /// As [`Session::install`], for work that handles so many bytes: where those are few, it is done right here, since handing it
    /// over takes longer than what other threads could save.
    pub fn install_for<R: Send>(&self, bytes: u64, work: impl FnOnce() -> R + Send) -> R {
        if bytes < self.share_from() {
            work()
        } else {
            self.install(work)
        }
    }

    /// Runs `work` on the session's threads while this one does something else, for which it may wait; where there are no such
    /// threads, before it.
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
