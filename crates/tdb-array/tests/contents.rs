//! Arrays and groups as a whole.
#![cfg(feature = "gzip")]
#![expect(clippy::unwrap_used, reason = "helpers of tests, which may fail so")]

mod support;

use std::sync::Arc;

use support::{describe, unpack};
use tdb_array::{
    Array, ArrayError, ChangeOptions, Contents, ErrorKind, Group, MemberChange, ObjectType,
    OpenOptions,
};
use tdb_schema::{ArraySchema, ArrayType, Attribute, Dimension};
use tdb_store::{FaultyStore, MemoryStore, Store, copy_tree};
use tdb_tile::Datatype;

fn find(store: &Arc<dyn Store>, prefix: &str) -> Result<Contents, ArrayError> {
    Contents::find(
        Arc::clone(store),
        prefix,
        "file:///home",
        OpenOptions::default(),
    )
}

fn array(store: &MemoryStore, prefix: &str) {
    let x = Dimension::numbers("x", Datatype::Int32, (1, 100), 10);
    let value = Attribute::new("a", Datatype::Int32);
    let schema = ArraySchema::new(ArrayType::Dense, vec![x], vec![value]);
    Array::create(store, prefix, &schema, &[], &ChangeOptions::at(5)).unwrap();
}

/// A group with members of every kind: below, in a group below, by absolute URI, outside.
fn group() -> MemoryStore {
    let store = MemoryStore::new();
    for prefix in ["g/in", "g/absolute", "g/sub/deep", "g/stranger", "outside"] {
        array(&store, prefix);
    }
    store.put("g/notes.txt", "mine".into()).unwrap();
    Group::create(&store, "g").unwrap();
    Group::create(&store, "g/sub").unwrap();
    let add = |group: &str, uri: &str, relative, object_type| {
        let shared: Arc<dyn Store> = Arc::new(store.clone());
        let group = Group::open(shared, group, "file:///home", OpenOptions::default()).unwrap();
        let change = MemberChange::Add {
            uri: uri.to_owned(),
            name: None,
            relative,
            object_type,
        };
        group
            .change_members(&[change], &ChangeOptions::at(6))
            .unwrap();
    };
    add("g", "in", true, ObjectType::Array);
    add("g", "file:///home/g/absolute", false, ObjectType::Array);
    add("g", "file:///home/outside", false, ObjectType::Array);
    add("g", "sub", true, ObjectType::Group);
    add("g/sub", "file:///home/g/sub/deep", false, ObjectType::Array);
    add("g", "gone", true, ObjectType::Array);
    store
}

fn folders(store: &MemoryStore) -> Vec<String> {
    let keys = store.keys();
    let mut folders: Vec<String> = keys
        .iter()
        .map(|key| key.split("/__").next().unwrap_or(key).to_owned())
        .collect();
    folders.dedup();
    folders
}

#[test]
fn a_group_is_removed_and_nothing_outside() {
    let store = group();
    let shared: Arc<dyn Store> = Arc::new(store.clone());
    let contents = find(&shared, "g").unwrap();
    assert_eq!(
        contents.left(),
        ["file:///home/outside", "file:///home/g/gone"]
    );
    contents.remove().unwrap();
    assert_eq!(folders(&store), ["g/notes.txt", "g/stranger", "outside"]);
    // Again: there is none any more.
    let error = find(&shared, "g").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
}

#[test]
fn a_group_is_copied_and_its_members_are_those_of_the_copy() {
    let store = group();
    let shared: Arc<dyn Store> = Arc::new(store.clone());
    let contents = find(&shared, "g").unwrap();
    contents
        .copy(&shared, "copy", &ChangeOptions::at(9))
        .unwrap();
    let open = |prefix: &str| {
        let options = OpenOptions::default();
        Group::open(Arc::clone(&shared), prefix, "file:///home", options).unwrap()
    };
    let uris = |prefix: &str| {
        let group = open(prefix);
        let members = group.members().iter();
        members
            .map(|member| group.member_uri(member))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        uris("copy"),
        [
            "file:///home/copy/absolute",
            "file:///home/outside",
            "file:///home/copy/gone",
            "file:///home/copy/in",
            "file:///home/copy/sub",
        ]
    );
    assert_eq!(uris("copy/sub"), ["file:///home/copy/sub/deep"]);
    let error = contents
        .copy(&shared, "copy", &ChangeOptions::at(9))
        .unwrap_err();
    insta::assert_snapshot!(error, @r#""copy": there is a group here already"#);
    store.put("taken/file", "".into()).unwrap();
    let error = contents
        .copy(&shared, "taken", &ChangeOptions::at(9))
        .unwrap_err();
    insta::assert_snapshot!(error, @r#""taken": there is something here already"#);
}

/// What an array holds, or nothing.
fn state(store: &MemoryStore, prefix: &str) -> String {
    match Array::open(Arc::new(store.clone()), prefix, OpenOptions::default()) {
        Ok(array) => describe(&array),
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::NotFound, "{error}");
            String::new()
        }
    }
}

#[test]
fn a_copy_that_is_stopped_anywhere_is_whole_or_is_not_there() {
    let original = unpack("v22_tour");
    let whole = state(&original, "");
    for operation in 0.. {
        let to = MemoryStore::new();
        let from: Arc<dyn Store> = Arc::new(original.clone());
        let stopping: Arc<dyn Store> = Arc::new(FaultyStore::stopping_at(to.clone(), operation));
        let contents = find(&from, "").unwrap();
        let done = contents
            .copy(&stopping, "copy", &ChangeOptions::at(9))
            .is_ok();
        let found = state(&to, "copy");
        assert!(
            found == whole || (found.is_empty() && !done),
            "stopped at {operation}"
        );
        if done {
            return;
        }
    }
}

#[test]
fn a_removal_that_is_stopped_anywhere_can_go_on() {
    let original = unpack("v22_tour");
    for operation in 0.. {
        let store = MemoryStore::new();
        copy_tree(&original, "", &store, "a").unwrap();
        let shared: Arc<dyn Store> = Arc::new(store.clone());
        let before = state(&store, "a");
        let stopping: Arc<dyn Store> = Arc::new(FaultyStore::stopping_at(store.clone(), operation));
        let done = find(&stopping, "a")
            .and_then(|contents| contents.remove())
            .is_ok();
        let found = state(&store, "a");
        assert!(
            found.is_empty() || (found == before && !done),
            "stopped at {operation}"
        );
        if !store.keys().is_empty() {
            find(&shared, "a").unwrap().remove().unwrap();
        }
        assert!(store.keys().is_empty());
        if done {
            return;
        }
    }
}
