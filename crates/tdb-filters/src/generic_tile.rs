use bytes::Bytes;
use tdb_tile::{Datatype, EncryptionType, FormatVersion, GenericTile, Grant, Limits, Record};

use crate::encode::total_len;
use crate::filters::{aes_256_gcm, gzip};
use crate::room::in_memory;
use crate::{
    EncryptionKey, FilterError, FilterList, FilterRecord, Pipeline, Registry, Scratch, TileKind,
};

/// Returns the payload of a generic tile: decrypts and decodes it.
///
/// The payload counts against the budget of the limits as long as any part of it is kept.
///
/// # Errors
/// [`FilterError::Crypto`] if a key is given and the tile is not encrypted, if the tile is
/// encrypted and no key is given, or if the key is wrong; otherwise as for
/// [`Pipeline::decode_tile`].
pub fn open_generic_tile(
    tile: &GenericTile,
    key: Option<&EncryptionKey>,
    limits: &Limits,
) -> Result<Bytes, FilterError> {
    open_generic_tile_with(tile, key, &mut Scratch::default(), limits)
}

/// Like [`open_generic_tile`], with scratch memory that the caller keeps for the next tile.
///
/// # Errors
/// As for [`open_generic_tile`].
pub fn open_generic_tile_with(
    tile: &GenericTile,
    key: Option<&EncryptionKey>,
    scratch: &mut Scratch,
    limits: &Limits,
) -> Result<Bytes, FilterError> {
    let list = FilterList::decode(&tile.pipeline, tile.version(), &(), limits)?;
    let encrypts = list.encrypts(Registry::builtin());
    match (tile.encryption(), key) {
        (EncryptionType::None, None) if !encrypts => {}
        (EncryptionType::Aes256Gcm, Some(_)) if encrypts => {}
        (EncryptionType::Aes256Gcm, None) => return Err(aes_256_gcm::NO_KEY),
        (EncryptionType::None, Some(_)) => {
            return Err(FilterError::Crypto(
                "a key was given, and the metadata is not encrypted",
            ));
        }
        _ => {
            return Err(FilterError::Crypto(
                "the metadata says that it is encrypted and its filters say otherwise",
            ));
        }
    }
    let kind = TileKind::generic(tile.version());
    let pipeline = Pipeline::new(&list, tile.version(), kind, key, Registry::builtin())?;
    let size = tile.header.tile_size.get();
    Limits::check(
        "metadata tile size",
        "metadata_tile",
        size,
        limits.metadata_tile,
    )?;
    // Checks that the chunks add up to the size before memory is allocated for it.
    scratch.table.parse_sized(&tile.chunks, size, limits)?;
    let held = limits.budget.take(size)?;
    let mut bytes = vec![0; in_memory("metadata tile size", "metadata_tile", size)?];
    pipeline.decode_tile(&tile.chunks, &mut bytes, None, scratch, limits)?;
    Ok(Bytes::from_owner(Payload { bytes, _held: held }))
}

/// The decoded bytes, and the grant for their memory.
struct Payload {
    bytes: Vec<u8>,
    _held: Grant,
}

impl AsRef<[u8]> for Payload {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// Encodes a payload as a generic tile as TileDB writes it: gzip (if compiled in), then encryption
/// if there is a key.
///
/// # Errors
/// Fails if a key is given to a build without encryption, or if the system has no random numbers.
pub fn seal_generic_tile(
    payload: &[u8],
    version: FormatVersion,
    key: Option<&EncryptionKey>,
) -> Result<Vec<u8>, FilterError> {
    seal_generic_tile_with(payload, version, key, &mut Scratch::default())
}

/// Like [`seal_generic_tile`], with scratch memory that the caller keeps for the next tile.
///
/// # Errors
/// As for [`seal_generic_tile`].
pub fn seal_generic_tile_with(
    payload: &[u8],
    version: FormatVersion,
    key: Option<&EncryptionKey>,
    scratch: &mut Scratch,
) -> Result<Vec<u8>, FilterError> {
    let (list, encryption, pipeline) = sealing(version, key)?;
    let mut chunks = Vec::new();
    pipeline.encode_tile(payload, None, &mut chunks, scratch, &Limits::default())?;
    let filters = list.encode(version, &())?;
    let size = payload.len() as u64;
    let tile = GenericTile::try_new(version, encryption, size, filters.into(), chunks.into())?;
    Ok(tile.encode())
}

/// Like [`seal_generic_tile_with`], but takes the payload in parts and returns the tile in pieces,
/// so that neither is ever in memory as a whole.
///
/// # Errors
/// As for [`seal_generic_tile`].
pub fn seal_generic_tile_in_pieces(
    payload: &[Bytes],
    version: FormatVersion,
    key: Option<&EncryptionKey>,
    scratch: &mut Scratch,
) -> Result<Vec<Bytes>, FilterError> {
    let (list, encryption, pipeline) = sealing(version, key)?;
    let size = total_len(payload)?;
    let chunks = pipeline.encode_parts(payload, scratch, &Limits::default())?;
    let filters = list.encode(version, &())?;
    let mut tile = GenericTile::try_new(
        version,
        encryption,
        size as u64,
        filters.into(),
        Bytes::new(),
    )?;
    let persisted = chunks.iter().map(|piece| piece.len() as u64);
    tile.header.persisted_size.set(persisted.sum());
    let mut pieces = vec![Bytes::from(tile.encode())];
    pieces.extend(chunks);
    Ok(pieces)
}

/// Returns the filters of new generic tiles, their encryption type and a pipeline of them.
fn sealing(
    version: FormatVersion,
    key: Option<&EncryptionKey>,
) -> Result<(FilterList, EncryptionType, Pipeline), FilterError> {
    let mut list = FilterList::default();
    if gzip::ENTRY.compiled {
        list.filters.push(gzip::at_level(1));
    }
    let mut encryption = EncryptionType::None;
    if key.is_some() {
        encryption = EncryptionType::Aes256Gcm;
        list.filters
            .push(FilterRecord::new(aes_256_gcm::ENTRY.code, Bytes::new()));
    }
    let kind = TileKind::new(version, Datatype::Char);
    let pipeline = Pipeline::new(&list, version, kind, key, Registry::builtin())?;
    Ok((list, encryption, pipeline))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_the_tile() {
        let numbers = (0_u32..700_000).map(|i| i.wrapping_mul(i).to_le_bytes());
        let bytes: Vec<u8> = numbers.map(|number| number[1]).collect();
        let whole = Bytes::from(bytes);
        let mut scratch = Scratch::default();
        for cuts in [
            &[][..],
            &[3],
            &[100_000, 100_001, 600_000],
            &[65_536, 131_072],
        ] {
            let mut parts = Vec::new();
            let mut start = 0;
            for end in cuts.iter().copied().chain([whole.len()]) {
                parts.push(whole.slice(start..end));
                start = end;
            }
            let version = FormatVersion::WRITTEN;
            let pieces = seal_generic_tile_in_pieces(&parts, version, None, &mut scratch);
            let wanted = seal_generic_tile(&whole, version, None).unwrap();
            assert_eq!(pieces.unwrap().concat(), wanted, "{cuts:?}");
        }
        let version = FormatVersion::WRITTEN;
        let empty = seal_generic_tile_in_pieces(&[], version, None, &mut scratch).unwrap();
        assert_eq!(
            empty.concat(),
            seal_generic_tile(&[], version, None).unwrap()
        );
    }
}
