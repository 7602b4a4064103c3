use std::fmt;

use tdb_tile::{Code, Datatype};

/// Attoseconds, the finest unit that TileDB has.
const SECOND: i128 = 1_000_000_000_000_000_000;
const MINUTE: i128 = 60 * SECOND;
const HOUR: i128 = 60 * MINUTE;
const DAY: i128 = 24 * HOUR;

/// Lengths of the units of `datetime_week` to `datetime_as`; those of `time_hr` to `time_as` begin at the third.
const UNITS: [i128; 11] = [
    7 * DAY,
    DAY,
    HOUR,
    MINUTE,
    SECOND,
    SECOND / 1_000,
    SECOND / 1_000_000,
    SECOND / 1_000_000_000,
    SECOND / 1_000_000_000_000,
    SECOND / 1_000_000_000_000_000,
    1,
];

/// Digits of the longest year that is read.
const YEAR_DIGITS: usize = 12;

/// A point in time to the attosecond, in the proleptic Gregorian calendar and UTC, without leap seconds.
///
/// ```
/// use tdb_query::Instant;
/// use tdb_tile::Datatype;
///
/// let noon = Instant::parse("2024-02-29T12:00").ok_or("not a time")?;
/// assert_eq!(noon.ticks(Datatype::DateTimeHour), Some((474_780, true)));
/// assert_eq!(noon.ticks(Datatype::DateTimeMonth), Some((649, false)));
/// assert_eq!(noon.to_string(), "2024-02-29T12:00:00");
/// # Ok::<(), &str>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant {
    /// Since 1970-01-01T00:00:00.
    attoseconds: i128,
}

impl Instant {
    /// Reads ISO 8601: `2024`, `2024-02`, `2024-02-29`, then `T` or a space and `12`, `12:30`, `12:30:01.5`, then
    /// `Z`, an offset such as `+02:00`, or nothing, which means UTC. Years beyond four digits have a sign.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (date, time) = match text.find(['T', 't', ' ']) {
            Some(at) => (text.get(..at)?, Some(text.get(at.checked_add(1)?..)?)),
            None => (text, None),
        };
        let days = parse_date(date)?;
        let since_midnight = match time {
            Some(time) => {
                let (time, offset) = split_zone(time)?;
                parse_clock(time, 23)?.checked_sub(offset)?
            }
            None => 0,
        };
        let attoseconds = i128::from(days)
            .checked_mul(DAY)?
            .checked_add(since_midnight)?;
        Some(Self { attoseconds })
    }

    /// Reads a date of ISO 8601 without a time of day.
    #[must_use]
    pub fn parse_date(text: &str) -> Option<Self> {
        let attoseconds = i128::from(parse_date(text)?).checked_mul(DAY)?;
        Some(Self { attoseconds })
    }

    /// The last tick of a datetime type that is not after this time, and whether it is this very time;
    /// `None` for other types.
    #[must_use]
    pub fn ticks(self, datatype: Datatype) -> Option<(i128, bool)> {
        if !datatype.is_datetime() {
            return None;
        }
        match datatype.code().checked_sub(Datatype::DateTimeWeek.code()) {
            Some(unit) => Some(in_units(self.attoseconds, *UNITS.get(usize::from(unit))?)),
            None => {
                let (days, midnight) = in_units(self.attoseconds, DAY);
                let (year, month, day) = civil_from_days(i64::try_from(days).ok()?);
                let months = year
                    .checked_sub(1970)?
                    .checked_mul(12)?
                    .checked_add(i64::from(month) - 1)?;
                let on_the_first = midnight && day == 1;
                Some(if datatype == Datatype::DateTimeMonth {
                    (months.into(), on_the_first)
                } else {
                    (months.div_euclid(12).into(), on_the_first && month == 1)
                })
            }
        }
    }
}

/// Reads a time of day or duration, `[-]HH:MM[:SS[.fraction]]`, as ticks of a time type: the last tick that is not
/// after it, and whether that is exact. `None` where the text or the type is something else.
#[must_use]
pub(super) fn time_ticks(text: &str, datatype: Datatype) -> Option<(i128, bool)> {
    if !datatype.is_time() {
        return None;
    }
    let (sign, clock) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text),
    };
    clock.contains(':').then_some(())?;
    let attoseconds = parse_clock(clock, i128::from(u32::MAX))?.checked_mul(sign)?;
    let unit = datatype
        .code()
        .checked_sub(Datatype::TimeHour.code())?
        .checked_add(2)?;
    Some(in_units(attoseconds, *UNITS.get(usize::from(unit))?))
}

