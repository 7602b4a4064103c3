//! Warnings of `tdb evolve` about later readers of the array.

use std::fs;

use crate::common::{copy, fixtures, run, told};

#[test]
fn what_tiledb_can_no_longer_read_is_told() {
    for (array, told_as) in [
        ("v9_dense_basics", Some("a format before 10")),
        ("v16_filters_var", Some("a format before 17")),
        ("v17_filters_var", None),
        ("v22_tour", None),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let copied = folder.path().join("array");
        copy(&fixtures().join(array).join("array"), &copied);
        let added = folder.path().join("added.json");
        fs::write(&added, r#"{"name": "added", "datatype": "int32"}"#).unwrap();
        let said = told(&run(&format!(
            "evolve {} --add-attr @{}",
            copied.display(),
            added.display()
        )));
        assert!(said.ends_with("exit status 0"), "{array}: {said}");
        match told_as {
            Some(what) => assert!(said.contains(what), "{array}: {said}"),
            None => assert!(!said.contains("TileDB"), "{array}: {said}"),
        }
    }
}
