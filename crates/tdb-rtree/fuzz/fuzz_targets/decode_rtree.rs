//! Decodes arbitrary bytes as a tree: no panic; a tree that decodes is encoded to the same bytes
//! and can be searched.
#![no_main]
use bytes::Bytes;
use libfuzzer_sys::fuzz_target;
use tdb_rtree::{DimensionType, RTree};
use tdb_tile::{Datatype, FormatVersion, Limits, Record};

const NUMBERS: [DimensionType; 2] = [DimensionType::fixed(Datatype::Int16); 2];
const MIXED: [DimensionType; 2] = [
    DimensionType::fixed(Datatype::Float32),
    DimensionType::var(Datatype::StringAscii),
];

fuzz_target!(|data: &[u8]| {
    let Some((&choice, rest)) = data.split_first() else {
        return;
    };
    let version = FormatVersion::new(u32::from(choice >> 1) % 24);
    let dimensions = if choice & 1 == 0 { NUMBERS } else { MIXED };
    let bytes = Bytes::copy_from_slice(rest);
    let Ok(tree) = RTree::decode(&bytes, version, &dimensions, &Limits::default()) else {
        return;
    };
    assert_eq!(tree.encode(version, &dimensions).expect("decoded"), rest);
    let everything = tree.search(&[vec![], vec![]]).expect("two dimensions");
    assert_eq!(everything.len(), tree.tile_count());
    if let Some(mbr) = tree.mbr(0) {
        let ranges: Vec<_> = mbr.0.into_iter().map(|range| vec![range]).collect();
        tree.search(&ranges).expect("the ranges are of the tree");
    }
});
