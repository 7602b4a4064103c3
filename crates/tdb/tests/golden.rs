//! Golden arrays rewritten to new arrays.
#![cfg(feature = "serde")]

use std::path::Path;

use tdb::{Context, Schema, compare};
use tempfile::TempDir;

/// Rewrites every golden array, and checks that no visible cell is lost, added or changed.
#[test]
fn golden_arrays_have_the_same_cells_anew() {
    let folder = TempDir::new().unwrap();
    let context = Context::new().threads(1);
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let mut refused = Vec::new();
    let mut same = 0;
    for entry in fixtures.read_dir().unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let array = fixtures.join(&name).join("array");
        if !array.is_dir() || name.contains("encrypted") {
            continue;
        }
        let old = context.open(array.to_str().unwrap()).unwrap();
        let mut json = serde_json::to_value(old.full_schema().unwrap()).unwrap();
        json["capacity"] = 7.into();
        let schema: Schema = serde_json::from_value(json).unwrap();
        let to = folder.path().join(&name).display().to_string();
        match old.rewrite(&to, &schema) {
            Ok(_) => {
                let new = context.open(&to).unwrap();
                let mut differences = compare(old.read(), new.read()).unwrap();
                let first = differences.next().map(Result::unwrap);
                assert!(first.is_none(), "{name}: {first:?}");
                assert!(differences.metadata_changes().is_empty(), "{name}");
                same += 1;
            }
            Err(error) => refused.push(format!("{name}: {:?}", error.kind())),
        }
    }
    refused.sort();
    // Labels are arrays of their own; WebP requires tiles of whole pictures; no release reads version 23; lost tiles
    // have no cells.
    insta::assert_snapshot!(format!("{same} are the same\n{}", refused.join("\n")), @r"
    377 are the same
    v18_labels: Unsupported
    v21_labels: Unsupported
    v22_labels: Unsupported
    v22_webp_rgb_lossy: Unsupported
    v23_dense: Invalid
    v23_sparse: Invalid
    v5_lost_tiles: Corrupt
    v8_lost_tiles: Corrupt
    ");
}
