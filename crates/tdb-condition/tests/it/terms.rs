//! Comparisons of terms, which are computed from fields.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use proptest::prelude::*;
use tdb_cells::FieldInfo;
use tdb_condition::{Condition, FieldCells, Operation, Term, TermPart};
use tdb_schema::{CellValNum, FieldKind};
use tdb_tile::{Datatype, Limits};

const FIELDS: [(&str, Datatype, CellValNum); 7] = [
    ("a", Datatype::Int32, CellValNum::Fixed(1)),
    ("b", Datatype::UInt64, CellValNum::Fixed(1)),
    ("f", Datatype::Float64, CellValNum::Fixed(1)),
    ("d", Datatype::DateTimeDay, CellValNum::Fixed(1)),
    ("e", Datatype::DateTimeDay, CellValNum::Fixed(1)),
    ("s", Datatype::StringUtf8, CellValNum::Var),
    ("t", Datatype::StringAscii, CellValNum::Var),
];

fn fields() -> Vec<FieldInfo> {
    let fields = FIELDS.map(|(name, datatype, cell_val_num)| FieldInfo {
        name: str::to_owned(name),
        datatype,
        cell_val_num,
        nullable: true,
        enumeration: None,
        field: FieldKind::Attribute(0),
    });
    fields.to_vec()
}

/// The cells of one row, in the order of the fields.
#[derive(Clone, Debug)]
struct Cells {
    a: Option<i32>,
    b: Option<u64>,
    f: Option<f64>,
    d: Option<i64>,
    e: Option<i64>,
    s: Option<String>,
    t: Option<String>,
}

const NOT_A_TIME: i64 = i64::MIN;

fn answers(text: &str, rows: &[Cells]) -> Vec<bool> {
    let condition = Condition::parse(text, &Limits::default()).unwrap();
    let again = Condition::parse(&condition.to_string(), &Limits::default()).unwrap();
    assert_eq!(again, condition, "{text} is written as {condition}");
    let known = fields();
    let resolved = condition.resolve(&known, &Limits::default()).unwrap();
    let numbers = |of: &dyn Fn(&Cells) -> Vec<u8>| rows.iter().flat_map(of).collect::<Vec<u8>>();
    let texts = |of: &dyn Fn(&Cells) -> Option<String>| {
        let (mut values, mut offsets) = (Vec::new(), vec![0]);
        for row in rows {
            values.extend_from_slice(of(row).unwrap_or_default().as_bytes());
            offsets.push(values.len() as u64);
        }
        (values, offsets)
    };
    let valid = |of: &dyn Fn(&Cells) -> bool| rows.iter().map(|r| u8::from(of(r))).collect();
    let values = [
        numbers(&|r| r.a.unwrap_or(7).to_le_bytes().to_vec()),
        numbers(&|r| r.b.unwrap_or(7).to_le_bytes().to_vec()),
        numbers(&|r| r.f.unwrap_or(7.0).to_le_bytes().to_vec()),
        numbers(&|r| r.d.unwrap_or(7).to_le_bytes().to_vec()),
        numbers(&|r| r.e.unwrap_or(7).to_le_bytes().to_vec()),
    ];
    let strings = [texts(&|r| r.s.clone()), texts(&|r| r.t.clone())];
    let validity: [Vec<u8>; 7] = [
        valid(&|r| r.a.is_some()),
        valid(&|r| r.b.is_some()),
        valid(&|r| r.f.is_some()),
        valid(&|r| r.d.is_some()),
        valid(&|r| r.e.is_some()),
        valid(&|r| r.s.is_some()),
        valid(&|r| r.t.is_some()),
    ];
    let cells = resolved.fields().iter().map(|field| {
        let at = FIELDS
            .iter()
            .position(|(name, ..)| *name == field.name)
            .unwrap();
        let text = at.checked_sub(5).map(|at| &strings[at]);
        Some(FieldCells {
            values: text.map_or_else(|| &values[at], |(values, _)| values),
            offsets: text.map(|(_, offsets)| &offsets[..]),
            validity: Some(&validity[at]),
        })
    });
    let cells: Vec<_> = cells.collect();
    let mut mask = Vec::new();
    resolved.evaluate(&cells, rows.len(), &mut mask).unwrap();
    mask.into_iter().map(|answer| answer == 1).collect()
}

