//! Long listings, with details of each array and group.

use crate::common::{copy, fixtures, run, stdout, tdb, told};

#[test]
fn long_listings_tell_shape_size_and_soma_type() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    copy(&fixtures().join("v22_tour/array"), &at("study/obs"));
    copy(&fixtures().join("v22_dense_basics/array"), &at("study/X"));
    let shown = |arguments: &str| {
        let output = tdb(arguments)
            .current_dir(&folder)
            .output()
            .expect("it runs");
        told(&output).replace(&folder.path().display().to_string(), "")
    };
    std::fs::remove_dir_all(at("study/__meta")).ok();
    assert!(shown("group create all").ends_with("exit status 0"));
    std::fs::rename(at("study/obs"), at("all/obs")).expect("moved");
    std::fs::rename(at("study/X"), at("all/X")).expect("moved");
    assert!(shown("group add all all/obs").ends_with("exit status 0"));
    assert!(shown("group add all all/X --name dense").ends_with("exit status 0"));
    shown("meta set all soma_object_type SOMAExperiment --type string_utf8");
    shown("meta set all/obs soma_object_type SOMADataFrame --type string_utf8");
    insta::assert_snapshot!(shown("ls -l all"), @r#"
    type       cells      size  soma           name   at
    array      7 x 9  97.0 KiB                 dense  X
    array  84 stored  24.5 KiB  SOMADataFrame  obs
    exit status 0
    "#);
    insta::assert_snapshot!(shown("tree -l ."), @r#"
    .
    └── all  group  122 KiB  SOMAExperiment
        ├── dense  array  7 x 9  97.0 KiB
        └── obs  array  84 stored  24.5 KiB  SOMADataFrame
    exit status 0
    "#);
    insta::assert_snapshot!(shown("group ls all"), @r#"
    name   type   relative  uri
    dense  array  yes       file:///all/X
    obs    array  yes       file:///all/obs
    exit status 0
    "#);
    // An object that cannot be opened does not prevent the others from being listed.
    std::fs::remove_dir_all(at("all/X/__fragments")).expect("removed");
    let commits = at("all/X/__commits");
    assert!(commits.is_dir());
    let json = shown("ls -l all --json");
    assert!(
        json.contains("\"soma_object_type\": \"SOMADataFrame\""),
        "{json}"
    );
    assert!(json.contains("\"problem\": "), "{json}");
}

#[test]
fn an_empty_folder_is_a_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("e")).expect("made");
    let output = tdb("ls .").current_dir(&folder).output().expect("it runs");
    assert_eq!(told(&output), "folder  e\nexit status 0");
}

