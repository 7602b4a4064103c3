//! Empty lists of intervals, as a search without results produces them.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;

use tempfile::TempDir;

use crate::common::{run, stdout, told};

const DENSE: &str = "v22_dense_basics/array";
const SPARSE: &str = "v22_tour/array";

/// Writes a range file with this content. Returns its folder and the argument.
fn ranges(json: &str) -> (TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ranges.json");
    fs::write(&file, json).unwrap();
    let argument = format!("--range-file {}", file.display());
    (folder, argument)
}

#[test]
fn an_empty_list_of_intervals_holds_no_cell() {
    for (array, dimension) in [(DENSE, "row"), (DENSE, "col"), (SPARSE, "station")] {
        let (_folder, none) = ranges(&format!("{{\"{dimension}\": []}}"));
        assert_eq!(stdout(&format!("count {array} {none}")), "0\n");
        for verb in ["read", "head", "sample"] {
            let cells = if verb == "sample" { "5" } else { "" };
            let rows = stdout(&format!("{verb} {array} {cells} {none}"));
            assert_eq!(rows.lines().count(), 1, "{verb}: {rows}");
        }
        let others = stdout(&format!("compare {array} {array} {none}"));
        assert_eq!(others, "cells: 0 added, 0 removed, 0 changed\n");
        let groups = stdout(&format!("agg {array} count(*) --by {dimension} {none}"));
        assert_eq!(groups.lines().count(), 1, "{groups}");
        let values = stdout(&format!("distinct {array} {dimension} {none}"));
        assert_eq!(values.lines().count(), 1, "{values}");
        let all = stdout(&format!("agg {array} count(*),count({dimension}) {none}"));
        assert!(
            all.lines()
                .nth(1)
                .unwrap()
                .split_whitespace()
                .all(|n| n == "0"),
            "{all}"
        );
        let told = stdout(&format!("explain {array} {none}"));
        assert!(told.contains("reads 0 of "), "{told}");
    }
}

#[test]
fn what_else_takes_ranges_reads_nothing_too() {
    let (folder, none) = ranges("{\"row\": []}");
    insta::assert_snapshot!(stdout(&format!("stats {DENSE} --fields i8,row {none}")), @"
    field  type   count  nulls  distinct
    i8     int8       0      0         0
    row    int32      0      0         0
    ");
    insta::assert_snapshot!(told(&run(&format!("hist {DENSE} i8 {none}"))), @"
    from  to  cells
    exit status 0
    ");
    insta::assert_snapshot!(told(&run(&format!("show {DENSE} --attr u8 --numbers {none}"))), @"
    error: the selection is empty: there is nothing to draw
    hint: an empty list of ranges selects no cell; leave it out to draw all of the dimension
    exit status 2
    ");
    let file = folder.path().join("cells.npy");
    let written = run(&format!(
        "read {DENSE} --attrs u8 {none} -o {}",
        file.display()
    ));
    insta::assert_snapshot!(told(&written), @"
    exit status 0
    ");
    let header = fs::read(&file).unwrap();
    assert!(String::from_utf8_lossy(&header).contains("'shape': (0, 0)"));
    let exported = folder.path().join("exported");
    let exported = exported.display();
    let exported = run(&format!("export {DENSE} {exported}.csv {none}"));
    assert_eq!(told(&exported), "exit status 0");
    let lines = fs::read_to_string(folder.path().join("exported.csv")).unwrap();
    assert_eq!(lines.lines().count(), 1, "{lines}");
}

#[test]
fn intervals_of_a_dimension_add_up_to_an_empty_list_of_it() {
    let (_folder, none) = ranges("{\"station\": []}");
    let one = format!("count {SPARSE} --range station=BGN");
    assert_eq!(stdout(&format!("{one} {none}")), stdout(&one));
    // Ranges of another dimension add nothing.
    assert_eq!(
        stdout(&format!("count {SPARSE} --range hour=2024 {none}")),
        "0\n"
    );
    let (_folder, no_dimension) = ranges("{}");
    assert_eq!(stdout(&format!("count {SPARSE} {no_dimension}")), "80\n");
    let (_folder, unknown) = ranges("{\"statoin\": []}");
    insta::assert_snapshot!(told(&run(&format!("count {SPARSE} {unknown}"))), @r#"
    error: there is no dimension "statoin"
    hint: did you mean "station"? the dimensions are station, hour
    exit status 2
    "#);
}

#[test]
fn no_box_is_written_of_an_empty_list() {
    let (folder, none) = ranges("{\"row\": []}");
    let file = folder.path().join("cells.csv");
    fs::write(&file, "i8\n1\n").unwrap();
    let written = run(&format!(
        "write {DENSE} {} {none} --dry-run",
        file.display()
    ));
    insta::assert_snapshot!(told(&written), @"
    error: --range-file: an empty list of intervals selects nothing to write
    hint: leave out the dimension to write all of it
    exit status 2
    ");
}