fn cells() -> impl Strategy<Value = Cells> {
    let day = || prop::option::of(prop_oneof![8 => -800_i64..20_000, 1 => Just(NOT_A_TIME)]);
    let text = || prop::option::of("[ab]{0,2}");
    let float = prop_oneof![4 => -4.0..4.0_f64, 1 => Just(f64::NAN), 1 => Just(0.0)];
    (
        prop::option::of(prop_oneof![-4..4_i32, any::<i32>()]),
        prop::option::of(prop_oneof![0..4_u64, any::<u64>()]),
        prop::option::of(float),
        day(),
        day(),
        text(),
        text(),
    )
        .prop_map(|(a, b, f, d, e, s, t)| Cells {
            a,
            b,
            f,
            d,
            e,
            s,
            t,
        })
}

/// A whole number or a float.
#[derive(Clone, Copy, Debug)]
enum Number {
    Whole(i128),
    Float(f64),
}

impl Number {
    fn float(self) -> f64 {
        match self {
            Self::Whole(value) => value as f64,
            Self::Float(value) => value,
        }
    }
}

/// The expected value of a term of numbers.
fn worked_out(term: &Term, row: &Cells) -> Option<Number> {
    let mut stack: Vec<Option<Number>> = Vec::new();
    for part in term.parts() {
        let value = match part {
            TermPart::Field(name) => match name.as_str() {
                "a" => row.a.map(|a| Number::Whole(a.into())),
                "b" => row.b.map(|b| Number::Whole(b.into())),
                _ => row.f.map(Number::Float),
            },
            TermPart::Value(tdb_condition::Literal::Integer(value)) => Some(Number::Whole(*value)),
            TermPart::Value(tdb_condition::Literal::Float(value)) => Some(Number::Float(*value)),
            TermPart::Negate => stack.pop().unwrap().map(|value| match value {
                Number::Whole(value) => Number::Whole(-value),
                Number::Float(value) => Number::Float(-value),
            }),
            TermPart::Operation(operation) => {
                let (right, left) = (stack.pop().unwrap(), stack.pop().unwrap());
                left.zip(right).and_then(|both| match (both, operation) {
                    ((Number::Whole(a), Number::Whole(b)), Operation::Add) => {
                        Some(Number::Whole(a + b))
                    }
                    ((Number::Whole(a), Number::Whole(b)), Operation::Subtract) => {
                        Some(Number::Whole(a - b))
                    }
                    ((Number::Whole(a), Number::Whole(b)), Operation::Multiply) => {
                        Some(Number::Whole(a * b))
                    }
                    ((_, b), Operation::Divide) if b.float() == 0.0 => None,
                    ((a, b), operation) => Some(Number::Float(match operation {
                        Operation::Add => a.float() + b.float(),
                        Operation::Subtract => a.float() - b.float(),
                        Operation::Multiply => a.float() * b.float(),
                        Operation::Divide => a.float() / b.float(),
                    })),
                })
            }
            _ => unreachable!("no part of these terms"),
        };
        stack.push(value);
    }
    stack.pop().unwrap()
}

fn term() -> impl Strategy<Value = Term> {
    let leaf = prop_oneof![
        Just(Term::field("a")),
        Just(Term::field("b")),
        Just(Term::field("f")),
        (0..5_i64).prop_map(Term::value),
        (0..5_i32).prop_map(|n| Term::value(f64::from(n) / 2.0)),
    ];
    leaf.prop_recursive(3, 6, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| a + b),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| a - b),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| a / b),
            (inner.clone(), 0..4_i32).prop_map(|(a, b)| a * b),
            inner.prop_map(|a| -a),
        ]
    })
}

