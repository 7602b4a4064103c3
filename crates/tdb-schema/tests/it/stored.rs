//! Schemas and enumerations stored by real releases: described byte by byte, decoded, and encoded
//! to the same bytes.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use tdb_filters::open_generic_tile;
use tdb_schema::{ArraySchema, Enumeration, EnumerationRecord};
use tdb_tile::{FormatVersion, GenericTile, Limits, Record};

/// Returns the objects whose names end in `ending`, with the content of their generic tiles.
fn objects(ending: &str) -> Vec<(String, Bytes)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let files = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = files
        .filter(|path| path.extension().is_some_and(|e| e == ending))
        .collect();
    files.sort();
    assert!(!files.is_empty());
    let limits = Limits::default();
    let open = |path: PathBuf| {
        let stored = Bytes::from(fs::read(&path).unwrap());
        let tile = GenericTile::parse(&stored, &limits).unwrap();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        (name, open_generic_tile(&tile, None, &limits).unwrap())
    };
    files.into_iter().map(open).collect()
}

#[test]
fn schemas_are_laid_out_as_described() {
    for (name, bytes) in objects("schema") {
        let (text, schema) = ArraySchema::describe(&bytes, &Limits::default());
        assert_eq!(schema.unwrap().encode().unwrap(), bytes, "{name}");
        insta::assert_snapshot!(name, outline(&text));
    }
}

#[test]
fn enumerations_are_laid_out_as_described() {
    for (name, bytes) in objects("enumeration") {
        let limits = Limits::default();
        let (text, record) =
            EnumerationRecord::describe(&bytes, FormatVersion::default(), &(), &limits);
        record.unwrap();
        let enumeration = Enumeration::decode(&bytes, &limits).unwrap();
        assert_eq!(enumeration.encode().unwrap(), bytes, "{name}");
        insta::assert_snapshot!(name, text);
    }
}

/// Returns the lines of a description without those of the second and later dimensions and
/// attributes.
fn outline(description: &str) -> String {
    let is_first = |line: &&str| !(1..40).any(|i| line.contains(&format!("s[{i}].")));
    description
        .lines()
        .filter(is_first)
        .flat_map(|line| [line, "\n"])
        .collect()
}
