//! Generic tiles taken out of their objects, changed, and put back as if they had been written so.

use bytes::Bytes;
use tdb_filters::{EncryptionKey, open_generic_tile, seal_generic_tile};
use tdb_store::{MemoryStore, Read};
use tdb_tile::{GenericTile, Limits};

/// The bytes of an object.
pub(crate) fn object(store: &MemoryStore, key: &str) -> Bytes {
    tdb_store::read_one(store, Read::whole(key.to_owned()))
        .unwrap()
        .bytes
}

/// Changes the bytes of an object as they are.
pub(crate) fn edit_object(store: &MemoryStore, key: &str, edit: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = object(store, key).to_vec();
    edit(&mut bytes);
    store.overwrite(key, bytes);
}

/// The generic tile at the start of `bytes`: its payload, and what follows it.
pub(crate) fn open(bytes: &Bytes, key: Option<&EncryptionKey>) -> Option<(GenericTile, Bytes)> {
    let limits = Limits::default();
    let tile = GenericTile::parse(bytes, &limits).ok()?;
    let payload = open_generic_tile(&tile, key, &limits).ok()?;
    Some((tile, payload))
}

/// Changes the payload of the generic tile that an object is.
pub(crate) fn edit_tile(
    store: &MemoryStore,
    key: &str,
    encryption: Option<&EncryptionKey>,
    edit: impl FnOnce(&mut Vec<u8>),
) {
    let (tile, payload) = open(&object(store, key), encryption).unwrap();
    let mut payload = payload.to_vec();
    edit(&mut payload);
    let sealed = seal_generic_tile(&payload, tile.version(), encryption).unwrap();
    store.overwrite(key, sealed);
}

/// The metadata of a fragment, taken apart: generic tiles with what they hold, and the footer.
pub(crate) struct MetadataFile {
    pub(crate) tiles: Vec<(GenericTile, Bytes)>,
    pub(crate) footer: Vec<u8>,
    key: Option<EncryptionKey>,
}

impl MetadataFile {
    pub(crate) fn of(bytes: &Bytes, key: Option<&EncryptionKey>) -> Self {
        let (mut tiles, mut rest) = (Vec::new(), bytes.clone());
        while let Some((tile, payload)) = open(&rest, key) {
            rest = rest.slice(tile.stored_size()..);
            tiles.push((tile, payload));
        }
        Self {
            tiles,
            footer: rest.to_vec(),
            key: key.cloned(),
        }
    }

    /// The same tiles, none of them encrypted.
    pub(crate) fn without_encryption(mut self) -> Vec<u8> {
        self.key = None;
        let all: Vec<usize> = (0..self.tiles.len()).collect();
        self.sealed(&all, None)
    }

    /// The file in which this tile holds something else; offsets in the footer move with the tiles.
    pub(crate) fn with_payload(&self, index: usize, payload: &[u8]) -> Vec<u8> {
        self.sealed(&[index], Some(payload))
    }

    /// The file in which these tiles are sealed anew, with another payload if one is given.
    fn sealed(&self, anew: &[usize], payload: Option<&[u8]>) -> Vec<u8> {
        let mut out = Vec::new();
        let mut footer = self.footer.clone();
        let mut begin = 0_u64;
        for (at, (tile, content)) in self.tiles.iter().enumerate() {
            if begin > 0 {
                replace(&self.footer, &mut footer, begin, out.len() as u64);
            }
            if anew.contains(&at) {
                let payload = payload.unwrap_or(content);
                let sealed = seal_generic_tile(payload, tile.version(), self.key.as_ref());
                out.extend(sealed.unwrap());
            } else {
                out.extend(tile.encode());
            }
            begin += tile.stored_size() as u64;
        }
        out.extend(footer);
        out
    }
}

/// Writes `new` wherever `old` stands in the footer.
fn replace(before: &[u8], footer: &mut [u8], old: u64, new: u64) {
    let old = old.to_le_bytes();
    for at in 0..before.len().saturating_sub(7) {
        if before.get(at..at + 8) == Some(&old[..])
            && let Some(place) = footer.get_mut(at..at + 8)
        {
            place.copy_from_slice(&new.to_le_bytes());
        }
    }
}
