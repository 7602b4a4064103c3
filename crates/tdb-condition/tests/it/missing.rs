//! Stored values that represent no value: indexes without a label, NaT, and NUL padding of text.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::cmp::Ordering;
use std::sync::Arc;

use proptest::prelude::*;
use tdb_cells::FieldInfo;
use tdb_condition::{Condition, ConditionError, ConditionRules, FieldCells, KeepCondition};
use tdb_schema::{CellValNum, Enumeration, FieldKind};
use tdb_tile::{Datatype, Limits};

const LABELS: [&str; 3] = ["low", "mid", "high"];
const NAT: i64 = i64::MIN;

fn field(name: &str, datatype: Datatype, values: u32, labels: Option<&[&str]>) -> FieldInfo {
    let enumeration = labels.map(|labels| {
        let (utf8, var) = (Datatype::StringUtf8, CellValNum::Var);
        let ordered = name != "free";
        Arc::new(Enumeration::from_values("lab", "__0_0", utf8, var, ordered, labels).unwrap())
    });
    FieldInfo {
        name: name.to_owned(),
        datatype,
        cell_val_num: CellValNum::Fixed(values),
        nullable: name == "nullable",
        enumeration,
        field: FieldKind::Attribute(0),
    }
}

/// The rows of a single field that match a condition.
fn rows_by(
    text: &str,
    field: &FieldInfo,
    cells: FieldCells<'_>,
    rules: ConditionRules,
) -> Vec<usize> {
    let limits = Limits::default();
    let condition = Condition::parse(text, &limits).unwrap();
    let fields = std::slice::from_ref(field);
    let resolved = condition.resolve_by(fields, &limits, rules);
    let resolved = resolved.unwrap_or_else(|error| panic!("{text}: {error}"));
    let size = field.cell_size().unwrap();
    let count = cells.values.len() / size;
    let cells: Vec<_> = resolved.fields().iter().map(|_| Some(cells)).collect();
    let mut mask = Vec::new();
    resolved.evaluate(&cells, count, &mut mask).unwrap();
    (0..count).filter(|row| mask[*row] == 1).collect()
}

fn rows(text: &str, field: &FieldInfo, cells: FieldCells<'_>) -> Vec<usize> {
    rows_by(text, field, cells, ConditionRules::default())
}

fn values(values: &[u8]) -> FieldCells<'_> {
    FieldCells {
        values,
        ..FieldCells::default()
    }
}

#[test]
fn an_index_without_a_label_is_null_in_every_test() {
    let none = [0_usize; 0];
    for (datatype, absent) in [
        (Datatype::Int8, 0xff),
        (Datatype::Int8, 0x80),
        (Datatype::Int8, 3),
        (Datatype::UInt8, 0xff),
    ] {
        let c = field("c", datatype, 1, Some(&LABELS));
        let cells = [0, 1, 2, absent];
        let found = |text: &str| rows(text, &c, values(&cells));
        assert_eq!(found("c is null"), [3]);
        assert_eq!(found("c is not null"), [0, 1, 2]);
        assert_eq!(found("not c is null"), [0, 1, 2]);
        assert_eq!(found("c < 'mid'"), [0]);
        assert_eq!(found("c <= 'mid'"), [0, 1]);
        assert_eq!(found("c > 'low'"), [1, 2]);
        assert_eq!(found("c >= 'low'"), [0, 1, 2]);
        assert_eq!(found("c != 'low'"), [1, 2]);
        assert_eq!(found("not c = 'low'"), [1, 2]);
        assert_eq!(found("c not in ('low', 'high')"), [1]);
        assert_eq!(found("c in ('low', 'high')"), [0, 2]);
        assert_eq!(found("c = 'none'"), none);
        assert_eq!(found("c != 'none'"), [0, 1, 2]);
        assert_eq!(found("c not like '%i%'"), [0]);
        assert_eq!(found("not c starts with 'l'"), [1, 2]);
        assert_eq!(found("c < 'mid' or c is null"), [0, 3]);
        assert_eq!(found("not (c < 'mid' or c > 'mid')"), [1]);
    }
}

#[test]
fn null_cells_and_those_without_a_label_are_alike() {
    let c = field("nullable", Datatype::Int16, 1, Some(&LABELS));
    let indexes = [0_i16, 1, -1, 2, 0].map(i16::to_le_bytes).concat();
    let cells = FieldCells {
        values: &indexes,
        validity: Some(&[1, 1, 1, 1, 0]),
        ..FieldCells::default()
    };
    assert_eq!(rows("nullable is null", &c, cells), [2, 4]);
    assert_eq!(rows("nullable is not null", &c, cells), [0, 1, 3]);
    assert_eq!(rows("nullable != 'mid'", &c, cells), [0, 3]);
}

