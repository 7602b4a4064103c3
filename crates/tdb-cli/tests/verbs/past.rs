//! Verbs about history: `log`, `diff`, `compare`; and verbs that change it: `set`, `restore`.

use crate::common::{copy, failure, fixtures, run, shown, told};

#[test]
fn events_are_told() {
    insta::assert_snapshot!(shown("log v22_tour/array"));
    insta::assert_snapshot!(shown("log v22_deletes/array"));
    insta::assert_snapshot!(shown("log v22_evolution_sparse/array"));
    insta::assert_snapshot!(shown("log v22_commits_merged/array"));
    insta::assert_snapshot!(shown("log v22_array_meta/array"));
    insta::assert_snapshot!(shown("log v22_group/group"));
    insta::assert_snapshot!(shown("log v3_sparse_basics/array"));
    insta::assert_snapshot!(shown("log v22_deletes/array --since 135 --at 140 --json"));
    insta::assert_snapshot!(failure("log nowhere"), @r#"
    error: nowhere: not found
    exit status 3
    "#);
}

#[test]
fn cells_of_two_times_are_compared() {
    insta::assert_snapshot!(failure("diff v22_tour/array --at 2024-04-11 --at 2024-04-13 --limit 6"), @r"
       station  hour           temperature     pressure  sky
    ~  BGN      2024-04-10T00  -1.75 -> -1.25
    ~  BGN      2024-04-10T03  -2.25 -> -1.75
    ~  BGN      2024-04-10T06  0.25 -> 0.75
    ~  BGN      2024-04-10T09  4.0 -> 4.5
    +  BGN      2024-04-11T00  -1.75           null      snow
    +  BGN      2024-04-11T03  -2.25           1015      snow
    cells: 32 added, 0 removed, 4 changed
    30 more cells differ: use --limit to print more
    exit status 1
    ");
    insta::assert_snapshot!(failure("diff v22_tour/array --at 2024-04-12 --where temperature>0 --json"), @r#"
    {
      "added": 0,
      "removed": 0,
      "changed": 2,
      "compared_same": 0,
      "not_compared": [],
      "schema": [],
      "metadata": [],
      "cells": [
        {
          "change": "changed",
          "coordinates": {
            "station": "BGN",
            "hour": "2024-04-10T06"
          },
          "old": {
            "temperature": 0.25
          },
          "new": {
            "temperature": 0.75
          }
        },
        {
          "change": "changed",
          "coordinates": {
            "station": "BGN",
            "hour": "2024-04-10T09"
          },
          "old": {
            "temperature": 4.0
          },
          "new": {
            "temperature": 4.5
          }
        }
      ]
    }
    exit status 1
    "#);
    insta::assert_snapshot!(failure("diff v22_tour/array --at 2024-04-13"), @r#"
    cells: 0 added, 0 removed, 0 changed
    exit status 0
    "#);
    insta::assert_snapshot!(failure("diff v22_evolution_sparse/array --at 110 --at 160"), @r#"
    schema: added attribute "new" (string_utf8, var)
    schema: added attribute "maybe" (int64, nullable)
    schema: attribute "turn" was int16, is string_ascii, var
    schema: dropped attribute "drop"
    turn: not compared: int16 and string_ascii
       d   keep
    ~  6   788 -> -2147483648
    ~  7   0 -> -501
    ~  8   612 -> 120
    +  9   2147483647
    +  10  -905
    +  11  -2147483648
    +  12  905
    +  13  377
    +  14  2147483647
    +  15  -870
    cells: 7 added, 0 removed, 3 changed
    exit status 1
    "#);
    insta::assert_snapshot!(failure("diff v22_tour/array"), @r#"
    error: --at is missing: which time is compared with now?
    hint: tdb log lists the times of all changes
    exit status 2
    "#);
    insta::assert_snapshot!(failure("count v22_tour/array --at 1 --at 2"), @r#"
    error: --at is given more than once
    hint: use tdb diff to compare an array at two times
    exit status 2
    "#);
}

#[test]
fn arrays_are_compared() {
    insta::assert_snapshot!(failure("compare v22_deletes/array v22_deletes_merged/array"), @r#"
    cells: 0 added, 0 removed, 0 changed
    exit status 0
    "#);
    insta::assert_snapshot!(failure("compare v22_deletes/array v22_deletes_after/array --attrs a --limit 3"), @r"
       x   key  a
    +  0   key  6
    +  9   z    3
    +  11  k    8
    cells: 17 added, 1 removed, 4 changed
    19 more cells differ: use --limit to print more
    exit status 1
    ");
    insta::assert_snapshot!(failure("compare v22_deletes/array v22_tour/array"), @r#"
    error: arrays with different dimensions cannot be compared: x (int32), key (string_ascii), and station (string_ascii), hour (datetime_hr)
    exit status 2
    "#);
}

#[test]
fn cells_are_set_and_come_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let array = folder.path().join("tour");
    copy(&fixtures().join("v22_tour/array"), &array);
    let array = array.display().to_string();
    let told = |arguments: &[&str]| {
        let mut command = crate::common::tdb(arguments[0]);
        let output = command.arg(&array).args(&arguments[1..]).output();
        told(&output.expect("it runs")).replace(&array, "tour")
    };
    let one = "station = 'KEF' and hour = '2024-04-10T00'";
    insta::assert_snapshot!(told(&["set", one, "temperature=4.5", "sky=rain"]), @r#"
    changed 1 cell where station = 'KEF' and hour = '2024-04-10T00'
    exit status 0
    "#);
    insta::assert_snapshot!(told(&["set", "sky = 'snow'", "sky=rain", "--dry-run"]), @r"
    error: 21 cells match, and at most 1 may be changed
    hint: use --max 21 to change them all
    exit status 2
    ");
    insta::assert_snapshot!(told(&["set", one, "sky=hail"]), @r#"
    error: there is no label "hail"
    hint: the labels are clear, cloudy, rain, snow
    exit status 2
    "#);
    insta::assert_snapshot!(told(&["set", one, "sky"]), @r#"
    error: invalid value 'sky' for '<ATTR=VALUE>...': wanted ATTR=VALUE, like amount=12.5; a name with = stands in "double quotes"

    For more information, try '--help'.
    exit status 2
    "#);
    insta::assert_snapshot!(told(&["set", one, "station=BGN"]), @r#"
    error: "station" is a dimension: cells cannot be moved
    hint: delete the cell, and write another
    exit status 2
    "#);
    insta::assert_snapshot!(told(&["set", one, "temprature=1"]), @r#"
    error: there is no attribute "temprature"
    hint: did you mean "temperature"? the attributes are temperature, pressure, sky, remark
    exit status 2
    "#);
    insta::assert_snapshot!(told(&["set", one, "temperature=null"]), @r#"
    error: attribute "temperature" cannot be null
    exit status 2
    "#);
    insta::assert_snapshot!(told(&["set", one, "temperature=warm"]), @r#"
    error: attribute "temperature": "warm" is neither a number nor a field
    hint: the fields are station, hour, temperature, pressure, sky, remark
    exit status 2
    "#);
    insta::assert_snapshot!(told(&["diff", "--at", "2024-04-13"]), @r"
       station  hour           temperature   sky
    ~  KEF      2024-04-10T00  -3.25 -> 4.5  cloudy -> rain
    cells: 0 added, 0 removed, 1 changed
    exit status 1
    ");
    insta::assert_snapshot!(told(&["restore", "--to", "2024-04-11", "--dry-run"]), @r#"
    restore tour: cells: 0 returned, 32 removed, 5 changed
    exit status 0
    "#);
    insta::assert_snapshot!(told(&["restore", "--to", "2024-04-11"]), @r#"
    restored tour: cells: 0 returned, 32 removed, 5 changed
    exit status 0
    "#);
    insta::assert_snapshot!(told(&["diff", "--at", "2024-04-11"]), @r#"
    cells: 0 added, 0 removed, 0 changed
    exit status 0
    "#);
    insta::assert_snapshot!(told(&["restore", "--to", "2024-04-11", "--json"]), @r#"
    {
      "returned": 0,
      "removed": 0,
      "changed": 0,
      "written": 0,
      "fragments": [],
      "metadata": [],
      "dry_run": false,
      "later": null
    }
    exit status 0
    "#);
    insta::assert_snapshot!(told(&["restore", "--to", "2023-04-11"]), @r#"
    error: the array did not exist yet at 2023-04-11T00:00:00Z: it was created at 2024-04-09T23:00:00Z
    hint: tdb log lists the times of all changes
    exit status 2
    "#);
    let output = run("restore v22_evolution_sparse/array --to 110 --dry-run");
    insta::assert_snapshot!(crate::common::told(&output), @r#"
    error: the attributes have changed since: "drop" (float32) is gone, "turn" (int16) is gone, "new" (string_utf8, var) is new, "maybe" (int64, nullable) is new, "turn" (string_ascii, var) is new
    hint: evolve the array to the attributes of that time first; reading as of a time works with any schema
    exit status 2
    "#);
}

/// Otherwise one of the rows would be lost silently.
#[test]
fn rows_for_one_cell_of_a_dense_array_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let array = folder.path().join("basics");
    copy(&fixtures().join("v22_dense_basics/array"), &array);
    let rows = folder.path().join("rows.csv");
    let twice = "row,col,i8\n3,3,1\n2,2,1\n3,3,2\n";
    std::fs::write(&rows, twice).expect("it is written");
    let mut command = crate::common::tdb("write --replace");
    let output = command.arg(&array).arg(&rows).output().expect("it runs");
    let text = told(&output).replace(&rows.display().to_string(), "rows.csv");
    insta::assert_snapshot!(text, @r"
    error: rows.csv: two rows are for the cell at row = 3, col = 3
    hint: leave one of them out
    exit status 2
    ");
}

/// Reads all objects below a folder.
fn objects(folder: &std::path::Path) -> std::collections::BTreeMap<String, Vec<u8>> {
    let mut found = std::collections::BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).expect("a folder").flatten() {
            if entry.path().is_dir() {
                folders.push(entry.path());
            } else {
                let name = entry
                    .path()
                    .strip_prefix(folder)
                    .expect("within")
                    .display()
                    .to_string();
                found.insert(name, std::fs::read(entry.path()).expect("a file"));
            }
        }
    }
    found
}

#[test]
fn what_came_after_a_time_is_taken_away() {
    for merges_commits in [false, true] {
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path().join("tour");
        copy(&fixtures().join("v22_tour/array"), &place);
        let before = objects(&place);
        let array = place.display().to_string();
        let rows = folder.path().join("rows.csv").display().to_string();
        let row = "station,hour,temperature\nKEF,2024-04-10T00,4.5\n";
        std::fs::write(&rows, row).expect("it is written");
        let told = |arguments: &[&str]| {
            let mut command = crate::common::tdb(arguments[0]);
            let output = command.arg(&array).args(&arguments[1..]).output();
            told(&output.expect("it runs")).replace(&array, "tour")
        };
        let done = |arguments: &[&str]| {
            let told = told(arguments);
            assert!(told.ends_with("exit status 0"), "{told}");
        };
        done(&["write", &rows, "--replace", "--at", "2030-01-01"]);
        done(&["delete", "--where", "station = 'BGN'", "--at", "2030-01-02"]);
        let set = run(&format!("meta set {array} key 1 --at 2030-01-02"));
        assert!(set.status.success());
        done(&["restore", "--to", "2024-04-11", "--at", "2030-01-03"]);
        done(&["evolve", "--drop-attr", "remark", "--at", "2030-01-04"]);
        if merges_commits {
            done(&["consolidate", "--mode", "commits"]);
        }
        let removal = ["restore", "--to", "2024-05-01", "--remove"];
        let planned = told(&[&removal[..], &["--dry-run"]].concat());
        let json = told(&[&removal[..], &["--dry-run", "--json"]].concat());
        assert!(json.contains("\"fragments\": 2,\n"), "{json}");
        let name = if merges_commits {
            "after_merge"
        } else {
            "alone"
        };
        insta::assert_snapshot!(format!("taken_away_{name}"), planned);
        let removed = told(&removal);
        assert_eq!(removed, planned.replace("would be removed", "removed"));
        // All objects are as before, except the consolidated commits, which also listed the removed ones.
        let mut left = objects(&place);
        left.retain(|name, _| !name.ends_with(".con"));
        assert_eq!(
            left.keys().collect::<Vec<_>>(),
            before.keys().collect::<Vec<_>>()
        );
        assert_eq!(left, before);
        let compared = run(&format!("compare {array} v22_tour/array"));
        assert!(compared.status.success());
    }
}

#[test]
fn what_a_removal_of_later_things_makes_no_sense_of_is_told() {
    let told = |arguments: &str| {
        failure(&format!(
            "restore v22_tour/array --remove --dry-run {arguments}"
        ))
    };
    insta::assert_snapshot!(told("--to 2024-05-01"), @"
    nothing was written after that time: nothing to remove
    exit status 0
    ");
    insta::assert_snapshot!(told("--to 2024-05-01 --at 5"), @"
    error: --at cannot be used with restore --remove
    hint: use --to for the time to restore
    exit status 2
    ");
    insta::assert_snapshot!(told("--to 2023-05-01"), @"
    error: the array did not exist yet at 2023-05-01T00:00:00Z: it was created at 2024-04-09T23:00:00Z
    hint: tdb log lists the times of all changes
    exit status 2
    ");
}

#[test]
fn what_is_merged_of_both_sides_of_a_time_is_taken_away_where_its_parts_are_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let told = |fixture: &str, to: &str| {
        let place = folder.path().join(fixture);
        copy(&fixtures().join(fixture).join("array"), &place);
        let array = place.display().to_string();
        told(&run(&format!("restore {array} --to {to} --remove"))).replace(&array, "array")
    };
    insta::assert_snapshot!(told("v22_merged_sparse", "115"), @r#"
    error: __fragments/__110_140_0123456789abcdef0123456789abcdef_22: holds cells of 110 to 140, of which only a part is to be removed; remove all of that time, or delete cells by a condition
    hint: a restore that removes nothing makes the array what it was by a new write
    exit status 2
    "#);
    insta::assert_snapshot!(told("v22_deletes_merged", "115"), @r#"
    error: __fragments/__110_140_0123456789abcdef0123456789abcdef_22: holds cells of 110 to 140, of which only a part is to be removed; remove all of that time, or delete cells by a condition
    hint: a restore that removes nothing makes the array what it was by a new write
    exit status 2
    "#);
    insta::assert_snapshot!(told("v22_array_meta", "115"), @r#"
    remove __meta/__110_120_0123456789abcdef0123456789abcdef.vac
    remove __meta/__130_130_0123456789abcdef0123456789abcdef
    remove __meta/__110_120_0123456789abcdef0123456789abcdef
    remove __meta/__120_120_0123456789abcdef0123456789abcdef
    4 objects (472 B) removed
    exit status 0
    "#);
    insta::assert_snapshot!(told("v22_evolution_sparse", "115"), @r#"
    remove __commits/__160_160_0123456789abcdef0123456789abcdef_22.wrt
    remove __schema/__150_150_0123456789abcdef0123456789abcdef
    remove __schema/__140_140_0123456789abcdef0123456789abcdef
    remove __commits/__130_130_0123456789abcdef0123456789abcdef_22.wrt
    remove __schema/__120_120_0123456789abcdef0123456789abcdef
    remove __fragments/__130_130_0123456789abcdef0123456789abcdef_22/
    remove __fragments/__160_160_0123456789abcdef0123456789abcdef_22/
    2 fragments and 5 other objects (13.3 KiB) removed
    exit status 0
    "#);
}

#[test]
fn rows_of_a_file_replace_cells() {
    let folder = tempfile::tempdir().expect("a folder");
    let array = folder.path().join("tour");
    copy(&fixtures().join("v22_tour/array"), &array);
    let array = array.display().to_string();
    let rows = folder.path().join("rows.csv");
    let write = |content: &str, arguments: &[&str]| {
        std::fs::write(&rows, content).expect("it is written");
        let mut command = crate::common::tdb("write");
        let output = command.arg(&array).arg(&rows).args(arguments).output();
        let text = told(&output.expect("it runs")).replace(&array, "tour");
        text.replace(&rows.display().to_string(), "rows.csv")
    };
    let read = || {
        crate::common::stdout(&format!(
            "read {array} --range hour=2024-04-10T00 --format csv"
        ))
    };
    insta::assert_snapshot!(read(), @r#"
    station,hour,temperature,pressure,sky,remark
    BGN,2024-04-10T00,-1.25,1015,rain,""
    CPT,2024-04-10T00,9.5,1015,snow,""
    KEF,2024-04-10T00,-3.25,1015,cloudy,""
    LPB,2024-04-10T00,16.75,1015,rain,""
    OSA,2024-04-10T00,9.0,1015,clear,""
    ZRH,2024-04-10T00,3.75,1015,cloudy,""
    "#);
    let warmer = "station,hour,temperature\nKEF,2024-04-10T00,4.5\nZRH,2024-04-10T00,5.5\n";
    insta::assert_snapshot!(write(warmer, &["--replace", "--dry-run"]), @r#"
    would replace 2 cells
    exit status 0
    "#);
    insta::assert_snapshot!(write(warmer, &["--replace"]), @r#"
    replaced 2 cells
    exit status 0
    "#);
    insta::assert_snapshot!(read(), @r#"
    station,hour,temperature,pressure,sky,remark
    BGN,2024-04-10T00,-1.25,1015,rain,""
    CPT,2024-04-10T00,9.5,1015,snow,""
    KEF,2024-04-10T00,4.5,1015,cloudy,""
    LPB,2024-04-10T00,16.75,1015,rain,""
    OSA,2024-04-10T00,9.0,1015,clear,""
    ZRH,2024-04-10T00,5.5,1015,cloudy,""
    "#);
    let json = write(warmer, &["--replace", "--dry-run", "--json"]);
    insta::assert_snapshot!(json, @r#"
    {
      "rows": 2,
      "replaced": 2,
      "fragments": [],
      "dry_run": true,
      "later": null
    }
    exit status 0
    "#);
    let new = "station,hour,temperature\nKEF,2024-04-10T02,4.5\n";
    insta::assert_snapshot!(write(new, &["--replace"]), @r#"
    error: rows.csv: there is no cell at station = "KEF", hour = 2024-04-10T02 from which to keep "sky"
    hint: give a column for "sky": new cells need all values that cannot be null
    exit status 2
    "#);
    insta::assert_snapshot!(write("station,temperature\nZRH,4.5\n", &["--replace"]), @r#"
    error: rows.csv: there is no column "hour"
    hint: rows that replace cells need the columns of all dimensions
    exit status 2
    "#);
    insta::assert_snapshot!(write("station,hour,temprature\nZRH,2024-04-10T00,4.5\n", &["--replace"]), @r#"
    error: rows.csv: there is no field "temprature"
    hint: did you mean "temperature"? the fields are station, hour, temperature, pressure, sky, remark
    exit status 2
    "#);
    insta::assert_snapshot!(write(warmer, &["--json"]), @r#"
    error: rows.csv: there is no column "pressure"
    hint: the columns are station, hour, temperature; use --replace to keep the values of attributes that the file lacks
    exit status 2
    "#);
}

#[test]
fn before_the_first_label_there_is_none() {
    // The array was created at 100, and its labels were written at 110.
    let said = told(&run("count v22_labels/array --label name=a..z --at 105"));
    assert!(
        said.starts_with("0\n") && said.ends_with("exit status 0"),
        "{said}"
    );
    let said = told(&run("read v22_labels/array --label name=a..z --at 105"));
    assert!(said.ends_with("exit status 0"), "{said}");
    let said = told(&run("count v22_labels/array --label name=a..z --at 110"));
    assert!(!said.starts_with("0\n"), "{said}");
}
