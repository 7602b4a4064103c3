//! Trees as bytes: both layouts, round trips, and the input that is refused.
#![expect(clippy::unwrap_used, reason = "a test or bench may stop there")]

use bytes::Bytes;
use tdb_rtree::{DimensionType, Mbr, RTree};
use tdb_tile::{Datatype, FormatVersion, Limits, Range, Record, WireError, WireErrorKind};

const V4: FormatVersion = FormatVersion::new(4);
const V22: FormatVersion = FormatVersion::new(22);
const NUMBERS: [DimensionType; 2] = [DimensionType::fixed(Datatype::Int32); 2];
const MIXED: [DimensionType; 2] = [
    DimensionType::fixed(Datatype::Float64),
    DimensionType::var(Datatype::StringAscii),
];

fn numbers(n: i32) -> RTree {
    RTree::build(
        &NUMBERS,
        (0..n).map(|i| [Range::of(i, i + 1), Range::of(-i, 0)]),
    )
    .unwrap()
}

fn mixed(n: u32) -> RTree {
    let leaves = (0..n).map(|i| {
        [
            Range::of(f64::from(i), f64::from(i) + 0.5),
            Range::new("x".repeat(i as usize % 3), "y".repeat(i as usize % 4)),
        ]
    });
    RTree::build(&MIXED, leaves).unwrap()
}

/// Checks encoding, decoding, the measured size, and every truncation; returns the description.
fn check(tree: &RTree, version: FormatVersion) -> String {
    let dimensions = tree.dimensions();
    let bytes = Bytes::from(tree.encode(version, dimensions).unwrap());
    let limits = Limits::default();
    let (text, decoded) = RTree::describe(&bytes, version, dimensions, &limits);
    assert_eq!(decoded.unwrap(), tree.clone().written_by(version));
    assert_eq!(tree.size(version, dimensions).unwrap(), bytes.len() as u64);
    for end in 0..bytes.len() {
        let cut = RTree::decode(&bytes.slice(..end), version, dimensions, &limits);
        assert!(cut.is_err(), "{end} bytes decoded");
    }
    text
}

