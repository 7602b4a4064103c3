//! Values to text and back.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use proptest::prelude::*;
use tdb_schema::CellValNum;
use tdb_schema::value::{
    Cell, Moment, NOT_A_TIME, TimeText, Value, parse, period_ticks, read, read_cell, time_ticks,
};
use tdb_tile::{Datatype, Scalar};

fn text<T: Scalar>(datatype: Datatype, value: T) -> String {
    let mut raw = Vec::new();
    value.write(&mut raw);
    read(datatype, &raw).unwrap().to_string()
}

fn parsed(datatype: Datatype, text: &str) -> Vec<u8> {
    let mut raw = Vec::new();
    parse(datatype, text, &mut raw).unwrap();
    raw
}

fn times() -> impl Iterator<Item = Datatype> {
    Datatype::ALL
        .iter()
        .copied()
        .filter(|d| d.is_datetime() || d.is_time())
}

#[test]
fn every_unit_has_its_text() {
    let mut shown = String::new();
    for datatype in times() {
        let ticks = [
            0,
            1,
            -1,
            1_000_000,
            1_234_567_890_123_456_789,
            i64::MIN + 1,
            i64::MAX,
        ];
        for ticks in ticks {
            shown.push_str(&format!("{datatype} {ticks}: {}\n", text(datatype, ticks)));
        }
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn numbers_are_shown_in_full() {
    assert_eq!(text(Datatype::UInt64, u64::MAX), "18446744073709551615");
    assert_eq!(text(Datatype::Int8, -128_i8), "-128");
    assert_eq!(text(Datatype::Float32, 0.1_f32), "0.1");
    assert_eq!(text(Datatype::Float64, 1e300), "1e300");
    assert_eq!(text(Datatype::Float64, -0.0), "-0.0");
    assert_eq!(text(Datatype::Float64, f64::NEG_INFINITY), "-Infinity");
    assert_eq!(text(Datatype::Float32, f32::NAN), "NaN");
    assert_eq!(text(Datatype::Bool, 2_u8), "true");
    assert_eq!(text(Datatype::DateTimeDay, NOT_A_TIME), "NaT");
}

#[test]
fn cells_are_text_bytes_or_numbers() {
    let var = CellValNum::Var;
    let cell = |datatype, n, bytes: &'static [u8]| read_cell(datatype, n, bytes);
    assert_eq!(
        cell(Datatype::StringUtf8, var, b"ab"),
        Cell::One(Value::Text("ab"))
    );
    assert_eq!(
        cell(Datatype::StringUtf8, var, b"\xff"),
        Cell::One(Value::Bytes(b"\xff"))
    );
    assert_eq!(
        cell(Datatype::StringAscii, CellValNum::Fixed(2), b"ab"),
        Cell::One(Value::Bytes(b"ab"))
    );
    assert_eq!(
        cell(Datatype::Char, var, b"ab"),
        Cell::One(Value::Bytes(b"ab"))
    );
    assert_eq!(
        cell(Datatype::UInt8, CellValNum::Fixed(1), b"\x07"),
        Cell::One(Value::Unsigned(7))
    );
    let two = vec![Value::Unsigned(1), Value::Unsigned(2)];
    assert_eq!(cell(Datatype::UInt8, var, b"\x01\x02"), Cell::Many(two));
    assert_eq!(cell(Datatype::UInt8, var, b""), Cell::Many(vec![]));
}

#[test]
fn iso_8601_is_read_in_its_variants() {
    let ticks = |datatype, text| i64::read(&parsed(datatype, text)).unwrap();
    assert_eq!(ticks(Datatype::DateTimeSecond, "1970-01-01T00:00:01Z"), 1);
    assert_eq!(
        ticks(Datatype::DateTimeSecond, "1970-01-01 02:00:00+02:00"),
        0
    );
    assert_eq!(ticks(Datatype::DateTimeSecond, "1970-01-01T00-01"), 3_600);
    assert_eq!(
        ticks(Datatype::DateTimeMillisecond, "1970-01-01T00:00:01.5"),
        1_500
    );
    assert_eq!(ticks(Datatype::DateTimeDay, "2000-03"), 11_017);
    assert_eq!(ticks(Datatype::DateTimeDay, "-0001-12-31"), -719_529);
    assert_eq!(ticks(Datatype::DateTimeYear, "2024"), 54);
    assert_eq!(ticks(Datatype::DateTimeYear, "54"), 54);
    assert_eq!(ticks(Datatype::DateTimeYear, "+12024"), 10_054);
    assert_eq!(ticks(Datatype::DateTimeHour, "20240"), 20_240);
    assert_eq!(ticks(Datatype::DateTimeWeek, "1970-01-08"), 1);
    assert_eq!(ticks(Datatype::TimeMinute, "-01:30"), -90);
    assert_eq!(ticks(Datatype::TimeHour, "30:00"), 30);
    assert_eq!(ticks(Datatype::TimeSecond, "90"), 90);
    assert_eq!(ticks(Datatype::TimeSecond, "NaT"), NOT_A_TIME);
}

#[test]
fn four_digits_are_the_year_of_every_datetime() {
    for datatype in times().filter(|datatype| datatype.is_datetime()) {
        for year in ["1970", "1971", "1969", "2020"] {
            let (mut as_year, mut as_date) = (Vec::new(), Vec::new());
            let year_is = parse(datatype, year, &mut as_year);
            let date_is = parse(datatype, &format!("{year}-01-01"), &mut as_date);
            // A year may not begin with a week, and attoseconds do not reach all years.
            assert_eq!(year_is.is_ok(), date_is.is_ok(), "{datatype} {year}");
            assert_eq!(as_year, as_date, "{datatype} {year}");
        }
        if datatype != Datatype::DateTimeYear {
            for ticks in ["202", "20200", "-2020", "+2020", "02020"] {
                let number = ticks.parse::<i64>().unwrap();
                assert_eq!(parsed(datatype, ticks), number.to_le_bytes(), "{datatype}");
            }
        }
    }
    // For times of day and for other types, four digits are a number.
    assert_eq!(parsed(Datatype::TimeSecond, "2020"), 2020_i64.to_le_bytes());
    assert_eq!(parsed(Datatype::Int32, "2020"), 2020_i32.to_le_bytes());
}

#[test]
fn what_says_something_else_is_refused() {
    let mut errors = String::new();
    for (datatype, text) in [
        (Datatype::Int8, "128"),
        (Datatype::UInt16, "-1"),
        (Datatype::Int32, "1.5"),
        (Datatype::Float64, "one"),
        (Datatype::Float32, "1e39"),
        (Datatype::Float64, "-1e400"),
        (Datatype::Bool, "2"),
        (Datatype::DateTimeDay, "2023-02-29"),
        (Datatype::DateTimeDay, "2023-02-28T12"),
        (Datatype::DateTimeWeek, "1970-01-02"),
        (Datatype::DateTimeMonth, "1970-01-02"),
        (Datatype::DateTimeYear, "1970-02"),
        (Datatype::DateTimeSecond, "1970-01-01T00:00:00.5"),
        (Datatype::DateTimeSecond, "1970-01-01T24:00"),
        (Datatype::DateTimeSecond, "1970-01-01T00:60"),
        (Datatype::DateTimeAttosecond, "2024-01-01"),
        (Datatype::DateTimeDay, "10000-01-01"),
        (Datatype::DateTimeDay, ""),
        (Datatype::TimeSecond, "12:00:00.5"),
        (Datatype::TimeSecond, "noon"),
    ] {
        let error = parse(datatype, text, &mut Vec::new()).unwrap_err();
        errors.push_str(&format!("{error}\n"));
    }
    insta::assert_snapshot!(errors);
}

#[test]
fn a_moment_lies_in_a_tick_of_every_unit() {
    let noon = Moment::parse("2024-02-29T12:00").unwrap();
    assert_eq!(noon.ticks(Datatype::DateTimeHour), Some((474_780, true)));
    assert_eq!(noon.ticks(Datatype::DateTimeMonth), Some((649, false)));
    assert_eq!(noon.ticks(Datatype::TimeHour), None);
    assert_eq!(
        Moment::of_ticks(Datatype::DateTimeHour, 474_780),
        Some(noon)
    );
}

proptest! {
    #[test]
    fn times_are_read_as_they_are_shown(ticks in any::<i64>(), shift in 0_u32..60) {
        for datatype in times() {
            let ticks = ticks >> shift;
            prop_assume!(ticks != NOT_A_TIME);
            let shown = text(datatype, ticks);
            prop_assert_eq!(parsed(datatype, &shown), ticks.to_le_bytes(), "{} {}", datatype, shown);
            let moment = Moment::of_ticks(datatype, ticks);
            prop_assert!(moment.is_none_or(|m| m.ticks(datatype) == Some((i128::from(ticks), true))));
        }
    }

    #[test]
    fn floats_are_read_as_they_are_shown(v in any::<f64>(), w in any::<f32>()) {
        prop_assert_eq!(parsed(Datatype::Float64, &text(Datatype::Float64, v)).len(), 8);
        let read = f64::read(&parsed(Datatype::Float64, &text(Datatype::Float64, v))).unwrap();
        prop_assert!(read == v || v.is_nan());
        let read = f32::read(&parsed(Datatype::Float32, &text(Datatype::Float32, w))).unwrap();
        prop_assert!(read == w || w.is_nan());
    }

    #[test]
    fn no_text_panics(text in "[-+0-9:TZ. ]{0,30}") {
        for datatype in times() {
            let _ = parse(datatype, &text, &mut Vec::new());
        }
    }
}

#[test]
fn what_lies_between_two_ticks_is_after_the_former() {
    let ticks = time_ticks;
    assert_eq!(ticks(Datatype::TimeHour, "01:30"), Some((1, false)));
    assert_eq!(ticks(Datatype::TimeMinute, "01:30"), Some((90, true)));
    assert_eq!(
        ticks(Datatype::TimeSecond, "-00:00:00.5"),
        Some((-1, false))
    );
    assert_eq!(ticks(Datatype::TimeMinute, "-00:01"), Some((-1, true)));
    assert_eq!(
        ticks(Datatype::DateTimeMonth, "1969-12-31"),
        Some((-1, false))
    );
    assert_eq!(ticks(Datatype::DateTimeDay, "noon"), None);
    assert_eq!(ticks(Datatype::Int64, "2024"), None);
}

#[test]
fn a_moment_is_written_as_finely_as_needed() {
    let written = |text| Moment::parse(text).unwrap().to_string();
    assert_eq!(written("2024"), "2024-01-01T00:00:00");
    assert_eq!(written("2024-02-29T12:30+01:00"), "2024-02-29T11:30:00");
    assert_eq!(written("1969-12-31T23:59:59.5"), "1969-12-31T23:59:59.500");
    assert_eq!(
        written("1970-01-01T00:00:00.000000000000000001"),
        "1970-01-01T00:00:00.000000000000000001"
    );
}

#[test]
fn many_times_are_written_as_each_alone() {
    for &datatype in Datatype::ALL {
        if !datatype.is_datetime() && !datatype.is_time() {
            continue;
        }
        let mut text = TimeText::new(datatype);
        let mut ticks: Vec<i64> = vec![0, 1, -1, 59, 60, 86_399, 86_400, i64::MAX, i64::MIN + 1];
        ticks.extend((0..63).map(|bit| (1_i64 << bit).wrapping_mul(3) + 7));
        ticks.extend((0..62).map(|bit| -(1_i64 << bit) - 5));
        for ticks in ticks {
            let mut out = b"before ".to_vec();
            text.append(ticks, &mut out);
            let alone = format!("before {}", Value::Time(datatype, ticks));
            assert_eq!(String::from_utf8(out).unwrap(), alone, "{datatype} {ticks}");
        }
        let mut out = Vec::new();
        text.append(NOT_A_TIME, &mut out);
        assert!(out.is_empty());
    }
}

#[test]
fn a_date_names_a_period_to_its_last_part() {
    use Datatype as D;
    let period = |datatype, text| period_ticks(datatype, text);
    for (text, days) in [
        ("1972", Some((730, 1095))),
        ("1972-02", Some((761, 789))),
        ("1972-12", Some((1065, 1095))),
        ("1972-02-29", Some((789, 789))),
        ("1969-12-31", Some((-1, -1))),
        // No day begins within these periods.
        ("1972-02-29T12", None),
        ("1972-02-29T00:00:01", None),
        ("1972-02-29T00:00", Some((789, 789))),
        // These are ticks, or not dates.
        ("19720", None),
        ("-1972", None),
        ("972", None),
        ("1973-02-29", None),
        ("NaT", None),
    ] {
        assert_eq!(period(D::DateTimeDay, text), days, "{text}");
    }
    let (hour, second) = (3_600_000, 1000);
    for (text, milliseconds) in [
        ("1970-01-01T01", (hour, 2 * hour - 1)),
        (
            "1970-01-01T01:30",
            (hour + hour / 2, hour + hour / 2 + 60 * second - 1),
        ),
        ("1970-01-01T00:00:01Z", (second, 2 * second - 1)),
        ("1970-01-01T00:00:01.5", (1500, 1599)),
        ("1970-01-01T00:00:01.500", (1500, 1500)),
        ("1970-01-01T01:00:01+01:00", (second, 2 * second - 1)),
        ("1970-01", (0, 31 * 24 * hour - 1)),
    ] {
        assert_eq!(
            period(D::DateTimeMillisecond, text),
            Some(milliseconds),
            "{text}"
        );
    }
    // 1970-01-01 is the first day of a week tick.
    assert_eq!(period(D::DateTimeWeek, "1970"), Some((0, 52)));
    assert_eq!(period(D::DateTimeWeek, "1970-01-02"), None);
    assert_eq!(period(D::DateTimeMonth, "1971"), Some((12, 23)));
    assert_eq!(period(D::DateTimeYear, "+12024"), Some((10_054, 10_054)));
    // The period is clipped to 64 bits.
    let (last, most) = period(D::DateTimeNanosecond, "2262").unwrap();
    assert_eq!((last > 0, most), (true, i64::MAX));
    assert_eq!(period(D::DateTimeNanosecond, "2263"), None);
    assert_eq!(period(D::TimeSecond, "12:30"), None);
    assert_eq!(period(D::Int64, "2023"), None);
}
