//! Evaluation: which cells match a condition.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use proptest::prelude::*;
use tdb_cells::CellsError;
use tdb_cells::FieldInfo;
use tdb_condition::{CompareOp, Condition, FieldCells, ResolvedCondition};
use tdb_fragment::{Combine, ConditionOp, ConditionTree, ConditionValue};
use tdb_schema::{CellValNum, FieldKind};
use tdb_tile::{Datatype, Limits, WireError};

/// A field and its cells.
#[derive(Clone, Debug, Default)]
struct Column {
    name: &'static str,
    datatype: Datatype,
    cell_val_num: CellValNum,
    nullable: bool,
    values: Vec<u8>,
    offsets: Option<Vec<u64>>,
    validity: Option<Vec<u8>>,
}

impl Column {
    fn field(&self) -> FieldInfo {
        FieldInfo {
            name: self.name.to_owned(),
            datatype: self.datatype,
            cell_val_num: self.cell_val_num,
            nullable: self.nullable,
            enumeration: None,
            field: FieldKind::Attribute(0),
        }
    }

    fn cells(&self) -> FieldCells<'_> {
        FieldCells {
            values: &self.values,
            offsets: self.offsets.as_deref(),
            validity: self.validity.as_deref(),
        }
    }
}

fn ints(name: &'static str, values: &[i32]) -> Column {
    let values = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    Column {
        name,
        values,
        ..Column::default()
    }
}

fn doubles(name: &'static str, values: &[f64]) -> Column {
    let values = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    Column {
        name,
        datatype: Datatype::Float64,
        values,
        ..Column::default()
    }
}

fn strings<S: AsRef<[u8]>>(name: &'static str, values: &[S]) -> Column {
    let mut offsets = vec![0];
    let mut bytes = Vec::new();
    for value in values {
        bytes.extend_from_slice(value.as_ref());
        offsets.push(bytes.len() as u64);
    }
    Column {
        name,
        datatype: Datatype::StringUtf8,
        cell_val_num: CellValNum::Var,
        values: bytes,
        offsets: Some(offsets),
        ..Column::default()
    }
}

fn nullable(column: Column, validity: &[u8]) -> Column {
    Column {
        nullable: true,
        validity: Some(validity.to_vec()),
        ..column
    }
}

fn run(
    condition: &ResolvedCondition,
    columns: &[&Column],
    rows: usize,
) -> Result<Vec<usize>, CellsError> {
    let by_name = |name: &str| columns.iter().find(|column| column.name == name);
    let cells: Vec<Option<FieldCells<'_>>> = condition
        .fields()
        .iter()
        .map(|field| by_name(&field.name).map(|column| column.cells()))
        .collect();
    let mut mask = Vec::new();
    condition.evaluate(&cells, rows, &mut mask)?;
    assert_eq!(mask.len(), rows);
    assert!(mask.iter().all(|answer| *answer <= 1));
    Ok((0..rows).filter(|row| mask[*row] == 1).collect())
}

