//! Selections in arrays of old formats, which must work as in new ones.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::cmp::Ordering;
use std::fs;

use serde_json::Value as Json;

use crate::common::{fixtures, tdb};

/// Lists the unencrypted sparse golden arrays of these formats, with their schemas.
fn arrays(formats: &[&str]) -> Vec<(String, Json)> {
    let names = fs::read_dir(fixtures()).unwrap().flatten();
    let names = names.map(|entry| entry.file_name().into_string().unwrap());
    // Excludes arrays with wrong tile bounds for dates, and arrays whose bytes JSON cannot represent as text.
    let is_odd = |name: &str| name.contains("order_dates") || name.contains("high_bytes");
    let is_wanted = |name: &String| {
        let format = name.split('_').next().unwrap();
        formats.contains(&format) && !name.contains("encrypted") && !is_odd(name)
    };
    let mut names: Vec<String> = names.filter(is_wanted).collect();
    names.sort_unstable();
    let arrays = names.into_iter().filter_map(|name| {
        let array = format!("{name}/array");
        let output = tdb(&format!("schema {array} --json")).output().unwrap();
        let schema: Json = serde_json::from_slice(&output.stdout).ok()?;
        (schema.get("type")? == "sparse").then_some((array, schema))
    });
    arrays.collect()
}

/// Reads the rows in a fixed order.
fn rows(array: &str, arguments: &[&str]) -> Vec<Json> {
    let read = tdb(&format!("read {array} --ticks --format jsonl"))
        .args(arguments)
        .output()
        .unwrap();
    assert!(read.status.success(), "{array} {arguments:?}");
    let mut rows: Vec<String> = String::from_utf8(read.stdout)
        .unwrap()
        .lines()
        .map(str::to_owned)
        .collect();
    rows.sort_unstable();
    rows.iter()
        .map(|row| serde_json::from_str(row).unwrap())
        .collect()
}

fn order(a: &Json, b: &Json) -> Ordering {
    match (a.as_i64(), b.as_i64()) {
        (Some(a), Some(b)) => a.cmp(&b),
        _ => a.as_f64().partial_cmp(&b.as_f64()).unwrap(),
    }
}

#[test]
fn conditions_on_dimensions_of_formats_3_and_4_choose_the_cells_that_fit() {
    let mut asked = 0;
    for (array, schema) in arrays(&["v3", "v4"]) {
        let all = rows(&array, &[]);
        for dimension in schema["dimensions"].as_array().unwrap() {
            let name = dimension["name"].as_str().unwrap();
            for row in all.iter().step_by(17) {
                let value = &row[name];
                for (text, holds) in [
                    (
                        format!("\"{name}\" < {value}"),
                        Ordering::is_lt as fn(Ordering) -> bool,
                    ),
                    (format!("not \"{name}\" <= {value}"), Ordering::is_gt),
                    (
                        format!("\"{name}\" = {value} or \"{name}\" > {value}"),
                        Ordering::is_ge,
                    ),
                    (format!("not \"{name}\" = {value}"), Ordering::is_ne),
                ] {
                    let fits = |row: &&Json| holds(order(&row[name], value));
                    let wanted: Vec<Json> = all.iter().filter(fits).cloned().collect();
                    assert_eq!(rows(&array, &["--where", &text]), wanted, "{array} {text}");
                    asked += 1;
                }
            }
        }
    }
    assert!(asked > 100, "{asked}");
}

#[test]
fn ranges_of_strings_hold_all_their_cells_in_every_format_and_order() {
    let mut asked = 0;
    for (array, schema) in arrays(&["v5", "v6", "v7", "v8", "v9", "v10"]) {
        let dimensions = schema["dimensions"].as_array().unwrap();
        let of_text = dimensions
            .iter()
            .filter(|d| d["datatype"] == "string_ascii");
        for dimension in of_text {
            let name = dimension["name"].as_str().unwrap();
            let all = rows(&array, &[]);
            let mut values: Vec<&str> = all.iter().filter_map(|row| row[name].as_str()).collect();
            values.sort_unstable();
            values.dedup();
            values.retain(|value| !value.is_empty() && !value.contains(".."));
            for (lo, hi) in values.iter().zip(values.iter().skip(2)).step_by(3) {
                let fits = |row: &&Json| (*lo..=*hi).contains(&row[name].as_str().unwrap());
                let wanted: Vec<Json> = all.iter().filter(fits).cloned().collect();
                for order in ["row", "col", "global", "any"] {
                    let range = format!("{name}={lo}..{hi}");
                    if schema["cell_order"] == "hilbert" && order == "col" {
                        continue;
                    }
                    let found = rows(&array, &["--range", &range, "--order", order]);
                    assert_eq!(found, wanted, "{array} {range} {order}");
                    asked += 1;
                }
            }
        }
    }
    assert!(asked > 50, "{asked}");
}
