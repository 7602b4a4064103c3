//! `tdb read` on golden arrays; that its cells are right, tdb-query tests.

use crate::common::{run, stdout, tdb, told};

const TOUR: &str = "read v22_tour/array";

#[test]
fn csv_is_what_a_program_gets() {
    let text = stdout(&format!("{TOUR} --limit 5"));
    insta::assert_snapshot!("csv", text);
}

#[test]
fn formats_of_text() {
    insta::assert_snapshot!("jsonl", stdout(&format!("{TOUR} --limit 3 --format jsonl")));
    insta::assert_snapshot!("table", stdout(&format!("{TOUR} --limit 3 --format table")));
    insta::assert_snapshot!(
        "ticks",
        stdout(&format!("{TOUR} --limit 2 --ticks --enum-codes"))
    );
}

#[test]
fn columns_and_ranges() {
    let attributes =
        "--attrs temperature,sky --dims hour --range station=OSA --range hour=..2024-04-10T06";
    insta::assert_snapshot!("columns", stdout(&format!("{TOUR} {attributes}")));
    let two = "--no-dims --attrs temperature --range station=BGN --range station=ZRH --range hour=475752..475755";
    insta::assert_snapshot!("two_ranges", stdout(&format!("{TOUR} {two}")));
}

#[test]
fn ranges_beyond_the_domain_are_cut_and_told() {
    let output = run("read v22_dense_basics/array --attrs i32 --range row=-5..1 --range col=0..99");
    insta::assert_snapshot!(told(&output));
    let quiet = run("read v22_dense_basics/array -q --range row=-5..1");
    assert!(quiet.stderr.is_empty());
}

#[test]
fn a_range_file_says_what_the_short_form_cannot() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("ranges.json");
    let json =
        r#"{"station": [["OSA", "OSA"], ["BGN", "BGN"]], "hour": [["2024-04-10T00", 475755]]}"#;
    std::fs::write(&file, json).expect("a file");
    let output = tdb(TOUR)
        .arg("--range-file")
        .arg(&file)
        .output()
        .expect("it runs");
    insta::assert_snapshot!(told(&output));
}

#[test]
fn conditions_select_cells() {
    let output = tdb(TOUR)
        .args(["--where", "sky = 'snow' and temperature > 5.0"])
        .output();
    insta::assert_snapshot!(told(&output.expect("it runs")));
}

#[test]
fn time_travel() {
    let early = stdout(&format!(
        "{TOUR} --at 2024-04-11T00:00:00Z --range station=BGN --attrs temperature"
    ));
    insta::assert_snapshot!(early);
}

#[test]
fn files_are_of_the_format_that_their_ending_says() {
    let folder = tempfile::tempdir().expect("a folder");
    let beginning = |name: &str| {
        let file = folder.path().join(name);
        let output = tdb("read v22_dense_basics/array --attrs i32 -o")
            .arg(&file)
            .output();
        let output = output.expect("it runs");
        assert!(output.status.success(), "{name}: {}", told(&output));
        assert!(output.stdout.is_empty());
        let bytes = std::fs::read(&file).expect("a file");
        String::from_utf8_lossy(&bytes[..6]).into_owned()
    };
    assert_eq!(beginning("a.parquet")[..4], *"PAR1");
    assert_eq!(beginning("a.arrow"), "ARROW1");
    assert_eq!(beginning("a.jsonl")[..2], *"{\"");
    assert_eq!(beginning("a.csv"), "row,co");
    assert!(beginning("a.npy").ends_with("NUMPY"));
}

#[test]
fn npy_has_the_shape_of_the_ranges() {
    let output = run(
        "read v22_dense_basics/array --attrs i32 --format npy --range row=1..2 --range col=0..4",
    );
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("'shape': (2, 5)"), "{}", told(&output));
    assert_eq!(output.stdout.len() % 4, 0);
}

#[test]
fn a_wrong_request_leaves_the_file_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("kept.csv");
    std::fs::write(&file, "precious").expect("a file");
    let output = tdb("read v22_tour/array --attrs wind -o")
        .arg(&file)
        .output()
        .expect("it runs");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(std::fs::read_to_string(&file).expect("a file"), "precious");
}

#[test]
fn a_profile_goes_to_standard_error() {
    let output = run(&format!("{TOUR} --profile"));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    for what in ["ranges read", "cells in the result", "read and decode"] {
        assert!(said.contains(what), "{said}");
    }
    assert_eq!(output.stdout, run(TOUR).stdout);
}

#[test]
fn an_attribute_without_a_name_can_be_chosen() {
    let chosen = |array: &str| {
        let mut command = tdb(&format!("read {array}/array --no-dims --limit 1 --attrs"));
        let output = command.arg("").output().expect("it runs");
        String::from_utf8_lossy(&output.stdout).lines().count()
    };
    assert_eq!(
        (
            chosen("v22_anonymous"),
            stdout("read v22_anonymous/array").is_empty()
        ),
        (2, false)
    );
    let nothing = tdb("read v22_tour/array --no-dims --limit 1 --format jsonl --attrs")
        .arg("")
        .output();
    assert_eq!(nothing.expect("it runs").stdout, b"{}\n");
}
