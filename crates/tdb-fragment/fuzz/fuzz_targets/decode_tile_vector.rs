//! Decodes arbitrary bytes as tile offsets, sizes, sums or counts.
#![no_main]
use libfuzzer_sys::fuzz_target;
use tdb_fragment::TileVector;
use tdb_fragment_fuzz::law;
use tdb_tile::FormatVersion;

fuzz_target!(|data: &[u8]| {
    law::<TileVector>(data, FormatVersion::WRITTEN, &());
});
