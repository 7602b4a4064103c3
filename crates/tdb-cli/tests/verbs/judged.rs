//! Descriptions compared with the manifests of the golden arrays, which contain what TileDB reports.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::path::Path;

use serde_json::Value;

use crate::common::{fixtures, stdout};

#[test]
fn fragments_and_metadata_are_what_tiledb_says() {
    let mut arrays = 0;
    for entry in std::fs::read_dir(fixtures()).unwrap().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let Some(manifest) = manifest(&entry.path()) else {
            continue;
        };
        let fragments = json(&format!("fragments --ticks --json {name}/array"));
        compare_fragments(&name, &manifest, &fragments);
        let metadata = json(&format!("meta ls --json {name}/array"));
        let keys = |value: &Value| -> Vec<String> {
            let keys = value.as_object().unwrap().iter();
            keys.map(|(key, value)| format!("{key} {} {}", value["datatype"], value["count"]))
                .collect()
        };
        let mut wanted = keys(&manifest["metadata"]);
        wanted.sort();
        assert_eq!(keys(&metadata), wanted, "{name}");
        arrays += 1;
    }
    assert!(arrays > 300, "{arrays} golden arrays");
}

/// Reads the manifest of an unencrypted array.
fn manifest(folder: &Path) -> Option<Value> {
    let text = std::fs::read_to_string(folder.join("manifest.json")).ok()?;
    let manifest: Value = serde_json::from_str(&text).unwrap();
    (manifest["object"] == "array" && manifest.get("key").is_none()).then_some(manifest)
}

fn json(arguments: &str) -> Value {
    serde_json::from_str(&stdout(arguments)).unwrap()
}

fn compare_fragments(array: &str, manifest: &Value, fragments: &Value) {
    let found = |name: &Value| {
        let mut all = fragments.as_array().unwrap().iter();
        all.find(|fragment| fragment["name"] == *name).unwrap()
    };
    for wanted in manifest["fragments"].as_array().unwrap() {
        let found = found(&wanted["name"]);
        for fact in ["version", "dense", "timestamps", "cells", "bytes", "schema"] {
            // Fixtures made from the format description lack facts that only TileDB reports.
            if wanted.get(fact).is_none() {
                continue;
            }
            assert_eq!(
                found[fact], wanted[fact],
                "{array}: {fact} of {}",
                wanted["name"]
            );
        }
    }
    let mut replaced: Vec<&Value> = (fragments.as_array().unwrap().iter())
        .filter(|fragment| fragment["consolidated"] == true)
        .map(|fragment| &fragment["name"])
        .collect();
    replaced.sort_by_key(|name| name.as_str());
    let wanted: Vec<&Value> = manifest["to_vacuum"].as_array().unwrap().iter().collect();
    assert_eq!(replaced, wanted, "{array}");
}
