//! Tiles that several threads need; each is fetched once, by the first thread that needs it.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tdb_cells::{KeptMemory, StoredBytes, TileBytes, TileError};
use tdb_schema::FieldKind;
use tdb_store::Store;
use tdb_tile::Limits;

use super::bands::Bands;
use super::byte_ranges::{ObjectOffset, object_offset, reads_of_block};
use super::plan::DensePlan;
use crate::QueryError;

/// Source of the bytes of tiles. A tile that several blocks need is fetched once, and freed after the last block has
/// used it.
pub(super) struct SharedTiles<'a> {
    bytes: &'a dyn TileBytes,
    shared: HashMap<ObjectOffset, Mutex<SharedTile>>,
    pool: Arc<Pool>,
}

/// Buffers of tiles that are no longer needed, for reuse.
type Pool = Mutex<Vec<KeptMemory>>;

#[derive(Debug, Default)]
struct SharedTile {
    /// Number of blocks that will still request the tile.
    wanted: usize,
    stored: Option<Arc<FetchedTile>>,
}

/// Bytes of a tile, in a buffer of the pool.
#[derive(Debug)]
struct FetchedTile {
    memory: KeptMemory,
    len: usize,
    pool: Arc<Pool>,
}

impl AsRef<[u8]> for FetchedTile {
    fn as_ref(&self) -> &[u8] {
        self.memory.first(self.len)
    }
}

impl Drop for FetchedTile {
    fn drop(&mut self) {
        let memory = std::mem::take(&mut self.memory);
        lock(&self.pool).push(memory);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'a> SharedTiles<'a> {
    /// Finds the tiles that several blocks take cells of.
    pub(super) fn new(
        plan: &DensePlan,
        bands: &Bands,
        fields: &[FieldKind],
        bytes: &'a dyn TileBytes,
    ) -> Result<Self, QueryError> {
        let mut wanted: HashMap<ObjectOffset, usize> = HashMap::new();
        // Bytes that were fetched before are already in memory.
        let shares = bands.cuts_tiles && bytes.near().is_some();
        for &field in fields.iter().filter(|_| shares) {
            for (_, block) in bands.blocks() {
                let mut reads = Vec::new();
                reads_of_block(plan, block, field, &mut HashSet::new(), &mut reads)?;
                for read in &reads {
                    *wanted.entry(object_offset(read)).or_default() += 1;
                }
            }
        }
        let shared = wanted
            .into_iter()
            .filter(|(_, blocks)| *blocks > 1)
            .map(|(place, wanted)| {
                let stored = None;
                (place, Mutex::new(SharedTile { wanted, stored }))
            });
        Ok(Self {
            bytes,
            shared: shared.collect(),
            pool: Arc::default(),
        })
    }
}

impl TileBytes for SharedTiles<'_> {
    fn fetch<'a>(
        &'a self,
        key: &Arc<str>,
        extent: Range<u64>,
        memory: &'a mut KeptMemory,
        limits: &Limits,
    ) -> Result<StoredBytes<'a>, TileError> {
        let Some(shared) = self.shared.get(&(Arc::clone(key), extent.start)) else {
            return self.bytes.fetch(key, extent, memory, limits);
        };
        // Other threads wait here while the tile is fetched.
        let mut shared = lock(shared);
        if shared.stored.is_none() {
            #[expect(
                clippy::disallowed_methods,
                reason = "where none is left over, it begins empty"
            )]
            let mut memory = lock(&self.pool).pop().unwrap_or_default();
            let len = self
                .bytes
                .fetch(key, extent.clone(), &mut memory, limits)?
                .len();
            let pool = Arc::clone(&self.pool);
            shared.stored = Some(Arc::new(FetchedTile { memory, len, pool }));
        }
        // A thread more than were counted fetches the tile for itself, below.
        shared.wanted = shared.wanted.saturating_sub(1);
        let stored = match shared.wanted {
            0 => shared.stored.take(),
            _ => shared.stored.clone(),
        };
        match stored {
            Some(stored) => Ok(StoredBytes::Shared(stored)),
            None => self.bytes.fetch(key, extent, memory, limits),
        }
    }

    fn near(&self) -> Option<&dyn Store> {
        self.bytes.near()
    }
}
