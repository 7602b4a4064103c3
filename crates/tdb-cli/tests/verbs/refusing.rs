//! Requests that changing verbs refuse, leaving everything unchanged.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};

use crate::changing::{failure, folder, made};
use crate::common::{run, stdout};

/// Lists everything in a folder, with the sizes of files.
fn state(folder: &Path) -> Vec<(PathBuf, u64)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let metadata = entry.path().symlink_metadata().unwrap();
        let size = if metadata.is_file() {
            metadata.len()
        } else {
            0
        };
        found.push((entry.path(), size));
        if metadata.is_dir() {
            found.append(&mut state(&entry.path()));
        }
    }
    found.sort();
    found
}

/// Creates an array of three cells, x = 1 to 3 and a = 10 to 30. Returns its folder, its path, and the file of the
/// cells.
fn filled(name: &str) -> (PathBuf, String, String) {
    let (folder, array) = made(name);
    let file = folder.join("cells.csv").display().to_string();
    fs::write(&file, "x,a\n1,10\n2,20\n3,30\n").unwrap();
    stdout(&format!("write {array} {file} --at 110"));
    (folder, array, file)
}

#[test]
fn a_file_for_a_result_that_there_is_none_of() {
    let (folder, array, file) = filled("no_result");
    let schema = folder.join("schema.json").display().to_string();
    let before = state(&folder);
    for verb in [
        format!("write {array} {file}"),
        format!("import {file} {array}2"),
        format!("create {array}2 --schema {schema}"),
        format!("evolve {array} --upgrade"),
        format!("cp {array} {array}2"),
        format!("mv {array} {array}2"),
        format!("rm {array}"),
        format!("meta set {array} k 1"),
        format!("meta rm {array} k"),
        format!("group create {array}2"),
    ] {
        let told = failure(&format!("{verb} -o {file}"), &folder);
        assert!(
            told.starts_with("2 error: -o cannot be used with "),
            "{verb}: {told}"
        );
        assert_eq!(state(&folder), before, "{verb}");
    }
    // Without a result, no file is created.
    stdout(&format!("vacuum {array} -o {array}.txt"));
    assert_eq!(state(&folder), before);
    stdout(&format!("rm {array} --dry-run -o {array}.txt"));
    let told = fs::read_to_string(format!("{array}.txt")).unwrap();
    assert_eq!(told, "remove array array\n");
    // Foreign files are listed.
    fs::write(format!("{array}/notes.txt"), "mine").unwrap();
    assert_eq!(
        stdout(&format!("rm {array} --dry-run")),
        "remove array array\nremove array/notes.txt\n"
    );
}

#[test]
fn options_that_mean_nothing() {
    let (folder, array, file) = filled("no_meaning");
    let before = state(&folder);
    for verb in [
        format!("rm {array} --at 5"),
        format!("rm {array} --since 5 --dry-run"),
        format!("cp {array} {array}2 --at 5"),
        format!("mv {array} {array}2 --at 5"),
        format!("clean {array} --at 5"),
        format!("vacuum {array} --at 5"),
        format!("consolidate {array} --mode commits --at 5"),
        format!("import {file} {array}2 --json"),
        format!("evolve {array} --upgrade --since 5"),
    ] {
        let told = failure(&verb, &folder);
        assert!(told.starts_with("2 error: --"), "{verb}: {told}");
        assert!(told.contains(" cannot be used with "), "{verb}: {told}");
        assert_eq!(state(&folder), before, "{verb}");
    }
    // With `--json`, the profile is JSON.
    assert!(
        run(&format!("write {array} {file} --profile --json"))
            .status
            .success()
    );
}

#[cfg(unix)]
#[test]
fn links_to_arrays_elsewhere_are_not_followed() {
    let (folder, array, _) = filled("linked");
    let link = folder.join("link");
    std::os::unix::fs::symlink(&array, &link).unwrap();
    let link = link.display();
    let before = state(&folder);
    for verb in [
        format!("rm {link}"),
        format!("rm {link}/"),
        format!("rm {link} --dry-run"),
        format!("mv {link} {array}2"),
    ] {
        let told = failure(&verb, &folder);
        assert!(told.starts_with("2 error: …/link"), "{told}");
        assert!(told.contains(": a symbolic link, to …/array"), "{told}");
        assert_eq!(state(&folder), before, "{verb}");
    }
    // Reading through a link is allowed.
    let cells = stdout(&format!("read {link}"));
    stdout(&format!("cp {link} {array}2"));
    assert_eq!(stdout(&format!("read {array}2")), cells);
}

