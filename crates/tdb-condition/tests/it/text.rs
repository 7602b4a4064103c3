//! The text form of conditions: parsing, printing, errors, and equality with conditions from the builder.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::fmt::Write;

use proptest::prelude::*;
use tdb_condition::{CompareOp, Condition, ConditionError, ConditionNode, Literal, Pattern};
use tdb_schema::value::Moment;
use tdb_tile::{ErrorKind, Limits};

fn parse(text: &str) -> Condition {
    Condition::parse(text, &Limits::default()).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn printed(text: &str) -> String {
    parse(text).to_string()
}

#[test]
fn not_binds_before_and_before_or() {
    let (a, b, c) = (
        || Condition::field("a").eq(1),
        || Condition::field("b").eq(2),
        || Condition::field("c").eq(3),
    );
    assert_eq!(parse("a = 1 or b = 2 and c = 3"), a().or(b().and(c())));
    assert_eq!(parse("a = 1 and b = 2 or c = 3"), a().and(b()).or(c()));
    assert_eq!(parse("(a = 1 or b = 2) and c = 3"), a().or(b()).and(c()));
    assert_eq!(parse("not a = 1 and b = 2"), (!a()).and(b()));
    assert_eq!(parse("not (a = 1 and b = 2)"), !a().and(b()));
    assert_eq!(parse("not not a = 1"), a());
    assert_eq!(parse("NOT (not (a = 1)) Or b = 2"), a().or(b()));
}

#[test]
fn chains_are_one_joint() {
    let condition = parse("a = 1 and (b = 2 and (c = 3 and d = 4)) and e = 5");
    assert_eq!(condition.nodes()[0], ConditionNode::And(5));
    assert_eq!(condition.nodes().len(), 6);
    assert_eq!(
        condition.fields().collect::<Vec<_>>(),
        ["a", "b", "c", "d", "e"]
    );
}

#[test]
fn every_spelling_is_read() {
    let cases = [
        ("a=1", "a = 1"),
        ("a == 1", "a = 1"),
        ("a<>1", "a != 1"),
        ("a != -1", "a != -1"),
        ("a<-5", "a < -5"),
        ("a >= +5", "a >= 5"),
        ("3 < a", "a > 3"),
        ("'x' = a", "a = 'x'"),
        ("true <> b", "b != true"),
        ("date '2020-01-02' >= d", "d <= date '2020-01-02'"),
        ("a IN (1,2 , 3)", "a in (1, 2, 3)"),
        ("a not in ()", "a not in ()"),
        ("a between 1 and 2 and b = 3", "a >= 1 and a <= 2 and b = 3"),
        ("a not between 1 and 2", "not (a >= 1 and a <= 2)"),
        ("a LIKE 'x%'", "a like 'x%'"),
        (
            "a not like '_''%' ESCAPE '#'",
            "a not like '_''%' escape '#'",
        ),
        ("a like 'b' escape ''''", "a like 'b' escape ''''"),
        ("a Starts With 'x'", "a starts with 'x'"),
        ("a not starts with x'FF'", "a not starts with x'ff'"),
        ("like like 'like'", "like like 'like'"),
        ("a is null or a Is Not Null", "a is null or a is not null"),
        ("\"a \"\"b\" = 'it''s'", "\"a \"\"b\" = 'it''s'"),
        ("\"and\" = 1", "\"and\" = 1"),
        ("\"\" = 1", "\"\" = 1"),
        (
            "date = timestamp '2020-01-01 10:00:00.250+01:00'",
            "date = timestamp '2020-01-01T09:00:00.250'",
        ),
        ("x = x'00fF' or X'' = x", "x = x'00ff' or x = x''"),
        ("größe.x = 1", "größe.x = 1"),
        ("n = 18446744073709551615", "n = 18446744073709551615"),
        ("n = -9223372036854775808", "n = -9223372036854775808"),
        (
            "n = 1e3 or n = .5 or n = 5. or n = 1.5E-3",
            "n = 1000.0 or n = 0.5 or n = 5.0 or n = 0.0015",
        ),
        ("n < 1e999", "n < 1e999"),
        (
            "n = 1000000000000000000000000000000000000000000",
            "n = 1e42",
        ),
        ("((((a = 1))))", "a = 1"),
    ];
    for (text, expected) in cases {
        assert_eq!(printed(text), expected, "{text}");
        assert_eq!(printed(expected), expected, "{expected}");
    }
}

#[test]
fn errors_point_at_the_character() {
    let mut all = String::new();
    for text in [
        "",
        "a",
        "a =",
        "a = = 1",
        "a = b c",
        "a = null",
        "a is 5",
        "a not 5",
        "a in 5",
        "a in (1, 2",
        "a in (1 2)",
        "a between 1 or 2",
        "a = 1 b = 2",
        "a = 1 and",
        "a = 1 and or b = 2",
        "(a = 1",
        "a = 1)",
        "not",
        "and = 1",
        "5",
        "5 = 5",
        "1 < a < 2",
        "a = 'open",
        "\"open = 1",
        "größe = 1 & 2",
        "a = 12abc",
        "a = -",
        "a = 1e",
        "a = 1.2.3",
        "a = x'0'",
        "a = x'zz'",
        "a = date '2021-02-29'",
        "a = timestamp 'noon'",
        "a = date 5",
        "a + 1",
        "a + * 2 = 1",
        "(a + 1",
        "year(a > 1)",
        "time > 2024-01-05",
        "d in (1, 2024-01-05T12:30)",
        "2024-02 <= d",
        "order id = 5",
        "a like b",
        "a like 'x' escape 'ab'",
        "a like '10#' escape '#'",
        "a starts 'x'",
        "a starts with 5",
        "a = 1; drop table a",
        "a = in",
        "a = (1",
    ] {
        let error = Condition::parse(text, &Limits::default()).unwrap_err();
        let ConditionError::Text { at, .. } = error else {
            panic!("{text}: {error}")
        };
        writeln!(all, "{text}\n{}^\n{error}\n", " ".repeat(at - 1)).unwrap();
    }
    insta::assert_snapshot!(all);
}

#[test]
fn depth_and_length_are_bounded() {
    let limits = Limits {
        condition_depth: 512,
        condition_nodes: 1000,
        ..Limits::default()
    };
    let deep = |n: usize| format!("{}a = 1{}", "(".repeat(n), ")".repeat(n));
    assert!(Condition::parse(&deep(512), &limits).is_ok());
    let error = Condition::parse(&deep(1_000_000), &limits).unwrap_err();
    insta::assert_snapshot!(error, @"condition at character 514: parentheses, `not` and operations are more than 512 deep");
    assert_eq!(error.kind(), ErrorKind::Limit);
    let error = Condition::parse(&"not ".repeat(1_000_000), &limits).unwrap_err();
    insta::assert_snapshot!(error, @"condition at character 2053: parentheses, `not` and operations are more than 512 deep");
    let long = vec!["a = 1"; 1001].join(" or ");
    let error = Condition::parse(&long, &limits).unwrap_err();
    insta::assert_snapshot!(error, @"condition at character 3004: there are more than 1000 tests, joints and values");
    let members = format!("a in ({})", vec!["1"; 1001].join(","));
    assert!(matches!(
        Condition::parse(&members, &limits),
        Err(ConditionError::TooLarge { .. })
    ));
}

#[test]
fn a_condition_is_as_deep_as_it_is_printed() {
    let least = |text: &str| {
        let within = |condition_depth: &u64| {
            let limits = Limits {
                condition_depth: *condition_depth,
                ..Limits::default()
            };
            Condition::parse(text, &limits).is_ok()
        };
        (0..20).find(within).unwrap()
    };
    let printed = |text: &str| parse(text).to_string();
    let texts = [
        "---a > 1",
        "a not between 1 and 2 or b = 1",
        "not a - (b - a) > 1",
    ];
    let depths = texts.map(|text| format!("{text} | {} {}", printed(text), least(text)));
    insta::assert_snapshot!(depths.join("\n"), @r"
    ---a > 1 | -(-(-(a))) > 1 6
    a not between 1 and 2 or b = 1 | not (a >= 1 and a <= 2) or b = 1 3
    not a - (b - a) > 1 | not a - (b - a) > 1 4
    ");
}

#[test]
fn a_built_condition_of_any_depth_is_dropped_and_printed() {
    let mut condition = Condition::field("a").eq(1);
    for i in 0..5_000 {
        condition = condition
            .and(Condition::field("b").gt(i))
            .or(Condition::field("c").lt(i));
    }
    assert!(condition.to_string().len() > 10_000);
    assert_eq!(condition.clone(), condition);
}

fn literals() -> impl Strategy<Value = Literal> {
    let moments = ("[0-9]{4}-0[1-9]-[12][0-9]T1[0-9]:[0-5][0-9](:[0-5][0-9](\\.[0-9]{1,18})?)?")
        .prop_filter_map("a time", |text| Moment::parse(&text));
    prop_oneof![
        any::<i128>().prop_map(Literal::Integer),
        any::<i8>().prop_map(Literal::from),
        any::<f64>()
            .prop_filter("not NaN", |x| !x.is_nan())
            .prop_map(Literal::Float),
        any::<String>().prop_map(Literal::Text),
        any::<bool>().prop_map(Literal::Bool),
        any::<Vec<u8>>().prop_map(Literal::Bytes),
        moments.prop_map(Literal::Moment),
        "[0-9]{4}(-0[1-9](-[12][0-8])?)?".prop_map(Literal::Date),
    ]
}

fn names() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z]{1,3}",
        any::<String>(),
        Just("not".to_owned()),
        Just("DATE".to_owned()),
        Just("x".to_owned())
    ]
}

