//! `tdb advise` and `tdb filters try`.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value as Json;

use crate::common::{failure, fixtures, run, stdout};

/// Lists the filters tried on a field, with their results.
fn tried(array: &str, field: &str) -> String {
    let json: Json =
        serde_json::from_str(&stdout(&format!("filters try {array} {field} --json"))).unwrap();
    let mut lines = vec![format!("{} cells, {} bytes", json["cells"], json["bytes"])];
    for trial in json["trials"].as_array().unwrap() {
        let is_current = if trial["current"] == true {
            ", today"
        } else {
            ""
        };
        assert!(trial["reading_seconds"].as_f64() > Some(0.0));
        lines.push(format!(
            "{} {}{is_current}",
            trial["filters"].as_str().unwrap(),
            trial["stored"]
        ));
    }
    lines.join("\n")
}

#[test]
fn filters_are_tried_on_the_cells_of_a_field() {
    insta::assert_snapshot!(tried("v22_tour/array", "station"), @"
    80 cells, 240 bytes
    rle 310, today
    lz4 328
    zstd:5 338
    none 340
    zstd:12 343
    zstd:1 350
    dictionary 390
    bzip2:9 459
    ");
    insta::assert_snapshot!(tried("v22_tour/array", "hour"), @"
    80 cells, 640 bytes
    zstd:5 371
    lz4 401
    zstd:12 412
    byteshuffle,lz4 417
    byteshuffle,zstd:1 462
    byteshuffle,zstd:5 462
    byteshuffle,zstd:12 464
    bzip2:9 473
    bit_width_reduction,zstd:5 483
    zstd:1 485
    bitshuffle,lz4 490
    bitshuffle,zstd:5 515
    bitshuffle,zstd:1 521
    delta,zstd:5 525
    bitshuffle,zstd:12 531
    double_delta,zstd:5 536, today
    none 740
    rle 980
    ");
    insta::assert_snapshot!(tried("v22_dense_basics/array", "n_f64"), @"
    63 cells, 504 bytes
    zstd:5 487
    lz4 498
    zstd:12 516
    zstd:1 539
    bitshuffle,lz4 571
    byteshuffle,lz4 607
    none 624, today
    bitshuffle,zstd:5 642
    bitshuffle,zstd:12 644
    bitshuffle,zstd:1 654
    byteshuffle,zstd:5 669
    byteshuffle,zstd:12 673
    byteshuffle,zstd:1 694
    bzip2:9 706
    xor,byteshuffle,zstd:5 839
    ");
    insta::assert_snapshot!(tried("v22_dense_basics/array", "pair"), @"
    63 cells, 252 bytes
    none 372
    lz4 442
    zstd:5 489
    zstd:12 490
    zstd:1 499, today
    rle 534
    bitshuffle,lz4 555
    byteshuffle,lz4 563
    bitshuffle,zstd:1 651
    bitshuffle,zstd:5 651
    bitshuffle,zstd:12 651
    byteshuffle,zstd:5 652
    byteshuffle,zstd:12 659
    byteshuffle,zstd:1 662
    bit_width_reduction,zstd:5 681
    bzip2:9 696
    double_delta,zstd:5 718
    delta,zstd:5 730
    ");
    insta::assert_snapshot!(tried("v22_dense_basics/array", "list"), @"
    63 cells, 384 bytes
    none 504
    bitshuffle,lz4 536
    lz4 562, today
    zstd:12 565
    zstd:5 600
    zstd:1 604
    bitshuffle,zstd:12 632
    bitshuffle,zstd:1 633
    bitshuffle,zstd:5 633
    byteshuffle,lz4 664
    rle 720
    byteshuffle,zstd:12 721
    bzip2:9 722
    byteshuffle,zstd:5 746
    byteshuffle,zstd:1 759
    bit_width_reduction,zstd:5 804
    double_delta,zstd:5 817
    delta,zstd:5 847
    ");
    insta::assert_snapshot!(failure("filters try v22_dense_basics/array row"), @r#"
    error: dimension "row": a dense array stores no coordinates
    hint: attributes have filters that are at work
    exit status 2
    "#);
    insta::assert_snapshot!(failure("filters try v22_tour/array sattion"), @r#"
    error: there is no field "sattion"
    hint: did you mean "station"? the fields are station, hour, temperature, pressure, sky, remark
    exit status 2
    "#);
    insta::assert_snapshot!(failure("filters try v22_tour/array"), @"
    error: the following required arguments were not provided:
      <FIELD>

    Usage: tdb filters try <ARRAY> <FIELD>

    For more information, try '--help'.
    exit status 2
    ");
}

#[test]
fn a_part_of_the_cells_can_be_tried() {
    let cells = |size: &str| {
        let json = stdout(&format!(
            "filters try v22_tour/array hour --json --sample {size}"
        ));
        let json: Json = serde_json::from_str(&json).unwrap();
        (
            json["cells"].as_u64().unwrap(),
            json["bytes"].as_u64().unwrap(),
        )
    };
    assert_eq!(cells("1MiB"), (80, 640));
    assert_eq!(cells("80"), (10, 80));
    assert_eq!(cells("0"), (0, 0));
    // Fewer cells existed at an earlier time.
    assert_eq!(cells("1MiB --at 2024-04-11"), (48, 384));
}

/// Returns the advised command, with the URI of a new array.
fn advised(array: &str, new: &str) -> String {
    let output = run(&format!("advise {array}"));
    let note = String::from_utf8(output.stderr).unwrap();
    let mut lines = note.lines();
    let command = lines.find_map(|line| line.strip_prefix("to apply it: "));
    command.expect("a command").replace("NEW", new)
}

fn apply(command: &str) {
    let command = command.replacen("tdb", env!("CARGO_BIN_EXE_tdb"), 1);
    let applied = Command::new("sh")
        .arg("-c")
        .arg(&command)
        .current_dir(fixtures())
        .output();
    assert!(applied.unwrap().status.success(), "{command}");
}

/// Creates an array of points in the plane with tiles that are far too small; `kind` is `dense` or `sparse`.
fn of_small_tiles(folder: &Path, kind: &str) -> String {
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder).unwrap();
    let place = |name: &str| folder.join(name).display().to_string();
    let side = |name: &str| {
        format!(r#"{{"name": "{name}", "datatype": "int32", "domain": [0, 99], "extent": 2}}"#)
    };
    let schema = format!(
        r#"{{"type": "{kind}", "capacity": 4, "dimensions": [{}, {}],
            "attributes": [{{"name": "a", "datatype": "int64", "filters": [{{"name": "zstd"}}]}}]}}"#,
        side("y y"),
        side("x")
    );
    fs::write(place("schema.json"), schema).unwrap();
    let rows = (0..10_000).map(|n| format!("{},{},{}\n", n / 100, n % 100, n / 7));
    let rows = format!("y y,x,a\n{}", rows.collect::<String>());
    fs::write(place("cells.csv"), rows).unwrap();
    let (array, schema, cells) = (place("array"), place("schema.json"), place("cells.csv"));
    stdout(&format!("create {array} --schema {schema}"));
    stdout(&format!("write {array} {cells}"));
    array
}

#[test]
fn tiles_that_take_less_are_advised() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("advised_tiles");
    for (kind, option) in [("dense", " --tiles "), ("sparse", " --capacity ")] {
        let array = of_small_tiles(&folder, kind);
        let json: Json = serde_json::from_str(&stdout(&format!("advise {array} --json"))).unwrap();
        let trials = json["tiles"]["trials"].as_array().unwrap();
        assert_eq!(json["tiles"]["cells"], 10_000);
        let is = |trial: &&Json, what: &str| trial[what] == true;
        let current = trials.iter().find(|trial| is(trial, "current")).unwrap();
        let best = trials.iter().find(|trial| is(trial, "advised")).unwrap();
        let stored = |trial: &Json| trial["stored"].as_u64().unwrap();
        assert!(stored(best) * 10 <= stored(current) * 9);
        for trial in trials {
            for time in ["writing_seconds", "reading_seconds", "boxes_seconds"] {
                assert!(trial[time].as_f64() > Some(0.0), "{trial}");
            }
        }
        let new = folder.join("new").display().to_string();
        // A second measurement may advise another number for the same option.
        let told = advised(&array, &new);
        assert!(told.contains(option), "{told}");
        let options = json["tiles"]["options"].as_str().unwrap();
        apply(&format!("tdb rewrite {array} {new} {options}"));
        let compared = run(&format!("compare {array} {new}"));
        assert_eq!(
            String::from_utf8_lossy(&compared.stdout),
            "cells: 0 added, 0 removed, 0 changed\n"
        );
        let schema: Json = serde_json::from_str(&stdout(&format!("schema {new} --json"))).unwrap();
        match kind {
            "dense" => {
                for dimension in schema["dimensions"].as_array().unwrap() {
                    let name = dimension["name"].as_str().unwrap();
                    assert_eq!(dimension["extent"], best["extents"][name]);
                }
            }
            _ => assert_eq!(schema["capacity"], best["capacity"]),
        }
    }
}

#[test]
fn tiles_of_arrays_with_few_cells_or_none_stay() {
    let tiles = |array: &str| -> (Vec<String>, String) {
        let json: Json = serde_json::from_str(&stdout(&format!("advise {array} --json"))).unwrap();
        let trials = json["tiles"]["trials"].as_array().unwrap().iter();
        let told = trials.map(|trial| format!("{} {}", trial["capacity"], trial["cell_order"]));
        (
            told.collect(),
            json["tiles"]["options"].as_str().unwrap().to_owned(),
        )
    };
    let (tried, options) = tiles("v22_tour/array");
    assert_eq!(
        tried,
        [r#"16 "row""#, r#"16 "col""#, r#"16 "hilbert""#],
        "80 cells are too few for other capacities"
    );
    assert!(!options.contains("--capacity"), "{options}");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("advised_nothing");
    let array = of_small_tiles(&folder, "dense");
    stdout(&format!("delete {array} --fragments --at now"));
    assert_eq!(tiles(&array), (Vec::new(), String::new()));
}

#[test]
fn what_is_advised_can_be_applied() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("advised");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    // Counting numbers with a slow filter: other filters are both smaller and faster.
    let rows = (0..200_000).map(|row| format!("{row},{}\n", row / 1000));
    fs::write(
        folder.join("cells.csv"),
        format!("id,a b\n{}", rows.collect::<String>()),
    )
    .unwrap();
    let place = |name: &str| folder.join(name).display().to_string();
    let (csv, plain, array) = (place("cells.csv"), place("plain"), place("array"));
    run(&format!("import {csv} {plain}"));
    assert!(
        run(&format!("rewrite {plain} {array} --filters gzip:1"))
            .status
            .success()
    );
    let command = advised(&array, &place("new"));
    assert!(command.contains("'\"a b\"="), "{command}");
    apply(&command);
    assert!(
        run(&format!("compare {array} {}", place("new")))
            .stdout
            .ends_with(b"0 changed\n")
    );
    let size = |array: &str| {
        let json: Json = serde_json::from_str(&stdout(&format!("info {array} --json"))).unwrap();
        json["bytes"].as_u64().unwrap()
    };
    assert!(size(&place("new")) < size(&array));
}