#[test]
fn trees_before_v5_state_dimensions_and_datatype() {
    insta::assert_snapshot!(check(&numbers(2), V4), @r#"
  0..4  dimension count = 2
  4..8  fanout = 10
  8..9  datatype = 0
 9..13  level count = 2
13..21  levels[0].node count = 1
21..37  levels[0].mbrs = 0x0000000002000000ffffffff00000000
37..45  levels[1].node count = 2
45..77  levels[1].mbrs = 0x00000000010000000000000000000000... (32 bytes)
"#);
}

#[test]
fn levels_go_from_the_root_to_the_leaves() {
    insta::assert_snapshot!(check(&numbers(11), V22), @r#"
   0..4  fanout = 10
   4..8  level count = 3
  8..16  levels[0].node count = 1
 16..32  levels[0].mbrs = 0x000000000b000000f6ffffff00000000
 32..40  levels[1].node count = 2
 40..72  levels[1].mbrs = 0x000000000a000000f7ffffff00000000... (32 bytes)
 72..80  levels[2].node count = 11
80..256  levels[2].mbrs = 0x00000000010000000000000000000000... (176 bytes)
"#);
}

#[test]
fn strings_are_stored_with_their_sizes() {
    insta::assert_snapshot!(check(&mixed(2), V22), @r#"
    0..4  fanout = 10
    4..8  level count = 2
   8..16  levels[0].node count = 1
  16..24  levels[0].lo = 0x0000000000000000
  24..32  levels[0].hi = 0x000000000000f83f
  32..40  levels[0].range size = 1
  40..48  levels[0].lo size = 0
  48..48  levels[0].lo = 0x
  48..49  levels[0].hi = 0x79
  49..57  levels[1].node count = 2
  57..65  levels[1].lo = 0x0000000000000000
  65..73  levels[1].hi = 0x000000000000e03f
  73..81  levels[1].range size = 0
  81..89  levels[1].lo size = 0
  89..89  levels[1].lo = 0x
  89..89  levels[1].hi = 0x
  89..97  levels[1].lo = 0x000000000000f03f
 97..105  levels[1].hi = 0x000000000000f83f
105..113  levels[1].range size = 2
113..121  levels[1].lo size = 1
121..122  levels[1].lo = 0x78
122..123  levels[1].hi = 0x79
"#);
}

#[test]
fn a_dense_fragment_has_a_tree_without_levels() {
    let bytes = Bytes::from_static(&[10, 0, 0, 0, 0, 0, 0, 0]);
    let tree = RTree::decode(&bytes, V22, &NUMBERS, &Limits::default()).unwrap();
    assert_eq!(tree.tile_count(), 0);
    assert_eq!(tree.bounding_mbr(), None);
    assert_eq!(tree.search(&[vec![], vec![]]).unwrap(), []);
    assert_eq!(tree.encode(V22, &NUMBERS).unwrap(), bytes);
}

#[test]
fn the_height_is_that_of_a_full_tree_of_fanout_ten() {
    for (tiles, levels) in [(0, 0), (1, 1), (2, 2), (10, 2), (11, 3), (100, 3), (101, 4)] {
        let tree = numbers(tiles);
        assert_eq!(
            (tree.tile_count(), tree.level_count()),
            (tiles as usize, levels)
        );
        check(&tree, V22);
        check(&mixed(tiles as u32), V22);
    }
}

#[test]
fn the_root_bounds_all_tiles() {
    let wanted = Mbr(vec![Range::of(0, 101), Range::of(-100, 0)]);
    assert_eq!(numbers(101).bounding_mbr(), Some(wanted));
    let wanted = Mbr(vec![Range::of(0.0, 24.5), Range::new("", "yyy")]);
    assert_eq!(mixed(25).bounding_mbr(), Some(wanted));
}

fn refused(bytes: &[u8], version: FormatVersion, dimensions: &[DimensionType]) -> WireError {
    let bytes = Bytes::copy_from_slice(bytes);
    RTree::decode(&bytes, version, dimensions, &Limits::default()).unwrap_err()
}

#[test]
fn a_fanout_below_two_is_refused() {
    for fanout in [0, 1] {
        let mut bytes = numbers(3).encode(V22, &NUMBERS).unwrap();
        bytes[0] = fanout;
        insta::allow_duplicates! {
            insta::assert_snapshot!(refused(&bytes, V22, &NUMBERS), @"RTree.fanout at byte 4: a node of the tree must have room for 2 or more");
        }
    }
}

#[test]
fn a_level_count_beyond_the_bytes_is_refused_at_once() {
    let mut bytes = numbers(3).encode(V22, &NUMBERS).unwrap();
    bytes[4..8].fill(0xff);
    insta::assert_snapshot!(refused(&bytes, V22, &NUMBERS), @"RTree.levels at byte 8: needs 34359738360 bytes, but the data ends after 80");
}

#[test]
fn a_node_count_beyond_the_bytes_is_refused_at_once() {
    for (tree, dimensions) in [(numbers(3), NUMBERS), (mixed(3), MIXED)] {
        for count in [u64::MAX, 1 << 61, 5] {
            let mut bytes = tree.encode(V22, &dimensions).unwrap();
            bytes[8..16].copy_from_slice(&count.to_le_bytes());
            let error = refused(&bytes, V22, &dimensions);
            assert!(
                matches!(
                    error.kind,
                    WireErrorKind::Truncated { .. } | WireErrorKind::Invalid(_)
                ),
                "{error}"
            );
        }
    }
}

#[test]
fn level_sizes_must_follow_from_the_fanout() {
    let mut bytes = numbers(11).encode(V22, &NUMBERS).unwrap();
    bytes[0] = 4;
    insta::assert_snapshot!(refused(&bytes, V22, &NUMBERS), @"RTree.levels at byte 256: number of nodes in a level is 2, expected 3");
    bytes[0] = 11;
    insta::assert_snapshot!(refused(&bytes, V22, &NUMBERS), @"RTree.levels at byte 256: number of nodes in a level is 2, expected 1");
}

#[test]
fn a_level_without_nodes_is_refused() {
    let bytes = [10, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    insta::assert_snapshot!(refused(&bytes, V22, &NUMBERS), @"RTreeLevel.node count at byte 16: a level of the tree has no nodes");
}

#[test]
fn a_lower_end_longer_than_both_is_refused() {
    let mut bytes = mixed(1).encode(V22, &MIXED).unwrap();
    let at = bytes.len() - 8;
    bytes[at] = 9;
    insta::assert_snapshot!(refused(&bytes, V22, &MIXED), @"RTreeLevel.lo size at byte 48: the lower end of a range takes more bytes than the whole range");
}

#[test]
fn a_tree_over_other_dimensions_is_refused() {
    let bytes = numbers(2).encode(V4, &NUMBERS).unwrap();
    let floats = [DimensionType::fixed(Datatype::Float32); 2];
    insta::assert_snapshot!(refused(&bytes, V4, &floats), @"RTree.dimension count at byte 77: the tree has other dimensions than the array");
}

#[test]
fn an_empty_tree_may_say_anything_of_its_dimensions() {
    let bytes = Bytes::from_static(&[0, 0, 0, 0, 10, 0, 0, 0, 9, 0, 0, 0, 0]);
    let tree = RTree::decode(&bytes, V4, &NUMBERS, &Limits::default()).unwrap();
    assert_eq!(tree.encode(V4, &NUMBERS).unwrap(), bytes);
}

#[test]
fn a_rectangle_that_does_not_fit_is_not_built() {
    let error = RTree::build(&NUMBERS, [[Range::of(1, 2)]]).unwrap_err();
    insta::assert_snapshot!(error, @"there are ranges for 1 dimensions, and the array has 2");
    let error = RTree::build(&NUMBERS, [[Range::of(1, 2), Range::of(1_i64, 2)]]).unwrap_err();
    insta::assert_snapshot!(error, @"the ends of a range of dimension 1 (counted from 0) take 8 and 8 bytes, and its coordinates 4");
}
