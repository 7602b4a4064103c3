//! Takes generic tiles out of their objects, changes them, and puts them back as if they had been written that way.

use bytes::Bytes;
use tdb_filters::{EncryptionKey, open_generic_tile, seal_generic_tile};
use tdb_store::{MemoryStore, Read};
use tdb_tile::{GenericTile, Limits};

/// Returns the bytes of an object.
pub(crate) fn object(store: &MemoryStore, key: &str) -> Bytes {
    tdb_store::read_one(store, Read::whole(key.to_owned()))
        .unwrap()
        .bytes
}

/// Changes the raw bytes of an object.
pub(crate) fn edit_object(store: &MemoryStore, key: &str, edit: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = object(store, key).to_vec();
    edit(&mut bytes);
    store.overwrite(key, bytes);
}

/// Opens the generic tile at the start of `bytes`; returns the tile and the payload.
pub(crate) fn open(bytes: &Bytes, key: Option<&EncryptionKey>) -> Option<(GenericTile, Bytes)> {
    let limits = Limits::default();
    let tile = GenericTile::parse(bytes, &limits).ok()?;
    let payload = open_generic_tile(&tile, key, &limits).ok()?;
    Some((tile, payload))
}

/// Changes the payload of an object that is one generic tile.
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

/// Metadata file of a fragment, taken apart: generic tiles with their payloads, and the footer.
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

    /// Returns the file with all tiles unencrypted.
    pub(crate) fn without_encryption(mut self) -> Vec<u8> {
        self.key = None;
        let all: Vec<usize> = (0..self.tiles.len()).collect();
        self.sealed(&all, None)
    }

    /// Returns the file with another payload in the tile `index`; offsets in the footer move with the tiles.
    pub(crate) fn with_payload(&self, index: usize, payload: &[u8]) -> Vec<u8> {
        self.sealed(&[index], Some(payload))
    }

    /// Returns the file with the tiles `anew` sealed again, with another payload if given.
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

/// Replaces `old` by `new` wherever it occurs in the footer.
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
