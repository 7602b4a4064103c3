//! Indexes without a label in their enumeration, and ordered labels.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};

use crate::changing::of_schema;
use crate::common::{stdout, tdb};

/// Schema with an ordered enumeration for `c`, a non-nullable attribute, and an unordered one for `free`.
fn schema(kind: &str) -> String {
    let levels = |name: &str, ordered: bool| {
        format!(
            r#"{{"name": "{name}", "datatype": "string_utf8", "cell_val_num": "var", "ordered": {ordered},
                "values": ["low", "mid", "high"]}}"#
        )
    };
    format!(
        r#"{{
            "type": "{kind}",
            "dimensions": [{{"name": "x", "datatype": "int32", "domain": [0, 4], "extent": 2}}],
            "attributes": [
                {{"name": "c", "datatype": "int8", "enumeration": "levels"}},
                {{"name": "free", "datatype": "uint8", "enumeration": "names"}}
            ],
            "enumerations": [{}, {}]
        }}"#,
        levels("levels", true),
        levels("names", false),
    )
}

/// Creates an array with these indexes. Returns its folder and its path.
fn written(name: &str, kind: &str, at: &str, csv: &str) -> (PathBuf, String) {
    let (folder, array) = of_schema(name, &schema(kind));
    write(&folder, &array, at, csv);
    (folder, array)
}

fn write(folder: &Path, array: &str, at: &str, csv: &str) {
    let file = folder.join("cells.csv");
    fs::write(&file, csv).unwrap();
    stdout(&format!(
        "write {array} {} -q --enum-codes --at {at}",
        file.display()
    ));
}

const CELLS: &str = "x,c,free\n0,2,2\n1,0,0\n2,-1,255\n3,7,1\n4,1,3\n";

/// The number of cells for which a condition holds.
fn count(array: &str, condition: &str) -> String {
    let output = tdb(&format!("count {array} --where"))
        .arg(condition)
        .output()
        .unwrap();
    assert!(output.status.success(), "{condition}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

#[test]
fn an_index_without_a_label_is_null_to_every_verb() {
    for kind in ["sparse", "dense"] {
        let (folder, array) = written(&format!("unlabelled_{kind}"), kind, "1970-01-02", CELLS);
        for (condition, cells) in [
            ("c is null", "2"),
            ("c is not null", "3"),
            ("c < 'mid'", "1"),
            ("c != 'low'", "2"),
            ("c not in ('low')", "2"),
            ("free is null", "2"),
            ("free != 'mid'", "2"),
            ("c is null or free is null", "3"),
        ] {
            assert_eq!(count(&array, condition), cells, "{kind} {condition}");
        }
        let told = |verb: &str, arguments: &[&str]| {
            let file = folder.join("told.csv");
            let output = tdb(verb)
                .arg(&array)
                .args(arguments)
                .arg("-o")
                .arg(&file)
                .output()
                .unwrap();
            assert!(output.status.success(), "{verb} {arguments:?}");
            fs::read_to_string(file).unwrap()
        };
        assert_eq!(
            told("agg", &["count(c),null_count(c),min(c),max(c)"]),
            "count(c),null_count(c),min(c),max(c)\n3,2,low,high\n"
        );
        assert_eq!(
            told("agg", &["count(*),null_count(free)", "--by", "c"]),
            "c,count(*),null_count(free)\nlow,1,0\nmid,1,1\nhigh,1,0\n,2,1\n"
        );
        let stats = told("stats", &["--fields", "c,free"]);
        let stats: Vec<&str> = stats.lines().skip(1).collect();
        assert!(stats[0].starts_with("c,int8,3,2,3,"), "{stats:?}");
        assert!(stats[0].contains(",low,high,"), "{stats:?}");
        assert!(stats[1].starts_with("free,uint8,3,2,3,"), "{stats:?}");
        assert_eq!(told("distinct", &["c"]), "c\nlow\nmid\nhigh\n\n");
        assert_eq!(told("distinct", &["free"]), "free\nhigh\nlow\nmid\n\n");
    }
}

#[test]
fn cells_never_written_have_no_label_and_are_null() {
    let (_, array) = written(
        "unlabelled_unwritten",
        "dense",
        "1970-01-02",
        "x,c,free\n0,0,0\n1,1,1\n",
    );
    assert_eq!(count(&array, "c is null"), "3");
    assert_eq!(count(&array, "c < 'mid'"), "1");
    assert_eq!(count(&array, "free != 'low'"), "1");
}

#[test]
fn labels_sort_by_their_order_if_they_have_one() {
    let (_, array) = written("unlabelled_sorted", "sparse", "1970-01-02", CELLS);
    let sorted = |key: &str, field: &str| {
        let read = format!("read {array} --attrs {field} --no-dims --sort={key} --format csv");
        stdout(&read).replace('\n', " ")
    };
    assert_eq!(sorted("c", "c"), "c low mid high   ");
    assert_eq!(sorted("-c", "c"), "c high mid low   ");
    assert_eq!(sorted("free", "free"), "free high low mid   ");
    let top = format!("read {array} --attrs c --no-dims --sort=-c --limit 1 --format csv");
    assert_eq!(stdout(&top), "c\nhigh\n");
}

#[test]
fn indexes_without_a_label_stay_as_they_are_through_upkeep() {
    let (folder, array) = written("unlabelled_kept", "sparse", "1970-01-02", CELLS);
    let codes = |array: &str| {
        stdout(&format!(
            "read {array} --order row --enum-codes --format csv"
        ))
    };
    assert_eq!(codes(&array), CELLS);
    let copy = folder.join("copy").display().to_string();
    stdout(&format!("rewrite {array} {copy} -q"));
    assert_eq!(codes(&copy), CELLS);
    write(&folder, &array, "1970-01-04", "x,c,free\n2,0,0\n3,0,0\n");
    stdout(&format!("restore {array} --to 1970-01-03 -q"));
    assert_eq!(codes(&array), CELLS);
    stdout(&format!("consolidate {array} -q"));
    assert_eq!(codes(&array), CELLS);
    let set = tdb(&format!("set {array}"))
        .args(["x = 1", "free=high", "-q"])
        .status()
        .unwrap();
    assert!(set.success());
    assert_eq!(codes(&array), CELLS.replace("1,0,0", "1,0,2"));
}
