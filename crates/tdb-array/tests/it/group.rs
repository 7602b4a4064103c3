//! Opening groups, and the locations of their members.
#![expect(clippy::unwrap_used, reason = "helpers of tests, which may fail so")]

use std::fmt::Write as _;
use std::sync::Arc;

use crate::support::{describe_metadata, unpack};
use tdb_array::{
    ErrorKind, Group, GroupDetails, GroupMember, Location, ObjectType, OpenOptions, UriTarget,
};
use tdb_filters::seal_generic_tile;
use tdb_store::{MemoryStore, Store};
use tdb_tile::{FormatVersion, Limits, Record};

fn open(store: &MemoryStore, prefix: &str, at: u64) -> Group {
    let store = Arc::new(store.clone());
    Group::open(store, prefix, "file:///home/me", OpenOptions::at(at)).unwrap()
}

fn describe(group: &Group) -> String {
    let mut text = String::new();
    for member in group.members() {
        let kind = tdb_tile::Code::name(member.object_type);
        let uri = group.member_uri(member);
        writeln!(text, "{kind} {:?}: {uri}", member.key()).unwrap();
    }
    text + &describe_metadata(&group.metadata().unwrap())
}

#[test]
fn a_group_is_seen_as_of_any_time() {
    let store = unpack("groups");
    let mut text = String::new();
    for at in [5, 10, 17, 25, 35] {
        writeln!(text, "--- at {at}").unwrap();
        text += &describe(&open(&store, "top", at));
    }
    insta::assert_snapshot!(text);
}

#[test]
fn a_walk_goes_down_into_groups_and_not_outside() {
    let walk = open(&unpack("groups"), "top", 25).walk().unwrap();
    let found: Vec<_> = walk
        .iter()
        .map(|d| (d.depth, d.member.key(), d.uri.as_str()))
        .collect();
    let expected = [
        (1, "air", "file:///home/me/top/sky"),
        (1, "far", "file:///elsewhere"),
        (1, "inner", "file:///home/me/top/inner"),
        (2, "sea", "file:///home/me/top/inner/sea"),
    ];
    assert_eq!(found, expected);
    assert_eq!(
        walk[1].target,
        UriTarget::Outside("file:///elsewhere".to_owned())
    );
}

#[test]
fn what_is_no_group_is_not_found() {
    let store = Arc::new(unpack("groups"));
    for (prefix, place) in [
        ("", ""),
        ("elsewhere", "\"elsewhere\": "),
        ("top/none", "\"top/none\": "),
    ] {
        let error = Group::open(store.clone(), prefix, "", OpenOptions::default()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound, "{prefix}");
        assert_eq!(error.to_string(), format!("{place}there is no group here"));
    }
}

#[test]
fn objects_are_told_by_what_lies_in_them() {
    let store = unpack("groups");
    let kind = |prefix| ObjectType::detect(&store, prefix).unwrap();
    assert_eq!(kind("top"), ObjectType::Group);
    assert_eq!(kind("top/sky"), ObjectType::Array);
    assert_eq!(kind(""), ObjectType::Invalid);
    let old = unpack("v3_sparse_basics");
    assert_eq!(ObjectType::detect(&old, "").unwrap(), ObjectType::Array);
}

/// A group in the folder `prefix` with members of these URIs, which are all groups.
fn put_group(store: &MemoryStore, prefix: &str, uris: &[(&str, bool)]) {
    let members = uris.iter().map(|(uri, relative)| GroupMember {
        version: 2,
        object_type: ObjectType::Group,
        relative: *relative,
        uri: (*uri).to_owned(),
        ..GroupMember::default()
    });
    let details = GroupDetails {
        version: 2,
        members: members.collect(),
    };
    let payload = details.encode(FormatVersion::WRITTEN, &()).unwrap();
    let tile = seal_generic_tile(&payload, FormatVersion::WRITTEN, None).unwrap();
    let key = format!("{prefix}/__group/__1_1_00000000000000000000000000000000_2");
    store.put(&key, tile.into()).unwrap();
}

#[test]
fn members_outside_are_listed_and_not_opened() {
    let store = MemoryStore::new();
    let uris = [
        ("../other", true),
        ("a/../../other", true),
        ("a/../b", true),
        ("file:///home/me/group/c", false),
        ("/home/me/group/c", false),
        ("file:///home/me/groups", false),
        ("file:///home/mean/group/c", false),
        ("file:///home/me/group/../other", false),
        ("s3://bucket/c", false),
        ("b\0", true),
    ];
    put_group(&store, "group", &uris);
    put_group(&store, "other", &[]);
    let group = open(&store, "group", 9);
    assert_eq!(group.members().len(), uris.len());
    let mut inside = Vec::new();
    for member in group.members() {
        match group.member_prefix(member) {
            Ok(prefix) => inside.push((member.uri.as_str(), prefix)),
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::EscapesRoot);
                let error = group.open_member(member).unwrap_err();
                assert_eq!(error.kind(), ErrorKind::EscapesRoot);
            }
        }
    }
    let expected = [
        ("/home/me/group/c", "group/c"),
        ("a/../b", "group/b"),
        ("file:///home/me/group/c", "group/c"),
    ];
    assert_eq!(
        inside,
        expected.map(|(uri, prefix)| (uri, prefix.to_owned()))
    );
}

#[test]
fn a_sibling_of_an_inner_group_is_inside() {
    let store = MemoryStore::new();
    put_group(&store, "top", &[("inner", true), ("other", true)]);
    put_group(
        &store,
        "top/inner",
        &[("../other", true), ("../../out", true)],
    );
    put_group(&store, "top/other", &[]);
    let walk = open(&store, "top", 9).walk().unwrap();
    let found: Vec<_> = walk.iter().map(|d| (d.depth, d.target.clone())).collect();
    let inside = |prefix: &str| UriTarget::Inside(prefix.to_owned());
    assert_eq!(
        found,
        [
            (1, inside("top/inner")),
            (
                2,
                UriTarget::Outside("file:///home/me/top/inner/../../out".to_owned())
            ),
            (2, inside("top/other")),
            (1, inside("top/other")),
        ]
    );
}

#[test]
fn a_group_within_itself_is_a_cycle() {
    for (uri, within) in [
        ("./", "top"),
        ("..", "top/inner"),
        ("../inner", "top/inner"),
    ] {
        let store = MemoryStore::new();
        let mut outer = vec![("inner", true)];
        if within == "top" {
            outer.push((uri, true));
            put_group(&store, "top/inner", &[]);
        } else {
            put_group(&store, "top/inner", &[(uri, true)]);
        }
        put_group(&store, "top", &outer);
        let error = open(&store, "top", 9).walk().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Cycle, "{uri}");
    }
}

#[test]
fn groups_too_deep_in_one_another_are_refused() {
    let store = MemoryStore::new();
    let mut prefix = "g".to_owned();
    for _ in 0..10 {
        put_group(&store, &prefix, &[("g", true)]);
        prefix += "/g";
    }
    put_group(&store, &prefix, &[]);
    assert_eq!(open(&store, "g", 9).walk().unwrap().len(), 10);
    let limits = Limits {
        group_depth: 9,
        ..Limits::default()
    };
    let place = Location::new(Arc::new(store), "g").with_limits(limits);
    let group = Group::open_location(&place, "", OpenOptions::at(9)).unwrap();
    assert_eq!(group.walk().unwrap_err().kind(), ErrorKind::Limit);
}