fn in_units(attoseconds: i128, unit: i128) -> (i128, bool) {
    (
        attoseconds.div_euclid(unit),
        attoseconds.rem_euclid(unit) == 0,
    )
}

/// Days since 1970-01-01.
fn parse_date(text: &str) -> Option<i64> {
    let (sign, signed, text) = match text.as_bytes().first()? {
        b'-' => (-1, true, text.get(1..)?),
        b'+' => (1, true, text.get(1..)?),
        _ => (1, false, text),
    };
    let mut parts = text.split('-');
    let year = parts.next()?;
    let year_fits = if signed {
        (4..=YEAR_DIGITS).contains(&year.len())
    } else {
        year.len() == 4
    };
    let year = number(year).filter(|_| year_fits)?.checked_mul(sign)?;
    let month = parts
        .next()
        .map_or(Some(1), two_digits)
        .filter(|month| (1..=12).contains(month))?;
    let day = parts.next().map_or(Some(1), two_digits)?;
    let valid = (1..=days_in_month(year, month)).contains(&day) && parts.next().is_none();
    valid.then(|| days_from_civil(year, month, day))
}

/// Attoseconds of `HH[:MM[:SS[.fraction]]]`.
fn parse_clock(text: &str, most_hours: i128) -> Option<i128> {
    let mut parts = text.split(':');
    let hours = parts.next()?;
    let hours = i128::from(number(hours)?);
    let minutes = parts.next().map_or(Some(0), two_digits)?;
    let (seconds, fraction) = match parts.next() {
        Some(seconds) => match seconds.split_once('.') {
            Some((seconds, fraction)) => (two_digits(seconds)?, parse_fraction(fraction)?),
            None => (two_digits(seconds)?, 0),
        },
        None => (0, 0),
    };
    if hours > most_hours || minutes > 59 || seconds > 59 || parts.next().is_some() {
        return None;
    }
    Some(hours * HOUR + i128::from(minutes) * MINUTE + i128::from(seconds) * SECOND + fraction)
}

/// Attoseconds of the digits after the point of a second; up to eighteen.
fn parse_fraction(digits: &str) -> Option<i128> {
    let count = u32::try_from(digits.len())
        .ok()
        .filter(|count| *count <= 18)?;
    Some(i128::from(number(digits)?) * 10_i128.pow(18 - count))
}

/// A time without its zone, and the attoseconds by which that zone is ahead of UTC.
fn split_zone(time: &str) -> Option<(&str, i128)> {
    if let Some(time) = time.strip_suffix(['Z', 'z']) {
        return Some((time, 0));
    }
    let Some(at) = time.find(['+', '-']) else {
        return Some((time, 0));
    };
    let (time, zone) = time.split_at_checked(at)?;
    let ahead = parse_clock(zone.get(1..)?, 23)?;
    Some((time, if zone.starts_with('-') { -ahead } else { ahead }))
}

fn number(text: &str) -> Option<i64> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok())?
}

fn two_digits(text: &str) -> Option<u32> {
    (text.len() == 2).then(|| number(text)?.try_into().ok())?
}

fn days_in_month(year: i64, month: u32) -> u32 {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

const DAYS_PER_400_YEARS: i64 = 146_097;
/// Days from 0000-03-01, where the count of [`days_from_civil`] begins, to 1970-01-01.
const DAYS_TO_1970: i64 = 719_468;

/// Years are counted from March, so that the leap day is the last of its year.
fn days_from_civil(year: i64, month: u32, day: u32) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let month_from_march = i64::from((month + 9) % 12);
    let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let day_of_year = (153 * month_from_march + 2) / 5 + i64::from(day) - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * DAYS_PER_400_YEARS + day_of_era - DAYS_TO_1970
}

fn civil_from_days(days: i64) -> (i64, u32, u32) {
    let days = days.saturating_add(DAYS_TO_1970);
    let (era, day_of_era) = (
        days.div_euclid(DAYS_PER_400_YEARS),
        days.rem_euclid(DAYS_PER_400_YEARS),
    );
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = (month_from_march + 2) % 12 + 1;
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    let small = |n: i64| u32::try_from(n).unwrap_or_default();
    (year, small(month), small(day))
}

