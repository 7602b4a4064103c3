use std::any::Any;
use std::fmt;

use tdb_tile::{Bug, ChunkTable, Grant, Limits};

use crate::FilterError;

/// The memory that a worker reuses for every chunk: buffers between stages, and the state of
/// codecs.
///
/// Each thread needs its own. The memory grows to the needs of the largest chunk, and counts
/// against the budget of the limits under which it grew.
#[derive(Default)]
pub struct Scratch {
    pub(crate) table: ChunkTable,
    pub(crate) memory: Memory,
    pub(crate) contexts: Contexts,
    pub(crate) cuts: Vec<usize>,
}

/// Pairs of buffers: a stage reads the first and writes the second, then the two are swapped.
#[derive(Default)]
pub(crate) struct Memory {
    pub(crate) data: [Buffer; 2],
    pub(crate) metadata: [Buffer; 2],
    pub(crate) headers: [Vec<u8>; 2],
    pub(crate) ends: [Vec<usize>; 2],
}

impl fmt::Debug for Scratch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scratch")
            .field("contexts", &self.contexts.kept.len())
            .finish_non_exhaustive()
    }
}

/// A buffer whose memory only grows.
#[derive(Default)]
pub(crate) struct Buffer {
    bytes: Vec<u8>,
    /// Length of the bytes lent last; at most that of `bytes`.
    len: usize,
    grant: Option<Grant>,
}

impl Buffer {
    /// Lends `len` bytes with arbitrary content.
    pub(crate) fn lend(&mut self, len: usize, limits: &Limits) -> Result<&mut [u8], FilterError> {
        if len > self.bytes.len() {
            (self.grant, self.len) = (None, 0);
            self.bytes = Vec::new();
            self.grant = Some(limits.budget.take(len as u64)?);
            self.bytes = vec![0; len];
        }
        self.len = len;
        Ok(self.bytes.split_at_mut(len).0)
    }

    /// Shortens the bytes lent last to `len`.
    pub(crate) fn shorten(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    /// The bytes lent last.
    pub(crate) fn filled(&self) -> &[u8] {
        self.bytes.split_at(self.len).0
    }
}

/// The states of codecs, at most one of each type.
#[derive(Default)]
pub(crate) struct Contexts {
    kept: Vec<Box<dyn Any + Send>>,
}

impl Contexts {
    pub(crate) fn get<T: Any + Send>(
        &mut self,
        make: impl FnOnce() -> Result<T, FilterError>,
    ) -> Result<&mut T, FilterError> {
        let place = match self.kept.iter().position(|kept| kept.is::<T>()) {
            Some(place) => place,
            None => {
                let place = self.kept.len();
                self.kept.push(Box::new(make()?));
                place
            }
        };
        let found = self
            .kept
            .get_mut(place)
            .and_then(|kept| kept.downcast_mut());
        found.ok_or_else(|| Bug::new("a context is not where it was put").into())
    }
}
