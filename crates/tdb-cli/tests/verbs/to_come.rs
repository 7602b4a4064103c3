//! Writers whose clocks are ahead: data with a future timestamp stays unchanged, with a warning.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;

use tempfile::TempDir;

use crate::common::{stdout, tdb, told};

/// The start of the year 2100.
const TO_COME: &str = "4102444800000";

const FOREWARNED: &str = "warning: 1 fragment of a time to come (up to 2100-01-01T00:00:00Z) will override this change from then on\n";

/// Creates a folder with the array `a`, whose attribute `v` and metadata key `k` are 2 now, and 3 from the year 2100
/// on.
fn array() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, value) in [("now.csv", 2), ("later.csv", 3)] {
        let csv = format!("k,v\n1,{value}\n2,{value}\n");
        std::fs::write(folder.path().join(name), csv).unwrap();
    }
    for done in [
        "import now.csv a --key k --domain k=0..9 -q".to_owned(),
        format!("write a later.csv --at {TO_COME} -q"),
        "meta set a k 2 -q".to_owned(),
        format!("meta set a k 3 --at {TO_COME} -q"),
    ] {
        assert_eq!(said(folder.path(), &done), "exit status 0", "{done}");
    }
    folder
}

/// Runs a command in a folder. Returns its output, messages and exit status.
fn said(folder: &Path, arguments: &str) -> String {
    told(&tdb(arguments).current_dir(folder).output().unwrap())
}

fn values(folder: &Path, more: &str) -> String {
    let out = said(folder, &format!("read a --format csv {more}"));
    let rows = out.lines().skip(1).filter_map(|line| line.split_once(','));
    rows.map(|(_, value)| value).collect::<Vec<_>>().join(" ")
}

fn key(folder: &Path, more: &str) -> String {
    let out = said(folder, &format!("meta ls a --json {more}"));
    let value = out.lines().find(|line| line.contains("\"value\""));
    value.map_or(String::new(), |line| line.trim().to_owned())
}

#[test]
fn changes_say_what_is_to_come() {
    let folder = array();
    let folder = folder.path();
    assert_eq!(values(folder, ""), "2 2");
    let set = tdb("set a")
        .current_dir(folder)
        .args(["v = 3", "v=7", "--max", "9"])
        .output();
    assert_eq!(
        told(&set.unwrap()),
        "changed 0 cells where v = 3\nexit status 0"
    );
    let set = tdb("set a")
        .current_dir(folder)
        .args(["k = 1", "v=7"])
        .output();
    assert_eq!(
        told(&set.unwrap()),
        format!("changed 1 cell where k = 1\n{FOREWARNED}exit status 0")
    );
    assert_eq!(
        (values(folder, ""), values(folder, "--at 2101-01-01")),
        ("7 2".to_owned(), "3 3".to_owned())
    );
    let wrote = said(folder, "write a now.csv");
    assert_eq!(
        wrote,
        format!("{FOREWARNED}wrote 2 cells in 1 fragment\nexit status 0")
    );
    let appended = said(folder, "import now.csv a --append");
    assert!(appended.starts_with(FOREWARNED), "{appended}");
    assert!(appended.contains("2 of them replaced cells"), "{appended}");
    let replaced = said(folder, "write a now.csv --replace --json");
    assert!(replaced.contains("\"replaced\": 2"), "{replaced}");
    assert!(
        replaced.contains("\"until\": \"2100-01-01T00:00:00Z\""),
        "{replaced}"
    );
    let deleted = tdb("delete a --where")
        .current_dir(folder)
        .arg("k = 1")
        .output();
    let deleted = told(&deleted.unwrap());
    assert!(
        deleted.contains("deleted cells where k = 1: 1 of 2"),
        "{deleted}"
    );
    assert!(deleted.contains(FOREWARNED), "{deleted}");
    assert_eq!(
        (values(folder, ""), values(folder, "--at 2101-01-01")),
        ("2".to_owned(), "3 3".to_owned())
    );
    let put = said(folder, "meta set a k 5");
    assert!(
        put.contains("1 object of metadata of a time to come"),
        "{put}"
    );
    assert!(put.contains(", was 2"), "{put}");
    let new = said(folder, "rewrite a other");
    assert!(
        new.contains("warning: not in the new array: 1 fragment of a time to come"),
        "{new}"
    );
}

#[test]
fn upkeep_leaves_what_is_to_come() {
    let folder = array();
    let folder = folder.path();
    said(folder, "write a now.csv -q");
    said(folder, "meta set a k 4 -q");
    let merged = said(folder, "consolidate a --vacuum");
    let note = "left alone: 1 fragment of a time to come (up to 2100-01-01T00:00:00Z); merged with it, what is read now would be gone \
        until then (--at TIME merges all up to a time)\n";
    assert!(merged.contains(note), "{merged}");
    assert!(merged.contains("merged 2 fragments (4 cells"), "{merged}");
    let merged = said(folder, "consolidate a --mode array-meta --json");
    assert!(
        merged.contains("left alone: 1 object of metadata of a time to come (up to 2100"),
        "{merged}"
    );
    said(folder, "vacuum a --grace 0s -q");
    assert_eq!(
        (values(folder, ""), key(folder, "")),
        ("2 2".to_owned(), "\"value\": 4".to_owned())
    );
    let later = "--at 2101-01-01";
    assert_eq!(
        (values(folder, later), key(folder, later)),
        ("3 3".to_owned(), "\"value\": 3".to_owned())
    );
    // The reported merge took place, and the objects read until then remain.
    let merged = said(folder, "consolidate a --mode array-meta --at 2100-01-01");
    assert!(
        merged.contains("merged the metadata into 1 object"),
        "{merged}"
    );
    let vacuumed = said(folder, "vacuum a --grace 0s");
    assert!(
        vacuumed.contains("it is read until 2100-01-01T00:00:00Z"),
        "{vacuumed}"
    );
    assert_eq!(key(folder, ""), "\"value\": 4");
    assert_eq!(key(folder, later), "\"value\": 3");
    let whole = said(folder, "consolidate a --at 2100-01-01 --json");
    assert!(whole.contains("\"notes\": []"), "{whole}");
    assert!(
        whole.contains("\"new\": {\n    \"fragments\": 1"),
        "{whole}"
    );
}

#[test]
fn members_of_a_time_to_come_are_not_there_yet() {
    let folder = array();
    let folder = folder.path();
    said(folder, "group create g");
    assert_eq!(
        said(
            folder,
            &format!("group add g a --name later --at {TO_COME} -q")
        ),
        "exit status 0"
    );
    let removed = said(folder, "group rm g later");
    assert!(
        removed.contains("there is no member called \"later\""),
        "{removed}"
    );
    let added = said(folder, "group add g a --name now");
    assert!(
        added.contains("1 change of the members of a time to come (up to 2100"),
        "{added}"
    );
    let listed = |more: &str| stdout(&format!("group ls {}/g --json {more}", folder.display()));
    assert!(
        !listed("").contains("\"later\"") && listed("").contains("\"now\""),
        "{}",
        listed("")
    );
    said(folder, "meta set g k 2 -q");
    said(folder, &format!("meta set g k 3 --at {TO_COME} -q"));
    said(folder, "meta set g k 4 -q");
    let merged = said(folder, "consolidate g --vacuum");
    assert!(
        merged.contains("left alone: 1 object of metadata of a time to come"),
        "{merged}"
    );
    let kept = said(folder, "meta ls g --json");
    assert!(kept.contains("\"value\": 4"), "{kept}");
}