/// ISO 8601 with a time of day, in UTC.
impl fmt::Display for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (days, time) = (
            self.attoseconds.div_euclid(DAY),
            self.attoseconds.rem_euclid(DAY),
        );
        let (year, month, day) = civil_from_days(i64::try_from(days).map_err(|_| fmt::Error)?);
        if (0..=9999).contains(&year) {
            write!(f, "{year:04}")?;
        } else {
            write!(f, "{year:+05}")?;
        }
        let (hour, minute, second) = (time / HOUR, time % HOUR / MINUTE, time % MINUTE / SECOND);
        write!(f, "-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}")?;
        let fraction = time % SECOND;
        if fraction == 0 {
            return Ok(());
        }
        write!(f, ".{}", format!("{fraction:018}").trim_end_matches('0'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_day_of_eight_centuries_is_counted_once() {
        let mut date = (1600, 1, 1);
        for days in -135_140..157_054_i64 {
            let (year, month, day) = date;
            assert_eq!(days_from_civil(year, month, day), days);
            assert_eq!(civil_from_days(days), (year, month, day));
            date = if day < days_in_month(year, month) {
                (year, month, day + 1)
            } else if month < 12 {
                (year, month + 1, 1)
            } else {
                (year + 1, 1, 1)
            };
        }
        assert_eq!(date, (2400, 1, 1));
    }

    #[test]
    fn ticks_round_down_also_before_1970() {
        let ticks = |text: &str, datatype| Instant::parse(text).unwrap().ticks(datatype).unwrap();
        assert_eq!(
            ticks("1969-12-31T23:59:59.5", Datatype::DateTimeSecond),
            (-1, false)
        );
        assert_eq!(ticks("1969-12-31", Datatype::DateTimeMonth), (-1, false));
        assert_eq!(ticks("1969-12-01", Datatype::DateTimeMonth), (-1, true));
        assert_eq!(ticks("1969", Datatype::DateTimeYear), (-1, true));
        assert_eq!(ticks("1970-01-08", Datatype::DateTimeWeek), (1, true));
        assert_eq!(
            ticks("1970-01-07T23:00", Datatype::DateTimeWeek),
            (0, false)
        );
        assert_eq!(
            ticks(
                "1970-01-01T00:00:00.000000000000000001",
                Datatype::DateTimeAttosecond
            ),
            (1, true)
        );
        assert_eq!(
            ticks(
                "2262-04-11T23:47:16.854775807Z",
                Datatype::DateTimeNanosecond
            ),
            (i64::MAX.into(), true)
        );
        assert_eq!(Instant::parse("2020").unwrap().ticks(Datatype::Int64), None);
    }

    #[test]
    fn zones_are_taken_off() {
        let utc = Instant::parse("2020-01-01T10:00Z").unwrap();
        for text in [
            "2020-01-01 12:00+02:00",
            "2020-01-01T08:30-01:30",
            "2020-01-01T10",
            "2020-01-02t09+23",
        ] {
            assert_eq!(Instant::parse(text), Some(utc), "{text}");
        }
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in [
            "",
            "-",
            "x",
            "20",
            "20200101",
            "12020-01-01",
            "2020-13-01",
            "2020-00-01",
            "2021-02-29",
            "2020-1-1",
            "2020-01-01T",
            "2020-01-01T24:00",
            "2020-01-01T10:60",
            "2020-01-01T10:00:61",
            "2020-01-01T10:00:00.",
            "2020-01-01T10:00:00.1234567890123456789",
            "2020-01-01T10:00+",
            "2020-01-01-01",
            "+1234567890123",
            "2020-01-01T10:00:00:00",
            "2020-01-01T-1:00",
            "2020-é1",
            "2020-01-01TZ",
        ] {
            assert_eq!(Instant::parse(text), None, "{text}");
        }
    }

    #[test]
    fn times_of_day_are_read_in_every_unit() {
        assert_eq!(time_ticks("01:30", Datatype::TimeMinute), Some((90, true)));
        assert_eq!(time_ticks("01:30", Datatype::TimeHour), Some((1, false)));
        assert_eq!(
            time_ticks("-00:00:00.5", Datatype::TimeSecond),
            Some((-1, false))
        );
        assert_eq!(
            time_ticks("100:00:00.5", Datatype::TimeMillisecond),
            Some((360_000_500, true))
        );
        assert_eq!(time_ticks("100", Datatype::TimeMillisecond), None);
        assert_eq!(time_ticks("01:30", Datatype::DateTimeMinute), None);
    }
}