proptest! {
    #[test]
    fn comparisons_of_numbers_are_those_that_a_person_works_out(
        left in term(),
        right in term(),
        op in prop::sample::select(vec!["<", "<=", ">", ">=", "=", "!="]),
        rows in prop::collection::vec(cells(), 1..5),
    ) {
        prop_assume!(left.fields().next().is_some() || right.fields().next().is_some());
        // Comparisons of a field with a value have their own tests in evaluate.rs.
        prop_assume!(left.parts().len() + right.parts().len() > 2);
        let text = format!("{left} {op} {right}");
        let wanted = rows.iter().map(|row| {
            let both = worked_out(&left, row).zip(worked_out(&right, row));
            both.is_some_and(|(left, right)| {
                let order = match (left, right) {
                    (Number::Whole(left), Number::Whole(right)) => left.partial_cmp(&right),
                    (left, right) => left.float().partial_cmp(&right.float()),
                };
                match op {
                    "<" => order.is_some_and(|o| o.is_lt()),
                    "<=" => order.is_some_and(|o| o.is_le()),
                    ">" => order.is_some_and(|o| o.is_gt()),
                    ">=" => order.is_some_and(|o| o.is_ge()),
                    "=" => order.is_some_and(|o| o.is_eq()),
                    _ => order.is_none_or(|o| o.is_ne()),
                }
            })
        });
        prop_assert_eq!(answers(&text, &rows), wanted.collect::<Vec<bool>>(), "{}", text);
    }

    #[test]
    fn dates_and_texts_of_two_fields_compare(rows in prop::collection::vec(cells(), 1..9)) {
        let wanted = |holds: &dyn Fn(&Cells) -> Option<bool>| {
            rows.iter().map(|row| holds(row).unwrap_or(false)).collect::<Vec<bool>>()
        };
        let days = |row: &Cells| {
            let (d, e) = (row.d?, row.e?);
            (d != NOT_A_TIME && e != NOT_A_TIME).then_some((d, e))
        };
        prop_assert_eq!(answers("d < e", &rows), wanted(&|r| days(r).map(|(d, e)| d < e)));
        prop_assert_eq!(answers("not d < e", &rows), wanted(&|r| days(r).map(|(d, e)| d >= e)));
        prop_assert_eq!(answers("e - d > 30", &rows), wanted(&|r| days(r).map(|(d, e)| e - d > 30)));
        prop_assert_eq!(answers("d + 7 <= e", &rows), wanted(&|r| days(r).map(|(d, e)| d + 7 <= e)));
        prop_assert_eq!(answers("s <= t", &rows), wanted(&|r| Some(r.s.as_ref()? <= r.t.as_ref()?)));
        prop_assert_eq!(answers("s != t", &rows), wanted(&|r| Some(r.s.as_ref()? != r.t.as_ref()?)));
    }
}

fn row() -> Cells {
    Cells {
        a: Some(3),
        b: Some(4),
        f: Some(0.5),
        // 2024-02-29
        d: Some(19_782),
        e: None,
        s: Some("x".to_owned()),
        t: Some("y".to_owned()),
    }
}

#[test]
fn parts_of_dates_and_precedence() {
    for (text, holds) in [
        ("year(d) = 2024 and month(d) = 2 and day(d) = 29", true),
        ("YEAR( d ) + 1 > 2024", true),
        ("year(d + 1) = 2024 and month(d + 1) = 3", true),
        ("d + 1 = '2024-03-01'", true),
        ("'2024-02-01' < d - 1", true),
        ("year(e) != 2024", false),
        ("a + b * 2 = 11", true),
        ("(a + b) * 2 = 14", true),
        ("((a + b) * 2 = 14)", true),
        ("not (a + b) * 2 = 14", false),
        ("a - b - 1 = -2", true),
        ("a -1 = 2", true),
        ("a-1=2", true),
        ("-a < -2 and 2 < a", true),
        ("-(a + b) = -7", true),
        ("b / a > 1.3", true),
        ("1 / (a - 3) > 0 or a = 0", false),
        ("a < b and s < t", true),
        ("a > b or s > t", false),
        ("3 = a", true),
    ] {
        assert_eq!(answers(text, &[row()]), [holds], "{text}");
    }
}

