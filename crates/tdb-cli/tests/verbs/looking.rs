//! The verbs that describe, on golden arrays.

use crate::common::{fixtures, shown, tdb};

#[test]
fn info_of_arrays() {
    insta::assert_snapshot!("info_tour", shown("info v22_tour/array"));
    insta::assert_snapshot!("info_dense", shown("info v22_dense_basics/array"));
    insta::assert_snapshot!("info_v3_sparse", shown("info v3_sparse_basics/array"));
    insta::assert_snapshot!("info_labels", shown("info v22_labels/array"));
    insta::assert_snapshot!("info_merged", shown("info v22_merged_sparse/array"));
    insta::assert_snapshot!("info_empty", shown("info v22_empty_dense/array"));
}

#[test]
fn info_as_json() {
    insta::assert_snapshot!(shown("info --json v22_tour/array"));
}

#[test]
fn info_at_a_time() {
    insta::assert_snapshot!(shown("info v22_tour/array --at 2024-04-11T12:00:00Z"));
}

#[test]
fn info_of_an_encrypted_array() {
    let folder = tempfile::tempdir().expect("a folder");
    let key = folder.path().join("key");
    std::fs::write(&key, b"a key of thirty-two ascii bytes!").expect("a file");
    let output = tdb("info v22_encrypted_dense/array")
        .env("TDB_KEY_FILE", key)
        .output();
    let output = String::from_utf8(output.expect("it runs").stdout).expect("text");
    insta::assert_snapshot!(output);
}

#[test]
fn info_of_a_group() {
    insta::assert_snapshot!(without_paths("info v22_group/group"));
}

#[test]
fn schema_as_text_and_json() {
    insta::assert_snapshot!("schema_tour", shown("schema v22_tour/array"));
    insta::assert_snapshot!("schema_labels", shown("schema v22_labels/array"));
    insta::assert_snapshot!("schema_json", shown("schema --json v22_tour/array"));
}

#[test]
fn fragments_of_arrays() {
    insta::assert_snapshot!("fragments_tour", shown("fragments v22_tour/array"));
    insta::assert_snapshot!(
        "fragments_merged",
        shown("fragments v22_merged_sparse/array")
    );
    insta::assert_snapshot!("fragments_json", shown("fragments --json v22_tour/array"));
}

#[test]
fn metadata_of_arrays_and_groups() {
    insta::assert_snapshot!("meta_ls", shown("meta ls v22_tour/array"));
    insta::assert_snapshot!("meta_json", shown("meta ls --json v22_tour/array"));
    insta::assert_snapshot!("meta_group", shown("meta ls v22_group/group"));
    assert_eq!(shown("meta get v22_tour/array first_year"), "2024\n");
    assert_eq!(shown("meta get v22_tour/array station:OSA"), "大阪\n");
}

#[test]
fn what_is_in_a_group() {
    insta::assert_snapshot!("group_ls", without_paths("group ls v22_group/group"));
    insta::assert_snapshot!(
        "group_json",
        without_paths("group ls --json v22_group/group")
    );
    insta::assert_snapshot!("tree", without_paths("tree v22_group/group"));
    insta::assert_snapshot!("ls", shown("ls v22_group/group"));
    insta::assert_snapshot!("ls_recursive", shown("ls -R v22_group/group"));
    insta::assert_snapshot!("ls_json", without_paths("ls -l --json v22_group/group"));
    insta::assert_snapshot!("ls_folder", shown("ls -R v22_tour"));
}

#[test]
fn filters_are_listed() {
    insta::assert_snapshot!("filters", shown("filters"));
    let json = shown("filters --json");
    insta::assert_snapshot!(
        "filters_json",
        json.lines().take(20).collect::<Vec<_>>().join("\n")
    );
}

#[test]
fn colours_are_for_terminals() {
    assert!(!shown("info v22_tour/array").contains('\u{1b}'));
    assert!(shown("info v22_tour/array --color always").contains("\u{1b}[1m"));
}

/// Where the golden arrays are differs from machine to machine.
fn without_paths(arguments: &str) -> String {
    let here = std::path::absolute(fixtures()).expect("a path");
    let text = shown(arguments);
    let canonical = here.canonicalize().expect("the fixtures are there");
    text.replace(&here.display().to_string(), "HERE")
        .replace(&canonical.display().to_string(), "HERE")
}
