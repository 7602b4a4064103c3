//! Tiles out of files that stay open from one to the next.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use tdb_store::{OpenObject, Store};
use tdb_tile::Limits;

use crate::tile_bytes::out_of_range;
use crate::{KeptMemory, StoredBytes, TileBytes, TileError};

/// How many objects are open at most.
const OPEN: usize = 8;

/// The tiles of a store that is near, for as long as a piece of a result is decoded: opening a file takes longer than
/// reading a small tile, and tiles that are read together mostly lie in few files.
///
/// It is made for each piece anew, so that what others removed is not read on.
#[derive(Debug)]
pub struct NearTiles<'a> {
    store: &'a Arc<dyn Store>,
    /// The last ones, the newest at the end.
    open: Mutex<Vec<Known>>,
}

/// An open object, by its key.
type Known = (Arc<str>, Arc<dyn OpenObject>);

impl<'a> NearTiles<'a> {
    /// Nothing is open yet.
    #[must_use]
    pub fn new(store: &'a Arc<dyn Store>) -> Self {
        Self {
            store,
            open: Mutex::default(),
        }
    }

    /// An object, opened unless it is; `None` where the store has no use for that.
    fn object(&self, key: &Arc<str>) -> Result<Option<Arc<dyn OpenObject>>, TileError> {
        let known = || self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let found = known().iter().find(|(known, _)| known == key).cloned();
        if let Some((_, object)) = found {
            return Ok(Some(object));
        }
        let Some(object) = self.store.open_object(key)? else {
            return Ok(None);
        };
        let object: Arc<dyn OpenObject> = Arc::from(object);
        let mut known = known();
        if known.len() >= OPEN {
            known.remove(0);
        }
        known.push((Arc::clone(key), Arc::clone(&object)));
        Ok(Some(object))
    }
}

impl TileBytes for NearTiles<'_> {
    fn fetch<'a>(
        &'a self,
        key: &Arc<str>,
        extent: Range<u64>,
        place: &'a mut KeptMemory,
        limits: &Limits,
    ) -> Result<StoredBytes<'a>, TileError> {
        let Some(object) = self.object(key)? else {
            return self.store.fetch(key, extent, place, limits);
        };
        let wanted = extent.end.saturating_sub(extent.start);
        // A length that the file does not have must not be taken for memory.
        if object.size() < extent.end {
            return Err(out_of_range(key, extent.start, wanted, object.size()).into());
        }
        let place = place.lend(tdb_tile::length(wanted)?, limits)?;
        object.read_into(extent.start, place)?;
        Ok(StoredBytes::Own(place))
    }

    fn is_near(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tdb_store::{LocalStore, MemoryStore};

    fn read(tiles: &NearTiles<'_>, key: &str, extent: Range<u64>) -> Result<Vec<u8>, TileError> {
        let mut place = KeptMemory::default();
        let fetched = tiles.fetch(&key.into(), extent, &mut place, &Limits::default())?;
        Ok(fetched.to_vec())
    }

    fn read_alone(store: &Arc<dyn Store>, key: &str, extent: Range<u64>) -> Result<(), TileError> {
        let mut place = KeptMemory::default();
        store
            .fetch(&key.into(), extent, &mut place, &Limits::default())
            .map(drop)
    }

    #[test]
    fn tiles_come_out_of_open_files_as_out_of_others() {
        let folder = tempfile::tempdir().unwrap();
        let stores: [Arc<dyn Store>; 2] = [
            Arc::new(LocalStore::open(folder.path()).unwrap()),
            Arc::new(MemoryStore::new()),
        ];
        for store in &stores {
            let keys: Vec<String> = (0..12).map(|number| format!("a/{number}")).collect();
            for key in &keys {
                store.put(key, key.clone().into()).unwrap();
            }
            let tiles = NearTiles::new(store);
            for _ in 0..2 {
                for key in &keys {
                    let (first, last) = (read(&tiles, key, 0..1), read(&tiles, key, 2..3));
                    let expected = key.as_bytes();
                    assert_eq!(first.unwrap(), &expected[..1]);
                    assert_eq!(last.unwrap(), &expected[2..3]);
                }
            }
            let error = read(&tiles, "a/0", 2..9).unwrap_err();
            assert_eq!(
                error.to_string(),
                read_alone(store, "a/0", 2..9).unwrap_err().to_string()
            );
            assert!(read(&tiles, "b", 0..1).is_err());
            assert!(tiles.open.lock().unwrap().len() <= OPEN);
        }
    }
}
