//! Writing cells from files into arrays.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::{Map, Value, json};

use crate::common::{run, stdout, tdb};

/// Creates an empty folder named after the test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Creates an array with this schema.
fn made(folder: &Path, name: &str, schema: &Value) -> String {
    let file = folder.join(format!("{name}.json"));
    fs::write(&file, schema.to_string()).unwrap();
    let array = folder.join(name).display().to_string();
    stdout(&format!("create {array} --schema {}", file.display()));
    array
}

/// Runs a command that must fail. Returns its status and messages, with the folder replaced by `…`.
fn failure(arguments: &str, folder: &Path) -> String {
    let output = run(arguments);
    let text = String::from_utf8_lossy(&output.stderr).replace(&*folder.to_string_lossy(), "…");
    format!("{} {text}", output.status.code().unwrap())
}

fn sparse() -> Value {
    json!({
        "type": "sparse",
        "dimensions": [{"name": "x", "datatype": "int32", "domain": [1, 10], "extent": 5}],
        "attributes": [
            {"name": "a", "datatype": "int32", "nullable": true},
            {"name": "t", "datatype": "string_utf8", "cell_val_num": "var"},
        ],
    })
}

fn dense() -> Value {
    json!({
        "type": "dense",
        "dimensions": [
            {"name": "y", "datatype": "int32", "domain": [0, 3], "extent": 2},
            {"name": "x", "datatype": "int32", "domain": [0, 2], "extent": 2},
        ],
        "attributes": [{"name": "a", "datatype": "int16"}],
    })
}

/// Exports an array to a file, writes the file into a copy, and compares what `tdb read` returns for both.
fn round_trip(folder: &Path, fixture: &str, format: &str) {
    let array = format!("{fixture}/array");
    let mut schema: Value =
        serde_json::from_str(&stdout(&format!("schema {array} --json"))).unwrap();
    schema.as_object_mut().unwrap().remove("version");
    let info: Value = serde_json::from_str(&stdout(&format!("info {array} --json"))).unwrap();
    let mut range = String::new();
    if schema["type"] == "dense" {
        let domain = info["non_empty_domain"].as_object().unwrap();
        let ranges: Map<String, Value> = domain
            .iter()
            .map(|(k, v)| (k.clone(), json!([v])))
            .collect();
        let file = folder.join("ranges.json");
        fs::write(&file, Value::Object(ranges).to_string()).unwrap();
        range = format!("--range-file {}", file.display());
    }
    let copy = made(folder, &format!("{fixture}_{format}"), &schema);
    let file = folder.join(format!("{fixture}.{format}"));
    // Some years are outside the range of Arrow dates.
    let is_far = fixture.starts_with("v22_types_") && ["arrow", "parquet"].contains(&format);
    let ticks = if is_far { "--ticks" } else { "" };
    stdout(&format!(
        "read {array} {range} {ticks} -o {}",
        file.display()
    ));
    let box_of_npy = if format == "npy" { &range } else { "" };
    stdout(&format!(
        "write {copy} {} {ticks} {box_of_npy}",
        file.display()
    ));
    let cells = |array: &str| stdout(&format!("read {array} {range} --format jsonl"));
    let (wanted, found) = (cells(&array), cells(&copy));
    assert!(wanted == found, "{fixture} as {format}: {wanted} {found}");
}

#[test]
fn what_is_read_can_be_written_in_every_format() {
    let folder = folder("round_trips");
    for fixture in [
        "v22_tour",
        "v22_types_multi",
        "v22_types_nullable",
        "v22_types_var_dense",
        "v22_dense_basics",
        "v22_current_domain_dense",
        "v22_empty_sparse",
        "v10_continued_sparse",
    ] {
        for format in ["csv", "jsonl", "arrow", "parquet"] {
            round_trip(&folder, fixture, format);
        }
    }
    round_trip(&folder, "v22_current_domain_dense", "npy");
}

#[test]
fn cells_come_from_standard_input_at_a_time() {
    let folder = folder("standard_input");
    let array = made(&folder, "array", &sparse());
    let cells = "x,a,t\n7,1,\"one, \"\"two\"\"\"\r\n\n3,,\"\"\r\n";
    let mut program = tdb(&format!("write {array} - --format csv --at 1000000000100"))
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    program
        .stdin
        .take()
        .unwrap()
        .write_all(cells.as_bytes())
        .unwrap();
    assert!(program.wait().unwrap().success());
    assert_eq!(
        stdout(&format!("read {array} --format csv --at 1000000000100")),
        "x,a,t\n3,,\"\"\n7,1,\"one, \"\"two\"\"\"\n"
    );
    assert_eq!(
        stdout(&format!("read {array} --format csv --at 1000000000099")),
        "x,a,t\n"
    );
    // Parquet is read from its end, so it cannot come through a pipe.
    let file = folder.join("cells.parquet");
    stdout(&format!("read {array} -o {}", file.display()));
    let copy = made(&folder, "copy", &sparse());
    let status = tdb(&format!("write {copy} - --format parquet"))
        .stdin(fs::File::open(&file).unwrap())
        .status();
    assert!(status.unwrap().success());
    let cells = |array: &str| stdout(&format!("read {array} --format csv"));
    assert_eq!(cells(&copy), cells(&array));
}