#[test]
fn without_labels_every_index_is_null() {
    let c = field("c", Datatype::UInt8, 1, Some(&[]));
    let found = |text: &str| rows(text, &c, values(&[0, 1]));
    assert_eq!(found("c is null"), [0, 1]);
    assert_eq!(found("c is not null"), [0_usize; 0]);
    assert_eq!(found("c != 'low'"), [0_usize; 0]);
}

#[test]
fn labels_as_many_as_a_type_can_count_leave_no_index_without_one() {
    let labels: Vec<String> = (0..256).map(|label| label.to_string()).collect();
    let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
    let c = field("c", Datatype::UInt8, 1, Some(&labels));
    let found = |text: &str| rows(text, &c, values(&[0, 127, 255]));
    assert_eq!(found("c is null"), [0_usize; 0]);
    assert_eq!(found("c is not null"), [0, 1, 2]);
    assert_eq!(found("c > '0'"), [1, 2]);
}

#[test]
fn nat_is_neither_less_nor_greater_and_differs_from_everything() {
    for datatype in [Datatype::DateTimeDay, Datatype::TimeSecond] {
        let d = field("d", datatype, 1, None);
        let cells = [-5, NAT, 7_i64].map(i64::to_le_bytes).concat();
        let found = |text: &str| rows(text, &d, values(&cells));
        assert_eq!(found("d < 7"), [0]);
        assert_eq!(found("d <= 7"), [0, 2]);
        assert_eq!(found("d < 1e30"), [0, 2]);
        assert_eq!(found("d > -1e30"), [0, 2]);
        assert_eq!(found("d >= -9223372036854775807"), [0, 2]);
        assert_eq!(found("not d > 7"), [0, 2]);
        assert_eq!(found("d between -10 and 10"), [0, 2]);
        assert_eq!(found("d != 7"), [0, 1]);
        assert_eq!(found("d not in (7, 8)"), [0, 1]);
        assert_eq!(found("d in (7, -9223372036854775808)"), [2]);
        assert_eq!(found("d = -9223372036854775808"), [0_usize; 0]);
        assert_eq!(found("d != -9223372036854775808"), [0, 1, 2]);
        assert_eq!(found("d not in (7, -9223372036854775808)"), [0, 1]);
        assert_eq!(found("d is null"), [0_usize; 0]);
        assert_eq!(found("d = d"), [0, 2]);
        assert_eq!(found("d != d"), [1]);
        assert_eq!(found("d < d + 1"), [0, 2]);
        assert_eq!(found("not d >= d"), [0_usize; 0]);
    }
}

#[test]
fn nat_is_outside_of_no_period_and_in_none() {
    let d = field("d", Datatype::DateTimeDay, 1, None);
    let cells = [0, NAT, 400_i64].map(i64::to_le_bytes).concat();
    let found = |text: &str| rows(text, &d, values(&cells));
    assert_eq!(found("d = '1970'"), [0]);
    assert_eq!(found("d != '1970'"), [1, 2]);
    assert_eq!(found("d not in ('1970', '1980')"), [1, 2]);
    assert_eq!(found("d <= '1970'"), [0]);
    assert_eq!(found("d + 0 != '1970'"), [1, 2]);
    assert_eq!(found("year(d) != 1970"), [2]);
}

#[test]
fn text_of_fixed_size_ends_before_the_nul_bytes_behind_it() {
    for datatype in [Datatype::Char, Datatype::StringAscii, Datatype::StringUtf8] {
        let c = field("c", datatype, 3, None);
        let found = |text: &str| rows(text, &c, values(b"ab\0abc\0\0\0b\0\0a\0b"));
        assert_eq!(found("c = 'ab'"), [0]);
        assert_eq!(found("c = ''"), [2]);
        assert_eq!(found("c != 'ab'"), [1, 2, 3, 4]);
        assert_eq!(found("c in ('b', 'abc')"), [1, 3]);
        assert_eq!(found("c = x'616200'"), [0]);
        assert_eq!(found("c = 'abcd'"), [0_usize; 0]);
        assert_eq!(found("c < 'abc'"), [0, 2, 4]);
        assert_eq!(found("c <= 'abcd'"), [0, 1, 2, 4]);
        assert_eq!(found("c like 'a_'"), [0]);
        assert_eq!(found("c like '__'"), [0]);
        assert_eq!(found("c like 'ab'"), [0]);
        assert_eq!(found("c like '%b'"), [0, 3, 4]);
        assert_eq!(found("c starts with 'ab'"), [0, 1]);
        let raw = ConditionRules::stored_bytes();
        let found = |text: &str| rows_by(text, &c, values(b"ab\0abc"), raw);
        assert_eq!(found("c = 'ab'"), [0_usize; 0]);
        assert_eq!(found("c like '__'"), [0_usize; 0]);
    }
}

