//! What threads keep from tile to tile, and lend to each other.

use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, PoisonError};

use tdb_filters::Scratch;

use crate::KeptMemory;

/// What a thread keeps from tile to tile.
#[derive(Debug, Default)]
pub struct Worker {
    pub(crate) stored: KeptMemory,
    pub(crate) tile: KeptMemory,
    pub(crate) starts: Vec<u64>,
    pub(crate) scratch: Scratch,
    pub(crate) chunks: tdb_tile::ChunkTable,
}

/// The workers of a session that are not at work.
#[derive(Debug, Default)]
pub(crate) struct Workers {
    idle: Mutex<Vec<Worker>>,
}

/// A worker on loan; it goes back when dropped.
pub struct LentWorker<'a> {
    workers: &'a Workers,
    worker: Option<Worker>,
    spare: Worker,
}

impl Workers {
    pub(crate) fn lend(&self) -> LentWorker<'_> {
        let worker = self
            .idle
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop();
        LentWorker {
            workers: self,
            worker: Some(worker.unwrap_or_default()),
            spare: Worker::default(),
        }
    }
}

impl Deref for LentWorker<'_> {
    type Target = Worker;

    fn deref(&self) -> &Worker {
        self.worker.as_ref().unwrap_or(&self.spare)
    }
}

impl DerefMut for LentWorker<'_> {
    fn deref_mut(&mut self) -> &mut Worker {
        self.worker.as_mut().unwrap_or(&mut self.spare)
    }
}

impl Drop for LentWorker<'_> {
    fn drop(&mut self) {
        if let Some(worker) = self.worker.take() {
            self.workers
                .idle
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(worker);
        }
    }
}
