//! `tdb doctor` on local folders; the comparisons in xtask cover servers.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use serde_json::Value as Json;

use crate::common::{copy, failure, fixtures, run, stdout};

/// Parses the names and outcomes of the checks.
fn outcomes(json: &str) -> Vec<(String, String)> {
    let json: Json = serde_json::from_str(json).unwrap();
    let checks = json.get("checks").and_then(Json::as_array).unwrap();
    let text = |check: &Json, key: &str| check.get(key).and_then(Json::as_str).unwrap().to_owned();
    let outcomes = checks
        .iter()
        .map(|check| (text(check, "check"), text(check, "outcome")));
    outcomes.collect()
}

#[test]
fn a_folder_is_listed_and_read_and_nothing_is_written_unasked() {
    let said = stdout("doctor v22_tour/array --json");
    let wanted = [("list", "works"), ("read", "works"), ("write", "not-tried")];
    assert_eq!(
        outcomes(&said),
        wanted.map(|(a, b)| (a.to_owned(), b.to_owned()))
    );
    let said = stdout("doctor v22_tour/array");
    assert!(
        said.starts_with("v22_tour/array: array\n\nstore  local folder"),
        "{said}"
    );
}

#[test]
fn what_is_written_is_gone_again() {
    let folder = tempfile::tempdir().unwrap();
    copy(&fixtures().join("v22_tour/array"), folder.path());
    let before = std::fs::read_dir(folder.path()).unwrap().count();
    let path = folder.path().display().to_string();
    let said = stdout(&format!("doctor {path} --write --json"));
    let outcomes = outcomes(&said);
    let names: Vec<&str> = outcomes.iter().map(|(what, _)| what.as_str()).collect();
    assert_eq!(names, ["list", "read", "write", "keep", "remove"]);
    assert!(
        outcomes.iter().all(|(_, outcome)| outcome == "works"),
        "{said}"
    );
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), before);
}

#[test]
fn what_cannot_be_is_told() {
    insta::assert_snapshot!(failure("doctor nowhere"), @r"
    error: nowhere: not found
    exit status 3
    ");
    assert_eq!(run("doctor gopher://x").status.code(), Some(2));
}