#[test]
fn labels_of_fixed_size_are_named_without_their_nul_bytes() {
    let (ascii, size) = (Datatype::StringAscii, CellValNum::Fixed(3));
    let labels = Enumeration::from_values("lab", "__0_0", ascii, size, true, [b"ab\0", b"abc"]);
    let c = FieldInfo {
        enumeration: Some(Arc::new(labels.unwrap())),
        ..field("c", Datatype::UInt8, 1, None)
    };
    let found = |text: &str| rows(text, &c, values(&[0, 1, 9]));
    assert_eq!(found("c = 'ab'"), [0]);
    assert_eq!(found("c != 'ab'"), [1]);
    assert_eq!(found("c like 'a_'"), [0]);
}

#[test]
fn a_delete_stores_comparisons_of_stored_values() {
    let limits = Limits::default();
    let kept = |text: &str, field: FieldInfo| {
        let condition = Condition::parse(text, &limits).unwrap();
        condition.kept(&[field], &limits)
    };
    let c = || field("c", Datatype::Int8, 1, Some(&LABELS));
    for text in ["c is null", "c is not null", "c = 'low' or c is null"] {
        let refused = kept(text, c()).unwrap_err();
        let is_of_null = matches!(refused, ConditionError::NotStorable { what: "null", .. });
        assert!(is_of_null, "{text}: {refused}");
    }
    for (text, tested) in [
        ("c < 'mid'", c()),
        ("d < 7", field("d", Datatype::DateTimeDay, 1, None)),
    ] {
        let Ok(KeepCondition::Where(tree)) = kept(text, tested) else {
            panic!("{text} keeps all");
        };
        assert_eq!(tree.values().count(), 1, "{text}");
    }
    let c = field("c", Datatype::Char, 3, None);
    let Ok(KeepCondition::Where(tree)) = kept("c = 'ab'", c) else {
        panic!("it keeps all");
    };
    assert_eq!(tree.values().next().unwrap().value()[..], *b"ab\0");
}

/// A test of an enumerated attribute, and whether to negate it.
fn label_test() -> impl Strategy<Value = (String, bool)> {
    let op = prop::sample::select(vec!["<", "<=", ">", ">=", "=", "!="]);
    (op, 0..4_usize, any::<bool>()).prop_map(|(op, label, negated)| {
        let label = LABELS.get(label).unwrap_or(&"none");
        (format!("c {op} '{label}'"), negated)
    })
}

fn holds(text: &str, place: Option<usize>) -> bool {
    let mut words = text.split(' ');
    let (_, op, label) = (words.next(), words.next().unwrap(), words.next().unwrap());
    let Some(place) = place else { return false };
    let Some(wanted) = LABELS.iter().position(|l| *l == label.trim_matches('\'')) else {
        return op == "!=";
    };
    let order = place.cmp(&wanted);
    match op {
        "<" => order == Ordering::Less,
        "<=" => order != Ordering::Greater,
        ">" => order == Ordering::Greater,
        ">=" => order != Ordering::Less,
        "=" => order == Ordering::Equal,
        _ => order != Ordering::Equal,
    }
}

proptest! {
    /// Cells without a label fail all comparisons and their negations, like null cells.
    #[test]
    fn conditions_on_labels_are_those_of_a_naive_model(
        tests in prop::collection::vec(label_test(), 1..4),
        joint in prop::sample::select(vec![" and ", " or "]),
        indexes in prop::collection::vec(any::<i8>().prop_map(|i| i % 5), 1..20),
    ) {
        let c = field("c", Datatype::Int8, 1, Some(&LABELS));
        let text = tests.iter().map(|(test, negated)| {
            if *negated { format!("not ({test})") } else { test.clone() }
        });
        let text = text.collect::<Vec<_>>().join(joint);
        let place = |index: i8| usize::try_from(index).ok().filter(|index| *index < LABELS.len());
        let passes = |index: i8| {
            let place = place(index);
            let each = |(test, negated): &(String, bool)| {
                // A comparison with an unknown label is false, and so is its opposite, except `!=`.
                let known = LABELS.iter().any(|label| test.contains(&format!("'{label}'")));
                let equality = test.contains("!=") || test.contains(" = ");
                match (place, negated) {
                    (None, _) => false,
                    (_, true) if !known && !equality => false,
                    (_, negated) => holds(test, place) != *negated,
                }
            };
            if joint == " and " { tests.iter().all(each) } else { tests.iter().any(each) }
        };
        let stored: Vec<u8> = indexes.iter().map(|index| index.cast_unsigned()).collect();
        let wanted: Vec<usize> = (0..indexes.len()).filter(|row| passes(indexes[*row])).collect();
        prop_assert_eq!(rows(&text, &c, values(&stored)), wanted, "{}", text);
    }
}
