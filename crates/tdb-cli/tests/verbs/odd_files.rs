//! Files as they occur in practice: other encodings, line ends and number formats, unnamed columns.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::common::{run, stdout, told};

/// Creates an empty folder named after the test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Imports a file that must be refused without leaving an array. Returns the error.
fn refused(folder: &Path, name: &str, content: &[u8], options: &str) -> String {
    let (file, array) = (folder.join(name), folder.join(format!("{name}.array")));
    fs::write(&file, content).unwrap();
    let (file, uri) = (file.display(), array.display());
    let output = run(&format!("import {file} {uri} {options} -q"));
    assert!(!array.exists(), "{name}");
    told(&output).replace(&*folder.to_string_lossy(), "…")
}

#[test]
fn other_encodings_and_line_ends_are_refused_with_the_way_out() {
    let folder = folder("encodings");
    insta::assert_snapshot!(refused(&folder, "latin.csv", b"x,a\n1,caf\xe9\n", ""), @r"
    error: …/latin.csv: line 2: not UTF-8
    hint: iconv -f LATIN1 -t UTF-8 makes UTF-8 of it, if it is Latin-1
    exit status 2
    ");
    insta::assert_snapshot!(refused(&folder, "latin.jsonl", b"{\"x\": \"\xe9\"}\n", ""), @r"
    error: …/latin.jsonl: line 1: not UTF-8
    hint: iconv -f LATIN1 -t UTF-8 makes UTF-8 of it, if it is Latin-1
    exit status 2
    ");
    insta::assert_snapshot!(refused(&folder, "old.csv", b"a,b\r1,2\r3,4\r", ""), @r"
    error: …/old.csv: line 1: lines end with a carriage return and no line feed
    hint: tr '\r' '\n' makes line feeds of them
    exit status 2
    ");
    let long = b"12,34\r".repeat(20_000);
    insta::assert_snapshot!(refused(&folder, "long.csv", &long, ""), @r"
    error: …/long.csv: line 1: lines end with a carriage return and no line feed
    hint: tr '\r' '\n' makes line feeds of them
    exit status 2
    ");
}

#[test]
fn a_number_beyond_the_largest_float_is_no_infinity() {
    let folder = folder("beyond");
    let float = "--type a=float64";
    insta::assert_snapshot!(refused(&folder, "a.csv", b"x,a\n1,1.5\n2,1e400\n", float), @r#"
    error: …/a.csv: line 3, field "a": "1e400" is not a valid float64
    exit status 2
    "#);
    insta::assert_snapshot!(refused(&folder, "a.jsonl", b"{\"x\": 1, \"a\": -1e400}\n", float), @r#"
    error: …/a.jsonl: line 1, field "a": "-1e400" is not a valid float64
    exit status 2
    "#);
    // Without an explicit float type, such numbers are text.
    for (name, content) in [
        ("codes.csv", "x,a\n1,12E12\n2,10E400\n"),
        (
            "codes.jsonl",
            "{\"x\":1,\"a\":12E12}\n{\"x\":2,\"a\":10E400}\n",
        ),
        (
            "codes.json",
            "[{\"x\":1,\"a\":12E12},\n {\"x\":2,\"a\":10E400}]\n",
        ),
    ] {
        let (file, array) = (folder.join(name), folder.join(format!("{name}.array")));
        fs::write(&file, content).unwrap();
        stdout(&format!("import {} {} -q", file.display(), array.display()));
        let read = stdout(&format!("read {}", array.display()));
        assert_eq!(read, "x,a\n1,12E12\n2,10E400\n", "{name}");
    }
    let file = folder.join("named.csv");
    fs::write(&file, "x,a\n1,inf\n2,-Infinity\n").unwrap();
    let array = folder.join("named");
    stdout(&format!("import {} {}", file.display(), array.display()));
    let read = stdout(&format!("read {}", array.display()));
    assert_eq!(read, "x,a\n1,Infinity\n2,-Infinity\n");
}

#[test]
fn long_texts_are_shortened_in_errors() {
    let folder = folder("long_texts");
    let text = format!("x,a\n1,2\n2,{}\n", "z".repeat(5000));
    insta::assert_snapshot!(refused(&folder, "a.csv", text.as_bytes(), "--type a=int32"), @r#"
    error: …/a.csv: line 3, field "a": "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz…" is not a valid int32
    exit status 2
    "#);
}

#[test]
fn columns_without_a_name_get_one() {
    let folder = folder("nameless_columns");
    let file = folder.join("a.csv");
    fs::write(&file, ",,v,\n1,2,3,4\n").unwrap();
    let array = folder.join("a");
    stdout(&format!("import {} {}", file.display(), array.display()));
    let read = stdout(&format!("read {}", array.display()));
    assert_eq!(read, "index,column_2,v,column_4\n1,2,3,4\n");
    // Appending finds the same names.
    fs::write(&file, ",,v,\n2,2,3,4\n").unwrap();
    let (file, array) = (file.display(), array.display());
    stdout(&format!("import {file} {array} --append"));
    assert_eq!(stdout(&format!("count {array}")), "2\n");
}

#[test]
fn a_null_where_text_is_wanted_says_how_an_empty_text_is_written() {
    let folder = folder("empty_texts");
    let file = folder.join("a.csv");
    fs::write(&file, "x,note\n1,a\n3,\"\"\n").unwrap();
    let array = folder.join("a");
    stdout(&format!("import {} {}", file.display(), array.display()));
    fs::write(&file, "x,note\n2,\n").unwrap();
    let output = run(&format!("write {} {}", array.display(), file.display()));
    let text = told(&output).replace(&*folder.to_string_lossy(), "…");
    insta::assert_snapshot!(text, @r#"
    error: …/a.csv: line 2, field "note": is null, and the field is not nullable
    hint: nothing between two delimiters is null; an empty text is two quotes, "", as pandas writes it with quoting=csv.QUOTE_NONNUMERIC
    exit status 2
    "#);
}

#[test]
fn enumerations_keep_their_names_through_files() {
    let folder = folder("enumeration_names");
    let names = |uri: &str| {
        let schema: Value = serde_json::from_str(&stdout(&format!("schema {uri} --json"))).unwrap();
        let enumerations = schema["enumerations"].as_array().unwrap().iter();
        let names = enumerations.map(|enumeration| enumeration["name"].to_string());
        names.collect::<Vec<String>>()
    };
    for ending in ["parquet", "arrow"] {
        let file = folder.join(format!("tour.{ending}"));
        let array = folder.join(ending);
        let (file, array) = (file.display(), array.display().to_string());
        stdout(&format!("export v22_tour/array {file}"));
        stdout(&format!("import {file} {array} --dim station,hour"));
        assert_eq!(names(&array), names("v22_tour/array"), "{ending}");
    }
}

#[test]
fn a_write_says_what_it_wrote_and_a_dry_run_what_it_would() {
    let folder = folder("told_writes");
    let file = folder.join("a.csv");
    fs::write(&file, "x,a\n1,2\n2,3\n").unwrap();
    let array = folder.join("a");
    stdout(&format!("import {} {}", file.display(), array.display()));
    let (file, array) = (file.display(), array.display());
    fs::write(file.to_string(), "x,a\n3,4\n4,5\n").unwrap();
    let said = |options: &str| told(&run(&format!("write {array} {file} {options}")));
    assert_eq!(said("--dry-run"), "would write 2 cells\nexit status 0");
    assert_eq!(stdout(&format!("count {array}")), "2\n");
    let json: Value =
        serde_json::from_str(&stdout(&format!("write {array} {file} --dry-run --json"))).unwrap();
    assert_eq!(
        json,
        serde_json::json!({"cells": 2, "fragments": [], "dry_run": true, "later": null})
    );
    assert_eq!(said(""), "wrote 2 cells in 1 fragment\nexit status 0");
    let json = stdout(&format!("write {array} {file} --json"));
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["fragments"].as_array().unwrap().len(), 1);
    assert_eq!(stdout(&format!("count {array}")), "4\n");
}

#[test]
fn a_column_is_not_written_twice_to_a_file() {
    insta::assert_snapshot!(told(&run("read v22_tour/array --attrs sky,sky --limit 1")), @r#"
    error: --attrs names "sky" twice
    hint: the columns of a file have different names; a table can show one twice
    exit status 2
    "#);
    let table = stdout("read v22_tour/array --attrs sky,sky --limit 1 --format table --no-dims");
    assert_eq!(table.matches("sky").count(), 2, "{table}");
}

#[test]
fn parts_are_exported_and_options_that_mean_nothing_are_refused() {
    let folder = folder("parts");
    let file = folder.join("part.csv");
    let file = file.display();
    stdout(&format!("export v22_tour/array {file} --limit 3"));
    assert_eq!(
        fs::read_to_string(file.to_string())
            .unwrap()
            .lines()
            .count(),
        4
    );
    stdout(&format!("export v22_tour/array {file} --tail 2"));
    assert_eq!(
        fs::read_to_string(file.to_string())
            .unwrap()
            .lines()
            .count(),
        3
    );
    let refusals = [
        told(&run(&format!("export v22_tour/array {file} --vertical"))),
        told(&run("sample v22_tour/array 3 --offset 1")),
    ];
    insta::assert_snapshot!(refusals.join("\n"), @r"
    error: --vertical cannot be used with export
    hint: use tdb read to print tables
    exit status 2
    error: --offset cannot be used with sample
    hint: use --seed to choose other cells
    exit status 2
    ");
}

#[test]
fn arrays_that_are_the_same_have_all_cells_the_same() {
    let json = stdout("compare v22_tour/array v22_tour/array --json");
    let json: Value = serde_json::from_str(&json).unwrap();
    let cells: u64 = stdout("count v22_tour/array").trim().parse().unwrap();
    assert_eq!(json["compared_same"], cells);
}

#[test]
fn a_current_domain_that_leaves_cells_out_is_warned_of() {
    let folder = folder("left_outside");
    let file = folder.join("a.csv");
    fs::write(&file, "x,a\n1,2\n20,3\n").unwrap();
    let array = folder.join("a");
    stdout(&format!("import {} {}", file.display(), array.display()));
    let evolve = |domain: &str| {
        let mut command = crate::common::tdb(&format!("evolve {}", array.display()));
        let output = command.args(["--current-domain", domain]).output().unwrap();
        let text = told(&output);
        text.split(": schema").next().unwrap().to_owned()
    };
    insta::assert_snapshot!(evolve(r#"{"x": [0, 10]}"#), @r"
    warning: cells of 1 fragment lie outside of the new current domain: reads leave them out
    current domain is x 0 .. 10
    ");
    insta::assert_snapshot!(evolve(r#"{"x": [0, 5]}"#), @r#"
    error: current domain of dimension "x": can only grow
    exit status 2
    "#);
    insta::assert_snapshot!(evolve(r#"{"x": [0, 30]}"#), @"current domain is x 0 .. 30");
}
