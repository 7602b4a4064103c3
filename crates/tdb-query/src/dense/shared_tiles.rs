//! Tiles that several threads take cells of: fetched once, by the first that comes.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use tdb_cells::{KeptMemory, TileBytes, TileError};
use tdb_schema::FieldKind;
use tdb_tile::Limits;

use super::columns::Bands;
use super::plan::DensePlan;
use super::reads::{Place, place, reads_of_block};
use crate::QueryError;

/// Gives the bytes of tiles; those that several blocks take cells of are kept as long as this is.
pub(super) struct SharedTiles<'a> {
    bytes: &'a dyn TileBytes,
    shared: HashMap<Place, SharedTile>,
}

#[derive(Debug, Default)]
struct SharedTile {
    /// Held by who fetches it.
    fetching: Mutex<()>,
    stored: OnceLock<StoredBytes>,
}

/// The bytes of a tile, and how many of what is in memory they are.
#[derive(Debug)]
struct StoredBytes {
    memory: KeptMemory,
    len: usize,
}

impl<'a> SharedTiles<'a> {
    /// Finds the tiles that several of the bands take cells of.
    pub(super) fn new(
        plan: &DensePlan,
        bands: &Bands,
        fields: &[FieldKind],
        bytes: &'a dyn TileBytes,
    ) -> Result<Self, QueryError> {
        let mut shared = HashMap::new();
        if bands.cuts_tiles {
            for &field in fields {
                let mut once = HashSet::new();
                for (_, block) in bands.blocks() {
                    let mut reads = Vec::new();
                    reads_of_block(plan, block, field, &mut HashSet::new(), &mut reads)?;
                    for read in &reads {
                        let place = place(read);
                        if !once.insert(place.clone()) {
                            shared.insert(place, SharedTile::default());
                        }
                    }
                }
            }
        }
        Ok(Self { bytes, shared })
    }
}

impl TileBytes for SharedTiles<'_> {
    fn fetch<'a>(
        &'a self,
        key: &Arc<str>,
        extent: Range<u64>,
        memory: &'a mut KeptMemory,
        limits: &Limits,
    ) -> Result<&'a [u8], TileError> {
        let Some(shared) = self.shared.get(&(Arc::clone(key), extent.start)) else {
            return self.bytes.fetch(key, extent, memory, limits);
        };
        let fetching = shared.fetching.lock();
        let _fetching = fetching.unwrap_or_else(PoisonError::into_inner);
        if shared.stored.get().is_none() {
            let mut memory = KeptMemory::default();
            let len = self
                .bytes
                .fetch(key, extent.clone(), &mut memory, limits)?
                .len();
            let _ = shared.stored.set(StoredBytes { memory, len });
        }
        let stored = shared.stored.get();
        let bytes = stored.and_then(|stored| stored.memory.bytes(stored.len));
        match bytes {
            Some(bytes) => Ok(bytes),
            // It is in memory already, and was not put into another.
            None => self.bytes.fetch(key, extent, memory, limits),
        }
    }
}
