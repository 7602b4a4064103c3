//! A date stands for the whole period that it names.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::sync::Arc;

use tdb_cells::FieldInfo;
use tdb_condition::{Condition, FieldCells, KeepCondition, ResolvedCondition};
use tdb_schema::value::parse;
use tdb_schema::{CellValNum, Enumeration, FieldKind};
use tdb_tile::{Datatype, Limits};

fn field(name: &str, datatype: Datatype) -> FieldInfo {
    FieldInfo {
        name: name.to_owned(),
        datatype,
        cell_val_num: CellValNum::Fixed(1),
        nullable: false,
        enumeration: None,
        field: FieldKind::Attribute(0),
    }
}

fn resolved(text: &str, fields: &[FieldInfo]) -> ResolvedCondition {
    let condition = Condition::parse(text, &Limits::default()).unwrap();
    assert_eq!(
        Condition::parse(&condition.to_string(), &Limits::default()).unwrap(),
        condition
    );
    condition.resolve(fields, &Limits::default()).unwrap()
}

/// The number of cells that match.
fn count(condition: &ResolvedCondition, values: &[i64]) -> usize {
    let bytes: Vec<u8> = values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect();
    let cells = FieldCells {
        values: &bytes,
        offsets: None,
        validity: None,
    };
    let mut answers = Vec::new();
    condition
        .evaluate(&[Some(cells)], values.len(), &mut answers)
        .unwrap();
    answers.iter().filter(|answer| **answer == 1).count()
}

/// All days of 2023.
fn days() -> Vec<i64> {
    (19_358..19_358 + 365).collect()
}

#[test]
fn a_date_is_compared_as_the_period_that_it_names() {
    let fields = [field("day", Datatype::DateTimeDay)];
    for (text, fitting) in [
        ("day = '2023-02'", 28),
        ("day = date '2023-02'", 28),
        ("day = '2023'", 365),
        ("day = '2023-02-05'", 1),
        ("day = timestamp '2023-02'", 1),
        ("day != '2023-02'", 337),
        ("not day = '2023-02'", 337),
        ("day < '2023-02'", 31),
        ("day <= '2023-02'", 59),
        ("day > '2023-02'", 306),
        ("day >= '2023-02'", 334),
        ("'2023-02' >= day", 59),
        ("not day > '2023-02'", 59),
        ("day between '2023-02' and '2023-03'", 59),
        ("day not between '2023-02' and '2023-03'", 306),
        ("day in ('2023-02', '2023-04')", 58),
        ("day in ('2023-02', '2023-02-10', '2023-05-01')", 29),
        ("day not in ('2023-02', '2023-02-10', '2023-05-01')", 336),
        ("not day not in ('2023-02', '2023-05-01')", 29),
        ("day in ('2023-02') and day in ('2023-02', '2024')", 28),
        (
            "day = '2023-02' or not (day >= '2023-02' and day != '2023-03')",
            28 + 31 + 31,
        ),
        ("day = '2024-02'", 0),
        ("day < '2024'", 365),
        // No day begins within this minute.
        ("day = '2023-02-05T12:30'", 0),
        ("day <= '2023-02-05T12:30'", 36),
        // Computed values.
        ("day + 1 = '2023-02'", 28),
        ("day + 1 != '2023-02'", 337),
        ("day - 1 <= '2023-02'", 60),
        ("'2023-02' < day - 1", 305),
        ("not day + 0 = date '2023-02'", 337),
        ("day + 0 = timestamp '2023-02'", 1),
        ("day + 0 = '2023-02-05'", 1),
    ] {
        assert_eq!(count(&resolved(text, &fields), &days()), fitting, "{text}");
    }
}

#[test]
fn a_text_is_as_long_as_its_last_part_and_a_timestamp_is_an_instant() {
    let fields = [field("time", Datatype::DateTimeMillisecond)];
    let hour = 3_600_000;
    // All half seconds of two days, from 2 January 1970 on.
    let cells: Vec<i64> = (0..2 * 24 * 7200)
        .map(|half| 24 * hour + half * 500)
        .collect();
    for (text, fitting) in [
        ("time = '1970-01-02'", 24 * 7200),
        ("time <= '1970-01-02'", 24 * 7200),
        ("time > '1970-01-02T23'", 24 * 7200),
        ("time = '1970-01-02T23:15'", 120),
        ("time = '1970-01-02T23:15:07'", 2),
        ("time = '1970-01-02T23:15:07.5'", 1),
        ("time = '1970-01-02T23:15:07.000'", 1),
        ("time = timestamp '1970-01-02T23:15:07'", 1),
        ("time <= timestamp '1970-01-02'", 1),
        ("time = 86400000", 1),
        ("time > '300000000'", 0),
    ] {
        if text.contains("'3000") {
            let condition = Condition::parse(text, &Limits::default()).unwrap();
            assert!(condition.resolve(&fields, &Limits::default()).is_err());
            continue;
        }
        assert_eq!(count(&resolved(text, &fields), &cells), fitting, "{text}");
    }
}