#[test]
fn nothing_is_made_in_what_an_array_or_group_is_stored_as() {
    let (folder, array, file) = filled("within");
    let schema = folder.join("schema.json").display().to_string();
    let group = folder.join("group").display().to_string();
    stdout(&format!("group create {group}"));
    stdout(&format!("create {group}/member --schema {schema}"));
    let (member, before) = (format!("{group}/member"), state(&folder));
    for verb in [
        format!("create {array}/__schema/zz --schema {schema}"),
        format!("cp {member} {array}/__meta/zz"),
        format!("import {file} {array}/__schema/q"),
        format!("mv {member} {array}/__fragments/xx"),
        format!("mv {array} {array}/__fragments/xx"),
        format!("group create {array}/g"),
        format!("group create {array}/far/below"),
        format!("group create {group}/__meta/g"),
        format!("create {group}/__group --schema {schema}"),
    ] {
        let told = failure(&verb, &folder);
        assert!(told.starts_with("2 error: "), "{verb}: {told}");
        assert!(
            told.contains(": lies inside the storage of the "),
            "{verb}: {told}"
        );
        assert_eq!(state(&folder), before, "{verb}");
    }
    stdout(&format!("create {group}/far/below --schema {schema}"));
}

#[cfg(unix)]
#[test]
fn what_cannot_be_copied_leaves_nothing() {
    let (folder, array, file) = filled("not_copied");
    let link = Path::new(&array).join("__fragments/link");
    std::os::unix::fs::symlink(&file, &link).unwrap();
    let before = state(&folder);
    for verb in ["cp", "mv"] {
        let told = failure(&format!("{verb} {array} {array}2"), &folder);
        assert!(told.starts_with("3 error: "), "{told}");
        assert!(told.contains("a symbolic link"), "{told}");
        assert_eq!(state(&folder), before, "{verb}");
    }
    fs::create_dir(format!("{array}3")).unwrap();
    fs::write(format!("{array}3/file"), "").unwrap();
    let told = failure(&format!("cp {array} {array}3"), &folder);
    assert!(
        told.contains("there is something here already\nhint: "),
        "{told}"
    );
    let told = failure(&format!("cp {array} {file}"), &folder);
    assert_eq!(told, "3 error: …/cells.csv: there is a file here already\n");
}

#[test]
fn a_delete_says_what_it_would_do() {
    let (folder, array, file) = filled("delete_dry");
    let before = state(&folder);
    let dry = |condition: &str| stdout(&format!("delete {array} --where {condition} --dry-run"));
    assert_eq!(dry("x<3"), "delete cells where x<3: 2 of 3\n");
    assert_eq!(dry("a=30"), "delete cells where a=30: 1 of 3\n");
    fs::write(&file, "x,a\n4,\n").unwrap();
    assert_eq!(state(&folder).len(), before.len());
    stdout(&format!("write {array} {file} --at 120"));
    // The dry run counts the cells as of the given time.
    assert_eq!(
        stdout(&format!("delete {array} --where a=30 --at 110 --dry-run")),
        "delete cells where a=30: 1 of 3\n"
    );
    assert_eq!(
        stdout(&format!("delete {array} --where x=2 --at 130")),
        "deleted cells where x=2: 1 of 4\n"
    );
    assert_eq!(stdout(&format!("read {array}")).lines().count(), 4);
    let told = failure(&format!("delete {array}"), &folder);
    assert!(told.contains("<--where <EXPR>|--fragments>"), "{told}");
}

