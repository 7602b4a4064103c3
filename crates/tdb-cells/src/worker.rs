//! Memory that threads reuse from tile to tile.

use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, PoisonError};

use tdb_filters::Scratch;

use crate::KeptMemory;

/// Memory that a thread reuses from tile to tile.
#[derive(Debug, Default)]
pub struct Worker {
    pub(crate) stored: KeptMemory,
    pub(crate) tile: KeptMemory,
    pub(crate) starts: Vec<u64>,
    pub(crate) scratch: Scratch,
    pub(crate) chunks: tdb_tile::ChunkTable,
}

/// The workers of a session that are not in use.
#[derive(Debug, Default)]
pub(crate) struct Workers {
    idle: Mutex<Vec<Worker>>,
}

/// A borrowed worker; returned to the session when dropped.
pub struct LentWorker<'a> {
    workers: &'a Workers,
    worker: Worker,
}

impl Workers {
    pub(crate) fn lend(&self) -> LentWorker<'_> {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        #[expect(
            clippy::disallowed_methods,
            reason = "where none is idle, the thread begins with one that has no memory yet"
        )]
        let worker = idle().pop().unwrap_or_default();
        LentWorker {
            workers: self,
            worker,
        }
    }
}

impl Deref for LentWorker<'_> {
    type Target = Worker;

    fn deref(&self) -> &Worker {
        &self.worker
    }
}

impl DerefMut for LentWorker<'_> {
    fn deref_mut(&mut self) -> &mut Worker {
        &mut self.worker
    }
}

impl Drop for LentWorker<'_> {
    fn drop(&mut self) {
        let worker = std::mem::take(&mut self.worker);
        let idle = self.workers.idle.lock();
        idle.unwrap_or_else(PoisonError::into_inner).push(worker);
    }
}
