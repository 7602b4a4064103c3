//! Decodes arbitrary bytes as the minimum or maximum values of tiles.
#![no_main]
use libfuzzer_sys::fuzz_target;
use tdb_fragment::TileBounds;
use tdb_fragment_fuzz::law;
use tdb_tile::FormatVersion;

fuzz_target!(|data: &[u8]| {
    let Some(bounds) = law::<TileBounds>(data, FormatVersion::WRITTEN, &()) else {
        return;
    };
    for cell_size in [None, Some(4)] {
        let fits = bounds.check(3, cell_size.map(|size| size as u64)).is_ok();
        let values = (0..3)
            .filter_map(|tile| bounds.get(tile, cell_size))
            .count();
        assert!(!fits || bounds.fixed.is_empty() || values == 3);
    }
});
