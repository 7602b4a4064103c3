//! Resolution of values in a condition by the type of their field.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::fmt::Write;

use std::borrow::Borrow;
use std::sync::Arc;

use tdb_cells::FieldInfo;
use tdb_condition::{
    CompareOp, Condition, ConditionError, ConditionRules, ResolvedCondition, ResolvedTest, Step,
};
use tdb_schema::{CellValNum, Enumeration, FieldKind};
use tdb_tile::{Code, Datatype, ErrorKind, Limits};

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

fn resolve(text: &str, fields: &[FieldInfo]) -> Result<ResolvedCondition, ConditionError> {
    Condition::parse(text, &Limits::default())?.resolve(fields, &Limits::default())
}

/// The only test of a condition on a field `a`, in resolved form.
fn test(text: &str, field: impl Borrow<FieldInfo>) -> ResolvedTest {
    let limits = Limits::default();
    let resolved = Condition::parse(text, &limits).and_then(|condition| {
        let fields = [field.borrow().clone()];
        condition.resolve_by(&fields, &limits, ConditionRules::stored_bytes())
    });
    let resolved = resolved.unwrap_or_else(|error| panic!("{text}: {error}"));
    match resolved.steps() {
        [Step::Test { field: 0, test }] => test.clone(),
        steps => panic!("{steps:?}"),
    }
}

fn compare(op: CompareOp, value: impl AsRef<[u8]>) -> ResolvedTest {
    ResolvedTest::Compare(op, value.as_ref().to_vec().into())
}

use CompareOp::{Eq, Ge, Gt, Le, Lt, Ne};
use ResolvedTest::{Never, NotNull};

#[test]
fn integers_beyond_the_type_are_always_or_never() {
    let a = field("a", Datatype::UInt8);
    for (text, expected) in [
        ("a < 300", NotNull),
        ("a <= 255", compare(Le, [255])),
        ("a <= 256", NotNull),
        ("a > 255.5", Never),
        ("a < 255.5", NotNull),
        ("a = 300", Never),
        ("a != 300", NotNull),
        ("a > 300", Never),
        ("a > -1", NotNull),
        ("a >= -0.5", NotNull),
        ("a < -1", Never),
        ("a != -1", NotNull),
        ("a < 0", compare(Lt, [0])),
        ("a < 1e300", NotNull),
        ("a > -1e999", NotNull),
        ("not a < 300", Never),
    ] {
        assert_eq!(test(text, &a), expected, "{text}");
    }
}

#[test]
fn fractions_fall_between_integers() {
    let a = field("a", Datatype::Int16);
    for (text, expected) in [
        ("a = 1.5", Never),
        ("a != 1.5", NotNull),
        ("a < 1.5", compare(Le, [1, 0])),
        ("a <= 1.5", compare(Le, [1, 0])),
        ("a > 1.5", compare(Gt, [1, 0])),
        ("a >= 1.5", compare(Gt, [1, 0])),
        ("a < -1.5", compare(Le, [0xfe, 0xff])),
        ("a = 2.0", compare(Eq, [2, 0])),
        ("a = 1e3", compare(Eq, 1000_i16.to_le_bytes())),
    ] {
        assert_eq!(test(text, &a), expected, "{text}");
    }
}

#[test]
fn large_integers_are_exact() {
    let (signed, unsigned) = (field("a", Datatype::Int64), field("a", Datatype::UInt64));
    assert_eq!(
        test("a = 9007199254740993", &signed),
        compare(Eq, 9_007_199_254_740_993_i64.to_le_bytes())
    );
    assert_eq!(
        test("a = 18446744073709551615", &unsigned),
        compare(Eq, u64::MAX.to_le_bytes())
    );
    assert_eq!(test("a = 18446744073709551616", &unsigned), Never);
    assert_eq!(
        test("a >= -9223372036854775808", &signed),
        compare(Ge, i64::MIN.to_le_bytes())
    );
    assert_eq!(test("a > -9223372036854775809", &signed), NotNull);
    assert_eq!(
        test("a < 99999999999999999999999999999999999999999999", &signed),
        NotNull
    );
}

