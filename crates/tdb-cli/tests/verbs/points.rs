//! `--points`: cells at coordinates from a file.

use std::io::Write as _;
use std::process::{Output, Stdio};

use crate::common::{run, stdout, tdb, told};

/// Runs a command with this text as standard input.
fn piped(arguments: &str, text: &str) -> Output {
    let mut child = tdb(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut input = child.stdin.take().expect("it was asked for");
    // Fails if the command ends before it reads its input.
    let _ = input.write_all(text.as_bytes());
    drop(input);
    child.wait_with_output().expect("the program ends")
}

#[test]
fn cells_at_points_are_read() {
    // Points may repeat, and there may be no cell at a point.
    let some = "hour,station\n2024-04-10T03,BGN\n2024-04-10T12,KEF\n2024-04-10T03,BGN\n2024-04-10T00,XXX\n";
    let read = |arguments: &str, points: &str| told(&piped(arguments, points));
    insta::assert_snapshot!(read("read v22_tour/array --points - --attrs temperature", some), @"
    station,hour,temperature
    BGN,2024-04-10T03,-1.75
    KEF,2024-04-10T12,5.5
    exit status 0
    ");
    // Along a dimension without a column, all cells match.
    insta::assert_snapshot!(read("read v22_tour/array --points - --attrs sky --where sky!='rain'", "hour\n2024-04-10T03\n"), @"
    station,hour,sky
    BGN,2024-04-10T03,snow
    CPT,2024-04-10T03,clear
    LPB,2024-04-10T03,snow
    OSA,2024-04-10T03,cloudy
    exit status 0
    ");
    insta::assert_snapshot!(read("read v22_dense_basics/array --points - --attrs i8", "row,col\n7,6\n1,2\n900,1\n3,-1\n"), @"
    row,col,i8
    3,-1,114
    1,2,-48
    7,6,99
    exit status 0
    ");
    insta::assert_snapshot!(read("read v22_dense_basics/array --points - --attrs i8 --order row", "row,col\n7,6\n1,2\n900,1\n3,-1\n"), @"
    row,col,i8
    1,2,-48
    3,-1,114
    7,6,99
    exit status 0
    ");
    insta::assert_snapshot!(read("read v22_dense_basics/array --points - --attrs i8 --no-dims --range row=1..3", "row,col\n7,6\n1,2\n3,-1\n"), @"
    i8
    114
    -48
    warning: without dimensions it is not visible which cells were left out: use --fill to keep their places
    exit status 0
    ");
    insta::assert_snapshot!(read("read v22_tour/array --points -", "hour,station\n"), @"
    station,hour,temperature,pressure,sky,remark
    exit status 0
    ");
}

#[test]
fn what_reads_and_asks_takes_points() {
    let points = "row,col\n7,6\n1,2\n3,-1\n";
    let asked = |arguments: &str| told(&piped(arguments, points));
    insta::assert_snapshot!(asked("count v22_dense_basics/array --points -"), @"
    3
    exit status 0
    ");
    insta::assert_snapshot!(asked("agg v22_dense_basics/array count(*),sum(u8) --points -"), @"
    count(*)  sum(u8)
           3      513
    exit status 0
    ");
    insta::assert_snapshot!(asked("explain v22_dense_basics/array --points - --attrs u8"), @"
    v22_dense_basics/array: reads 5 of 10 tiles, at most 261 B
      4 outside of the ranges
      1 without a point, or ruled out by the condition

    written                   outside  hidden  ruled out  read  bytes  fragment
    1970-01-01T00:00:00.130Z        0       0          0     2  102 B  __130_130_0123456789abcdef0123456789abcdef_22
    1970-01-01T00:00:00.110Z        2       0          0     2  112 B  __110_110_0123456789abcdef0123456789abcdef_22
    1970-01-01T00:00:00.120Z        2       0          1     1   47 B  __120_120_0123456789abcdef0123456789abcdef_22

    field  bytes
    u8     261 B
    exit status 0
    ");
    insta::assert_snapshot!(asked("show v22_dense_basics/array --points - --attr u8 --numbers"), @r#"
    row \ col  -2   -1  0  1    2  3  4  5    6
            1   ·    ·  ·  ·  140  ·  ·  ·    ·
            2   ·    ·  ·  ·    ·  ·  ·  ·    ·
            3   ·  215  ·  ·    ·  ·  ·  ·    ·
            4   ·    ·  ·  ·    ·  ·  ·  ·    ·
            5   ·    ·  ·  ·    ·  ·  ·  ·    ·
            6   ·    ·  ·  ·    ·  ·  ·  ·    ·
            7   ·    ·  ·  ·    ·  ·  ·  ·  158
    exit status 0
    "#);
    insta::assert_snapshot!(asked("compare v22_dense_basics/array v22_dense_basics/array --points -"), @"
    error: --points cannot read standard input here: it would have to be read twice
    hint: use a file instead
    exit status 2
    ");
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("points.jsonl");
    std::fs::write(&file, "{\"col\": 2}\n").expect("to disk");
    let npy = folder.path().join("box.npy");
    insta::assert_snapshot!(told(&run(&format!(
        "read v22_dense_basics/array --points {} --attrs u8 --range row=1..3 --range col=1..4 -o {}",
        file.display(), npy.display()
    ))), @"
    9 of 12 cells are at none of the --points and have the fill value
    exit status 0
    ");
    let mine = stdout(&format!(
        "compare v22_dense_basics/array v22_dense_basics/array --points {}",
        file.display()
    ));
    assert_eq!(mine, "cells: 0 added, 0 removed, 0 changed\n");
}

#[test]
fn points_that_cannot_be_are_told() {
    let read = |points: &str| told(&piped("read v22_dense_basics/array --points -", points));
    insta::assert_snapshot!(read("a,b\n1,2\n"), @r#"
    error: standard input: column "a" is no dimension
    hint: the dimensions are row, col; a file of points has no other columns
    exit status 2
    "#);
    insta::assert_snapshot!(read("row,col\n1,2\n3,x\n"), @r#"
    error: standard input: line 3, field "col": "x" is not a valid int32
    exit status 2
    "#);
    insta::assert_snapshot!(read("row,col\n1,2\n3,\n"), @r#"
    error: standard input: line 3, field "col": is null, and the field is not nullable
    exit status 2
    "#);
    insta::assert_snapshot!(told(&run("read v22_dense_basics/array --points nowhere.csv")), @"
    error: nowhere.csv: No such file or directory (os error 2)
    exit status 3
    ");
    insta::assert_snapshot!(told(&run("read v22_dense_basics/array --points nowhere")), @"
    error: nowhere: cannot determine the format from the name
    hint: use --format csv, jsonl, json, arrow, parquet or npy
    exit status 2
    ");
}

#[test]
fn a_column_of_points_that_is_no_dimension_is_refused() {
    let read = |points: &str| told(&piped("count v22_dense_basics/array --points -", points));
    insta::assert_snapshot!(read("row,Col\n1,2\n"), @r#"
    error: standard input: column "Col" is no dimension
    hint: did you mean "col"? the dimensions are row, col; a file of points has no other columns
    exit status 2
    "#);
    insta::assert_snapshot!(read("row,cl\n1,2\n"), @r#"
    error: standard input: column "cl" is no dimension
    hint: did you mean "col"? the dimensions are row, col; a file of points has no other columns
    exit status 2
    "#);
    // A blank is part of the column name, as in all files.
    insta::assert_snapshot!(read("row, col\n1, 2\n"), @r#"
    error: standard input: column " col" is no dimension
    hint: did you mean "col"? the dimensions are row, col; a file of points has no other columns
    exit status 2
    "#);
    insta::assert_snapshot!(read(",row,col\n0,1,2\n"), @r#"
    error: standard input: column "index" is no dimension
    hint: the dimensions are row, col; a file of points has no other columns
    exit status 2
    "#);
    insta::assert_snapshot!(read("row,col,i8\n1,2,5\n"), @r#"
    error: standard input: column "i8" is no dimension
    hint: the dimensions are row, col; a file of points has no other columns
    exit status 2
    "#);
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("points.jsonl");
    let asked = |lines: &str| {
        std::fs::write(&file, lines).expect("to disk");
        let arguments = format!("count v22_dense_basics/array --points {}", file.display());
        told(&run(&arguments)).replace(&file.display().to_string(), "FILE")
    };
    insta::assert_snapshot!(asked("{\"row\": 1, \"col\": 2}\n{\"row\": 1, \"col\": 2, \"Row\": 3}\n"), @r#"
    error: FILE: line 2: there is no field "Row"
    hint: did you mean "row"? the fields are row, col
    exit status 2
    "#);
    // An empty file, as a search without results produces it.
    assert_eq!(asked(""), "0\nexit status 0");
}
