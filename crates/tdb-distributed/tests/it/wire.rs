//! Scans as JSON, and JSON that is not a valid scan.

use serde_json::{Value as Json, json};
use tdb_array::TimeWindow;
use tdb_condition::Condition;
use tdb_datafusion::ScanTask;
use tdb_distributed::{Named, task_from_json, task_to_json};
use tdb_schema::{ArraySchema, ArrayType, Attribute, Dimension};
use tdb_tile::{Datatype, Limits, Range};

fn schema() -> ArraySchema {
    let day = Dimension::numbers("day", Datatype::DateTimeDay, (0_i64, 40_000), 30);
    let depth = Dimension::numbers("depth", Datatype::Float64, (f64::MIN, f64::MAX), 10.0);
    let salt = Attribute::new("salt", Datatype::Float32);
    ArraySchema::new(ArrayType::Sparse, vec![day, depth], vec![salt])
}

fn named() -> Named {
    Named {
        uri: "s3://bucket/sea".to_owned(),
        window: TimeWindow::until(1_767_225_600_000),
        state: "8a3f".to_owned(),
    }
}

fn task() -> ScanTask {
    let days = |lo: i64, hi: i64| {
        let range = Range::new(lo.to_le_bytes().to_vec(), hi.to_le_bytes().to_vec());
        ("day".to_owned(), range)
    };
    let depth = Range::new(
        (-0.1_f64).to_le_bytes().to_vec(),
        f64::MAX.to_le_bytes().to_vec(),
    );
    let salty = Condition::field("salt").gt(0.1);
    ScanTask {
        uri: named().uri,
        window: named().window,
        columns: vec!["day".to_owned(), "salt".to_owned()],
        condition: Some(salty.and(Condition::field("depth").is_in([1.5, -2.0]))),
        limit: Some(7),
        is_row_major: true,
        parts: vec![
            vec![days(-3, 180), ("depth".to_owned(), depth)],
            vec![days(181, 40_000)],
        ],
        partitions: 3,
    }
}

#[test]
fn a_scan_comes_back_as_it_was() {
    let schema = schema();
    let json = task_to_json(&task(), &schema, &named()).unwrap();
    insta::assert_snapshot!(serde_json::to_string_pretty(&json).unwrap());
    assert_eq!(Named::of_json(&json).unwrap(), named());
    let back = task_from_json(&json, &schema, &Limits::default()).unwrap();
    assert_eq!(back, task());
    let whole = ScanTask {
        condition: None,
        limit: None,
        is_row_major: false,
        parts: vec![Vec::new()],
        ..task()
    };
    let json = task_to_json(&whole, &schema, &named()).unwrap();
    let back = task_from_json(&json, &schema, &Limits::default()).unwrap();
    assert_eq!(back, whole);
}

#[test]
fn json_that_is_no_scan_says_what_is_wrong() {
    let whole = task_to_json(&task(), &schema(), &named()).unwrap();
    let wrong = |member: &str, value: Json| {
        let mut scan = whole.clone();
        let members = scan.as_object_mut().unwrap();
        if value == json!("missing") {
            members.remove(member);
        } else {
            members.insert(member.to_owned(), value);
        }
        let read = task_from_json(&scan, &schema(), &Limits::default());
        read.unwrap_err().to_string()
    };
    let said = [
        wrong("array", json!(7)),
        wrong("at", json!(-1)),
        wrong("at", json!(1e99)),
        wrong("columns", json!("day")),
        wrong("columns", json!([7])),
        wrong("condition", json!(["a"])),
        wrong("condition", json!("salt >")),
        wrong("condition", json!("(".repeat(100_000))),
        wrong("limit", json!("7")),
        wrong("order", json!("hilbert")),
        wrong("order", json!("missing")),
        wrong("partitions", json!(0.5)),
        wrong("parts", json!({})),
        wrong("parts", json!([7])),
        wrong("parts", json!([{"width": [1, 2]}])),
        wrong("parts", json!([{"day": [1]}])),
        wrong("parts", json!([{"day": [1, "tomorrow"]}])),
        wrong("parts", json!([{"day": [1, [2, 3]]}])),
    ];
    let said = said.map(|line| line.chars().take(160).collect::<String>());
    insta::assert_snapshot!(said.join("\n"));
}
