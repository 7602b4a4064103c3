//! Groups that contain themselves, or members outside of them.

use std::sync::Arc;

use bytes::Bytes;
use tdb_array::{Group, GroupDetails, GroupMember, ObjectType, OpenOptions};
use tdb_filters::seal_generic_tile;
use tdb_store::{MemoryStore, Store};
use tdb_tile::{FormatVersion, Record};

use crate::hostile::refusal;
use crate::support::tiles::edit_tile;
use crate::support::{Refusal, place, read_group};

const V: FormatVersion = FormatVersion::WRITTEN;

/// Writes a group with these members, each a group.
fn put(store: &MemoryStore, prefix: &str, uris: &[(&str, bool)]) {
    let member = |(uri, relative): &(&str, bool)| GroupMember {
        version: 2,
        object_type: ObjectType::Group,
        relative: *relative,
        uri: (*uri).to_owned(),
        name: None,
        deleted: false,
    };
    let details = GroupDetails {
        version: 2,
        members: uris.iter().map(member).collect(),
    };
    let payload = details.encode(V, &()).unwrap();
    let at = |name| tdb_store::join(prefix, name);
    store.put(&at("__tiledb_group.tdb"), Bytes::new()).unwrap();
    let name = "__group/__1_1_00000000000000000000000000000001_2";
    store
        .put(
            &at(name),
            seal_generic_tile(&payload, V, None).unwrap().into(),
        )
        .unwrap();
}

fn walk(store: &MemoryStore) -> String {
    match read_group(&place(Arc::new(store.clone()), None)) {
        Ok(count) => format!("{count} members"),
        Err(refusal) => refusal.to_string(),
    }
}

#[test]
fn row_28_members_outside_are_told_and_not_opened() {
    let store = MemoryStore::new();
    put(
        &store,
        "",
        &[
            ("../outside", true),
            ("file:///elsewhere", false),
            ("a/../../b", true),
        ],
    );
    assert_eq!(walk(&store), "3 members");
    let group = Group::open_location(
        &place(Arc::new(store), None),
        "mem://here",
        OpenOptions::default(),
    )
    .unwrap();
    let refusals = group
        .members()
        .iter()
        .map(|member| Refusal::from(group.open_member(member).unwrap_err()).to_string());
    insta::assert_snapshot!(refusals.collect::<Vec<_>>().join("\n"), @r#"
    EscapesRoot: mem://here: "../outside" leads out of where it must stay
    EscapesRoot: mem://here: "a/../../b" leads out of where it must stay
    EscapesRoot: mem://here: "file:///elsewhere" leads out of where it must stay
    "#);
}

#[test]
fn row_30_groups_within_themselves() {
    let own = MemoryStore::new();
    put(&own, "", &[(".", true)]);
    insta::assert_snapshot!(walk(&own), @"Cycle: mem://here: a group within itself");
    let two = MemoryStore::new();
    put(&two, "", &[("a", true)]);
    put(&two, "a", &[("b", true)]);
    put(&two, "a/b", &[("../../a", true)]);
    insta::assert_snapshot!(walk(&two), @"Cycle: mem://here/a: a group within itself");
}

#[test]
fn row_30_groups_too_deep_in_one_another() {
    let store = MemoryStore::new();
    for depth in 0..100 {
        put(&store, &vec!["g"; depth].join("/"), &[("g", true)]);
    }
    insta::assert_snapshot!(walk(&store), @"Limit: depth of groups of 65 is over the limit of 64 (group_depth)");
}

#[test]
fn row_30_groups_to_which_there_are_a_thousand_million_ways() {
    // Each of thirty groups names the next one twice: no cycle, and not deep, but 2^30 paths.
    let store = MemoryStore::new();
    for depth in 0..30 {
        let next = format!("g{}", depth + 1);
        let prefix = if depth == 0 {
            String::new()
        } else {
            format!("g{depth}")
        };
        let (once, again) = match depth {
            0 => (next.clone(), format!("./{next}")),
            _ => (format!("../{next}"), format!("./../{next}")),
        };
        put(&store, &prefix, &[(&once, true), (&again, true)]);
    }
    put(&store, "g30", &[]);
    let begun = std::time::Instant::now();
    insta::assert_snapshot!(walk(&store), @"60 members");
    assert!(begun.elapsed() < crate::hostile::PATIENCE);
}

#[test]
fn row_31_more_members_than_bytes_and_names_longer_than_files() {
    let patched = |at: usize, value: u64| {
        refusal("v22_group", |golden, store| {
            edit_tile(store, &golden.key_of("__group/"), None, |payload| {
                payload[at..at + 8].copy_from_slice(&value.to_le_bytes());
            });
        })
    };
    // The version, then the count, then the first member: version, type, whether relative, URI.
    insta::assert_snapshot!(patched(4, u64::from(u32::MAX)), @"
    Corrupt: __group/__110_110_UUID_2
      GroupDetails.members at byte 12: needs 64424509425 bytes, but the data ends after 62
    ");
    insta::assert_snapshot!(patched(18, 1 << 63), @"
    Limit: __group/__110_110_UUID_2
      GroupMember.uri at byte 26: name length of 9223372036854775808 is over the limit of 65536 (name_len)
    ");
}
