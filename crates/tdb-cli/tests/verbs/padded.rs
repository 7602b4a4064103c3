//! Text that is shorter than its fixed-size cell.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;

use crate::changing::of_schema;
use crate::common::{run, stdout, tdb, told};

fn schema(values: &str) -> String {
    format!(
        r#"{{
            "type": "sparse",
            "dimensions": [{{"name": "x", "datatype": "int32", "domain": [0, 99], "extent": 10}}],
            "attributes": [
                {{"name": "c", "datatype": "char", "cell_val_num": {values}}},
                {{"name": "a", "datatype": "string_ascii", "cell_val_num": {values}}},
                {{"name": "u", "datatype": "string_utf8", "cell_val_num": {values}, "nullable": true}}
            ]
        }}"#
    )
}

fn write(folder: &Path, array: &str, file: &str, cells: &str) -> String {
    let file = folder.join(file);
    fs::write(&file, cells).unwrap();
    told(&run(&format!("write {array} {} -q", file.display())))
}

const CELLS: &str = "x,c,a,u\n0,ab,abc,ä\n1,abc,\"\",\n2,\"\",a,xyz\n";

#[test]
fn shorter_text_is_filled_up_and_read_without_what_fills_it() {
    let (folder, array) = of_schema("padded_text", &schema("3"));
    assert_eq!(write(&folder, &array, "cells.csv", CELLS), "exit status 0");
    assert_eq!(stdout(&format!("read {array} --format csv")), CELLS);
    insta::assert_snapshot!(stdout(&format!("read {array} --format jsonl")), @r#"
    {"x":0,"c":"ab","a":"abc","u":"ä"}
    {"x":1,"c":"abc","a":"","u":null}
    {"x":2,"c":"","a":"a","u":"xyz"}
    "#);
    let lines = stdout(&format!("read {array} --format jsonl")).replace("\"x\":", "\"x\":1");
    assert_eq!(
        write(&folder, &array, "cells.jsonl", &lines),
        "exit status 0"
    );
    let count = |condition: &str| {
        let output = tdb(&format!("count {array} --where"))
            .arg(condition)
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    for (condition, cells) in [
        ("c = 'ab'", "2"),
        ("c = ''", "2"),
        ("c != 'ab'", "4"),
        ("c in ('ab', 'abc')", "4"),
        ("c < 'abc'", "4"),
        ("c like '__'", "2"),
        ("c starts with 'ab'", "4"),
        ("u = 'ä'", "2"),
        ("c = a", "0"),
        ("a > c", "4"),
    ] {
        assert_eq!(count(condition), cells, "{condition}");
    }
    let least = tdb(&format!("agg {array}"))
        .args(["min(c),max(c),min(u)", "--json"])
        .output()
        .unwrap();
    let least: serde_json::Value = serde_json::from_slice(&least.stdout).unwrap();
    assert_eq!(least[0]["min(u)"], "xyz");
    let file = folder.join("groups.csv").display().to_string();
    stdout(&format!("agg {array} count(*) --by a -o {file}"));
    let groups = fs::read_to_string(file).unwrap();
    assert_eq!(groups, "a,count(*)\n\"\",2\na,2\nabc,2\n");
    let set = tdb(&format!("set {array}"))
        .args(["x = 1", "c=zz", "u=y"])
        .output()
        .unwrap();
    assert_eq!(told(&set), "changed 1 cell where x = 1\nexit status 0");
    assert_eq!(count("c = 'zz' and u = 'y'"), "1");
    let deleted = tdb(&format!("delete {array} --where"))
        .arg("c = 'zz'")
        .output()
        .unwrap();
    assert!(deleted.status.success());
    assert_eq!(count("c = 'zz'"), "0");
}

#[test]
fn longer_text_is_refused_everywhere() {
    let (folder, array) = of_schema("padded_long", &schema("2"));
    let csv = write(&folder, &array, "cells.csv", "x,c,a,u\n1,abc,a,\n");
    assert!(csv.contains("3 bytes, and a cell has 2"), "{csv}");
    let lines = write(
        &folder,
        &array,
        "c.jsonl",
        "{\"x\":1,\"c\":\"a\",\"a\":\"abc\",\"u\":null}\n",
    );
    assert!(lines.contains("3 bytes, and a cell has 2"), "{lines}");
    assert_eq!(
        write(&folder, &array, "one.csv", "x,c,a,u\n1,a,a,\n"),
        "exit status 0"
    );
    let set = told(
        &tdb(&format!("set {array}"))
            .args(["x = 1", "a=abc"])
            .output()
            .unwrap(),
    );
    assert!(set.contains("3 bytes, and a cell has 2"), "{set}");
    let (other, text) = of_schema("padded_long_text", &schema("\"var\""));
    assert_eq!(
        write(&other, &text, "cells.csv", "x,c,a,u\n1,abc,a,\n"),
        "exit status 0"
    );
    let file = other.join("cells.parquet").display().to_string();
    stdout(&format!("read {text} -o {file}"));
    let parquet = told(&run(&format!("write {array} {file}")));
    assert!(parquet.contains("3 bytes, and a cell has 2"), "{parquet}");
}

#[test]
fn files_of_text_and_of_bytes_fill_cells() {
    let (folder, text) = of_schema("padded_files_text", &schema("\"var\""));
    assert_eq!(write(&folder, &text, "cells.csv", CELLS), "exit status 0");
    for (file, options) in [
        ("cells.parquet", ""),
        ("bytes.parquet", "--binary-strings"),
        ("cells.arrow", ""),
    ] {
        let (of_file, array) = of_schema(&format!("padded_{file}"), &schema("3"));
        let file = of_file.join(file).display().to_string();
        stdout(&format!("read {text} -o {file} {options}"));
        stdout(&format!("write {array} {file} -q"));
        assert_eq!(
            stdout(&format!("read {array} --format csv")),
            CELLS,
            "{file}"
        );
        // The same bytes in a cell of the same length.
        let back = of_file.join("back.parquet").display().to_string();
        stdout(&format!("read {array} -o {back}"));
        let copy = of_file.join("copy").display().to_string();
        stdout(&format!("import {back} {copy} -q"));
        let compared = run(&format!("compare {array} {copy}"));
        assert!(compared.status.success(), "{}", told(&compared));
    }
}

#[test]
fn bytes_before_the_end_stay_as_they_are() {
    let (folder, array) = of_schema("padded_bytes", &schema("3"));
    let cells = "x,c,a,u\n0,0x610062,0xff6161,0x006100\n1,0x616100,0x616161,0x090a00\n";
    assert_eq!(write(&folder, &array, "cells.csv", cells), "exit status 0");
    let read = stdout(&format!("read {array} --format csv"));
    assert_eq!(
        read,
        "x,c,a,u\n0,0x610062,0xff6161,0x006100\n1,aa,aaa,\"\t\n\"\n"
    );
    let (_, copy) = of_schema("padded_bytes_back", &schema("3"));
    for (file, option) in [("b.csv", "csv"), ("b.jsonl", "jsonl")] {
        let cells = stdout(&format!("read {array} --format {option}"));
        assert_eq!(write(&folder, &copy, file, &cells), "exit status 0");
        let compared = run(&format!("compare {array} {copy}"));
        assert!(compared.status.success(), "{}", told(&compared));
    }
}
