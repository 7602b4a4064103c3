//! Comparisons of fields whose types differ, between two arrays or two times.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;

use crate::changing::of_schema;
use crate::common::{failure, run, stdout, tdb};

/// Creates an array with these attributes and with cells from CSV.
fn written(name: &str, attributes: &str, csv: &str) -> String {
    let schema = format!(
        r#"{{
            "type": "sparse",
            "dimensions": [{{"name": "x", "datatype": "int32", "domain": [0, 9], "extent": 10}}],
            "attributes": [{attributes}],
            "enumerations": [{{"name": "words", "datatype": "string_ascii", "cell_val_num": "var",
                "ordered": false, "values": ["red", "blue"]}}]
        }}"#
    );
    let (folder, array) = of_schema(name, &schema);
    let file = folder.join("cells.csv");
    fs::write(&file, csv).unwrap();
    stdout(&format!("write {array} {} -q", file.display()));
    array
}

const OLD: &str = r#"
    {"name": "i", "datatype": "int8"},
    {"name": "u", "datatype": "uint64", "nullable": true},
    {"name": "f", "datatype": "float32"},
    {"name": "list", "datatype": "int16", "cell_val_num": 2},
    {"name": "t", "datatype": "string_ascii", "cell_val_num": 3},
    {"name": "w", "datatype": "uint8", "enumeration": "words"}"#;

const NEW: &str = r#"
    {"name": "i", "datatype": "float64"},
    {"name": "u", "datatype": "int64"},
    {"name": "f", "datatype": "float64"},
    {"name": "list", "datatype": "float32", "cell_val_num": "var"},
    {"name": "t", "datatype": "blob", "cell_val_num": "var"},
    {"name": "w", "datatype": "string_utf8", "cell_val_num": "var"}"#;

const CELLS: &str = "x,i,u,f,list,t,w\n\
    1,-5,7,0.5,1 2,abc,red\n\
    2,5,,0.25,3 4,xyz,blue\n";

#[test]
fn fields_of_other_types_are_compared_by_value() {
    let cells = CELLS
        .replace("1 2", "\"[1,2]\"")
        .replace("3 4", "\"[3,4]\"");
    let old = written("compare_types_old", OLD, &cells);
    let hex = |cells: &str| cells.replace("abc", "616263").replace("xyz", "78797a");
    let same = hex(&cells).replace("5,,", "5,0,");
    let new = written("compare_types_new", NEW, &same);
    let told = failure(&format!("compare {old} {new}"));
    let cells_told = told.split("schema").last().unwrap();
    let (_, cells_told) = cells_told.split_once('\n').unwrap();
    insta::assert_snapshot!(cells_told, @"
       x  u
    ~  2  null -> 0
    cells: 0 added, 0 removed, 1 changed
    exit status 1
    ");
    let count = |array: &str, what: &str| {
        let output = run(&format!("compare {old} {array} --json"));
        let told: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        told[what].as_u64().unwrap()
    };
    assert_eq!(
        (count(&new, "compared_same"), count(&new, "changed")),
        (1, 1)
    );
    for (from, to) in [
        ("-5", "-5.5"),
        (",7,", ",-7,"),
        ("0.5", "0.1"),
        ("[1,2]", "[1,2,0]"),
        ("616263", "616200"),
        ("red", "RED"),
    ] {
        let other = written("compare_types_other", NEW, &same.replace(from, to));
        assert_eq!(count(&other, "changed"), 2, "{from} {to}");
        assert_eq!(count(&other, "compared_same"), 0, "{from} {to}");
    }
}

#[test]
fn what_cannot_be_compared_is_said_and_counts_as_nothing() {
    let number = r#"{"name": "a", "datatype": "int32"}, {"name": "b", "datatype": "int32"}"#;
    let text = r#"{"name": "a", "datatype": "string_utf8", "cell_val_num": "var"},
        {"name": "b", "datatype": "int32"}"#;
    let old = written("compare_kinds_old", number, "x,a,b\n1,5,6\n");
    let new = written("compare_kinds_new", text, "x,a,b\n1,5,6\n");
    insta::assert_snapshot!(failure(&format!("compare {old} {new}")), @r#"
    schema: attribute "a" was int32, is string_utf8, var
    a: not compared: int32 and string_utf8
    cells: 0 added, 0 removed, 0 changed
    exit status 1
    "#);
    let output = run(&format!("compare {old} {new} --json"));
    let told: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(told["compared_same"], 0);
    assert_eq!(
        told["not_compared"][0],
        "a: not compared: int32 and string_utf8"
    );
    let of_b = run(&format!("compare {old} {new} --attrs b --json"));
    let told: serde_json::Value = serde_json::from_slice(&of_b.stdout).unwrap();
    assert_eq!(told["compared_same"], 1);
}

#[test]
fn an_attribute_that_was_dropped_and_added_with_another_type_is_compared() {
    let attribute = r#"{"name": "a", "datatype": "int32", "fill": 7}"#;
    let array = written("diff_types", attribute, "x,a\n1,5\n2,7\n");
    std::thread::sleep(std::time::Duration::from_millis(20));
    let now = std::time::SystemTime::now();
    let now = now
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap()
        .as_millis();
    std::thread::sleep(std::time::Duration::from_millis(20));
    let evolve = |option: &str, value: &str| {
        let done = tdb(&format!("evolve {array} {option}"))
            .arg(value)
            .output()
            .unwrap();
        assert!(
            done.status.success(),
            "{}",
            String::from_utf8_lossy(&done.stderr)
        );
    };
    evolve("--drop-attr", "a");
    evolve(
        "--add-attr",
        r#"{"name": "a", "datatype": "float64", "fill": 7.0}"#,
    );
    insta::assert_snapshot!(failure(&format!("diff {array} --at {now}")), @r#"
    schema: attribute "a" was int32, is float64
       x  a
    ~  1  5 -> 7.0
    cells: 0 added, 0 removed, 1 changed
    exit status 1
    "#);
}
