//! Year, month and day of datetimes.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use proptest::prelude::*;
use tdb_schema::value::{Calendar, DatePart, Moment, NOT_A_TIME, Value};
use tdb_tile::Datatype;

fn datetimes() -> impl Strategy<Value = Datatype> {
    let all = Datatype::ALL.iter().copied();
    prop::sample::select(all.filter(|d| d.is_datetime()).collect::<Vec<_>>())
}

#[test]
fn weeks_months_and_years_have_the_date_on_which_they_begin() {
    let date = |datatype, ticks| {
        let date = Calendar::new(datatype).unwrap().date(ticks).unwrap();
        (date.year, date.month, date.day)
    };
    assert_eq!(date(Datatype::DateTimeYear, 54), (2024, 1, 1));
    assert_eq!(date(Datatype::DateTimeMonth, -1), (1969, 12, 1));
    assert_eq!(date(Datatype::DateTimeWeek, 1), (1970, 1, 8));
    assert_eq!(date(Datatype::DateTimeDay, -1), (1969, 12, 31));
    assert_eq!(date(Datatype::DateTimeHour, -1), (1969, 12, 31));
    let last = 1970 + i128::from(i64::MAX);
    assert_eq!(date(Datatype::DateTimeYear, i64::MAX), (last, 1, 1));
}

#[test]
fn what_is_no_datetime_has_no_calendar() {
    assert!(Calendar::new(Datatype::TimeHour).is_none());
    assert!(Calendar::new(Datatype::Int64).is_none());
    assert_eq!(Moment::of_date(2023, 2, 29), None);
    assert_eq!(DatePart::from_name("MONTH"), Some(DatePart::Month));
    assert_eq!(DatePart::from_name("hour"), None);
}

proptest! {
    #[test]
    fn a_date_is_what_is_shown_of_the_value(
        datatype in datetimes(),
        ticks in prop::collection::vec(prop_oneof![any::<i64>(), -100_000_000_i64..100_000_000], 1..20),
    ) {
        let mut calendar = Calendar::new(datatype).unwrap();
        for ticks in ticks.into_iter().chain([NOT_A_TIME]) {
            let Some(date) = calendar.date(ticks) else {
                prop_assert_eq!(ticks, NOT_A_TIME);
                continue;
            };
            let start = Moment::of_date(date.year, date.month, date.day).unwrap();
            let moment = Moment::of_ticks(datatype, ticks).unwrap();
            prop_assert!(start <= moment);
            let shown = Value::Time(datatype, ticks).to_string();
            let midnight = start.to_string();
            let (day, _) = midnight.split_once('T').unwrap();
            let same = shown.len().min(day.len());
            prop_assert_eq!(&shown[..same], &day[..same]);
        }
    }
}