fn resolve(text: &str, columns: &[&Column]) -> ResolvedCondition {
    let fields: Vec<_> = columns.iter().map(|column| column.field()).collect();
    let condition = Condition::parse(text, &Limits::default()).unwrap();
    condition
        .resolve(&fields, &Limits::default())
        .unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// The rows that match a condition.
fn rows(text: &str, columns: &[&Column], count: usize) -> Vec<usize> {
    run(&resolve(text, columns), columns, count).unwrap()
}

#[test]
fn null_cells_satisfy_no_comparison_and_no_negated_one() {
    let n = nullable(ints("n", &[0, 1, 2, 3]), &[1, 0, 1, 2]);
    for (text, expected) in [
        ("n < 100", vec![0, 2, 3]),
        ("not n < 2", vec![2, 3]),
        ("n != 5", vec![0, 2, 3]),
        ("n != 300000000000", vec![0, 2, 3]),
        ("n in (1, 2)", vec![2]),
        ("n not in (2)", vec![0, 3]),
        ("n not in ()", vec![0, 2, 3]),
        ("n is null", vec![1]),
        ("n is not null", vec![0, 2, 3]),
        ("not n is null", vec![0, 2, 3]),
        ("n is null or n = 3", vec![1, 3]),
    ] {
        assert_eq!(rows(text, &[&n], 4), expected, "{text}");
    }
}

#[test]
fn cells_that_cannot_be_null_are_not() {
    let n = ints("n", &[1, 2]);
    assert_eq!(rows("n is null", &[&n], 2), [0_usize; 0]);
    assert_eq!(rows("n is not null", &[&n], 2), [0, 1]);
}

#[test]
fn nan_differs_from_everything() {
    let z = doubles("z", &[1.0, f64::NAN, 3.0, -0.0]);
    for (text, expected) in [
        ("z < 100", vec![0, 2, 3]),
        ("z >= -100", vec![0, 2, 3]),
        ("not z >= 2", vec![0, 3]),
        ("z = 1", vec![0]),
        ("z != 1", vec![1, 2, 3]),
        ("z in (1, 3)", vec![0, 2]),
        ("z not in (1)", vec![1, 2, 3]),
        ("z = 0", vec![3]),
        ("z in (0, 7)", vec![3]),
    ] {
        assert_eq!(rows(text, &[&z], 4), expected, "{text}");
    }
}

#[test]
fn strings_compare_as_unsigned_bytes_then_by_length() {
    let s = strings("s", &[b"".as_slice(), b"a", b"ab", b"b", b"\xff", b"\x7f"]);
    for (text, expected) in [
        ("s < 'ab'", vec![0, 1]),
        ("s > 'a'", vec![2, 3, 4, 5]),
        ("s >= x'ff'", vec![4]),
        ("s = ''", vec![0]),
        ("s != ''", vec![1, 2, 3, 4, 5]),
        ("s in ('ab', 'b', 'c', '')", vec![0, 2, 3]),
        ("s not in ('ab', 'b', 'c', '')", vec![1, 4, 5]),
        ("s between 'a' and 'b'", vec![1, 2, 3]),
    ] {
        assert_eq!(rows(text, &[&s], 6), expected, "{text}");
    }
}

#[test]
fn strings_of_fixed_size_compare_whole() {
    let c = Column {
        name: "c",
        datatype: Datatype::Char,
        cell_val_num: CellValNum::Fixed(3),
        values: b"abcabda\0\0\xff\xff\xff".to_vec(),
        ..Column::default()
    };
    assert_eq!(rows("c = 'abc'", &[&c], 4), [0]);
    assert_eq!(rows("c < 'abd'", &[&c], 4), [0, 2]);
    assert_eq!(rows("c > 'abc'", &[&c], 4), [1, 3]);
    assert_eq!(rows("c = 'ab'", &[&c], 4), [0_usize; 0]);
    assert_eq!(rows("c = x'610000'", &[&c], 4), [2]);
    assert_eq!(rows("c in ('abd', 'ab')", &[&c], 4), [1]);
}

#[test]
fn tests_of_a_missing_field_are_false_whatever_they_ask() {
    let (a, w) = (ints("a", &[1, 2, 3]), nullable(ints("w", &[]), &[]));
    let all = |text: &str| run(&resolve(text, &[&a, &w]), &[&a], 3).unwrap();
    for text in [
        "w < 5",
        "w >= 5",
        "not w < 5",
        "w != 5",
        "w is null",
        "w is not null",
        "w not in (5)",
        "w in (5)",
    ] {
        assert_eq!(all(text), [0_usize; 0], "{text}");
    }
    // In the first of these, TileDB 2.30 forgets the matches of `a <= 2`.
    assert_eq!(all("a <= 2 or w >= 60"), [0, 1]);
    assert_eq!(all("w >= 60 or a <= 2"), [0, 1]);
    assert_eq!(all("a <= 2 and w >= 60"), [0_usize; 0]);
    assert_eq!(all("a = 3 or (a <= 2 and w >= 60)"), [2]);
    assert_eq!(all("not (a <= 2 and w >= 60)"), [2]);
}

#[test]
fn every_way_to_join_is_right() {
    let columns: Vec<Column> = ["a", "b", "c", "d"]
        .into_iter()
        .enumerate()
        .map(|(bit, name)| ints(name, &(0..16).map(|row| row >> bit & 1).collect::<Vec<_>>()))
        .collect();
    let columns: Vec<&Column> = columns.iter().collect();
    type Holds = fn(bool, bool, bool, bool) -> bool;
    let cases: [(&str, Holds); 6] = [
        ("a = 1 and b = 1 or c = 1 and d = 1", |a, b, c, d| {
            a && b || c && d
        }),
        ("(a = 1 or b = 1) and (c = 1 or d = 1)", |a, b, c, d| {
            (a || b) && (c || d)
        }),
        (
            "a = 1 and (b = 1 or (c = 1 and not d = 1))",
            |a, b, c, d| a && (b || (c && !d)),
        ),
        (
            "not (a = 1 and (b = 1 or not (c = 1 and d = 1)))",
            |a, b, c, d| !(a && (b || !(c && d))),
        ),
        ("a = 1 or b = 1 or c = 1 or d = 1", |a, b, c, d| {
            a || b || c || d
        }),
        (
            "((a = 1 and b = 1) or c = 1) and d = 1 or not a = 1",
            |a, b, c, d| ((a && b) || c) && d || !a,
        ),
    ];
    for (text, holds) in cases {
        let bit = |row: usize, bit: usize| row >> bit & 1 == 1;
        let expected: Vec<usize> = (0..16)
            .filter(|&row| holds(bit(row, 0), bit(row, 1), bit(row, 2), bit(row, 3)))
            .collect();
        assert_eq!(rows(text, &columns, 16), expected, "{text}");
    }
}

#[test]
fn more_cells_than_a_block_are_answered() {
    let values: Vec<i32> = (0..10_000).collect();
    let n = ints("n", &values);
    let s = strings(
        "s",
        &values.iter().map(|v| format!("{v:05}")).collect::<Vec<_>>(),
    );
    assert_eq!(
        rows("n >= 4095 and n < 4098", &[&n], 10_000),
        [4095, 4096, 4097]
    );
    assert_eq!(
        rows(
            "s >= '08191' and s < '08194' or n = 9999",
            &[&n, &s],
            10_000
        ),
        [8191, 8192, 8193, 9999]
    );
    assert_eq!(rows("n >= 0", &[&n], 0), [0_usize; 0]);
}

#[test]
fn cells_that_do_not_hold_together_are_an_error() {
    let n = ints("n", &[1, 2]);
    let error = run(&resolve("n = 1", &[&n]), &[&n], 3).unwrap_err();
    insta::assert_snapshot!(error, @"Tile.values at byte 0: the length is 8, expected 12");
    let error = run(
        &resolve("n is null", &[&n]),
        &[&nullable(n.clone(), &[1])],
        3,
    )
    .unwrap_err();
    insta::assert_snapshot!(error, @"Tile.validity at byte 0: the length is 1, expected 3");
    let mut s = strings("s", &["a", "b"]);
    let condition = resolve("s = 'a'", &[&s]);
    s.offsets = Some(vec![0, 2, 1]);
    let error = run(&condition, &[&s], 2).unwrap_err();
    insta::assert_snapshot!(error, @"Tile.offsets at byte 8: out of order, or beyond the values");
    s.offsets = Some(vec![0, u64::MAX, u64::MAX]);
    assert!(run(&condition, &[&s], 2).is_err());
    s.offsets = None;
    let error = run(&condition, &[&s], 2).unwrap_err();
    insta::assert_snapshot!(error, @"Tile.offsets at byte 0: the length is 0, expected 3");
}

fn stored(value: Option<ConditionValue>) -> ConditionTree {
    value.unwrap().into()
}

fn value(field: &str, op: ConditionOp, value: &[u8]) -> ConditionTree {
    stored(ConditionValue::new(field, op, value.to_vec()))
}

fn from_stored(tree: &ConditionTree, columns: &[&Column]) -> Result<ResolvedCondition, WireError> {
    let fields: Vec<_> = columns.iter().map(|column| column.field()).collect();
    ResolvedCondition::from_stored(tree, &fields, &Limits::default())
}

#[test]
fn a_delete_removes_what_its_stored_condition_does_not_keep() {
    // The stored form of `x > 4` also removes null cells and NaN.
    let x = nullable(doubles("x", &[1.0, 9.0, f64::NAN, 2.0]), &[1, 1, 1, 0]);
    let keep = from_stored(
        &value("x", ConditionOp::LessOrEqual, &4_f64.to_le_bytes()),
        &[&x],
    )
    .unwrap();
    assert_eq!(run(&keep, &[&x], 4).unwrap(), [0]);
}

#[test]
fn a_stored_condition_equals_its_text() {
    let (n, s) = (
        nullable(ints("n", &[1, 2, 3, 4]), &[1, 1, 0, 1]),
        strings("s", &["a", "", "c", "d"]),
    );
    let int = |op, v: i32| value("n", op, &v.to_le_bytes());
    let members = |op, members: &[i32]| {
        stored(ConditionValue::of_members(
            "n",
            op,
            members.iter().map(|m| m.to_le_bytes()),
        ))
    };
    let both = |combine, a, b| ConditionTree::combine(combine, [a, b]).unwrap();
    let text = |op, v: &str| value("s", op, v.as_bytes());
    let cases = [
        (int(ConditionOp::Less, 3), "n < 3"),
        (int(ConditionOp::GreaterOrEqual, 2), "n >= 2"),
        (members(ConditionOp::In, &[4, 1, 4]), "n in (1, 4)"),
        (members(ConditionOp::NotIn, &[4, 1]), "n not in (1, 4)"),
        (members(ConditionOp::In, &[]), "n in ()"),
        (value("n", ConditionOp::Equal, &[]), "n is null"),
        (value("n", ConditionOp::NotEqual, &[]), "n is not null"),
        (text(ConditionOp::NotEqual, ""), "s != ''"),
        (
            both(
                Combine::And,
                int(ConditionOp::Greater, 1),
                text(ConditionOp::Less, "d"),
            ),
            "n > 1 and s < 'd'",
        ),
        (
            ConditionTree::combine(
                Combine::Not,
                [both(
                    Combine::Or,
                    int(ConditionOp::Greater, 1),
                    text(ConditionOp::Equal, "a"),
                )],
            )
            .unwrap(),
            "not (n > 1 or s = 'a')",
        ),
    ];
    for (tree, text) in cases {
        let found = run(&from_stored(&tree, &[&n, &s]).unwrap(), &[&n, &s], 4).unwrap();
        assert_eq!(found, rows(text, &[&n, &s], 4), "{text}");
    }
}

#[test]
fn no_bytes_are_null_for_numbers_and_the_empty_string_for_strings() {
    let s = nullable(strings("s", &["", "", "x"]), &[1, 0, 1]);
    let found = |op| run(&from_stored(&value("s", op, b""), &[&s]).unwrap(), &[&s], 3).unwrap();
    assert_eq!(found(ConditionOp::Equal), [0]);
    assert_eq!(found(ConditionOp::NotEqual), [2]);
    let n = ints("n", &[1]);
    let error = from_stored(&value("n", ConditionOp::Equal, b""), &[&n]).unwrap_err();
    insta::assert_snapshot!(error, @"ConditionValue.value at byte 0: the number of bytes is 0, expected 4");
}

#[test]
fn stored_values_of_the_wrong_size_are_refused() {
    let n = ints("n", &[1]);
    assert!(from_stored(&value("n", ConditionOp::Less, &[1, 2, 3]), &[&n]).is_err());
    let members = ConditionValue::of_members("n", ConditionOp::In, [[1_u8; 4].as_slice(), &[1; 3]]);
    assert!(from_stored(&stored(members), &[&n]).is_err());
    let blob = Column {
        datatype: Datatype::Blob,
        cell_val_num: CellValNum::Var,
        ..strings("b", &["x"])
    };
    let error = from_stored(&value("b", ConditionOp::Less, b"x"), &[&blob]).unwrap_err();
    insta::assert_snapshot!(error, @"ConditionValue.value at byte 0: compared with a field whose cells cannot be compared");
}

#[test]
fn stored_conditions_know_always_and_missing_fields() {
    let n = nullable(ints("n", &[1, 2]), &[1, 0]);
    let always = from_stored(&value("n", ConditionOp::AlwaysTrue, &[]), &[&n]).unwrap();
    assert_eq!(run(&always, &[&n], 2).unwrap(), [0, 1]);
    assert_eq!(run(&always, &[], 2).unwrap(), [0_usize; 0]);
    let never = from_stored(&value("n", ConditionOp::AlwaysFalse, &[]), &[&n]).unwrap();
    assert_eq!(run(&never, &[&n], 2).unwrap(), [0_usize; 0]);
    let gone = value("gone", ConditionOp::NotEqual, b"12345");
    let or = ConditionTree::combine(
        Combine::Or,
        [value("n", ConditionOp::Equal, &1_i32.to_le_bytes()), gone],
    );
    let keep = from_stored(&or.unwrap(), &[&n]).unwrap();
    assert_eq!(run(&keep, &[&n], 2).unwrap(), [0]);
}

#[test]
fn nan_is_no_member_of_a_stored_set() {
    let z = doubles("z", &[1.0, f64::NAN, -0.0]);
    let set = |op| {
        let members = [f64::NAN, 1.0, 0.0].map(f64::to_le_bytes);
        from_stored(&stored(ConditionValue::of_members("z", op, members)), &[&z]).unwrap()
    };
    assert_eq!(run(&set(ConditionOp::In), &[&z], 3).unwrap(), [0, 2]);
    assert_eq!(run(&set(ConditionOp::NotIn), &[&z], 3).unwrap(), [1]);
}

/// A cell, for the naive evaluator.
#[derive(Clone, Debug)]
enum Cell {
    Missing,
    Null,
    Number(f64),
    Text(Vec<u8>),
}

/// A condition, with its values as cells, for the naive evaluator.
#[derive(Clone, Debug)]
enum Tree {
    Compare(usize, CompareOp, usize),
    In(usize, bool, Vec<usize>),
    Null(usize, bool),
    And(Vec<Tree>),
    Or(Vec<Tree>),
    Not(Box<Tree>),
}

/// Numbers and strings from which values and cells are taken by index.
const NUMBERS: [f64; 7] = [-300.0, -1.0, 0.0, 1.0, 2.0, 100.0, 7e10];
const STRINGS: [&str; 7] = ["", "a", "ab", "abc", "b", "é", "zz"];
/// Names of the columns: int32, uint8 (nullable), float64 with NaN, string, string (nullable), and a missing one.
const NAMES: [&str; 6] = ["i", "u", "f", "s", "t", "m"];

fn is_text(column: usize) -> bool {
    matches!(NAMES[column], "s" | "t")
}

impl Tree {
    fn holds(&self, cells: &[Cell], negated: bool) -> bool {
        match self {
            Self::Not(inner) => inner.holds(cells, !negated),
            Self::And(parts) if negated => parts.iter().any(|part| part.holds(cells, true)),
            Self::And(parts) => parts.iter().all(|part| part.holds(cells, false)),
            Self::Or(parts) if negated => parts.iter().all(|part| part.holds(cells, true)),
            Self::Or(parts) => parts.iter().any(|part| part.holds(cells, false)),
            Self::Null(column, null) => match cells[*column] {
                Cell::Missing => false,
                Cell::Null => *null != negated,
                _ => *null == negated,
            },
            Self::In(column, within, members) => match &cells[*column] {
                Cell::Missing | Cell::Null => false,
                Cell::Number(n) => {
                    members.iter().any(|m| NUMBERS[*m] == *n) == (*within != negated)
                }
                Cell::Text(t) => {
                    members.iter().any(|m| STRINGS[*m].as_bytes() == t) == (*within != negated)
                }
            },
            Self::Compare(column, op, value) => {
                let op = if negated { op.negated() } else { *op };
                let order = match &cells[*column] {
                    Cell::Missing | Cell::Null => return false,
                    Cell::Number(n) => n.partial_cmp(&NUMBERS[*value]),
                    Cell::Text(t) => Some(t.as_slice().cmp(STRINGS[*value].as_bytes())),
                };
                match op {
                    CompareOp::Lt => order.is_some_and(|o| o.is_lt()),
                    CompareOp::Le => order.is_some_and(|o| o.is_le()),
                    CompareOp::Gt => order.is_some_and(|o| o.is_gt()),
                    CompareOp::Ge => order.is_some_and(|o| o.is_ge()),
                    CompareOp::Eq => order.is_some_and(|o| o.is_eq()),
                    CompareOp::Ne => order.is_none_or(|o| o.is_ne()),
                }
            }
        }
    }

    fn condition(&self) -> Condition {
        let value = |column: usize, value: usize| {
            if is_text(column) {
                STRINGS[value].into()
            } else {
                tdb_condition::Literal::from(NUMBERS[value])
            }
        };
        match self {
            Self::Not(inner) => !inner.condition(),
            Self::And(parts) => parts
                .iter()
                .map(Self::condition)
                .reduce(Condition::and)
                .unwrap(),
            Self::Or(parts) => parts
                .iter()
                .map(Self::condition)
                .reduce(Condition::or)
                .unwrap(),
            Self::Null(column, true) => Condition::field(NAMES[*column]).is_null(),
            Self::Null(column, false) => Condition::field(NAMES[*column]).is_not_null(),
            Self::In(column, true, members) => {
                Condition::field(NAMES[*column]).is_in(members.iter().map(|m| value(*column, *m)))
            }
            Self::In(column, false, members) => {
                Condition::field(NAMES[*column]).not_in(members.iter().map(|m| value(*column, *m)))
            }
            Self::Compare(column, op, v) => {
                Condition::field(NAMES[*column]).compare(*op, value(*column, *v))
            }
        }
    }
}

fn trees() -> impl Strategy<Value = Tree> {
    let op = prop::sample::select(vec![
        CompareOp::Lt,
        CompareOp::Le,
        CompareOp::Gt,
        CompareOp::Ge,
        CompareOp::Eq,
        CompareOp::Ne,
    ]);
    let test = prop_oneof![
        4 => (0..6_usize, op, 0..7_usize).prop_map(|(c, op, v)| Tree::Compare(c, op, v)),
        2 => (0..6_usize, any::<bool>(), prop::collection::vec(0..7_usize, 0..5)).prop_map(|(c, w, m)| Tree::In(c, w, m)),
        1 => (0..6_usize, any::<bool>()).prop_map(|(c, null)| Tree::Null(c, null)),
    ];
    test.prop_recursive(5, 40, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..5).prop_map(Tree::And),
            prop::collection::vec(inner.clone(), 1..5).prop_map(Tree::Or),
            inner.prop_map(|tree| Tree::Not(Box::new(tree))),
        ]
    })
}

