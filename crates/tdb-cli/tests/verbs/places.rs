//! Errors in texts are marked at their position.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common::{tdb, told};

const TOUR: &str = "v22_tour/array";

fn counted(condition: &str) -> String {
    told(
        &tdb("count")
            .arg(TOUR)
            .arg("--where")
            .arg(condition)
            .output()
            .unwrap(),
    )
}

fn aggregated(arguments: &[&str]) -> String {
    told(&tdb("agg").arg(TOUR).args(arguments).output().unwrap())
}

#[test]
fn tests_that_do_not_fit_their_field() {
    insta::assert_snapshot!(counted("pressure > 0 and temperature > 'x'"), @r"
    error: condition `temperature > 'x'`: a value of type float32 cannot be compared with 'x'
      pressure > 0 and temperature > 'x'
                       ^
    hint: wanted a number
    exit status 2
    ");
    insta::assert_snapshot!(counted("sky = 'rain' or hour > '2024-13-45'"), @r"
    error: condition `hour > '2024-13-45'`: a value of type datetime_hr cannot be compared with '2024-13-45'
      sky = 'rain' or hour > '2024-13-45'
                      ^
    hint: wanted a time of ISO 8601 such as '2024-02-29T12:30:00', or ticks as a number
    exit status 2
    ");
    insta::assert_snapshot!(counted("not (year(temperature) = 3)"), @r"
    error: condition `year(temperature) = 3`: year(…) takes a date
      not (year(temperature) = 3)
           ^
    exit status 2
    ");
    insta::assert_snapshot!(counted("temperature > 1 and sky < 'rain'"), @r"
    error: condition `sky < 'rain'`: the labels of this field have no order
      temperature > 1 and sky < 'rain'
                          ^
    hint: labels can be compared with `=`, `!=`, `in` and `not in`
    exit status 2
    ");
    insta::assert_snapshot!(counted("remark = x'zz'"), @r"
    error: condition at character 10: wanted pairs of hexadecimal digits in x'', as in x'00ff'
      remark = x'zz'
               ^
    exit status 2
    ");
}

#[test]
fn what_is_too_deep_or_too_long() {
    let deep = format!("{}temperature > 1{}", "(".repeat(2000), ")".repeat(2000));
    insta::assert_snapshot!(counted(&deep), @r"
    error: condition at character 514: parentheses, `not` and operations are more than 512 deep
      ((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((
                                                     ^
    exit status 4
    ");
    let nots = format!("{}temperature > 1", "not ".repeat(2000));
    insta::assert_snapshot!(counted(&nots), @r"
    error: condition at character 2053: parentheses, `not` and operations are more than 512 deep
      ot not not not not not not not not not not not not not not not not not n
                                                     ^
    exit status 4
    ");
    let long = format!("temperature > '{}'", "x".repeat(100_000));
    let told = counted(&long);
    assert!(
        told.len() < 1200 && told.ends_with("exit status 2"),
        "{told}"
    );
}

#[test]
fn aggregates_and_groupings() {
    insta::assert_snapshot!(aggregated(&["count(*), foo(pressure)"]), @r#"
    error: "foo(pressure)" is not an aggregate: write count(*), sum(a), min(a), max(a), mean(a), null_count(a) or count(a)
      count(*), foo(pressure)
                ^
    exit status 2
    "#);
    insta::assert_snapshot!(aggregated(&["count(*), sum(remark), min(hour)"]), @r"
    error: sum(remark): there is none of a field that holds string_utf8
      count(*), sum(remark), min(hour)
                ^
    exit status 2
    ");
    insta::assert_snapshot!(aggregated(&["count(*),  min(sky)"]), @r"
    error: min(sky): the values of the field are labels of an enumeration
      count(*),  min(sky)
                 ^
    hint: count them, group by them, or ask for their indexes
    exit status 2
    ");
    insta::assert_snapshot!(aggregated(&["min(temperature), max(temprature)"]), @r#"
    error: there is no field "temprature"
      min(temperature), max(temprature)
                        ^
    hint: did you mean "temperature"? the fields are station, hour, temperature, pressure, sky, remark
    exit status 2
    "#);
    insta::assert_snapshot!(aggregated(&["count(*)", "--by", "station,statoin"]), @r#"
    error: there is no field "statoin"
      station,statoin
              ^
    hint: did you mean "station"? the fields are station, hour, temperature, pressure, sky, remark
    exit status 2
    "#);
    insta::assert_snapshot!(aggregated(&["count(*)", "--by", "station,year(temperature)"]), @r"
    error: year(temperature): there is none of a field that holds float32
      station,year(temperature)
              ^
    exit status 2
    ");
}

#[test]
fn fields_without_an_order_have_no_histogram() {
    let hist = |field: &str| told(&tdb("hist").arg(TOUR).arg(field).output().unwrap());
    insta::assert_snapshot!(hist("remark"), @r#"
    error: histogram(remark): there is none of a field that holds string_utf8
    hint: use tdb distinct v22_tour/array "remark" --counts to count each value
    exit status 2
    "#);
    insta::assert_snapshot!(hist("sky"), @r#"
    error: histogram(sky): the values of the field are labels of an enumeration
    hint: use tdb distinct v22_tour/array "sky" --counts to count each value
    exit status 2
    "#);
}

#[test]
fn words_of_other_programs_are_answered_with_what_changes_nothing() {
    insta::assert_snapshot!(told(&tdb("query x").output().unwrap()), @r"
    error: unrecognized subcommand 'query'

      tip: `tdb read --where EXPR` reads the cells that match a condition

    Usage: tdb [OPTIONS] <COMMAND>

    For more information, try '--help'.
    exit status 2
    ");
    insta::assert_snapshot!(told(&tdb("undo x").output().unwrap()), @r"
    error: unrecognized subcommand 'undo'

      tip: see `tdb help restore` to return to an earlier state

    Usage: tdb [OPTIONS] <COMMAND>

    For more information, try '--help'.
    exit status 2
    ");
    insta::assert_snapshot!(told(&tdb("read x --skip-damaged").output().unwrap()), @r"
    error: unexpected argument '--skip-damaged' found

    Usage: tdb read <ARRAY>

    For more information, try '--help'.
    exit status 2
    ");
}