#[test]
fn floats_are_rounded_to_the_type_but_never_to_infinity() {
    let (single, double) = (field("a", Datatype::Float32), field("a", Datatype::Float64));
    assert_eq!(test("a = 0.1", &single), compare(Eq, 0.1_f32.to_le_bytes()));
    assert_eq!(test("a = 0.1", &double), compare(Eq, 0.1_f64.to_le_bytes()));
    assert_eq!(
        test("a < 1e300", &single),
        compare(Le, f32::MAX.to_le_bytes())
    );
    assert_eq!(
        test("a >= 1e300", &single),
        compare(Gt, f32::MAX.to_le_bytes())
    );
    assert_eq!(test("a = 1e300", &single), Never);
    assert_eq!(test("a != 1e300", &single), NotNull);
    assert_eq!(
        test("a < -1e300", &single),
        compare(Le, f32::NEG_INFINITY.to_le_bytes())
    );
    assert_eq!(
        test("a = 'Infinity'", &single),
        compare(Eq, f32::INFINITY.to_le_bytes())
    );
    assert_eq!(test("a = 'NaN'", &double), Never);
    assert_eq!(test("a != 'NaN'", &double), NotNull);
    assert_eq!(test("a > 'NaN'", &double), Never);
}

#[test]
fn dates_are_ticks_of_the_unit() {
    let of = |datatype| field("a", datatype);
    let ticks = |op, n: i64| compare(op, n.to_le_bytes());
    assert_eq!(
        test("a = date '1970-01-02'", of(Datatype::DateTimeDay)),
        ticks(Eq, 1)
    );
    assert_eq!(
        test("a = '1970-01-02T00'", of(Datatype::DateTimeHour)),
        ticks(Eq, 24)
    );
    assert_eq!(test("a = 5", of(Datatype::DateTimeDay)), ticks(Eq, 5));
    assert_eq!(
        test(
            "a < timestamp '1970-01-02T12:00'",
            of(Datatype::DateTimeDay)
        ),
        ticks(Le, 1)
    );
    assert_eq!(
        test(
            "a = timestamp '1970-01-02T12:00'",
            of(Datatype::DateTimeDay)
        ),
        Never
    );
    assert_eq!(
        test("a > date '2020-01-15'", of(Datatype::DateTimeMonth)),
        ticks(Gt, 600)
    );
    assert_eq!(
        test("a >= date '2020-01-01'", of(Datatype::DateTimeMonth)),
        ticks(Ge, 600)
    );
    assert_eq!(
        test("a < date '9999-01-01'", of(Datatype::DateTimeNanosecond)),
        NotNull
    );
    assert_eq!(
        test("a < date '9999-01-01'", of(Datatype::DateTimeAttosecond)),
        NotNull
    );
    assert_eq!(test("a > '00:30'", of(Datatype::TimeHour)), ticks(Gt, 0));
    assert_eq!(
        test("a = '12:00:00.001'", of(Datatype::TimeMillisecond)),
        ticks(Eq, 43_200_001)
    );
}

#[test]
fn sets_keep_only_what_cells_can_equal_in_order() {
    let set = |bytes: &[&[u8]]| bytes.iter().map(|b| b.to_vec().into()).collect();
    let a = field("a", Datatype::Int8);
    assert_eq!(
        test("a in (3, -1, 2.5, 300, 3)", &a),
        ResolvedTest::In(set(&[&[0xff], &[3]]))
    );
    assert_eq!(test("a not in (300)", &a), ResolvedTest::NotIn(vec![]));
    let text = FieldInfo {
        cell_val_num: CellValNum::Var,
        ..field("a", Datatype::StringUtf8)
    };
    assert_eq!(
        test("a in ('b', 'é', 'ab', '')", &text),
        ResolvedTest::In(set(&[b"", b"ab", b"b", "é".as_bytes()]))
    );
}

