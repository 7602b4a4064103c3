//! Decodes arbitrary bytes as the markers of delete conditions.
#![no_main]
use libfuzzer_sys::fuzz_target;
use tdb_fragment::ProcessedConditions;
use tdb_fragment_fuzz::law;
use tdb_tile::FormatVersion;

fuzz_target!(|data: &[u8]| {
    law::<ProcessedConditions>(data, FormatVersion::WRITTEN, &());
});