type Row = (usize, (bool, usize), Option<usize>, usize, (bool, usize));

fn row() -> impl Strategy<Value = Row> {
    (
        0..6_usize,
        (any::<bool>(), 2..6_usize),
        prop::option::of(0..7_usize),
        0..7_usize,
        (any::<bool>(), 0..7_usize),
    )
}

fn naive(row: &Row) -> Vec<Cell> {
    let null = |valid: bool, cell: Cell| if valid { cell } else { Cell::Null };
    let text = |i: usize| Cell::Text(STRINGS[i].as_bytes().to_vec());
    vec![
        Cell::Number(NUMBERS[row.0]),
        null(row.1.0, Cell::Number(NUMBERS[row.1.1])),
        Cell::Number(row.2.map_or(f64::NAN, |i| NUMBERS[i])),
        text(row.3),
        null(row.4.0, text(row.4.1)),
        Cell::Missing,
    ]
}

fn columns(rows: &[Row]) -> Vec<Column> {
    #[expect(clippy::cast_possible_truncation, reason = "the numbers chosen fit")]
    let small = |i: usize| NUMBERS[i] as i32;
    let valid = |valid: Vec<bool>| valid.into_iter().map(u8::from).collect::<Vec<u8>>();
    let bytes = rows
        .iter()
        .map(|r| u8::try_from(small(r.1.1)).unwrap())
        .collect();
    vec![
        ints("i", &rows.iter().map(|r| small(r.0)).collect::<Vec<_>>()),
        nullable(
            Column {
                name: "u",
                datatype: Datatype::UInt8,
                values: bytes,
                ..Column::default()
            },
            &valid(rows.iter().map(|r| r.1.0).collect()),
        ),
        doubles(
            "f",
            &rows
                .iter()
                .map(|r| r.2.map_or(f64::NAN, |i| NUMBERS[i]))
                .collect::<Vec<_>>(),
        ),
        strings("s", &rows.iter().map(|r| STRINGS[r.3]).collect::<Vec<_>>()),
        nullable(
            strings(
                "t",
                &rows.iter().map(|r| STRINGS[r.4.1]).collect::<Vec<_>>(),
            ),
            &valid(rows.iter().map(|r| r.4.0).collect()),
        ),
        ints("m", &[]),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_evaluator_answers_as_the_book_says(tree in trees(), cells in prop::collection::vec(row(), 0..40)) {
        let columns = columns(&cells);
        let fields: Vec<_> = columns.iter().map(Column::field).collect();
        let resolved = tree.condition().resolve(&fields, &Limits::default()).unwrap();
        let present: Vec<&Column> = columns.iter().filter(|column| column.name != "m").collect();
        let found = run(&resolved, &present, cells.len()).unwrap();
        let expected: Vec<usize> =
            (0..cells.len()).filter(|row| tree.holds(&naive(&cells[*row]), false)).collect();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn damaged_cells_never_panic(
        values in prop::collection::vec(any::<u8>(), 0..64),
        offsets in prop::option::of(prop::collection::vec(0..80_u64, 0..8)),
        validity in prop::option::of(prop::collection::vec(any::<u8>(), 0..8)),
        count in 0..10_usize,
    ) {
        let column = Column { values, offsets, validity, ..strings::<&str>("s", &[]) };
        let fixed = Column { name: "n", datatype: Datatype::Int64, cell_val_num: CellValNum::Fixed(1), ..column.clone() };
        let condition = resolve("s < 'b' or n = 5 or s in ('a', '') or n is null", &[&column, &fixed]);
        let _ = run(&condition, &[&column, &fixed], count);
    }
}

#[test]
fn cells_of_other_fields_are_a_defect_and_no_answer() {
    let condition = resolve("n = 1 or m = 2", &[&ints("n", &[1]), &ints("m", &[2])]);
    let n = ints("n", &[1]);
    let mut mask = Vec::new();
    let error = condition.evaluate(&[Some(n.cells())], 1, &mut mask);
    assert!(matches!(error, Err(CellsError::Bug(_))), "{error:?}");
}