#[test]
fn strings_and_truth_have_their_own_values() {
    let var = |datatype| FieldInfo {
        cell_val_num: CellValNum::Var,
        ..field("a", datatype)
    };
    assert_eq!(
        test("a < 'x'", var(Datatype::StringAscii)),
        compare(Lt, b"x")
    );
    assert_eq!(
        test("a = x'ff00'", var(Datatype::Char)),
        compare(Eq, [0xff, 0])
    );
    let three = FieldInfo {
        cell_val_num: CellValNum::Fixed(3),
        ..field("a", Datatype::Char)
    };
    assert_eq!(test("a = 'abc'", &three), compare(Eq, b"abc"));
    assert_eq!(
        test("a = true", field("a", Datatype::Bool)),
        compare(Eq, [1])
    );
    assert_eq!(test("a != 0", field("a", Datatype::Bool)), compare(Ne, [0]));
}

fn sizes(ordered: bool) -> Enumeration {
    let labels = ["small", "medium", "large"];
    Enumeration::from_values(
        "sizes",
        "__a_0",
        Datatype::StringAscii,
        CellValNum::Var,
        ordered,
        labels,
    )
    .unwrap()
}

#[test]
fn labels_stand_for_their_indexes() {
    let ordered = sizes(true);
    let a = FieldInfo {
        enumeration: Some(Arc::new(ordered.clone())),
        ..field("a", Datatype::UInt8)
    };
    assert_eq!(test("a = 'medium'", &a), compare(Eq, [1]));
    assert_eq!(test("a > 'small'", &a), compare(Gt, [0]));
    assert_eq!(
        test("a in ('large', 'none', 'small')", &a),
        ResolvedTest::In(vec![vec![0].into(), vec![2].into()])
    );
    assert_eq!(test("a is null", &a), ResolvedTest::Null);
}

#[test]
fn a_label_that_is_missing_equals_nothing_and_differs_from_all_cells_but_null_ones() {
    let ordered = sizes(true);
    let a = FieldInfo {
        enumeration: Some(Arc::new(ordered.clone())),
        nullable: true,
        ..field("a", Datatype::UInt8)
    };
    for (text, expected) in [
        ("a = 'none'", Never),
        ("a != 'none'", NotNull),
        ("not a = 'none'", NotNull),
        ("a < 'none'", Never),
        ("not a < 'none'", Never),
        ("a >= 'none'", Never),
        ("a in ('none')", ResolvedTest::In(vec![])),
        ("not a in ('none')", ResolvedTest::NotIn(vec![])),
    ] {
        assert_eq!(test(text, &a), expected, "{text}");
    }
}

#[test]
fn labels_may_be_numbers() {
    let values = [10_i64.to_le_bytes(), 20_i64.to_le_bytes()];
    let numbers = Enumeration::from_values(
        "n",
        "__n_0",
        Datatype::Int64,
        CellValNum::Fixed(1),
        false,
        values,
    )
    .unwrap();
    let a = FieldInfo {
        enumeration: Some(Arc::new(numbers.clone())),
        ..field("a", Datatype::Int16)
    };
    assert_eq!(test("a = 20", &a), compare(Eq, [1, 0]));
    assert_eq!(test("a = 1", &a), Never);
    assert_eq!(test("a != 20.5", &a), NotNull);
}

#[test]
fn not_is_carried_down_to_the_tests() {
    let fields = ["a", "b", "c"].map(|name| field(name, Datatype::Int32));
    let same = |negated: &str, plain: &str| {
        assert_eq!(
            resolve(negated, &fields).unwrap(),
            resolve(plain, &fields).unwrap(),
            "{negated}"
        );
    };
    same("not (a < 1 and b = 2)", "a >= 1 or b != 2");
    same(
        "not (a < 1 or not (b = 2 or c > 3))",
        "a >= 1 and (b = 2 or c > 3)",
    );
    same(
        "not (a in (1) and b is null)",
        "a not in (1) or b is not null",
    );
    same("not (not a > 1) and not b <= 1", "a > 1 and b > 1");
    same(
        "not a between 1 and 2 and b = 1",
        "(a < 1 or a > 2) and b = 1",
    );
    same(
        "not (a = 1 and (b = 1 or c = 1)) and a = 5",
        "(a != 1 or b != 1 and c != 1) and a = 5",
    );
}

