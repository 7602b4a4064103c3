//! `tdb verify` must find what other verbs refuse: checked by its exit status and the named object.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

use crate::common::{copy, fixtures, run, told};

/// Copies a golden array or group into a temporary folder.
fn copied(golden: &str) -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    let place = folder.path().join("x");
    copy(&fixtures().join(golden), &place);
    (folder, place)
}

/// The alphabetically first file in a folder.
fn first(folder: &Path) -> PathBuf {
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file())
        .collect();
    files.sort();
    files.into_iter().next().unwrap()
}

/// Checks that another verb is refused and that `verify` reports this object. Returns its output.
fn found(place: &Path, object: &str, refused: &str) -> Value {
    let uri = place.display().to_string();
    let other = run(&refused.replace("URI", &uri));
    assert_eq!(other.status.code(), Some(3), "{refused}: {}", told(&other));
    let output = run(&format!("verify {uri} --json"));
    assert_eq!(output.status.code(), Some(1), "{}", told(&output));
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    let text = json.to_string();
    assert!(text.contains(object), "{text}");
    json
}

#[test]
fn a_commit_that_is_not_understood_is_found_and_no_number_is_given() {
    let (_folder, array) = copied("v22_sparse_basics/array");
    let commit = first(&array.join("__commits"));
    let name = commit.file_name().unwrap().to_string_lossy().into_owned();
    fs::rename(&commit, commit.with_file_name(format!("x{name}"))).unwrap();
    found(&array, "__commits/x__", "read URI");
    found(&array, "__commits/x__", "count URI");
    let log = told(&run(&format!("log {}", array.display())));
    assert!(log.contains("warning: __commits/x__"), "{log}");
}

#[test]
fn metadata_and_enumerations_that_cannot_be_read_are_found() {
    let (_folder, array) = copied("v22_metadata/array");
    fs::write(first(&array.join("__meta")), "").unwrap();
    found(&array, "__meta/__", "meta ls URI");
    let (_folder, array) = copied("v22_enumerations_sparse/array");
    fs::remove_file(first(&array.join("__schema/__enumerations"))).unwrap();
    found(&array, "__schema/__enumerations/", "read URI");
}

