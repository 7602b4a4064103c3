//! Verbs that describe golden arrays.

use serde_json::{Value, json};

use crate::common::{copy, fixtures, run, shown, tdb};

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

/// Cell counts in `info --json`: the shape, how many are read, how many are stored.
fn cells_of(array: &str) -> Option<[serde_json::Value; 3]> {
    let output = tdb(&format!("info --json {array}"))
        .output()
        .expect("it runs");
    let facts: serde_json::Value = serde_json::from_slice(&output.stdout).ok()?;
    let facts = facts.as_object().filter(|facts| facts["kind"] == "array")?;
    Some(["shape", "cells", "stored_cells"].map(|name| facts[name].clone()))
}

#[test]
fn cells_in_info_are_what_a_read_gives() {
    let entries = std::fs::read_dir(fixtures()).expect("fixtures");
    let names = entries.flatten().map(|entry| entry.file_name());
    let names = names.map(|name| name.to_string_lossy().into_owned());
    let (mut known, mut unknown) = (0, 0);
    for name in names.filter(|name| name.starts_with("v22_")) {
        let array = format!("{name}/array");
        let Some([_, cells, _]) = cells_of(&array) else {
            continue;
        };
        let Some(cells) = cells.as_u64() else {
            unknown += 1;
            continue;
        };
        let read = format!("read {array} --no-dims --binary-strings --format jsonl");
        let output = tdb(&read).output().expect("it runs");
        if output.status.success() {
            let rows = output.stdout.iter().filter(|byte| **byte == b'\n').count();
            assert_eq!(rows as u64, cells, "{name}");
            known += 1;
        }
    }
    assert!(known > 40 && unknown > 0, "{known} known, {unknown} not");
}

#[test]
fn cells_that_are_not_all_read_are_told_as_stored() {
    // Four cells of the third fragment replace cells of the first.
    assert_eq!(
        cells_of("v22_tour/array"),
        Some([Value::Null, Value::Null, json!(84)])
    );
    assert!(
        shown("info v22_tour/array").contains("\ncells     84 stored in 3 fragments, 6 tiles\n")
    );
    let dense = shown("info v22_dense_basics/array");
    assert!(dense.contains("\ncells     7 x 9 = 63; "), "{dense}");
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
    let told: Value = serde_json::from_str(&shown("info --json v22_group/group")).expect("JSON");
    let two = &told["members"][4];
    assert_eq!(
        (&two["type"], &two["cells"], &told["warnings"]),
        (&json!("array"), &json!(2), &json!([])),
        "{told:#}"
    );
}

#[test]
fn a_member_that_cannot_be_opened_is_told_and_the_others_are_shown() {
    let folder = tempfile::tempdir().expect("a folder");
    copy(&fixtures().join("v22_group"), folder.path());
    let group = folder.path().join("group");
    let schemas = std::fs::read_dir(group.join("one/__schema")).expect("schemas");
    for schema in schemas {
        let path = schema.expect("a schema").path();
        if path.is_file() {
            std::fs::write(path, b"no schema").expect("a file");
        }
    }
    // Another member is dense.
    std::fs::remove_dir_all(group.join("two")).expect("a folder");
    copy(
        &fixtures().join("v22_dense_basics/array"),
        &group.join("two"),
    );
    let output = run(&format!("info {}", group.display()));
    let text = String::from_utf8_lossy(&output.stdout);
    let line = |name: &str| {
        text.lines()
            .find(|line| line.starts_with(name))
            .map(str::to_owned)
    };
    assert!(
        line("eins").expect("a line").contains("cannot be opened"),
        "{text}"
    );
    assert!(line("two").expect("a line").contains("  7 x 9  "), "{text}");
    let warning = String::from_utf8_lossy(&output.stderr);
    assert!(warning.contains("member \"eins\": __schema/"), "{warning}");
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

/// Replaces the path of the golden arrays, which differs between machines.
fn without_paths(arguments: &str) -> String {
    let here = std::path::absolute(fixtures()).expect("a path");
    let text = shown(arguments);
    let canonical = here.canonicalize().expect("the fixtures are there");
    text.replace(&here.display().to_string(), "HERE")
        .replace(&canonical.display().to_string(), "HERE")
}

#[test]
fn an_empty_folder_is_a_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("empty")).expect("a folder");
    let list = |verb: &str| {
        let output = tdb(verb).arg(folder.path()).output().expect("it runs");
        String::from_utf8(output.stdout).expect("text")
    };
    assert_eq!(list("ls"), "folder  empty\n");
    assert!(list("ls --json").contains("\"type\": \"folder\""));
    assert!(!list("tree").contains("missing"));
}