#[test]
fn periods_at_the_ends_of_what_64_bits_count() {
    let fields = [field("time", Datatype::DateTimeNanosecond)];
    let cells = [i64::MIN + 1, -1, 0, i64::MAX];
    for (text, fitting) in [
        ("time = '2262'", 1),
        ("time <= '2262'", 4),
        ("time > '2262'", 0),
        ("time >= '1677'", 4),
        ("time = '1677'", 1),
        ("time < '1677'", 0),
        ("time = '3000'", 0),
        ("time < '3000'", 4),
        ("time != '1000'", 4),
        ("time in ('1969', '3000')", 1),
    ] {
        assert_eq!(count(&resolved(text, &fields), &cells), fitting, "{text}");
    }
}

#[test]
fn labels_that_are_dates_are_of_a_period_too() {
    let mut labels = Vec::new();
    for day in ["2023-01-31", "2023-02-28", "2023-02-01", "2023-03-01"] {
        let mut bytes = Vec::new();
        parse(Datatype::DateTimeDay, day, &mut bytes).unwrap();
        labels.push(bytes);
    }
    let (day, one) = (Datatype::DateTimeDay, CellValNum::Fixed(1));
    let labels = Enumeration::from_values("days", "__0_0", day, one, false, labels).unwrap();
    let fields = [FieldInfo {
        enumeration: Some(Arc::new(labels)),
        ..field("day", Datatype::Int64)
    }];
    let cells = [0, 1, 2, 3];
    for (text, fitting) in [
        ("day = '2023-02'", 2),
        ("day != '2023-02'", 2),
        ("day = '2023-02-28'", 1),
        ("day in ('2023-02', '2023-01-31')", 3),
        ("day not in ('2023', '2024')", 0),
        ("day = '2022'", 0),
    ] {
        assert_eq!(count(&resolved(text, &fields), &cells), fitting, "{text}");
    }
    let unknown = |text| {
        let condition = Condition::parse(text, &Limits::default()).unwrap();
        condition.unknown_labels(&fields).len()
    };
    assert_eq!(
        (unknown("day = '2023-02'"), unknown("day = '2022'")),
        (0, 1)
    );
}

#[test]
fn a_delete_stores_the_ends_of_the_period() {
    let limits = Limits::default();
    let fields = [field("day", Datatype::DateTimeDay)];
    for (text, fitting) in [
        ("day = '2023-02'", 28),
        ("day != '2023-02'", 337),
        ("day in ('2023-02', '2023-05-01')", 29),
        ("day between '2023-02' and '2023-03'", 59),
    ] {
        let condition = Condition::parse(text, &limits).unwrap();
        let KeepCondition::Where(tree) = condition.kept(&fields, &limits).unwrap() else {
            panic!("{text}: nothing is stored");
        };
        let kept = ResolvedCondition::from_stored(&tree, &fields, &limits).unwrap();
        assert_eq!(count(&kept, &days()), 365 - fitting, "{text}");
        let told = Condition::deleted(&tree, &fields).unwrap();
        let told = told.resolve(&fields, &limits).unwrap();
        assert_eq!(count(&told, &days()), fitting, "{text}");
    }
}

#[test]
fn many_periods_are_within_the_limit_of_what_can_be_read_back() {
    let limits = Limits {
        condition_nodes: 20,
        ..Limits::default()
    };
    let fields = [field("day", Datatype::DateTimeDay)];
    let of = |months: u32| {
        let list: Vec<String> = (1..=months)
            .map(|month| format!("'2023-{month:02}'"))
            .collect();
        let condition =
            Condition::parse(&format!("day in ({})", list.join(", ")), &limits).unwrap();
        condition.resolve(&fields, &limits).map(drop)
    };
    of(6).unwrap();
    let refused = of(7).unwrap_err().to_string();
    assert!(refused.contains("condition_nodes"), "{refused}");
}

#[test]
fn date_is_no_text() {
    let mut text = field("s", Datatype::StringUtf8);
    text.cell_val_num = CellValNum::Var;
    let condition = Condition::parse("s = date '2023-02'", &Limits::default()).unwrap();
    assert!(condition.resolve(&[text], &Limits::default()).is_err());
}
