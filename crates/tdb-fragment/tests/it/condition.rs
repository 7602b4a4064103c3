//! The stored condition tree: its bytes, its limits, its negation.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may stop there"
)]

use bytes::Bytes;
use proptest::prelude::*;
use tdb_fragment::{Combine, ConditionNode, ConditionOp, ConditionTree, ConditionValue};
use tdb_tile::{Code, FormatVersion, Limits, Record, WireError};

const V: FormatVersion = FormatVersion::WRITTEN;

fn compare(field: &str, op: ConditionOp, value: &[u8]) -> ConditionTree {
    ConditionValue::new(field, op, value.to_vec())
        .unwrap()
        .into()
}

fn decode(bytes: &[u8]) -> Result<ConditionTree, WireError> {
    ConditionTree::decode(&Bytes::copy_from_slice(bytes), V, &(), &Limits::default())
}

/// Checks encoding, decoding, the measured size, and every truncation; returns the description.
fn check(tree: &ConditionTree) -> String {
    let bytes = Bytes::from(tree.encode(V, &()).unwrap());
    let (text, decoded) = ConditionTree::describe(&bytes, V, &(), &Limits::default());
    assert_eq!(&decoded.unwrap(), tree);
    assert_eq!(tree.size(V, &()).unwrap(), bytes.len() as u64);
    for end in 0..bytes.len() {
        assert!(decode(&bytes[..end]).is_err(), "{end} bytes decoded");
    }
    text
}

/// `(z < 4.0 and s != "a") or d >= 100`: the stored form of a delete of the opposite.
fn sample() -> ConditionTree {
    let z = compare("z", ConditionOp::Less, &4.0_f64.to_le_bytes());
    let s = compare("s", ConditionOp::NotEqual, b"a");
    let d = compare("d", ConditionOp::GreaterOrEqual, &100_i32.to_le_bytes());
    let both = ConditionTree::combine(Combine::And, [z, s]).unwrap();
    ConditionTree::combine(Combine::Or, [both, d]).unwrap()
}

