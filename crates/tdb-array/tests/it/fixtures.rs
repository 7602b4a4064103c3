//! Compares every golden array and group with what TileDB itself reports about it.
//!
//! The fixtures are outside of this crate; without them, as in its package, the tests do nothing.
#![expect(clippy::unwrap_used, reason = "helpers of tests, which may fail so")]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};
use tdb_array::{Array, Group, Location, Metadata, OpenOptions, TimeWindow};
use tdb_filters::EncryptionKey;
use tdb_store::{LocalStore, Store, list_all};
use tdb_tile::Code;

const NOW: u64 = TimeWindow::ALL.at;

/// Returns the folders of all fixtures of the kind `what`, with their manifests.
fn fixtures(what: &str) -> Vec<(PathBuf, Value)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let entries = std::fs::read_dir(root).into_iter().flatten();
    let mut found: Vec<(PathBuf, Value)> = entries
        .filter_map(|entry| {
            let folder = entry.unwrap().path();
            let manifest = std::fs::read(folder.join("manifest.json")).ok()?;
            Some((folder, serde_json::from_slice(&manifest).unwrap()))
        })
        .filter(|(_, manifest): &(PathBuf, Value)| manifest["object"] == what)
        .collect();
    found.sort_by(|(a, _), (b, _)| a.cmp(b));
    found
}

fn place(store: &Arc<dyn Store>, manifest: &Value) -> Location {
    let bytes = |hex: &str| -> Vec<u8> {
        let digits: Vec<u8> = hex.bytes().collect();
        let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16);
        digits.chunks(2).map(|pair| byte(pair).unwrap()).collect()
    };
    let key = manifest["key"].as_str();
    let key = key.map(|key| EncryptionKey::new(&bytes(key)).unwrap());
    Location::new(Arc::clone(store), "").with_key(key)
}

fn metadata(metadata: &Metadata) -> Value {
    let values = metadata.iter().map(|(key, value)| {
        let data: String = value
            .bytes
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let name = value.datatype.name();
        (
            key.to_owned(),
            json!({"datatype": name, "count": value.count, "data": data}),
        )
    });
    Value::Object(values.collect())
}

#[test]
fn arrays_have_the_fragments_and_metadata_that_tiledb_says() {
    for (folder, manifest) in fixtures("array") {
        let store: Arc<dyn Store> = Arc::new(LocalStore::open(folder.join("array")).unwrap());
        let open = |at| {
            Array::open_location(&place(&store, &manifest), OpenOptions::at(at))
                .unwrap_or_else(|error| panic!("{}: {error:?}", folder.display()))
        };
        let array = open(NOW);
        let fragments: Vec<Value> = array
            .fragments()
            .iter()
            .map(|f| fragment(&array, f))
            .collect();
        let keys = fragments.first().and_then(Value::as_object);
        let expected = manifest["fragments"]
            .as_array()
            .unwrap()
            .iter()
            .map(|fragment| {
                let known = keys.into_iter().flatten();
                Value::Object(
                    known
                        .map(|(key, _)| (key.clone(), fragment[key].clone()))
                        .collect(),
                )
            });
        let expected: Vec<Value> = expected.collect();
        assert_eq!(fragments, expected, "{}", folder.display());

        let name = |uri: &Value| tdb_store::name(uri.as_str().unwrap()).to_owned();
        let expected: Vec<String> = manifest["to_vacuum"]
            .as_array()
            .unwrap()
            .iter()
            .map(name)
            .collect();
        let replaced: Vec<&str> = array.replaced().names().collect::<Result<_, _>>().unwrap();
        assert_eq!(replaced, expected, "{}", folder.display());

        assert_eq!(
            metadata(&array.metadata().unwrap()),
            manifest["metadata"],
            "{}",
            folder.display()
        );
        for then in manifest["metadata_at"].as_array().into_iter().flatten() {
            let found = open(then["at"].as_u64().unwrap()).metadata().unwrap();
            assert_eq!(
                metadata(&found),
                then["metadata"],
                "{} at {}",
                folder.display(),
                then["at"]
            );
        }
    }
}

/// Returns what a manifest contains about a fragment, as far as it does not depend on the writer's release. Also
/// checks that the files are as large as the footer says.
fn fragment(array: &Array, fragment: &tdb_array::Fragment) -> Value {
    let store = &**array.store();
    let files = list_all(store, &fragment.prefix).unwrap().objects;
    let data = files
        .iter()
        .filter(|file| !file.key.ends_with(&fragment.metadata_key));
    let size: u64 = data.map(|file| store.size(&file.key).unwrap()).sum();
    assert_eq!(fragment.metadata.data_size(), size, "{}", fragment.prefix);
    json!({
        "name": fragment.name.as_str(),
        "version": fragment.metadata.version.number(),
        "dense": fragment.metadata.dense,
        "timestamps": fragment.timestamps(),
        "cells": fragment.metadata.cell_count(),
    })
}

#[test]
fn groups_have_the_members_and_metadata_that_tiledb_says() {
    for (folder, manifest) in fixtures("group") {
        let store: Arc<dyn Store> = Arc::new(LocalStore::open(folder.join("group")).unwrap());
        let open = |at| {
            Group::open_location(&place(&store, &manifest), "<group>", OpenOptions::at(at)).unwrap()
        };
        check_group(&open(NOW), &manifest, &folder);
        for then in manifest["at_times"].as_array().into_iter().flatten() {
            check_group(&open(then["at"].as_u64().unwrap()), then, &folder);
        }
        for (prefix, inner) in manifest["inside"].as_object().into_iter().flatten() {
            let group = open(NOW);
            let found = group.members().iter().find(|member| {
                group
                    .member_prefix(member)
                    .is_ok_and(|found| found == *prefix)
            });
            // Before version 12, a group stores no members, whatever its folder contains.
            let Some(member) = found else {
                assert!(group.members().is_empty());
                continue;
            };
            check_group(&group.open_member(member).unwrap(), inner, &folder);
        }
    }
}

fn check_group(group: &Group, manifest: &Value, folder: &Path) {
    let mut found: Vec<Value> = group.members().iter().map(|m| member(group, m)).collect();
    let mut expected = manifest["members"].as_array().unwrap().clone();
    for member in &mut expected {
        // TileDB's Python package does not report this for members without a name.
        member
            .as_object_mut()
            .unwrap()
            .entry("relative")
            .or_insert(json!(true));
    }
    let uri = |member: &Value| member["uri"].to_string();
    found.sort_by_key(uri);
    expected.sort_by_key(uri);
    assert_eq!(found, expected, "{}", folder.display());
    assert_eq!(
        metadata(&group.metadata().unwrap()),
        manifest["metadata"],
        "{}",
        folder.display()
    );
}

fn member(group: &Group, member: &tdb_array::GroupMember) -> Value {
    json!({
        "name": member.name,
        "uri": group.member_uri(member),
        "type": member.object_type.name(),
        "relative": member.relative,
    })
}