#[test]
fn a_delete_takes_no_nulls_unasked() {
    let (folder, array, file) = filled("delete_nulls");
    fs::write(&file, "x,a\n4,\n").unwrap();
    stdout(&format!("write {array} {file} --at 120"));
    let before = state(&folder);
    let refused = r#"2 error: the condition fits 1 cells, and the delete would take 2: what is stored of it also takes cells that are null in "a"
hint: use --by-coordinates to delete only the cells that match, or --with-nulls to delete the others as well; add --dry-run to count them
"#;
    for option in ["", "--dry-run", "--json"] {
        let verb = format!("delete {array} --where a=30 --at 130 {option}");
        assert_eq!(failure(&verb, &folder), refused, "{option}");
    }
    assert_eq!(state(&folder), before);
    let allowed = format!("delete {array} --where a=30 --at 130 --with-nulls");
    let said = "cells where a=30: 2 of 4, 1 of which do not match\n";
    assert_eq!(
        stdout(&format!("{allowed} --dry-run")),
        format!("delete {said}")
    );
    assert_eq!(state(&folder), before);
    assert_eq!(stdout(&allowed), format!("deleted {said}"));
    assert_eq!(stdout(&format!("read {array}")), "x,a\n1,10\n2,20\n");
    // Without nulls among the cells, no option is needed.
    let told = stdout(&format!("delete {array} --where a=20 --at 140 --json"));
    let told: serde_json::Value = serde_json::from_str(&told).unwrap();
    let wanted = serde_json::json!({"cells": 2, "fitting": 1, "deleted": 1, "dry_run": false, "later": null});
    assert_eq!(told, wanted);
}

#[test]
fn fragments_of_no_time() {
    let (folder, array, _) = filled("no_fragments");
    let before = state(&folder);
    insta::assert_snapshot!(
        failure(&format!("delete {array} --fragments --at 100"), &folder),
        @"0 there are no fragments of that time: nothing is removed"
    );
    insta::assert_snapshot!(
        failure(&format!("delete {array} --fragments --since 120 --at 110"), &folder),
        @"2 error: --since 120 is after --at 110"
    );
    assert_eq!(state(&folder), before);
    let dense = crate::common::fixtures().join("v22_dense_basics/array");
    let copy = folder.join("dense").display().to_string();
    stdout(&format!("cp {} {copy}", dense.display()));
    insta::assert_snapshot!(
        failure(&format!("delete {copy} --where a=1 --dry-run"), &folder),
        @r#"
    2 error: …/dense: cells of dense arrays cannot be deleted
    hint: use --fragments to permanently remove what was written in a period
    "#
    );
}

#[test]
fn a_temporary_folder_that_is_not_there() {
    let (folder, array, file) = filled("no_temp");
    insta::assert_snapshot!(
        failure(&format!("write {array} {file} --temp /nonexistent/x"), &folder),
        @r#"
    3 error: /nonexistent/x: not found
    hint: use --temp to choose another folder for temporary data
    "#
    );
    insta::assert_snapshot!(
        failure(&format!("import - {array}2 --format csv --temp /nonexistent/x"), &folder),
        @r#"
    3 error: /nonexistent/x: No such file or directory (os error 2)
    hint: use --temp to choose another folder for temporary data
    "#
    );
}

/// The system's temporary folder is used only when something is spilled.
#[test]
fn a_folder_of_the_system_that_is_not_there_matters_to_nothing_small() {
    let (folder, array, file) = filled("no_tmpdir");
    let asked = |arguments: String| {
        let mut command = crate::common::tdb(&arguments);
        let output = command.env("TMPDIR", "/nonexistent/x").output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{arguments}: {errors}");
    };
    asked(format!("write {array} {file}"));
    asked(format!("write {array} {file} --replace"));
    asked(format!("import {file} {}", folder.join("new").display()));
    asked(format!(
        "rewrite {array} {}",
        folder.join("rewritten").display()
    ));
    let large = format!("import {file} {}", folder.join("spooled").display());
    let mut command = crate::common::tdb(&large.replace(&file, "- --format csv"));
    let output = command.env("TMPDIR", "/nonexistent/x").output().unwrap();
    assert_eq!(
        output.status.code(),
        Some(3),
        "standard input is kept in a file"
    );
}