#[test]
fn an_expression_stands_before_its_parts() {
    insta::assert_snapshot!(check(&sample()), @r#"
  0..1  node.kind = 0
  1..2  node.combine = or (1)
 2..10  node.part count = 2
10..11  node.kind = 0
11..12  node.combine = and (0)
12..20  node.part count = 2
20..21  node.kind = 1
21..22  node.value.op = < (0)
22..26  node.value.field = 1
26..27  node.value.field = "z"
27..35  node.value.value = 8
35..43  node.value.value = 0x0000000000001040
43..44  node.kind = 1
44..45  node.value.op = != (5)
45..49  node.value.field = 1
49..50  node.value.field = "s"
50..58  node.value.value = 1
58..59  node.value.value = 0x61
59..60  node.kind = 1
60..61  node.value.op = >= (3)
61..65  node.value.field = 1
65..66  node.value.field = "d"
66..74  node.value.value = 4
74..78  node.value.value = 0x64000000
"#);
}

#[test]
fn members_are_stored_with_their_starts() {
    let members = ConditionValue::of_members("s", ConditionOp::NotIn, ["one", "", "three"]);
    let value = members.unwrap();
    assert_eq!(
        value.members().collect::<Vec<_>>(),
        [&b"one"[..], b"", b"three"]
    );
    insta::assert_snapshot!(check(&value.into()), @r#"
  0..1  node.kind = 1
  1..2  node.value.op = not in (7)
  2..6  node.value.field = 1
  6..7  node.value.field = "s"
 7..15  node.value.value = 8
15..23  node.value.value = 0x6f6e657468726565
23..31  node.value.member starts = 24
31..55  node.value.member starts = 0x00000000000000000300000000000000... (24 bytes)
"#);
}

#[test]
fn a_set_without_members_and_a_null_test_are_kept() {
    let none = ConditionValue::of_members("s", ConditionOp::In, Vec::<Vec<u8>>::new()).unwrap();
    assert_eq!(none.members().count(), 0);
    check(&none.into());
    let null = ConditionValue::new("s", ConditionOp::NotEqual, vec![]).unwrap();
    assert!(null.is_null_test());
    check(&null.into());
}

#[test]
fn operators_keep_their_codes() {
    for code in 0..=u8::MAX {
        assert!(ConditionOp::from_code(code).is_none_or(|op| op.code() == code));
        assert!(Combine::from_code(code).is_none_or(|combine| combine.code() == code));
    }
}

#[test]
fn negation_turns_operators_and_combinations_round() {
    let opposite = sample().negated().unwrap();
    insta::assert_snapshot!(check(&opposite), @r#"
  0..1  node.kind = 0
  1..2  node.combine = and (0)
 2..10  node.part count = 2
10..11  node.kind = 0
11..12  node.combine = or (1)
12..20  node.part count = 2
20..21  node.kind = 1
21..22  node.value.op = >= (3)
22..26  node.value.field = 1
26..27  node.value.field = "z"
27..35  node.value.value = 8
35..43  node.value.value = 0x0000000000001040
43..44  node.kind = 1
44..45  node.value.op = == (4)
45..49  node.value.field = 1
49..50  node.value.field = "s"
50..58  node.value.value = 1
58..59  node.value.value = 0x61
59..60  node.kind = 1
60..61  node.value.op = < (0)
61..65  node.value.field = 1
65..66  node.value.field = "d"
66..74  node.value.value = 4
74..78  node.value.value = 0x64000000
"#);
    assert_eq!(opposite.negated().unwrap(), sample());
}

#[test]
fn not_is_pushed_down_to_the_comparisons() {
    let not = ConditionTree::combine(Combine::Not, [sample()]).unwrap();
    check(&not);
    assert_eq!(not.normalized().unwrap(), sample().negated().unwrap());
    assert_eq!(not.negated().unwrap(), sample());
    let twice = ConditionTree::combine(Combine::Not, [not]).unwrap();
    assert_eq!(twice.normalized().unwrap(), sample());
}

#[test]
fn what_always_holds_cannot_be_negated() {
    let error = compare("s", ConditionOp::AlwaysTrue, b"")
        .negated()
        .unwrap_err();
    insta::assert_snapshot!(error, @r#"a condition on "s" that is always true cannot be negated"#);
}

fn nested(depth: usize) -> Vec<u8> {
    let leaf = compare("x", ConditionOp::Equal, b"1")
        .encode(V, &())
        .unwrap();
    let mut bytes = [&[0, 0][..], &2_u64.to_le_bytes()].concat().repeat(depth);
    for _ in 0..=depth {
        bytes.extend_from_slice(&leaf);
    }
    bytes
}

#[test]
fn depth_is_limited_and_never_recursed_into() {
    let tree = decode(&nested(511)).unwrap();
    assert_eq!(tree.nodes().len(), 1023);
    let error = decode(&nested(512)).unwrap_err();
    insta::assert_snapshot!(error, @"ConditionTree.node at byte 5120: condition depth of 513 is over the limit of 512 (condition_depth)");
    assert!(decode(&nested(3_000_000)).unwrap_err().limit().is_some());
    let limits = Limits {
        condition_depth: u64::MAX,
        condition_nodes: u64::MAX,
        ..Limits::default()
    };
    let deep = ConditionTree::decode(&nested(100_000).into(), V, &(), &limits).unwrap();
    assert_eq!(deep.negated().unwrap().nodes().len(), 200_001);
}

#[test]
fn nodes_are_limited() {
    let limits = Limits {
        condition_nodes: 4,
        ..Limits::default()
    };
    let bytes = Bytes::from(sample().encode(V, &()).unwrap());
    let error = ConditionTree::decode(&bytes, V, &(), &limits).unwrap_err();
    insta::assert_snapshot!(error, @"ConditionTree.node at byte 59: condition nodes of 5 is over the limit of 4 (condition_nodes)");
}

#[test]
fn expressions_of_too_few_parts_are_refused() {
    for (combine, parts) in [(0, 0), (0, 1), (1, 1), (2, 0), (2, 2)] {
        let mut bytes = vec![0, combine];
        bytes.extend_from_slice(&u64::to_le_bytes(parts));
        bytes.extend(
            compare("x", ConditionOp::Equal, b"1")
                .encode(V, &())
                .unwrap(),
        );
        insta::allow_duplicates! {
            insta::assert_snapshot!(decode(&bytes).unwrap_err(), @r#"ConditionNode.part count at byte 10: an expression of too few parts, or a `not` of several"#);
        }
    }
}

#[test]
fn a_part_count_beyond_the_bytes_is_refused() {
    let mut bytes = sample().encode(V, &()).unwrap();
    bytes[2..10].copy_from_slice(&(1_u64 << 63).to_le_bytes());
    insta::assert_snapshot!(decode(&bytes).unwrap_err(), @"ConditionNode.kind at byte 78: needs 1 byte, but the data ends after 0");
}

#[test]
fn member_starts_must_increase_within_the_value() {
    let value = ConditionValue::of_members("s", ConditionOp::In, ["ab", "c"]).unwrap();
    let bytes = ConditionTree::from(value).encode(V, &()).unwrap();
    let at = bytes.len() - 16;
    for (first, second) in [(2_u64, 1_u64), (0, 4), (u64::MAX, 0)] {
        let mut bytes = bytes.clone();
        bytes[at..at + 8].copy_from_slice(&first.to_le_bytes());
        bytes[at + 8..].copy_from_slice(&second.to_le_bytes());
        insta::allow_duplicates! {
            insta::assert_snapshot!(decode(&bytes).unwrap_err(), @"ConditionValue.member starts at byte 42: not increasing, or beyond the value");
        }
    }
}

#[test]
fn unknown_nodes_and_operators_are_named() {
    insta::assert_snapshot!(decode(&[9]).unwrap_err(), @"ConditionNode.kind at byte 1: no condition node has code 9");
    insta::assert_snapshot!(decode(&[1, 99]).unwrap_err(), @"ConditionValue.op at byte 1: no condition operator has code 99");
    insta::assert_snapshot!(decode(&[0, 3, 0]).unwrap_err(), @"ConditionNode.combine at byte 1: no condition combination has code 3");
}

fn trees() -> impl Strategy<Value = ConditionTree> {
    let op = (0_u8..8).prop_map(|code| ConditionOp::from_code(code).unwrap());
    let bytes = || prop::collection::vec(any::<u8>(), 0..9);
    let leaf = (op, "[a-z]{0,3}", prop::collection::vec(bytes(), 0..4));
    let leaf = leaf.prop_map(|(op, field, members)| {
        let value = if op.takes_members() {
            ConditionValue::of_members(field, op, members)
        } else {
            ConditionValue::new(field, op, members.concat())
        };
        ConditionTree::from(value.unwrap())
    });
    leaf.prop_recursive(5, 40, 4, |inner| {
        (any::<bool>(), prop::collection::vec(inner, 2..5)).prop_map(|(or, parts)| {
            let combine = if or { Combine::Or } else { Combine::And };
            ConditionTree::combine(combine, parts).unwrap()
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn trees_survive_encoding_and_double_negation(tree in trees()) {
        prop_assert_eq!(&decode(&tree.encode(V, &()).unwrap()).unwrap(), &tree);
        prop_assert_eq!(&tree.negated().unwrap().negated().unwrap(), &tree);
        let values = tree.nodes().iter().filter(|node| matches!(node, ConditionNode::Value(_)));
        prop_assert_eq!(values.count(), tree.values().count());
    }

    #[test]
    fn any_bytes_decode_or_err(bytes in prop::collection::vec(0_u8..4, 0..80)) {
        if let Ok(tree) = decode(&bytes) {
            prop_assert_eq!(tree.encode(V, &()).unwrap(), bytes);
        }
    }
}

#[test]
fn deletes_as_tiledb_stored_them() {
    let names = [
        "comparison",
        "expression",
        "members",
        "strings",
        "dimension",
    ];
    let texts = names.map(|name| {
        let (payload, _) = crate::support::open(&crate::support::data(&format!("v22_{name}.del")));
        let (tree, text) = crate::support::check::<ConditionTree>(&payload, V, &());
        assert_eq!(tree.negated().unwrap().negated().unwrap(), tree);
        format!("{name}\n{text}")
    });
    insta::assert_snapshot!(texts.concat());
}

#[test]
fn values_must_have_the_size_of_their_field() {
    let schema = crate::support::Fragment::new("v22_deletes").schema;
    for name in [
        "comparison",
        "expression",
        "members",
        "strings",
        "dimension",
    ] {
        let (payload, _) = crate::support::open(&crate::support::data(&format!("v22_{name}.del")));
        decode(&payload).unwrap().check(&schema).unwrap();
    }
    compare("gone", ConditionOp::Less, b"anything")
        .check(&schema)
        .unwrap();
    compare("x", ConditionOp::NotEqual, b"")
        .check(&schema)
        .unwrap();
    let error = compare("x", ConditionOp::Less, b"12345678")
        .check(&schema)
        .unwrap_err();
    insta::assert_snapshot!(error, @r#"field "x": size of the value compared with is 8, expected 4"#);
    let members = ConditionValue::of_members("x", ConditionOp::In, ["1234", "12"]).unwrap();
    let error = ConditionTree::from(members).check(&schema).unwrap_err();
    insta::assert_snapshot!(error, @r#"field "x": size of the value compared with is 2, expected 4"#);
}
