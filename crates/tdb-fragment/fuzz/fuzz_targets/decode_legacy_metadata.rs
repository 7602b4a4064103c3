//! Decodes arbitrary bytes as metadata of format 1 or 2.
#![no_main]
use libfuzzer_sys::fuzz_target;
use tdb_fragment::{FieldLayout, FragmentMetadata, LegacyMetadata, MetadataPart};
use tdb_fragment_fuzz::{law, limits, schema};
use tdb_tile::FormatVersion;

fuzz_target!(|data: &[u8]| {
    for choice in 0..2 {
        let schema = schema(choice);
        let layout = FieldLayout::of(&schema);
        let Some(legacy) = law::<LegacyMetadata>(data, FormatVersion::default(), &layout) else {
            return;
        };
        let Ok(metadata) = FragmentMetadata::from_legacy(legacy, choice == 1, &schema) else {
            continue;
        };
        if let Ok(tdb_fragment::PartPlace::Here(tree)) = metadata.part_place(MetadataPart::RTree) {
            // A dense fragment with MBRs is refused when its R-tree is requested.
            let tree = metadata.rtree(&tree, &limits());
            assert!(tree.is_ok() || metadata.dense);
        }
    }
});
