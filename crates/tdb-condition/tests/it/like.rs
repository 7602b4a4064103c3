//! Which cells match `like` and `starts with`.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use proptest::prelude::*;
use std::sync::Arc;

use tdb_cells::FieldInfo;
use tdb_condition::{Condition, FieldCells, Pattern};
use tdb_schema::{CellValNum, Enumeration, FieldKind};
use tdb_tile::{Datatype, Limits};

const VAR: CellValNum = CellValNum::Var;

/// The rows of a text field that match a condition on `s`.
fn rows(
    condition: &Condition,
    datatype: Datatype,
    cells: &[&[u8]],
    validity: Option<&[u8]>,
) -> Vec<usize> {
    let mut offsets = vec![0];
    for cell in cells {
        offsets.push(offsets[offsets.len() - 1] + cell.len() as u64);
    }
    let values = cells.concat();
    let fields = [FieldInfo {
        name: "s".to_owned(),
        datatype,
        cell_val_num: VAR,
        nullable: validity.is_some(),
        enumeration: None,
        field: FieldKind::Attribute(0),
    }];
    let resolved = condition.resolve(&fields, &Limits::default()).unwrap();
    let field = FieldCells {
        values: &values,
        offsets: Some(&offsets),
        validity,
    };
    let mut mask = Vec::new();
    resolved
        .evaluate(&[Some(field)], cells.len(), &mut mask)
        .unwrap();
    (0..cells.len()).filter(|row| mask[*row] == 1).collect()
}

fn rows_of(text: &str, cells: &[&str]) -> Vec<usize> {
    let condition = Condition::parse(text, &Limits::default()).unwrap();
    let cells: Vec<&[u8]> = cells.iter().map(|cell| cell.as_bytes()).collect();
    rows(&condition, Datatype::StringUtf8, &cells, None)
}

#[test]
fn patterns_match_whole_cells() {
    let cells = ["", "ab", "abc", "xabc", "a%c", "Abc", "é", "ab\nc"];
    for (text, expected) in [
        ("s like ''", vec![0]),
        ("s like '%'", vec![0, 1, 2, 3, 4, 5, 6, 7]),
        ("s like 'ab'", vec![1]),
        ("s not like 'ab'", vec![0, 2, 3, 4, 5, 6, 7]),
        ("s like 'ab%'", vec![1, 2, 7]),
        ("s like '%bc'", vec![2, 3, 5]),
        ("s like '%b%'", vec![1, 2, 3, 5, 7]),
        ("s like 'a_c'", vec![2, 4]),
        ("s like '_'", vec![6]),
        ("s like 'a#%c' escape '#'", vec![4]),
        ("s like '%#%%' escape '#'", vec![4]),
        ("s like 'a%c'", vec![2, 4, 7]),
        ("s starts with 'ab'", vec![1, 2, 7]),
        ("s starts with ''", vec![0, 1, 2, 3, 4, 5, 6, 7]),
        ("s starts with 'a%'", vec![4]),
        ("s starts with x'c3'", vec![6]),
        ("not s starts with 'a'", vec![0, 3, 5, 6]),
    ] {
        assert_eq!(rows_of(text, &cells), expected, "{text}");
    }
}

#[test]
fn null_cells_fit_no_pattern_and_differ_from_none() {
    let cells: [&[u8]; 3] = [b"a", b"a", b"b"];
    let rows =
        |condition: Condition| rows(&condition, Datatype::StringUtf8, &cells, Some(&[1, 0, 1]));
    let s = || Condition::field("s");
    assert_eq!(rows(s().like("_")), [0, 2]);
    assert_eq!(rows(s().not_like("%a%")), [2]);
    assert_eq!(rows(s().starts_with("a")), [0]);
    assert_eq!(rows(!s().starts_with("a")), [2]);
}

#[test]
fn a_character_is_a_byte_where_text_is_not_utf8() {
    let cells: [&[u8]; 3] = ["é".as_bytes(), b"\xff", b"\xf0\x9f\x98"];
    let one = Condition::field("s").like("_");
    assert_eq!(rows(&one, Datatype::StringUtf8, &cells, None), [0, 1]);
    assert_eq!(rows(&one, Datatype::Char, &cells, None), [1]);
    let three = Condition::field("s").like("%___");
    assert_eq!(rows(&three, Datatype::StringUtf8, &cells, None), [2]);
    let emoji: [&[u8]; 1] = ["😀".as_bytes()];
    assert!(rows(&three, Datatype::StringUtf8, &emoji, None).is_empty());
}