#[test]
fn dense_cells_fill_a_box_in_an_order_or_go_to_their_places() {
    let folder = folder("dense_orders");
    let array = made(&folder, "array", &dense());
    let write = |name: &str, text: &str, options: &str| {
        let file = folder.join(name);
        fs::write(&file, text).unwrap();
        stdout(&format!("write {array} {} {options}", file.display()));
        stdout(&format!("read {array} --format csv --no-dims")).replace('\n', " ")
    };
    let all = "a\n0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n";
    assert_eq!(
        write("all.csv", all, "--at 1"),
        "a 0 1 2 3 4 5 6 7 8 9 10 11 "
    );
    assert_eq!(
        write("all.csv", all, "--order col --at 2"),
        "a 0 4 8 1 5 9 2 6 10 3 7 11 "
    );
    let lines = "{\"a\": 70}\n{\"a\": 71}\n";
    assert_eq!(
        write("part.jsonl", lines, "--range y=1..2 --range x=1 --at 3"),
        "a 0 4 8 1 70 9 2 71 10 3 7 11 "
    );
    let placed = "x\ta\ty\n1\t-1\t3\n0\t-2\t3\n";
    assert_eq!(
        write("placed.tsv", placed, "--at 4"),
        "a 0 4 8 1 70 9 2 71 10 -2 -1 11 "
    );
}

#[test]
fn wrong_input_is_told_and_changes_nothing() {
    let folder = folder("wrong_input");
    let (sparse, dense) = (
        made(&folder, "sparse", &sparse()),
        made(&folder, "dense", &dense()),
    );
    let write = |array: &str, name: &str, text: &str, options: &str| {
        let file = folder.join(name);
        fs::write(&file, text).unwrap();
        failure(
            &format!("write {array} {} {options}", file.display()),
            &folder,
        )
    };
    let csv = |text: &str| write(&sparse, "cells.csv", text, "");
    let jsonl = |text: &str| write(&sparse, "cells.jsonl", text, "");
    let texts = [
        csv(""),
        csv("x,a\n1,2\n"),
        csv("x,a,text\n1,2,b\n"),
        csv("x,a,t,a\n1,2,b,3\n"),
        csv("x,a,t\n1,2,b\n2,3\n"),
        csv("x,a,t\n1,2,\"b\nc\"\n\n2,3.5,d\n"),
        csv("x,a,t\n1,2,b\n2,99999999999,d\n"),
        csv("x,a,t\n1,2,b\n2,3,\n"),
        csv("x,a,t\n1,2,\"b\n"),
        csv("x,a,t\n1,2,\"b\"c\n"),
        csv("x,a,t\n1,2,\"b\nc\"\n11,3,d\n"),
        csv("x,a,t\n1,2,b\n2,2,b\n1,3,d\n"),
        jsonl("{\"x\": 1, \"a\": 2, \"t\": \"b\"}\n{\"x\": 2, \"a\": 3, \"t\": \"b\", \"b\": 1}\n"),
        jsonl("{\"x\": 1, \"a\": 2, \"t\": \"b\"}\n{\"x\": 2}\n"),
        jsonl("{\"x\": 1, \"a\": [2], \"t\": \"b\"}\n"),
        jsonl("{\"x\": 1, \"a\": 2, \"t\": \"b\"}\n[2]\n"),
        jsonl("{\"x\": 1, \"a\": 2, \"t\": \"b\"}\n{\"x\": 2,\n"),
        write(&sparse, "cells.parquet", "PAR1", ""),
        write(&sparse, "cells.arrow", "ARROW1", ""),
        write(&sparse, "cells.npy", "\u{93}NUMPY", ""),
        write(&dense, "cells.npy", "NUMPY", ""),
        write(&dense, "cells.csv", "a\n1\n2\n", ""),
        write(&dense, "cells.csv", "a,b\n1,2\n", ""),
        write(&dense, "cells.csv", "a\n1\n", "--range y=0..9"),
        write(&sparse, "cells.txt", "", ""),
        write(&sparse, "cells.csv", "x,a,t\n", "--delimiter ab"),
        failure(
            &format!("write {sparse} {}/none.csv", folder.display()),
            &folder,
        ),
        failure(
            &format!("write {sparse}2 {}/cells.csv", folder.display()),
            &folder,
        ),
    ];
    insta::assert_snapshot!(texts.join("\n"));
    assert_eq!(stdout(&format!("fragments {sparse} --json")).trim(), "[]");
    assert_eq!(stdout(&format!("fragments {dense} --json")).trim(), "[]");
}

