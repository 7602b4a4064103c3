//! Opens arbitrary bytes as a generic tile, with and without a key, and seals and opens them as a
//! payload.
#![no_main]
use bytes::Bytes;
use libfuzzer_sys::fuzz_target;
use tdb_filters::{EncryptionKey, open_generic_tile, seal_generic_tile};
use tdb_tile::{FormatVersion, GenericTile, Limits};

fuzz_target!(|data: &[u8]| {
    let limits = Limits {
        metadata_tile: 16 << 20,
        ..Limits::with_budget(64 << 20)
    };
    let key = EncryptionKey::new(&[1; 32]).unwrap();
    if let Ok(tile) = GenericTile::parse(&Bytes::copy_from_slice(data), &limits) {
        let _ = open_generic_tile(&tile, None, &limits);
        let _ = open_generic_tile(&tile, Some(&key), &limits);
    }
    for key in [None, Some(&key)] {
        let sealed = seal_generic_tile(data, FormatVersion::WRITTEN, key).unwrap();
        let tile = GenericTile::parse(&sealed.into(), &limits).unwrap();
        assert_eq!(open_generic_tile(&tile, key, &limits).unwrap(), data);
    }
});
