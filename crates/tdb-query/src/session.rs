use std::num::NonZeroUsize;
use std::sync::{Arc, OnceLock};

use tdb_tile::{Budget, Limits};

use crate::profile::{Counters, Profile};
use crate::tiles::{Lent, Workers};

/// What a [`Session`] may use.
#[derive(Clone, Debug, Default)]
pub struct SessionOptions {
    /// Threads that decode; the machine's number by default. With one, no thread is started.
    pub threads: Option<NonZeroUsize>,
    /// Bytes of memory that reading may hold at a time; 1 GiB by default.
    pub memory: Option<u64>,
    /// Caps on what is decoded; its budget is replaced by one of `memory` bytes.
    pub limits: Limits,
}

/// The threads and the memory that reads share. Cheap to clone; nothing is global.
#[derive(Clone, Debug)]
pub struct Session {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    threads: usize,
    pool: OnceLock<Option<rayon::ThreadPool>>,
    limits: Limits,
    workers: Workers,
    counters: Counters,
}

impl Default for Session {
    fn default() -> Self {
        Self::new(SessionOptions::default())
    }
}

/// What reading may hold where nobody says: a program that knows its machine says more.
const DEFAULT_MEMORY: u64 = 1 << 30;

impl Session {
    /// A session of its own threads and memory.
    #[must_use]
    pub fn new(options: SessionOptions) -> Self {
        let threads = options.threads.map_or_else(
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
                threads,
                pool: OnceLock::new(),
                limits,
                workers: Workers::default(),
                counters: Counters::default(),
            }),
        }
    }

    /// Threads that decode.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.shared.threads
    }

    /// The caps in force; their budget is the session's memory.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.shared.limits
    }

    /// What the reads of this session, and of its clones, took so far.
    #[must_use]
    pub fn profile(&self) -> Profile {
        self.shared.counters.profile()
    }

    pub(crate) fn counters(&self) -> &Counters {
        &self.shared.counters
    }

    /// What a thread keeps from tile to tile, on loan.
    pub(crate) fn worker(&self) -> Lent<'_> {
        self.shared.workers.lend()
    }

    /// Runs `work` on the session's threads; at one thread, or where none can be started, right here.
    pub(crate) fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        let pool = self.shared.pool.get_or_init(|| {
            (self.shared.threads > 1)
                .then(|| {
                    rayon::ThreadPoolBuilder::new()
                        .num_threads(self.shared.threads)
                        .build()
                        .ok()
                })
                .flatten()
        });
        match pool {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }
}