#[test]
fn little_memory_makes_the_same_array() {
    let folder = folder("little_memory");
    let mut schema = sparse();
    schema["dimensions"][0]["domain"] = json!([0, 1_000_000]);
    schema["dimensions"][0]["extent"] = json!(1000);
    let mut cells = String::from("x,a,t\n");
    for row in 0..60_000_u64 {
        // Every coordinate once, shuffled.
        let x = row * 7919 % 1_000_000;
        let text = "v".repeat(usize::try_from(row % 30).unwrap());
        cells += &format!("{x},{},{text:?}\n", row % 1000);
    }
    let file = folder.join("cells.csv");
    fs::write(&file, cells).unwrap();
    let temp = folder.join("temp");
    fs::create_dir(&temp).unwrap();
    let read = |name: &str, options: &str| {
        let array = made(&folder, name, &schema);
        stdout(&format!("write {array} {} {options}", file.display()));
        stdout(&format!("read {array} --format csv"))
    };
    let little = read("little", &format!("--memory 2MB --temp {}", temp.display()));
    assert_eq!(little.lines().count(), 60_001);
    assert!(little == read("much", ""));
    assert_eq!(fs::read_dir(&temp).unwrap().count(), 0);
}

#[test]
fn labels_out_of_order_are_refused_by_the_name_of_the_label() {
    let folder = folder("labels");
    let mut schema = dense();
    schema["labels"] = json!([
        {"name": "height", "dimension": "y", "order": "increasing", "datatype": "float64"},
        {"name": "place", "dimension": "x", "order": "decreasing", "datatype": "string_ascii", "cell_val_num": "var"},
    ]);
    let array = made(&folder, "array", &schema);
    let column = |label: &str| {
        let schema = stdout(&format!("schema {array}/__labels/{label} --json"));
        let schema: Value = serde_json::from_str(&schema).unwrap();
        schema["attributes"][0]["name"].as_str().unwrap().to_owned()
    };
    let csv = |name: &str, label: &str, cells: &str| {
        let file = folder.join(name);
        fs::write(&file, format!("{}\n{cells}", column(label))).unwrap();
        format!("write {array}/__labels/{label} {}", file.display())
    };
    let low = csv("low.csv", "l0", "1.5\n2\n");
    let texts = [
        failure(&csv("h.csv", "l0", "-1\n0.5\n7\n7\n"), &folder),
        failure(&csv("p.csv", "l1", "Uster\nAarau\nBern\n"), &folder),
    ];
    insta::assert_snapshot!(texts.join("\n"), @r#"
    2 error: …/h.csv: line 5, label "height": 7.0 follows 7.0, and each value of this field is greater than the one before it

    2 error: …/p.csv: line 4, label "place": "Bern" follows "Aarau", and each value of this field is less than the one before it
    "#);
    assert_eq!(
        stdout(&format!("fragments {array}/__labels/l0 --json")).trim(),
        "[]"
    );
    // Two separately sorted writes are not sorted together; the label then leads nowhere.
    let label = format!("{array}/__labels/l0");
    stdout(&format!("{low} --range {}=2..3", dimension(&label)));
    stdout(&format!("{low} --range {}=0..1", dimension(&label)));
    stdout(&csv("p.csv", "l1", "Uster\nBern\nAarau\n"));
    stdout(&format!("write {array} {}", csv_of_dense(&folder)));
    let read = |range: &str| format!("read {array} --format csv --label {range}");
    insta::assert_snapshot!(failure(&read("height=1..2"), &folder), @r#"
    3 error: …/array: label "height"
      1.5 follows 2.0, and each value of this field is greater than the one before it
    "#);
    insta::assert_snapshot!(stdout(&read("place=B..N")), @r"
    y,x,a
    0,1,1
    1,1,4
    2,1,7
    3,1,10
    ");
}

/// The name of an array's only dimension.
fn dimension(array: &str) -> String {
    let schema: Value = serde_json::from_str(&stdout(&format!("schema {array} --json"))).unwrap();
    schema["dimensions"][0]["name"].as_str().unwrap().to_owned()
}

/// Writes a CSV file with all cells of the dense array.
fn csv_of_dense(folder: &Path) -> String {
    let file = folder.join("dense.csv");
    let cells = (0..12).map(|cell| format!("{cell}\n"));
    fs::write(&file, format!("a\n{}", cells.collect::<String>())).unwrap();
    file.display().to_string()
}