fn conditions() -> impl Strategy<Value = Condition> {
    let op = prop::sample::select(vec![
        CompareOp::Lt,
        CompareOp::Le,
        CompareOp::Gt,
        CompareOp::Ge,
        CompareOp::Eq,
        CompareOp::Ne,
    ]);
    let test = prop_oneof![
        (names(), op, literals())
            .prop_map(|(name, op, value)| Condition::field(name).compare(op, value)),
        (names(), prop::collection::vec(literals(), 0..4))
            .prop_map(|(name, list)| Condition::field(name).is_in(list)),
        (names(), prop::collection::vec(literals(), 0..4))
            .prop_map(|(name, list)| Condition::field(name).not_in(list)),
        (names(), literals(), literals())
            .prop_map(|(name, lo, hi)| Condition::field(name).between(lo, hi)),
        (names(), any::<String>()).prop_map(|(name, text)| Condition::field(name).like(text)),
        (names(), "([a%_']|#[#%_]){0,5}").prop_map(|(name, text)| {
            Condition::field(name).not_like(Pattern::new(text).escaped_by('#'))
        }),
        (names(), any::<String>())
            .prop_map(|(name, text)| Condition::field(name).starts_with(text)),
        (names(), any::<Vec<u8>>())
            .prop_map(|(name, bytes)| !Condition::field(name).starts_with(bytes)),
        names().prop_map(|name| Condition::field(name).is_null()),
        names().prop_map(|name| Condition::field(name).is_not_null()),
    ];
    test.prop_recursive(6, 40, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| a.and(b)),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| a.or(b)),
            inner.prop_map(|a| !a),
        ]
    })
}