#[test]
fn cells_stand_below_each_other_where_that_is_asked_for() {
    insta::assert_snapshot!(stdout("head v22_tour/array 2 --vertical"), @r#"
    -- cell 1
    station      BGN
    hour         2024-04-10T00
    temperature  -1.25
    pressure     1015
    sky          rain
    remark
    -- cell 2
    station      BGN
    hour         2024-04-10T03
    temperature  -1.75
    pressure     null
    sky          snow
    remark
    "#);
    assert!(
        stdout("head v22_tour/array 2 --wide").starts_with("station           hour  temperature")
    );
    insta::assert_snapshot!(told(&run("read v22_tour/array --vertical --format csv")), @r#"
    error: --wide and --vertical are for tables
    exit status 2
    "#);
}

/// Total size of the files in a folder.
fn bytes_in(folder: &std::path::Path) -> u64 {
    let entries = std::fs::read_dir(folder).expect("a folder").flatten();
    let sizes = entries.map(|entry| {
        if entry.path().is_dir() {
            bytes_in(&entry.path())
        } else {
            entry.metadata().expect("a file").len()
        }
    });
    sizes.sum()
}

#[test]
fn a_layout_accounts_for_every_byte() {
    let folders = std::fs::read_dir(fixtures())
        .expect("golden arrays")
        .flatten();
    let arrays = folders.filter(|folder| folder.path().join("array").is_dir());
    let mut seen = 0;
    for folder in arrays {
        let name = folder.file_name().into_string().expect("text");
        let output = run(&format!("layout {name}/array --json"));
        if !output.status.success() {
            // Damaged and encrypted arrays are refused, as by every verb.
            continue;
        }
        let told: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let bytes = bytes_in(&folder.path().join("array"));
        let parts = told["parts"].as_object().expect("parts");
        let sum: u64 = parts.values().filter_map(serde_json::Value::as_u64).sum();
        assert_eq!(
            (told["bytes"].as_u64(), sum),
            (Some(bytes), bytes),
            "{name}"
        );
        // Lock files of old releases are empty.
        let others = parts.get("others").and_then(serde_json::Value::as_u64);
        assert_eq!(others.unwrap_or(0), 0, "{name}: {parts:?}");
        let of = |key: &str| {
            told["fields"].as_array().map(|fields| {
                fields
                    .iter()
                    .filter_map(|field| field[key].as_u64())
                    .sum::<u64>()
            })
        };
        assert_eq!(
            of("bytes"),
            Some(
                parts
                    .get("data")
                    .and_then(|data| data.as_u64())
                    .unwrap_or(0)
            ),
            "{name}"
        );
        seen += 1;
    }
    assert!(seen > 150, "{seen}");
    insta::assert_snapshot!(crate::common::shown("layout v14_merged_sparse/array"), @r#"
    v14_merged_sparse/array: 41.9 KiB in 57 objects

    part                   size  share
    data                3.1 KiB  7.4 %
    fragment metadata   6.8 KiB   16 %
    consolidated away  31.3 KiB   75 %  tdb vacuum removes it
    commits               428 B  1.0 %
    schemas               207 B  0.5 %

    field   size  share  ratio  filters
    x      409 B  1.0 %    0.4  zstd
    key    744 B  1.7 %    0.5  zstd
    a      264 B  0.6 %    0.5  -
    f      451 B  1.1 %    0.6  zstd
    text   743 B  1.7 %    0.7  -
    n      543 B  1.3 %    0.3  -

       size  share  ratio  all fields with these filters
    1.6 KiB  3.7 %    0.5  zstd
    1.5 KiB  3.6 %    0.5  -

       size  share     data  metadata  cells                     fragment
    9.9 KiB   24 %  3.1 KiB   6.8 KiB     36                     __110_140_0123456789abcdef0123456789abcdef_14
    8.1 KiB   19 %  1.4 KiB   6.6 KiB     14  consolidated away  __120_120_0123456789abcdef0123456789abcdef_14
    8.1 KiB   19 %  1.4 KiB   6.6 KiB     14  consolidated away  __140_140_0123456789abcdef0123456789abcdef_14
    7.6 KiB   18 %  1.0 KiB   6.6 KiB     12  consolidated away  __130_130_0123456789abcdef0123456789abcdef_14
    7.6 KiB   18 %  1.0 KiB   6.6 KiB     12  consolidated away  __110_110_0123456789abcdef0123456789abcdef_14
    "#);
}

#[test]
fn consolidation_and_vacuum_say_what_they_did() {
    let folder = tempfile::tempdir().expect("a folder");
    copy(&fixtures().join("v22_tour/array"), &folder.path().join("a"));
    copy(&fixtures().join("v22_tour/array"), &folder.path().join("b"));
    let shown = |arguments: &str| {
        let output = tdb(arguments)
            .current_dir(&folder)
            .output()
            .expect("it runs");
        crate::common::repeatable(&told(&output))
    };
    insta::assert_snapshot!(shown("consolidate a"), @r#"
    __1712793600000_1712923200000_0123456789abcdef0123456789abcdef_22
    merged 3 fragments (84 cells, 23.6 KiB) into 1 fragment (84 cells, 11.9 KiB)
    exit status 0
    "#);
    insta::assert_snapshot!(shown("vacuum a"), @r#"
    warning: nothing is removed: 3 fragments and 4 other objects (23.8 KiB) were merged less than 10m ago and are kept; use --grace 0s to remove them now
    exit status 0
    "#);
    insta::assert_snapshot!(shown("vacuum a --grace 0s"), @r#"
    remove __commits/__1712793600000_1712793600000_0123456789abcdef0123456789abcdef_22.wrt
    remove __commits/__1712880000000_1712880000000_0123456789abcdef0123456789abcdef_22.wrt
    remove __commits/__1712923200000_1712923200000_0123456789abcdef0123456789abcdef_22.wrt
    remove __fragments/__1712793600000_1712793600000_0123456789abcdef0123456789abcdef_22/
    remove __fragments/__1712880000000_1712880000000_0123456789abcdef0123456789abcdef_22/
    remove __fragments/__1712923200000_1712923200000_0123456789abcdef0123456789abcdef_22/
    remove __commits/__1712793600000_1712923200000_0123456789abcdef0123456789abcdef_22.vac
    3 fragments and 4 other objects (23.8 KiB) removed
    exit status 0
    "#);
    insta::assert_snapshot!(shown("vacuum a --grace 0s --json"), @r#"
    {
      "dry_run": false,
      "removed": {
        "fragments": 0,
        "objects": 0,
        "bytes": 0
      },
      "left_young": {
        "fragments": 0,
        "objects": 0,
        "bytes": 0
      },
      "keys": [],
      "unreadable": []
    }
    exit status 0
    "#);
    insta::assert_snapshot!(shown("consolidate b --dry-run --json"), @r#"
    {
      "dry_run": true,
      "steps": [
        "step 1: merge 3 fragments, 3709 bytes, into one from 2024-04-11T00:00:00Z to 2024-04-12T12:00:00Z",
        "  __1712793600000_1712793600000_0123456789abcdef0123456789abcdef_22",
        "  __1712880000000_1712880000000_0123456789abcdef0123456789abcdef_22",
        "  __1712923200000_1712923200000_0123456789abcdef0123456789abcdef_22"
      ],
      "notes": [],
      "unreadable_after_vacuum": []
    }
    exit status 0
    "#);
    insta::assert_snapshot!(shown("consolidate b --vacuum --json"), @r#"
    {
      "dry_run": false,
      "merged": {
        "fragments": 3,
        "cells": 84,
        "bytes": 24118
      },
      "new": {
        "fragments": 1,
        "cells": 84,
        "bytes": 12141
      },
      "fragments": [
        "__1712793600000_1712923200000_0123456789abcdef0123456789abcdef_22"
      ],
      "notes": [],
      "unreadable_after_vacuum": [],
      "vacuum": {
        "dry_run": false,
        "removed": {
          "fragments": 3,
          "objects": 4,
          "bytes": 24355
        },
        "left_young": {
          "fragments": 0,
          "objects": 0,
          "bytes": 0
        },
        "keys": [
          "__commits/__1712793600000_1712793600000_0123456789abcdef0123456789abcdef_22.wrt",
          "__commits/__1712880000000_1712880000000_0123456789abcdef0123456789abcdef_22.wrt",
          "__commits/__1712923200000_1712923200000_0123456789abcdef0123456789abcdef_22.wrt",
          "__fragments/__1712793600000_1712793600000_0123456789abcdef0123456789abcdef_22",
          "__fragments/__1712880000000_1712880000000_0123456789abcdef0123456789abcdef_22",
          "__fragments/__1712923200000_1712923200000_0123456789abcdef0123456789abcdef_22",
          "__commits/__1712793600000_1712923200000_0123456789abcdef0123456789abcdef_22.vac"
        ],
        "unreadable": []
      }
    }
    exit status 0
    "#);
    assert_eq!(shown("count b"), "80\nexit status 0");
    assert!(!shown("fragments b").contains("consolidated"));
    insta::assert_snapshot!(shown("consolidate b --vacuum --mode array-meta"), @r#"
    there is nothing to merge
    exit status 0
    "#);
}