#[test]
fn what_cannot_be_compared_says_why() {
    let known = fields();
    let refused = |text: &str| {
        let parsed = Condition::parse(text, &Limits::default());
        let error = parsed.and_then(|parsed| parsed.resolve(&known, &Limits::default()).map(drop));
        let error = error.unwrap_err();
        let hint = error
            .hint()
            .map(|hint| format!("\n  {hint}"))
            .unwrap_or_default();
        format!("{text}: {error}{hint}\n")
    };
    let all = [
        "a = s",
        "s + 1 = t",
        "d < a / 2",
        "d + e > 3",
        "year(a) = 1",
        "a * a * a * a > b",
        "a < missing",
        "a + > 1",
        "(a + 1",
        "(a + 1))",
        "a + 1",
        "1 = 2",
        "a + 1 in (1, 2)",
        "year(d",
        "d < '2024-02-30'",
        "a < b < 3",
        "a * 2 = 'x'",
    ];
    insta::assert_snapshot!(all.map(refused).concat(), @r#"
    a = s: condition `a = s`: text is compared with text alone
    s + 1 = t: condition `s + 1 = t`: numbers can be calculated with, and dates and times of one type subtracted, or moved by whole numbers
    d < a / 2: condition `d < a / 2`: dates and times count whole ticks
    d + e > 3: condition `d + e > 3`: numbers can be calculated with, and dates and times of one type subtracted, or moved by whole numbers
    year(a) = 1: condition `year(a) = 1`: year(…) takes a date
    a * a * a * a > b: condition `a * a * a * a > b`: the numbers can become larger than 128 bits hold; a factor of 1.0 makes them floats
    a < missing: condition `a < missing`: the array has no such field
      the fields are a, b, f, d, e, s, t
    a + > 1: condition at character 5: wanted a field or a value, found `>`
    (a + 1: condition at character 7: wanted an operator such as `=` or `in`, found the end
    (a + 1)): condition at character 8: wanted an operator such as `=` or `in`, found `)`
    a + 1: condition at character 6: wanted an operator such as `=` or `in`, found the end
    1 = 2: condition at character 6: a test of values alone: one side names a field
    a + 1 in (1, 2): condition at character 7: wanted an operator such as `=` or `in`, found `in`
    year(d: condition at character 1: this `(` is never closed
    d < '2024-02-30': condition `d < '2024-02-30'`: a value of type datetime_day cannot be compared with '2024-02-30'
      wanted a time of ISO 8601 such as '2024-02-29T12:30:00', or ticks as a number
    a < b < 3: condition at character 7: wanted `and`, `or` or the end, found `<`
    a * 2 = 'x': condition `a * 2 = 'x'`: text is compared with text alone
    "#);
}

#[test]
fn the_builder_makes_what_the_text_says() {
    let parsed = |text| Condition::parse(text, &Limits::default()).unwrap();
    let a = || Term::field("a");
    assert_eq!((a() + Term::field("b") * 2).gt(3), parsed("a + b * 2 > 3"));
    assert_eq!(
        ((a() + Term::field("b")) * 2).gt(3),
        parsed("(a + b) * 2 > 3")
    );
    assert_eq!(a().lt(Condition::field("b")), parsed("a < b"));
    assert_eq!(a().lt(3), Condition::field("a").lt(3));
    assert_eq!(Term::value(3).lt(a()), Condition::field("a").gt(3));
}
