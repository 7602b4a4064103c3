//! Decodes arbitrary bytes as the statistics of a whole fragment.
#![no_main]
use libfuzzer_sys::fuzz_target;
use tdb_fragment::FragmentStatistics;
use tdb_fragment_fuzz::law;
use tdb_tile::FormatVersion;

fuzz_target!(|data: &[u8]| {
    for fields in [0, 1, 5] {
        law::<FragmentStatistics>(data, FormatVersion::WRITTEN, &fields);
    }
});