#[test]
fn labels_of_an_enumeration_are_matched() {
    let labels = ["rain", "snow", "rime"];
    let sky = Enumeration::from_values("sky", "__0_0", Datatype::StringUtf8, VAR, false, labels);
    let sky = sky.unwrap();
    let field = FieldInfo {
        name: "s".to_owned(),
        datatype: Datatype::UInt8,
        cell_val_num: CellValNum::Fixed(1),
        nullable: false,
        enumeration: Some(Arc::new(sky)),
        field: FieldKind::Attribute(0),
    };
    let s = || Condition::field("s");
    for (condition, expected) in [
        (s().like("r%e"), [0, 0, 1]),
        (s().like("rain"), [1, 0, 0]),
        (s().starts_with("r"), [1, 0, 1]),
        (s().not_like("r%"), [0, 1, 0]),
        (s().like("hail%"), [0, 0, 0]),
    ] {
        let resolved = condition
            .resolve(std::slice::from_ref(&field), &Limits::default())
            .unwrap();
        let cells = FieldCells {
            values: &[0, 1, 2],
            ..FieldCells::default()
        };
        let mut mask = Vec::new();
        resolved.evaluate(&[Some(cells)], 3, &mut mask).unwrap();
        assert_eq!(mask, expected, "{condition}");
    }
}

#[test]
fn what_is_no_text_is_refused() {
    let field = FieldInfo {
        name: "s".to_owned(),
        datatype: Datatype::Int32,
        cell_val_num: CellValNum::Fixed(1),
        nullable: false,
        enumeration: None,
        field: FieldKind::Attribute(0),
    };
    let refused = |condition: Condition| {
        let error = condition
            .resolve(std::slice::from_ref(&field), &Limits::default())
            .unwrap_err();
        format!("{error} ({})", error.hint().unwrap())
    };
    let s = || Condition::field("s");
    insta::assert_snapshot!(refused(s().like("a%")), @"condition `s like 'a%'`: a value of type int32 is no text (it can be compared with a number)");
    insta::assert_snapshot!(refused(s().starts_with("a")), @"condition `s starts with 'a'`: a value of type int32 is no text (it can be compared with a number)");
    let pattern = Pattern::new("a#b").escaped_by('#');
    let text = FieldInfo {
        datatype: Datatype::StringUtf8,
        cell_val_num: VAR,
        ..field.clone()
    };
    let error = s()
        .like(pattern)
        .resolve(&[text], &Limits::default())
        .unwrap_err();
    insta::assert_snapshot!(error, @"condition `s like 'a#b' escape '#'`: the escape character stands before something else than `%`, `_` or itself");
}

/// Matches a pattern by its definition, in exponential time.
fn naive(pattern: &[char], cell: &[char]) -> bool {
    match (pattern.split_first(), cell.split_first()) {
        (None, None) => true,
        (None, Some(_)) => false,
        (Some(('%', rest)), _) => (0..=cell.len()).any(|taken| naive(rest, &cell[taken..])),
        (Some(('_', rest)), Some((_, behind))) => naive(rest, behind),
        (Some((wanted, rest)), Some((found, behind))) => wanted == found && naive(rest, behind),
        (Some(_), None) => false,
    }
}

proptest! {
    #[test]
    fn patterns_match_as_they_are_defined(pattern in "[abé%_]{0,7}", cells in prop::collection::vec("[abé%]{0,7}", 1..12)) {
        let characters = |text: &str| text.chars().collect::<Vec<_>>();
        let bytes: Vec<&[u8]> = cells.iter().map(|cell| cell.as_bytes()).collect();
        let fits = |cell: &String| naive(&characters(&pattern), &characters(cell));
        let expected: Vec<usize> = (0..cells.len()).filter(|row| fits(&cells[*row])).collect();
        let condition = Condition::field("s").like(&*pattern);
        prop_assert_eq!(rows(&condition, Datatype::StringUtf8, &bytes, None), expected);
    }
}
