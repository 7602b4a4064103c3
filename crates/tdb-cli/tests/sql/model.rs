//! Random statements that change cells, compared with a model in memory: three-valued logic, NaN, nulls.
#![expect(clippy::panic, reason = "helpers of tests, which may fail so")]

use std::fmt::Write as _;

use proptest::prelude::*;
use sqllogictest::{DB, DBOutput};
use tdb::Context;
use tempfile::TempDir;

use crate::InFolder;

/// A cell with its coordinate.
#[derive(Clone, Debug, PartialEq)]
struct Row {
    x: i64,
    a: Option<i64>,
    f: Option<f64>,
    s: Option<String>,
}

#[derive(Clone, Debug)]
enum Condition {
    Greater(i64),
    Differs(i64),
    /// `a + x < …`
    SumLess(i64),
    FloatGreater(i64),
    IsNaN,
    Like(&'static str),
    Among,
    Null(&'static str),
    /// `a in (select a from t where x < …)`
    InBefore(i64),
    Not(Box<Self>),
    And(Box<Self>, Box<Self>),
    Or(Box<Self>, Box<Self>),
}

#[derive(Clone, Debug)]
enum Change {
    Delete(Condition),
    Update(Vec<Value>, Condition),
}

#[derive(Clone, Debug)]
enum Value {
    Add(i64),
    Place,
    NoNumber,
    Double,
    OfNumber,
    Longer,
    Red,
    NoText,
}

impl Condition {
    fn sql(&self) -> String {
        match self {
            Self::Greater(k) => format!("a > {k}"),
            Self::Differs(k) => format!("a <> {k}"),
            Self::SumLess(k) => format!("a + x < {k}"),
            Self::FloatGreater(k) => format!("f > {k}"),
            Self::IsNaN => "isnan(f)".to_owned(),
            Self::Like(pattern) => format!("s like '{pattern}%'"),
            Self::Among => "upper(s) in ('RED', 'ROSEZ')".to_owned(),
            Self::Null(column) => format!("{column} is null"),
            Self::InBefore(k) => format!("a in (select a from 'DIR/t' where x < {k})"),
            Self::Not(of) => format!("not ({})", of.sql()),
            Self::And(one, other) => format!("({}) and ({})", one.sql(), other.sql()),
            Self::Or(one, other) => format!("({}) or ({})", one.sql(), other.sql()),
        }
    }

    /// Evaluates the condition for a row; `None` is null.
    fn of(&self, row: &Row, all: &[Row]) -> Option<bool> {
        match self {
            Self::Greater(k) => row.a.map(|a| a > *k),
            Self::Differs(k) => row.a.map(|a| a != *k),
            Self::SumLess(k) => row.a.map(|a| a + row.x < *k),
            // NaN is greater than all numbers.
            Self::FloatGreater(k) => row.f.map(|f| f.is_nan() || f > *k as f64),
            Self::IsNaN => row.f.map(f64::is_nan),
            Self::Like(pattern) => row.s.as_ref().map(|s| s.starts_with(pattern)),
            Self::Among => row.s.as_ref().map(|s| s == "red" || s == "rosez"),
            Self::Null("a") => Some(row.a.is_none()),
            Self::Null("f") => Some(row.f.is_none()),
            Self::Null(_) => Some(row.s.is_none()),
            Self::InBefore(k) => {
                let before: Vec<_> = all.iter().filter(|other| other.x < *k).collect();
                if before.is_empty() {
                    return Some(false);
                }
                let a = row.a?;
                if before.iter().any(|other| other.a == Some(a)) {
                    return Some(true);
                }
                let has_null = before.iter().any(|other| other.a.is_none());
                (!has_null).then_some(false)
            }
            Self::Not(of) => of.of(row, all).map(|is| !is),
            Self::And(one, other) => match (one.of(row, all), other.of(row, all)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            },
            Self::Or(one, other) => match (one.of(row, all), other.of(row, all)) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            },
        }
    }
}

impl Value {
    fn column(&self) -> &'static str {
        match self {
            Self::Add(_) | Self::Place | Self::NoNumber => "a",
            Self::Double | Self::OfNumber => "f",
            Self::Longer | Self::Red | Self::NoText => "s",
        }
    }