#[test]
fn what_was_merged_is_found_as_reads_of_earlier_times_want_it() {
    let (_folder, array) = copied("v22_merged_dense/array");
    let mut fragments: Vec<PathBuf> = fs::read_dir(array.join("__fragments"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    fragments.sort();
    let merged = fragments.first().unwrap();
    fs::write(merged.join("__fragment_metadata.tdb"), "no metadata").unwrap();
    let name = merged.file_name().unwrap().to_string_lossy().into_owned();
    let json = found(&array, &name, "read URI --at 110");
    let replaced = json.pointer("/errors/0/replaced");
    assert_eq!(replaced.and_then(Value::as_bool), Some(true), "{json}");
}

#[test]
fn labels_that_are_gone_are_found() {
    let (_folder, array) = copied("v22_labels/array");
    fs::remove_dir_all(array.join("__labels/l0")).unwrap();
    let schema = fs::read_dir(fixtures().join("v22_labels/array/__labels")).unwrap();
    assert!(schema.count() > 0);
    let output = run(&format!("verify {} --json", array.display()));
    assert_eq!(output.status.code(), Some(1), "{}", told(&output));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("\"object\": \"__labels/l0\""), "{text}");
}

#[test]
fn an_array_that_cannot_be_opened_is_a_finding() {
    let (_folder, array) = copied("v22_tour/array");
    let schema = first(&array.join("__schema"));
    fs::write(&schema, "no schema").unwrap();
    found(&array, "__schema/__", "schema URI");
}

#[test]
fn members_that_are_gone_or_damaged_are_found() {
    let (_folder, group) = copied("v22_group/group");
    fs::remove_dir_all(group.join("one")).unwrap();
    let output = told(&run(&format!("verify {}", group.display())));
    assert!(
        output.contains("/one: missing member of the group"),
        "{output}"
    );
    assert!(output.ends_with("exit status 1"), "{output}");
    let (_folder, group) = copied("v22_group/group");
    fs::write(first(&group.join("__group")), "no members").unwrap();
    found(&group, "__group/__", "group ls URI");
    let (_folder, group) = copied("v22_group/group");
    fs::write(first(&group.join("__meta")), "no metadata").unwrap();
    found(&group, "__meta/__", "meta ls URI");
}

/// Truncated lists of replaced, consolidated and ignored commits must be found.
#[test]
fn lists_of_commits_that_are_cut_off_are_found() {
    for (golden, ending) in [
        ("v22_merged_dense/array", "vac"),
        ("v16_commits_merged/array", "con"),
        ("v16_commits_ignored/array", "ign"),
        ("v22_array_meta/array", "vac"),
    ] {
        let (_folder, array) = copied(golden);
        let verify = || told(&run(&format!("verify {}", array.display())));
        assert!(
            verify().ends_with("exit status 0"),
            "{golden}: {}",
            verify()
        );
        let folder = match golden {
            "v22_array_meta/array" => "__meta",
            _ => "__commits",
        };
        let objects = fs::read_dir(array.join(folder)).unwrap();
        let mut lists = objects.map(|entry| entry.unwrap().path());
        let list = lists.find(|path| path.extension().is_some_and(|other| other == ending));
        let list = list.unwrap();
        let name = list.file_name().unwrap().to_string_lossy();
        let whole = fs::read(&list).unwrap();
        let cuts = [
            (0, "is empty: it was cut off, and what it said is lost"),
            (
                1,
                "ends within a line: it was cut off, and what the rest said is lost",
            ),
            (whole.len() / 2 + 7, "ends within a line"),
            (whole.len() - 1, "ends within a line"),
        ];
        for (length, problem) in cuts {
            fs::write(&list, &whole[..length]).unwrap();
            let line = crate::common::repeatable(&format!("{folder}/{name}: {problem}"));
            assert!(verify().contains(&line), "{golden} {length}: {}", verify());
            assert!(verify().ends_with("exit status 1"), "{}", verify());
        }
    }
}

/// Sets the modification time of all files in fragments.
fn written_at(array: &Path, time: std::time::SystemTime) {
    for fragment in fs::read_dir(array.join("__fragments")).unwrap() {
        for file in fs::read_dir(fragment.unwrap().path()).unwrap() {
            let file = fs::File::options().write(true).open(file.unwrap().path());
            file.unwrap().set_modified(time).unwrap();
        }
    }
}

#[test]
fn fragments_whose_commits_were_lost_are_found() {
    let (_folder, array) = copied("v22_tour/array");
    let now = std::time::SystemTime::now();
    let uri = array.display().to_string();
    fs::remove_dir_all(array.join("__commits")).unwrap();
    written_at(&array, now);
    let output = told(&run(&format!("verify {uri}")));
    assert_eq!(
        output.matches(": nothing commits it").count(),
        3,
        "{output}"
    );
    assert!(output.ends_with("exit status 1"), "{output}");
    let warning = "warning: no fragment is committed, so there are no cells, but 3 are there";
    for verb in ["count", "read", "info"] {
        let output = told(&run(&format!("{verb} {uri}")));
        assert!(output.contains(warning), "{output}");
    }
    // One of several commits is missing.
    let (_folder, array) = copied("v22_tour/array");
    fs::remove_file(first(&array.join("__commits"))).unwrap();
    // An unfinished write looks the same.
    written_at(&array, now);
    let output = told(&run(&format!("verify {}", array.display())));
    assert!(
        output.contains("nothing commits it, so its cells are not read: its write is not finished"),
        "{output}"
    );
    assert!(
        output.ends_with("everything committed can be decoded\nexit status 0"),
        "{output}"
    );
    written_at(&array, now - std::time::Duration::from_secs(3600));
    let output = told(&run(&format!("verify {}", array.display())));
    assert_eq!(
        output.matches(": nothing commits it").count(),
        1,
        "{output}"
    );
    assert!(output.ends_with("exit status 1"), "{output}");
}

#[test]
fn a_group_whose_members_are_all_elsewhere_is_not_called_sound() {
    let folder = TempDir::new().unwrap();
    let group = folder.path().join("g").display().to_string();
    let member = fixtures().join("v22_tour/array").display().to_string();
    assert!(run(&format!("group create {group}")).status.success());
    assert!(run(&format!("group add {group} {member}")).status.success());
    let output = told(&run(&format!("verify {group}")));
    assert_eq!(
        output,
        "no array was verified: 1 member elsewhere\nexit status 0"
    );
}