#[test]
fn a_group_that_would_be_in_itself() {
    let folder = folder("in_itself");
    let place = folder.display();
    for group in ["g", "g/h", "g/h/i", "elsewhere"] {
        stdout(&format!("group create {place}/{group}"));
    }
    stdout(&format!("group add {place}/g {place}/g/h"));
    stdout(&format!("group add {place}/g/h {place}/g/h/i"));
    let before = state(&folder);
    let mut told = Vec::new();
    for (group, member) in [("g", "g"), ("g", "../in_itself/g/"), ("g/h/i", "g")] {
        told.push(failure(
            &format!("group add {place}/{group} {place}/{member} --name me"),
            &folder,
        ));
    }
    insta::assert_snapshot!(told.concat(), @r#"
    2 error: …/g and …/g are the same group
    hint: a group cannot contain itself
    2 error: …/../in_itself/g/ and …/g are the same group
    hint: a group cannot contain itself
    2 error: the group …/g/h/i is in …/g
    hint: a group cannot contain itself
    "#);
    assert_eq!(state(&folder), before);
    // A member can be removed by the URI with which it was added.
    stdout(&format!("group rm {place}/g/h {place}/g/h/i/"));
    assert_eq!(stdout(&format!("group ls {place}/g/h --json")).trim(), "[]");
    // Groups outside the folder are not followed.
    stdout(&format!("group add {place}/elsewhere {place}/g"));
    stdout(&format!("group add {place}/g {place}/elsewhere"));
}

#[test]
fn metadata_is_of_types_that_others_read() {
    let (folder, array) = made("types_read");
    for (key, value) in [
        ("t", "true"),
        ("l", "[true,false]"),
        ("m", "[true,1]"),
        ("n", "[1,2.5]"),
    ] {
        stdout(&format!("meta set {array} {key} {value} --at 110"));
    }
    stdout(&format!("meta set {array} u true --type bool --at 110"));
    insta::assert_snapshot!(stdout(&format!("meta ls {array}")), @r#"
    key  type         value
    l    int64        [1, 0]
    m    string_utf8  [true,1]
    n    float64      [1.0, 2.5]
    t    int64        1
    u    bool         true
    "#);
    insta::assert_snapshot!(
        failure(&format!("meta set {array} k é --type string_ascii"), &folder),
        @r#"
    2 error: VALUE: "é" is not ASCII
    hint: use --type string_utf8 for any text
    "#
    );
}

#[test]
fn errors_name_what_the_user_gave() {
    let (folder, array) = made("named");
    let file = folder.join("wrong.json");
    let mut told = Vec::new();
    for (right, wrong) in [
        ("capacity", "capacitty"),
        ("\"int32\", \"domain\": [1", "\"int32\", \"domain\": [11"),
    ] {
        let schema = crate::changing::SCHEMA.replace("\"type\"", "\"capacity\": 10, \"type\"");
        fs::write(&file, schema.replace(right, wrong)).unwrap();
        told.push(failure(
            &format!("create {array}2 --schema {}", file.display()),
            &folder,
        ));
    }
    for change in [
        "--add-attr {\"name\":\"b\",\"datatyp\":\"int8\"}",
        "--add-enum {\"name\":\"e\"}",
        "--current-domain {\"y\":[1,2]}",
    ] {
        told.push(failure(&format!("evolve {array} {change}"), &folder));
    }
    told.push(failure(&format!("mv {array} {array}"), &folder));
    insta::assert_snapshot!(told.concat(), @r#"
    2 error: …/wrong.json: schema: "capacitty" means nothing here, "capacity" is meant?; known are version, type, cell_order, tile_order, capacity, allows_duplicates, coords_filters, offsets_filters, validity_filters, dimensions, attributes, enumerations, labels, current_domain
    hint: see tdb schema --json for the format, and tdb create --help for a short example
    2 error: …/wrong.json: domain of dimension "x": the lower end is above the upper end
    hint: see tdb schema --json for the format, and tdb create --help for a short example
    2 error: --add-attr: "datatyp" means nothing here, "datatype" is meant?; known are name, datatype, cell_val_num, nullable, fill, fill_valid, filters, enumeration, order
    2 error: --add-enum.datatype: is missing
    2 error: --current-domain: refers to dimension "y", which does not exist
    2 error: …/array and …/array are the same
    "#);
}