#[test]
fn each_field_is_listed_once() {
    let fields = ["a", "b"].map(|name| field(name, Datatype::Int32));
    let resolved = resolve("b = 1 or a is null or b = 2", &fields).unwrap();
    let listed: Vec<_> = resolved
        .fields()
        .iter()
        .map(|f| (f.name.as_str(), f.reads_values))
        .collect();
    assert_eq!(listed, [("b", true), ("a", false)]);
}

#[test]
fn what_cannot_be_compared_is_said() {
    let unordered = sizes(false);
    let fields: Vec<FieldInfo> = vec![
        field("n", Datatype::Int32),
        field("f", Datatype::Float64),
        field("flag", Datatype::Bool),
        field("day", Datatype::DateTimeDay),
        field("clock", Datatype::TimeSecond),
        FieldInfo {
            cell_val_num: CellValNum::Var,
            ..field("s", Datatype::StringUtf8)
        },
        FieldInfo {
            cell_val_num: CellValNum::Var,
            nullable: true,
            ..field("list", Datatype::Int64)
        },
        FieldInfo {
            cell_val_num: CellValNum::Fixed(3),
            ..field("rgb", Datatype::UInt8)
        },
        field("wide", Datatype::StringUtf16),
        FieldInfo {
            cell_val_num: CellValNum::Var,
            ..field("blob", Datatype::Blob)
        },
        FieldInfo {
            enumeration: Some(Arc::new(unordered.clone())),
            ..field("size", Datatype::UInt8)
        },
    ];
    let mut all = String::new();
    for text in [
        "n = 'five'",
        "n = true",
        "n = x'00'",
        "n = date '2020-01-01'",
        "f = 'five'",
        "flag = 'yes'",
        "day = 'yesterday'",
        "day = '12:00'",
        "clock = '2020-01-01'",
        "clock = timestamp '2020-01-01T10:00'",
        "s = 5",
        "s in ('a', 5)",
        "list = 1",
        "rgb = 1",
        "wide = 'a'",
        "blob = x'00'",
        "size < 'large'",
        "size = 2",
        "nothing = 1",
        "n = 1 and (s = 'a' or not nothing is null)",
    ] {
        let error = resolve(text, &fields).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Invalid, "{text}: {error}");
        writeln!(all, "{error}\n  {}", error.hint().unwrap_or("-")).unwrap();
    }
    insta::assert_snapshot!(all);
}

#[test]
fn a_built_condition_that_is_too_deep_or_too_long_is_refused() {
    let fields = [field("a", Datatype::Int32)];
    let a = || Condition::field("a").eq(1);
    let deep = (0..300).fold(a(), |condition, _| condition.and(a()).or(a()));
    let error = deep.resolve(&fields, &Limits::default()).unwrap_err();
    insta::assert_snapshot!(error, @"depth of a condition of 513 is over the limit of 512 (condition_depth)");
    let limits = Limits {
        condition_nodes: 10,
        ..Limits::default()
    };
    assert!(matches!(
        deep.resolve(&fields, &limits),
        Err(ConditionError::Limit(_))
    ));
}

#[test]
fn every_type_is_compared_or_refused_with_a_reason() {
    for &datatype in Datatype::ALL {
        for cell_val_num in [CellValNum::Fixed(1), CellValNum::Fixed(2), CellValNum::Var] {
            let fields = [FieldInfo {
                cell_val_num,
                ..field("a", datatype)
            }];
            let text = matches!(
                datatype,
                Datatype::Char | Datatype::StringAscii | Datatype::StringUtf8
            );
            let number = datatype.is_integer()
                || datatype.is_real()
                || datatype.is_datetime()
                || datatype.is_time();
            let one = cell_val_num == CellValNum::Fixed(1);
            assert_eq!(
                resolve("a = 1", &fields).is_ok(),
                number && one,
                "{} {cell_val_num:?}",
                datatype.name()
            );
            assert_eq!(
                resolve("a = x'01'", &fields).is_ok(),
                text,
                "{} {cell_val_num:?}",
                datatype.name()
            );
            assert!(resolve("a is null", &fields).is_ok());
        }
    }
}
