//! Commits: lists of them, deletes, remains of vacuuming.

use bytes::Bytes;
use tdb_array::commits::encode_consolidated;
use tdb_fragment::{ConditionOp, ConditionTree, ConditionValue};
use tdb_store::MemoryStore;
use tdb_tile::{FormatVersion, Record};

use crate::hostile::{cells, refusal};
use crate::support::Golden;
use crate::support::tiles::{edit_tile, object};

const CON: &str = "__commits/__1_1_00000000000000000000000000000001_22.con";

/// Replaces the condition in the first delete of an array.
fn delete(payload: impl FnOnce(Vec<u8>) -> Vec<u8>) -> String {
    refusal("v22_deletes", |golden, store| {
        let key = golden.key_of(".del");
        edit_tile(store, &key, None, |bytes| {
            *bytes = payload(std::mem::take(bytes))
        });
    })
}

/// Returns the head of an `and` of `parts` conditions, which are to follow.
fn and(parts: u64) -> Vec<u8> {
    [&[0, 0][..], &parts.to_le_bytes()].concat()
}

#[test]
fn row_01_conditions_nested_deep_are_over_a_limit() {
    for depth in [100_000, 3_000_000] {
        let error = delete(|leaf| {
            let mut bytes = and(2).repeat(depth);
            (0..3).for_each(|_| bytes.extend(&leaf));
            bytes
        });
        insta::allow_duplicates! {
            insta::assert_snapshot!(error, @"
            Limit: __commits/__125_125_UUID_22.del
              ConditionTree.node at byte 5120: condition depth of 513 is over the limit of 512 (condition_depth)
            ");
        }
    }
}

#[test]
fn row_02_more_conditions_than_there_are_bytes() {
    insta::assert_snapshot!(delete(|leaf| [and(1 << 63), leaf].concat()), @"
    Corrupt: __commits/__125_125_UUID_22.del
      ConditionNode.kind at byte 29: needs 1 byte, but the data ends after 0
    ");
}

#[test]
fn row_03_expressions_without_parts_or_too_many() {
    let empty = |_| [and(1_000_000), and(0).repeat(1_000_000)].concat();
    insta::assert_snapshot!(delete(empty), @"
    Corrupt: __commits/__125_125_UUID_22.del
      ConditionNode.part count at byte 20: an expression of too few parts, or a `not` of several
    ");
    insta::assert_snapshot!(delete(|leaf| [and(1), leaf].concat()), @"
    Corrupt: __commits/__125_125_UUID_22.del
      ConditionNode.part count at byte 10: an expression of too few parts, or a `not` of several
    ");
    let not = |leaf: Vec<u8>| [&[0, 2][..], &2_u64.to_le_bytes(), &leaf, &leaf].concat();
    insta::assert_snapshot!(delete(not), @"
    Corrupt: __commits/__125_125_UUID_22.del
      ConditionNode.part count at byte 10: an expression of too few parts, or a `not` of several
    ");
    let many = |leaf: Vec<u8>| [and(1_100_000), leaf.repeat(1_100_000)].concat();
    insta::assert_snapshot!(delete(many), @"
    Limit: __commits/__125_125_UUID_22.del
      ConditionTree.node at byte 18999991: condition nodes of 1000001 is over the limit of 1000000 (condition_nodes)
    ");
}

fn encoded(value: ConditionValue) -> Vec<u8> {
    let tree = ConditionTree::from(value);
    tree.encode(FormatVersion::WRITTEN, &()).unwrap()
}

#[test]
fn row_04_values_of_another_size_and_members_out_of_order() {
    let long = ConditionValue::new("x", ConditionOp::Equal, &[0_u8; 5][..]).unwrap();
    insta::assert_snapshot!(delete(|_| encoded(long)), @"
    Corrupt: __commits/__125_125_UUID_22.del
      ConditionValue.value at byte 0: the number of bytes is 5, expected 4
    ");
    let members = [[1_u8, 0, 0, 0], [2, 0, 0, 0], [3, 0, 0, 0]];
    let members = ConditionValue::of_members("x", ConditionOp::In, members).unwrap();
    let bytes = encoded(members);
    let starts: Vec<u8> = [0_u64, 4, 8].iter().flat_map(|n| n.to_le_bytes()).collect();
    let at = bytes.windows(24).position(|piece| piece == starts).unwrap();
    let starts = |wrong: [u64; 3]| {
        let mut bytes = bytes.clone();
        bytes[at..at + 24].copy_from_slice(&wrong.map(u64::to_le_bytes).concat());
        delete(|_| bytes)
    };
    insta::assert_snapshot!(starts([0, 8, 4]), @"
    Corrupt: __commits/__125_125_UUID_22.del
      ConditionValue.member starts at byte 59: not increasing, or beyond the value
    ");
    insta::assert_snapshot!(starts([0, 4, 1 << 40]), @"
    Corrupt: __commits/__125_125_UUID_22.del
      ConditionValue.member starts at byte 59: not increasing, or beyond the value
    ");
    insta::assert_snapshot!(starts([4, 8, 12]), @"
    Corrupt: __commits/__125_125_UUID_22.del
      ConditionValue.value at byte 0: the number of bytes is 0, expected 4
    ");
}

#[test]
fn row_05_a_delete_in_a_list_that_goes_backwards() {
    let line = "__commits/__1_1_00000000000000000000000000000001_22.del";
    let error = refusal("v22_commits", |_, store| {
        let mut bytes = format!("{line}\n").into_bytes();
        bytes.extend((-(line.len() as i64 + 9)).to_le_bytes());
        store.overwrite(CON, bytes);
    });
    insta::assert_snapshot!(error, @"
    Corrupt: __commits/__1_1_UUID_22.con
      ConsolidatedCommits.delete at byte 56: needs 18446744073709551552 bytes, but the data ends after 0
    ");
}

#[test]
fn row_06_many_fragments_that_are_not_there() {
    let name = |n| format!("__commits/__1_1_{n:032x}_22.wrt");
    let error = refusal("v22_commits", |_, store| {
        let commits: Vec<String> = (0..300_000).map(name).collect();
        store.overwrite(
            CON,
            encode_consolidated(commits.iter().map(|c| (&c[..], None))),
        );
    });
    insta::assert_snapshot!(error, @"NotFound: __fragments/__1_1_UUID_22/__fragment_metadata.tdb: not there, though it is committed");
}

/// Adds a line to one array for each kind of list; returns the errors.
fn with_line(line: &[u8]) -> Vec<String> {
    let list = |name: &str, key: &dyn Fn(&Golden) -> String| {
        let golden = Golden::named(name);
        let store = golden.store();
        let key = key(&golden);
        let bytes = if store.keys().contains(&key) {
            [&object(&store, &key)[..], line, b"\n"].concat()
        } else {
            [line, b"\n"].concat()
        };
        store.overwrite(&key, bytes);
        match crate::support::read(&golden, &store) {
            Ok(cells) => format!("{cells} cells"),
            Err(refusal) => refusal.to_string(),
        }
    };
    let meta = |golden: &Golden| {
        golden
            .keys("__meta")
            .into_iter()
            .find(|key| key.ends_with(".vac"))
            .unwrap()
    };
    vec![
        list("v22_commits", &|_| CON.to_owned()),
        list("v22_commits_ignored", &|golden| golden.key_of(".ign")),
        list("v22_merged_sparse", &|golden| golden.key_of(".vac")),
        list("v22_array_meta", &meta),
    ]
}

#[test]
fn row_07_lines_that_lead_elsewhere_name_nothing() {
    let plain = with_line(b"");
    assert!(
        plain.iter().all(|answer| answer.ends_with(" cells")),
        "{plain:?}"
    );
    for line in [
        &b"file:///elsewhere/__fragments/x"[..],
        b"/etc/passwd",
        b"nul\0",
        b"\xFF\xFE",
        &vec![b'a'; 1 << 20],
    ] {
        assert_eq!(
            with_line(line),
            plain,
            "{:?}",
            String::from_utf8_lossy(line).get(..40)
        );
    }
    insta::assert_snapshot!(with_line(b"__fragments/../../outside").join("\n"), @r#"
    EscapesRoot: __commits/__1_1_UUID_22.con: "__fragments/../../outside" leads out of where it must stay
    EscapesRoot: __commits/__110_120_UUID_22.ign: "__fragments/../../outside" leads out of where it must stay
    EscapesRoot: __commits/__110_140_UUID_22.vac: "__fragments/../../outside" leads out of where it must stay
    EscapesRoot: __meta/__110_120_UUID.vac: "__fragments/../../outside" leads out of where it must stay
    "#);
}

#[test]
fn row_37_many_commits_without_fragments() {
    let error = refusal("v22_sparse_basics", |_, store| {
        for n in 0..30_000 {
            store.overwrite(&format!("__commits/__1_1_{n:032x}_22.wrt"), Bytes::new());
        }
    });
    insta::assert_snapshot!(error, @"NotFound: __fragments/__1_1_UUID_22/__fragment_metadata.tdb: not there, though it is committed");
}

#[test]
fn row_38_objects_of_no_length() {
    let error = |name, part: &'static str| {
        refusal(name, |golden: &Golden, store: &MemoryStore| {
            store.overwrite(&golden.key_of(part), Bytes::new());
        })
    };
    insta::assert_snapshot!(error("v22_sparse_basics", "__meta/"), @"
    Corrupt: __meta/__110_110_UUID
      GenericTile.header at byte 0: needs 34 bytes, but the data ends after 0
    ");
    insta::assert_snapshot!(error("v22_sparse_basics", "__schema/"), @"
    Corrupt: __schema/__100_100_UUID
      GenericTile.header at byte 0: needs 34 bytes, but the data ends after 0
    ");
    insta::assert_snapshot!(error("v22_deletes", ".del"), @"
    Corrupt: __commits/__125_125_UUID_22.del
      GenericTile.header at byte 0: needs 34 bytes, but the data ends after 0
    ");
    insta::assert_snapshot!(error("v22_footers", "__fragment_meta/"), @"
    Corrupt: __fragment_meta/__110_130_UUID_22.meta
      GenericTile.header at byte 0: needs 34 bytes, but the data ends after 0
    ");
    insta::assert_snapshot!(error("v22_sparse_basics", "__fragment_metadata"), @"
    Corrupt: __fragments/__110_110_UUID_22/__fragment_metadata.tdb
      FragmentFooter.length at byte 0: the file is too short to hold it
    ");
}

#[test]
fn row_39_vacuum_lists_of_no_length_say_nothing() {
    let name = "v22_sparse_basics";
    let whole = cells(name, |_, _| {});
    let with_empty = cells(name, |_, store| {
        store.overwrite(
            "__commits/__1_1_00000000000000000000000000000001_22.vac",
            Bytes::new(),
        );
        store.overwrite(
            "__meta/__1_1_00000000000000000000000000000001.vac",
            Bytes::new(),
        );
    });
    assert_eq!(with_empty, whole);
}
