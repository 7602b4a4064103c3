//! A search finds the same tiles as a check of every tile.
#![expect(clippy::unwrap_used, reason = "a test or bench may stop there")]

use proptest::prelude::*;
use tdb_rtree::{DimensionType, RTree, TileOverlap};
use tdb_tile::{Datatype, FormatVersion, Range};

const DIMENSIONS: [DimensionType; 3] = [
    DimensionType::fixed(Datatype::Int16),
    DimensionType::var(Datatype::StringAscii),
    DimensionType::fixed(Datatype::Float32),
];
const STRINGS: [DimensionType; 1] = [DimensionType::var(Datatype::StringAscii)];

/// The rule, applied tile by tile: a tile is found if on each dimension some range intersects its
/// bounds, and is full if on each dimension the ranges cover them.
fn by_hand(leaves: &[Vec<Range>], ranges: &[Vec<Range>], doubts_empty: bool) -> Vec<TileOverlap> {
    let mut found = Vec::new();
    for (tile, leaf) in (0..).zip(leaves) {
        let mut met = true;
        let mut full = true;
        for ((bounds, list), dimension) in leaf.iter().zip(ranges).zip(&DIMENSIONS) {
            let datatype = dimension.datatype;
            let mut list: Vec<&Range> = list.iter().collect();
            if list.is_empty() {
                continue;
            }
            list.retain(|range| range.is_ordered(datatype));
            let unbounded = !bounds.is_ordered(datatype)
                || (dimension.is_var && doubts_empty && bounds.lo.is_empty());
            met &= list
                .iter()
                .any(|r| unbounded || r.intersects(datatype, bounds));
            full &= !unbounded && covered(datatype, list, bounds);
        }
        if met {
            found.push(TileOverlap { tile, full });
        }
    }
    found
}

/// True if overlapping ranges together cover the bounds; ranges that intersect are joined first.
fn covered(datatype: Datatype, mut list: Vec<&Range>, bounds: &Range) -> bool {
    let Some(start) = list.iter().position(|r| r.contains(datatype, &bounds.lo)) else {
        return false;
    };
    let mut joined = list.swap_remove(start).clone();
    while let Some(next) = list.iter().position(|r| r.intersects(datatype, &joined)) {
        joined = joined.union(datatype, list.swap_remove(next));
    }
    joined.covers(datatype, bounds)
}

fn text() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(prop_oneof![Just(b'a'), Just(b'b'), Just(0x80)], 0..3)
}

fn int() -> impl Strategy<Value = Range> {
    (-20_i16..20, -3_i16..9).prop_map(|(lo, len)| Range::of(lo, lo + len))
}

fn string() -> impl Strategy<Value = Range> {
    (text(), text()).prop_map(|(lo, hi)| Range::new(lo, hi))
}

fn float() -> impl Strategy<Value = Range> {
    let value = prop_oneof![4 => (-9_i16..9).prop_map(f32::from), 1 => Just(f32::NAN), 1 => Just(f32::INFINITY)];
    (value.clone(), value).prop_map(|(lo, hi)| Range::of(lo, hi))
}

fn lists() -> impl Strategy<Value = Vec<Vec<Range>>> {
    (
        prop::collection::vec(int(), 0..5),
        prop::collection::vec(string(), 0..3),
        prop::collection::vec(float(), 0..3),
    )
        .prop_map(|(a, b, c)| vec![a, b, c])
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn search_equals_the_rule_applied_to_every_tile(
        leaves in prop::collection::vec((int(), string(), float()).prop_map(|(a, b, c)| vec![a, b, c]), 0..40),
        ranges in lists(),
        old in any::<bool>(),
    ) {
        let version = FormatVersion::new(if old { 7 } else { 22 });
        let tree = RTree::build(&DIMENSIONS, &leaves).unwrap().written_by(version);
        prop_assert_eq!(tree.search(&ranges).unwrap(), by_hand(&leaves, &ranges, old));
    }
}

fn tiles(tree: &RTree, ranges: &[Vec<Range>]) -> Vec<(u64, bool)> {
    let found = tree.search(ranges).unwrap();
    found
        .iter()
        .map(|overlap| (overlap.tile, overlap.full))
        .collect()
}

#[test]
fn without_ranges_every_tile_is_full() {
    let tree = RTree::build(&STRINGS, [[Range::new("a", "b")], [Range::new("c", "d")]]).unwrap();
    assert_eq!(tiles(&tree, &[vec![]]), [(0, true), (1, true)]);
}

#[test]
fn a_range_that_holds_nothing_finds_nothing() {
    let tree = RTree::build(&STRINGS, [[Range::new("a", "b")]]).unwrap();
    assert_eq!(tiles(&tree, &[vec![Range::new("b", "a")]]), []);
}

#[test]
fn dates_across_1970_of_old_writers_count_as_unbounded() {
    let days = [DimensionType::fixed(Datatype::DateTimeDay)];
    let leaves = [[Range::of(3_i64, -1)], [Range::of(5_i64, 9)]];
    let tree = RTree::build(&days, leaves).unwrap();
    assert_eq!(tiles(&tree, &[vec![Range::of(-50_i64, -40)]]), [(0, false)]);
    assert_eq!(
        tiles(&tree, &[vec![Range::of(i64::MIN, i64::MAX)]]),
        [(0, false), (1, true)]
    );
}

#[test]
fn an_empty_lower_string_has_no_upper_bound_in_v5_to_v9_only() {
    let tree = RTree::build(&STRINGS, [[Range::new("", "b")]]).unwrap();
    let search = [vec![Range::new("x", "z")]];
    for (version, found) in [(4, 0), (5, 1), (9, 1), (10, 0)] {
        let tree = tree.clone().written_by(FormatVersion::new(version));
        assert_eq!(
            tree.search(&search).unwrap().len(),
            found,
            "version {version}"
        );
    }
}

#[test]
fn ranges_that_do_not_fit_are_an_error() {
    let tree = RTree::build(&DIMENSIONS, Vec::<Vec<Range>>::new()).unwrap();
    insta::assert_snapshot!(tree.search(&[]).unwrap_err(), @"there are ranges for 0 dimensions, and the array has 3");
    let lists = [vec![], vec![], vec![Range::of(1_i64, 2)]];
    insta::assert_snapshot!(tree.search(&lists).unwrap_err(), @"the ends of a range of dimension 2 (counted from 0) take 8 and 8 bytes, and its coordinates 4");
}
