//! Parses arbitrary bytes as a generic tile: encoding the parts gives the same bytes.
#![no_main]
use bytes::Bytes;
use libfuzzer_sys::fuzz_target;
use tdb_tile::{GenericTile, Limits};

fuzz_target!(|data: &[u8]| {
    let limits = Limits::with_budget(64 << 20);
    let Ok(tile) = GenericTile::parse(&Bytes::copy_from_slice(data), &limits) else {
        return;
    };
    let size = tile.stored_size();
    assert_eq!(tile.encode(), &data[..size]);
    assert!(tile.describe().contains("persisted_size"));
    assert!(GenericTile::parse(&Bytes::copy_from_slice(&data[..size - 1]), &limits).is_err());
});
