//! What the program says when it cannot do what it was asked, and its exit status.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::process::{Command, Stdio};

use crate::common::{failure, fixtures, run, tdb, told};

#[test]
fn a_place_without_an_array() {
    insta::assert_snapshot!("missing", failure("info nowhere"));
    insta::assert_snapshot!("empty_folder", failure("info v22_tour"));
    insta::assert_snapshot!("file", failure("info v22_tour/manifest.json"));
    insta::assert_snapshot!("no_group", failure("group ls v22_tour/array"));
}

#[test]
fn uris_of_other_stores() {
    insta::assert_snapshot!("s3", failure("info s3://bucket/array"));
    insta::assert_snapshot!("scheme", failure("info gopher://old/array"));
    let uri = format!("file://{}", fixtures().join("v22_tour/array").display());
    assert!(run(&format!("schema {uri}")).status.success());
}

#[test]
fn requests_that_do_not_fit_the_array() {
    let read = "read v22_tour/array";
    insta::assert_snapshot!("attribute", failure(&format!("{read} --attrs wind")));
    insta::assert_snapshot!("dimension", failure(&format!("{read} --range x=1..2")));
    insta::assert_snapshot!("value", failure(&format!("{read} --range hour=noon")));
    insta::assert_snapshot!("label", failure(&format!("{read} --label l=1..2")));
    insta::assert_snapshot!(
        "npy",
        failure(&format!("{read} --attrs temperature --format npy"))
    );
    let output = tdb(read).args(["--where", "temperature >"]).output();
    insta::assert_snapshot!("condition", told(&output.unwrap()));
}

#[test]
fn command_lines_that_are_wrong() {
    for arguments in [
        "",
        "rea x",
        "read",
        "read a --at yesterday",
        "read a --memory lots",
        "read a --range x",
        "read a --config x",
    ] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments}");
        assert!(output.stdout.is_empty(), "{arguments}");
    }
}

#[test]
fn metadata_without_the_key() {
    insta::assert_snapshot!(failure("meta get v22_tour/array altitude"));
}

#[test]
fn a_key_that_is_no_key() {
    insta::assert_snapshot!(
        "key_missing",
        failure("info v22_tour/array --key-file no-such-key")
    );
    insta::assert_snapshot!(
        "key_length",
        failure("info v22_tour/array --key-file README.md")
    );
}

#[test]
fn a_key_for_an_array_that_is_not_encrypted() {
    let folder = tempfile::tempdir().unwrap();
    let key = folder.path().join("key");
    std::fs::write(&key, [7; 32]).unwrap();
    let output = tdb("info v22_tour/array")
        .arg("--key-file")
        .arg(&key)
        .output();
    insta::assert_snapshot!(told(&output.unwrap()));
}

#[test]
fn damaged_objects_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let array = folder.path().join("array");
    copy(&fixtures().join("v22_dense_basics/array"), &array);
    let schema = std::fs::read_dir(array.join("__schema")).unwrap().flatten();
    let schema = schema
        .map(|entry| entry.path())
        .find(|path| path.is_file())
        .unwrap();
    let mut bytes = std::fs::read(&schema).unwrap();
    bytes.truncate(40);
    std::fs::write(&schema, bytes).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_tdb"))
        .args(["info", "array"])
        .current_dir(&folder)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(3));
    let said = String::from_utf8(output.stderr).unwrap();
    let name = schema.file_name().unwrap().to_string_lossy().into_owned();
    insta::assert_snapshot!(said.replace(&name, "NAME"));
}

fn copy(from: &std::path::Path, to: &std::path::Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().flatten() {
        let to = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy(&entry.path(), &to),
            false => drop(std::fs::copy(entry.path(), to).unwrap()),
        }
    }
}

#[test]
fn a_limit_has_its_own_status() {
    let output = run("read v22_tour/array --memory 10");
    assert_eq!(output.status.code(), Some(4), "{}", told(&output));
}

#[test]
fn a_broken_pipe_is_no_error() {
    let mut child = tdb("read v22_tour/array")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(told(&output), "exit status 0");
}

#[test]
fn settings_of_tiledb() {
    insta::assert_snapshot!(
        "config_ignored",
        failure("meta get v22_tour/array first_year --config vfs.s3.region=x")
    );
    let memory = run("read v22_tour/array --config sm.mem.total_budget=10");
    assert_eq!(memory.status.code(), Some(4));
    let option_wins = run("read v22_tour/array --config sm.mem.total_budget=10 --memory 1GiB");
    assert!(option_wins.status.success());
    insta::assert_snapshot!(
        "config_wrong",
        failure("info v22_tour/array --config sm.io_concurrency_level=many")
    );
}