fn texts() -> impl Strategy<Value = String> {
    let term = Just("a".to_owned()).prop_recursive(4, 12, 2, |inner| {
        prop_oneof![
            inner.clone().prop_map(|a| format!("-{a}")),
            inner.clone().prop_map(|a| format!("({a})")),
            inner.clone().prop_map(|a| format!("year({a})")),
            (inner.clone(), "[*/+-]", inner).prop_map(|(a, op, b)| format!("{a} {op} {b}")),
        ]
    });
    let test = prop_oneof![
        (term.clone(), term).prop_map(|(a, b)| format!("{a} < {b}")),
        "a (not )?between 1 and 2",
        "a = 1",
    ];
    test.prop_recursive(4, 12, 2, |inner| {
        prop_oneof![
            inner.clone().prop_map(|a| format!("not {a}")),
            inner.clone().prop_map(|a| format!("({a})")),
            (inner.clone(), "and|or", inner).prop_map(|(a, op, b)| format!("{a} {op} {b}")),
        ]
    })
}

proptest! {
    #[test]
    fn what_is_printed_is_read_back(condition in conditions()) {
        let text = condition.to_string();
        let again = Condition::parse(&text, &Limits::default());
        prop_assert_eq!(again.map_err(|error| format!("{text}: {error}")), Ok(condition));
    }

    #[test]
    fn what_is_read_is_within_the_limits_as_it_is_printed(text in texts(), condition_depth in 1_u64..9) {
        let limits = Limits { condition_depth, ..Limits::default() };
        if let Ok(condition) = Condition::parse(&text, &limits) {
            let printed = condition.to_string();
            let again = Condition::parse(&printed, &limits);
            prop_assert_eq!(again.map_err(|error| format!("{text}: {printed}: {error}")), Ok(condition));
        }
    }

    #[test]
    fn no_text_makes_the_parser_panic(text in "[a-c0-9 ()'\"=<>!.,xeE+-]{0,40}|(a |and |or |not |in |\\(|\\)|= |1 |, |is |null |between |like |starts with |escape |'a%' ){0,20}|.*") {
        if let Ok(condition) = Condition::parse(&text, &Limits::default()) {
            prop_assert_eq!(parse(&condition.to_string()), condition);
        }
    }
}
