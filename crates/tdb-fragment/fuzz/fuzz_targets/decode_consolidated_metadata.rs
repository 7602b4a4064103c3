//! Decodes arbitrary bytes as the footers of many fragments in one object.
#![no_main]
use bytes::Bytes;
use libfuzzer_sys::fuzz_target;
use tdb_fragment::{ConsolidatedMetadata, FieldLayout, Footer};
use tdb_fragment_fuzz::{limits, schema};

fuzz_target!(|data: &[u8]| {
    let bytes = Bytes::copy_from_slice(data);
    let Ok(metadata) = ConsolidatedMetadata::decode(&bytes, &limits()) else {
        return;
    };
    let layout = FieldLayout::of(&schema(1));
    for footer in metadata
        .entries()
        .iter()
        .filter_map(|entry| metadata.footer(entry))
    {
        let _ = Footer::read(&footer, &layout, &limits());
    }
});
