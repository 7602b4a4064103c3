//! Grouping by floats that include NaN and zeros of both signs.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::common::stdout;

/// Creates an array from a file with this content.
fn imported(name: &str, content: &str) -> (TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let (file, array) = (folder.path().join(name), folder.path().join("array"));
    fs::write(&file, content).unwrap();
    let show = |path: &Path| path.display().to_string();
    stdout(&format!("import {} {} -q", show(&file), show(&array)));
    let array = show(&array);
    (folder, array)
}

#[test]
fn groups_of_floats_come_in_order_with_nan_behind_all_numbers() {
    let mut csv = "k,f\n".to_owned();
    for k in 0..200_u32 {
        match k % 7 {
            0 => writeln!(csv, "{k},NaN").unwrap(),
            // Each number occurs once, in no particular order.
            _ => writeln!(csv, "{k},{}", f64::from(k * 77 % 200) / 2.0).unwrap(),
        }
    }
    let (_folder, array) = imported("cells.csv", &csv);
    // The order in which groups are found differs between runs.
    for _ in 0..5 {
        let distinct = stdout(&format!("distinct {array} f --counts"));
        let lines: Vec<(&str, &str)> = distinct
            .lines()
            .skip(1)
            .filter_map(|line| line.trim().split_once(char::is_whitespace))
            .collect();
        let (last, numbers) = lines.split_last().unwrap();
        assert_eq!((last.0, last.1.trim()), ("NaN", "29"));
        let numbers: Vec<f64> = numbers.iter().map(|(f, _)| f.parse().unwrap()).collect();
        assert!(numbers.len() == 171 && numbers.is_sorted(), "{distinct}");
    }
}

#[test]
fn zeros_of_either_sign_are_one_group_and_null_is_the_last() {
    let csv = "k,f\n1,0.0\n2,-0.0\n3,NaN\n4,\n5,-inf\n6,5e-324\n7,NaN\n8,-5e-324\n9,inf\n";
    let (_folder, array) = imported("cells.csv", csv);
    insta::assert_snapshot!(stdout(&format!("agg {array} count(*),min(k) --by f")), @"
            f  count(*)  min(k)
    -Infinity         1       5
      -5e-324         1       8
          0.0         2       1
       5e-324         1       6
     Infinity         1       9
          NaN         2       3
         null         1       4
    ");
    insta::assert_snapshot!(stdout(&format!("stats {array} --fields f --json")), @r#"
    [
      {
        "name": "f",
        "datatype": "float64",
        "count": 8,
        "null_count": 1,
        "distinct": 6,
        "distinct_is_exact": true,
        "min": "-Infinity",
        "max": "Infinity",
        "mean": "NaN",
        "std": "NaN",
        "q25": -5e-324,
        "q50": 0.0,
        "q75": 5e-324,
        "quartiles_are_exact": true
      }
    ]
    "#);
    assert_eq!(stdout(&format!("count {array} --where f=0")), "2\n");
}
