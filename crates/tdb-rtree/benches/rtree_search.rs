//! Searching and decoding a tree over 100 000 tiles.
#![expect(clippy::unwrap_used, reason = "a test or bench may stop there")]

use bytes::Bytes;
use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use tdb_rtree::{DimensionType, RTree};
use tdb_tile::{Datatype, FormatVersion, Limits, Range, Record};

const TILES: i64 = 100_000;
const FIXED: [DimensionType; 2] = [DimensionType::fixed(Datatype::Int64); 2];
const VAR: [DimensionType; 2] = [
    DimensionType::fixed(Datatype::Int64),
    DimensionType::var(Datatype::StringAscii),
];

fn main() {
    divan::main();
}

fn numbers() -> RTree {
    let leaves = (0..TILES).map(|i| [Range::of(i * 10, i * 10 + 9), Range::of(i % 97, i % 97 + 3)]);
    RTree::build(&FIXED, leaves).unwrap()
}

fn strings() -> RTree {
    let leaves = (0..TILES).map(|i| {
        let name = format!("{:08}", i % 977);
        [Range::of(i, i + 1), Range::new(name.clone(), name + "z")]
    });
    RTree::build(&VAR, leaves).unwrap()
}

#[divan::bench(args = [1, 16, 1000])]
fn search_numbers(bencher: Bencher, ranges: i64) {
    let tree = numbers();
    let list: Vec<Range> = (0..ranges)
        .map(|i| Range::of(i * 900, i * 900 + 5))
        .collect();
    let search = [list, vec![Range::of(10_i64, 20)]];
    bencher
        .counter(ItemsCount::new(TILES as u64))
        .bench(|| tree.search(black_box(&search)).unwrap());
}

#[divan::bench]
fn search_strings(bencher: Bencher) {
    let tree = strings();
    let search = [vec![], vec![Range::new("00000100", "00000120")]];
    bencher
        .counter(ItemsCount::new(TILES as u64))
        .bench(|| tree.search(black_box(&search)).unwrap());
}

#[divan::bench]
fn decode_numbers(bencher: Bencher) {
    decode(bencher, &numbers(), &FIXED);
}

#[divan::bench]
fn decode_strings(bencher: Bencher) {
    decode(bencher, &strings(), &VAR);
}

fn decode(bencher: Bencher, tree: &RTree, dimensions: &[DimensionType]) {
    let version = FormatVersion::WRITTEN;
    let bytes = Bytes::from(tree.encode(version, dimensions).unwrap());
    bencher.counter(ItemsCount::new(TILES as u64)).bench(|| {
        RTree::decode(black_box(&bytes), version, dimensions, &Limits::default()).unwrap()
    });
}