    fn sql(&self) -> String {
        let value = match self {
            Self::Add(k) => format!("a + {k}"),
            Self::Place => "x".to_owned(),
            Self::NoNumber | Self::NoText => "null".to_owned(),
            Self::Double => "f * 2".to_owned(),
            Self::OfNumber => "a / 2.0".to_owned(),
            Self::Longer => "s || 'z'".to_owned(),
            Self::Red => "'red'".to_owned(),
        };
        format!("{} = {value}", self.column())
    }

    fn set(&self, row: &mut Row, before: &Row) {
        match self {
            Self::Add(k) => row.a = before.a.map(|a| a + k),
            Self::Place => row.a = Some(before.x),
            Self::NoNumber => row.a = None,
            Self::Double => row.f = before.f.map(|f| f * 2.0),
            Self::OfNumber => row.f = before.a.map(|a| a as f64 / 2.0),
            Self::Longer => row.s = before.s.clone().map(|s| s + "z"),
            Self::Red => row.s = Some("red".to_owned()),
            Self::NoText => row.s = None,
        }
    }
}

/// Applies a change to the model. Returns the number of changed rows.
fn by_hand(change: &Change, rows: &mut Vec<Row>) -> u64 {
    let before = rows.clone();
    let (Change::Delete(condition) | Change::Update(_, condition)) = change;
    let fits = |row: &Row| condition.of(row, &before) == Some(true);
    let count = before.iter().filter(|row| fits(row)).count() as u64;
    match change {
        Change::Delete(_) => rows.retain(|row| !fits(row)),
        Change::Update(values, _) => {
            for row in rows.iter_mut().filter(|row| fits(row)) {
                let old = row.clone();
                values.iter().for_each(|value| value.set(row, &old));
            }
        }
    }
    count
}

fn statement(change: &Change) -> String {
    match change {
        Change::Delete(condition) => format!("delete from 'DIR/t' where {}", condition.sql()),
        Change::Update(values, condition) => {
            let values: Vec<String> = values.iter().map(Value::sql).collect();
            let values = values.join(", ");
            format!("update 'DIR/t' set {values} where {}", condition.sql())
        }
    }
}

/// The statement that creates the array with these rows.
fn made_of(rows: &[Row], is_dense: bool) -> String {
    let mut values = String::new();
    for Row { x, a, f, s } in rows {
        let number = a.map_or("null".to_owned(), |a| a.to_string());
        let float = f.map_or("null".to_owned(), |f| format!("'{f}'"));
        let text = s.as_ref().map_or("null".to_owned(), |s| format!("'{s}'"));
        write!(values, "({x}, {number}, {float}, {text}), ").unwrap();
    }
    let values = values.trim_end_matches(", ");
    let dense = if is_dense { ", dense 'true'" } else { "" };
    format!(
        "copy (select column1 as x, column2::bigint as a, column3::double as f, column4::varchar as s from (values {values})) \
         to 'DIR/t' stored as tiledb options (dim 'x'{dense})"
    )
}

/// Formats the rows as SQL returns them.
fn shown(rows: &[Row]) -> Vec<Vec<String>> {
    let text = |cell: Option<String>| cell.unwrap_or_else(|| "NULL".to_owned());
    let rows = rows.iter().map(|row| {
        vec![
            row.x.to_string(),
            text(row.a.map(|a| a.to_string())),
            text(row.f.map(|f| format!("{f:?}"))),
            text(row.s.clone()),
        ]
    });
    rows.collect()
}

fn conditions() -> impl Strategy<Value = Condition> {
    let test = prop_oneof![
        (-1_i64..9).prop_map(Condition::Greater),
        (0_i64..6).prop_map(Condition::Differs),
        (0_i64..20).prop_map(Condition::SumLess),
        (-2_i64..4).prop_map(Condition::FloatGreater),
        Just(Condition::IsNaN),
        prop_oneof![Just("r"), Just("ro"), Just("gr")].prop_map(Condition::Like),
        Just(Condition::Among),
        prop_oneof![Just("a"), Just("f"), Just("s")].prop_map(Condition::Null),
        (0_i64..12).prop_map(Condition::InBefore),
    ];
    test.prop_recursive(2, 4, 2, |of| {
        let two = (of.clone(), of.clone());
        prop_oneof![
            of.prop_map(|of| Condition::Not(Box::new(of))),
            two.clone()
                .prop_map(|(one, other)| Condition::And(Box::new(one), Box::new(other))),
            two.prop_map(|(one, other)| Condition::Or(Box::new(one), Box::new(other))),
        ]
    })
}

fn changes() -> impl Strategy<Value = Change> {
    let number = prop_oneof![
        (-3_i64..4).prop_map(Value::Add),
        Just(Value::Place),
        Just(Value::NoNumber)
    ];
    let float = prop_oneof![Just(Value::Double), Just(Value::OfNumber)];
    let text = prop_oneof![Just(Value::Longer), Just(Value::Red), Just(Value::NoText)];
    let values = prop_oneof![
        (number.clone(), text.clone()).prop_map(|(number, text)| vec![text, number]),
        (number, float.clone()).prop_map(|(number, float)| vec![float, number]),
        float.prop_map(|float| vec![float]),
        text.prop_map(|text| vec![text]),
    ];
    prop_oneof![
        conditions().prop_map(Change::Delete),
        (values, conditions()).prop_map(|(values, condition)| Change::Update(values, condition)),
    ]
}

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let floats = prop_oneof![
        Just(f64::NAN),
        (-4_i32..8).prop_map(|half| f64::from(half) / 2.0)
    ];
    let texts = prop_oneof![Just("red"), Just("rose"), Just("green"), Just("blue")];
    let cell = (
        prop::option::of(0_i64..8),
        prop::option::of(floats),
        prop::option::of(texts),
    );
    prop::collection::vec(cell, 1..14).prop_map(|cells| {
        // The last row makes all attributes nullable.
        let all = cells.into_iter().chain([(None, None, None)]);
        let rows = all.enumerate().map(|(x, (a, f, s))| Row {
            x: x as i64,
            a,
            f,
            s: s.map(str::to_owned),
        });
        rows.collect()
    })
}

/// Checks the cells after each statement, and the number of changed cells that it reports.
fn check(mut rows: Vec<Row>, changes: &[Change], is_dense: bool) {
    let folder = TempDir::new().unwrap();
    let mut database = InFolder {
        sql: Context::new().threads(2).sql().unwrap(),
        folder: folder.path().display().to_string(),
    };
    database.run(&made_of(&rows, is_dense)).unwrap();
    for change in changes {
        let (Change::Delete(condition) | Change::Update(_, condition)) = change;
        let sql = statement(change);
        let asked = format!("select count(*) from 'DIR/t' where {}", condition.sql());
        let Ok(DBOutput::Rows { rows: counted, .. }) = database.run(&asked) else {
            panic!("{asked}");
        };
        let wanted = by_hand(change, &mut rows);
        assert_eq!(counted, [[wanted.to_string()]], "{sql}");
        match database.run(&sql) {
            Ok(DBOutput::StatementComplete(cells)) => assert_eq!(cells, wanted, "{sql}"),
            Ok(_) => panic!("{sql} gave rows"),
            Err(error) => panic!("{sql}: {error}"),
        }
        let all = "select x, a, f, s from 'DIR/t' order by x";
        let Ok(DBOutput::Rows { rows: left, .. }) = database.run(all) else {
            panic!("{all}");
        };
        assert_eq!(left, shown(&rows), "{sql}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn sparse_cells_change_as_a_table_does(rows in rows(), changes in prop::collection::vec(changes(), 1..4)) {
        check(rows, &changes, false);
    }

    #[test]
    fn dense_cells_change_as_a_table_does(rows in rows(), changes in prop::collection::vec(changes(), 1..4)) {
        let updates: Vec<Change> = changes.into_iter().filter(|change| matches!(change, Change::Update(..))).collect();
        check(rows, &updates, true);
    }
}
