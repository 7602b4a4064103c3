//! Parses ISO 8601.

use crate::value::calendar::{days_from_date, plain_days_from_date};
use crate::value::unit::{Length, Moment, Unit};

/// Maximum number of digits of a number, more than any datetime needs.
const DIGITS: usize = 20;

impl Moment {
    /// Parses ISO 8601: `2024`, `2024-02`, `2024-02-29`, then `T` or a space and `12`, `12:30` or
    /// `12:30:01.5`, then `Z`, an offset such as `+02:00`, or nothing, which means UTC. A year of
    /// more than four digits needs a sign.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::parse_to(text).map(|(moment, _)| moment)
    }

    /// Parses the same text as a period, `2024-02` as the whole month; returns the moments at which
    /// it begins and ends. The period has the length of the last part in the text: a year, a month,
    /// a day, an hour, a minute, a second, or a fraction of a second.
    ///
    /// ```
    /// use tdb_schema::value::Moment;
    ///
    /// let (start, end) = Moment::parse_period("2024-02").unwrap();
    /// assert_eq!(start.to_string(), "2024-02-01T00:00:00");
    /// assert_eq!(end.to_string(), "2024-03-01T00:00:00");
    /// ```
    #[must_use]
    pub fn parse_period(text: &str) -> Option<(Self, Self)> {
        let (start, unit) = Self::parse_to(text)?;
        Some((start, start.after(unit)?))
    }

    /// Parses a moment; also returns the unit of the last part in the text.
    fn parse_to(text: &str) -> Option<(Self, Unit)> {
        if let Some(days) = days_of_date(text) {
            return Some((Self::new(days.into(), 0)?, Unit::Days(1)));
        }
        let (date, clock) = match text.find(['T', 't', ' ']) {
            Some(at) => (text.get(..at)?, text.get(at.checked_add(1)?..)),
            None => (text, None),
        };
        let (days, unit) = date_days(date)?;
        let Some(clock) = clock else {
            return Some((Self::new(days, 0)?, unit));
        };
        let (clock, offset) = split_offset(clock)?;
        let (since_midnight, unit) = read_clock(clock, 23)?;
        let since_midnight = since_midnight.in_attoseconds()?;
        Some((Self::new(days, since_midnight.checked_sub(offset)?)?, unit))
    }
}

/// Parses a date such as `2024-02-29` to days since 1970-01-01. `None` unless the text has ten
/// bytes and a year from 1600 on, although other texts may be dates, too. Most dates have this
/// form, which this function parses many times faster than the general one.
///
/// ```
/// use tdb_schema::value::days_of_date;
///
/// assert_eq!(days_of_date("1970-02-01"), Some(31));
/// assert_eq!(days_of_date("1970-02"), None);
/// assert_eq!(days_of_date("1970-02-30"), None);
/// ```
#[must_use]
pub fn days_of_date(text: &str) -> Option<i32> {
    let [a, b, c, d, b'-', e, f, b'-', g, h] = text.as_bytes() else {
        return None;
    };
    // The digits are ten bytes whose lowest four bits are the digit.
    let digits = [a, b, c, d, e, f, g, h].map(|byte| byte ^ b'0');
    digits.iter().all(|digit| *digit < 10).then_some(())?;
    let [a, b, c, d, e, f, g, h] = digits.map(u32::from);
    #[expect(
        clippy::arithmetic_side_effects,
        reason = "four digits are less than 10,000"
    )]
    let number = |[a, b, c, d]: [u32; 4]| a * 1000 + b * 100 + c * 10 + d;
    let (year, month, day) = (
        number([a, b, c, d]),
        number([0, 0, e, f]),
        number([0, 0, g, h]),
    );
    plain_days_from_date(year, month, day)
}

/// Parses a date, or a month or year as its first day; also returns the unit of the last part.
fn date_days(text: &str) -> Option<(i128, Unit)> {
    let (is_before, has_sign, rest) = match text.as_bytes().first()? {
        b'-' => (true, true, text.get(1..)?),
        b'+' => (false, true, text.get(1..)?),
        _ => (false, false, text),
    };
    let mut parts = rest.split('-');
    let year = parts.next()?;
    if year.len() < 4 || (year.len() > 4 && !has_sign) {
        return None;
    }
    let year = number(year)?.checked_mul(if is_before { -1 } else { 1 })?;
    let mut unit = Unit::Years;
    let mut two = |of| match parts.next() {
        None => Some(1),
        Some(part) => {
            unit = of;
            number(part).filter(|_| part.len() == 2)
        }
    };
    let (month, day) = (two(Unit::Months)?, two(Unit::Days(1))?);
    match parts.next() {
        None => Some((days_from_date(year, month, day)?, unit)),
        Some(_) => None,
    }
}

/// True if a date and time has an offset from UTC, as `2024-02-29T12:30+02:00` does: the stored
/// time then differs from the text.
///
/// ```
/// use tdb_schema::value::has_offset;
///
/// assert!(has_offset("2024-02-29 12:30:01.5-09:30"));
/// assert!(!has_offset("2024-02-29T12:30Z"));
/// assert!(!has_offset("2024-02-29T12:30+00:00"));
/// assert!(!has_offset("2024-02-29"));
/// ```
#[must_use]
pub fn has_offset(text: &str) -> bool {
    let clock = text
        .find(['T', 't', ' '])
        .map_or("", |at| text.split_at(at).1);
    // Most texts have no offset, and this fast check suffices.
    if !clock.contains(['+', '-']) {
        return false;
    }
    let offset = clock.get(1..).and_then(split_offset);
    offset.is_some_and(|(_, offset)| offset != 0)
}

/// Splits `Z` or an offset from the end of the text; returns the offset from UTC in attoseconds.
fn split_offset(text: &str) -> Option<(&str, i128)> {
    if let Some(clock) = text.strip_suffix(['Z', 'z']) {
        return Some((clock, 0));
    }
    let Some(at) = text.find(['+', '-']) else {
        return Some((text, 0));
    };
    let (clock, offset) = (text.get(..at)?, text.get(at..)?);
    let sign = if offset.starts_with('-') { -1 } else { 1 };
    let offset = read_clock(offset.get(1..)?, 23)?.0.in_attoseconds()?;
    Some((clock, offset.checked_mul(sign)?))
}

/// Parses `12`, `12:30` or `12:30:01.5`; also returns the unit of the last part.
fn read_clock(text: &str, most_hours: i128) -> Option<(Length, Unit)> {
    let mut unit = Unit::Hours;
    let mut parts = text.split(':');
    let hours = parts.next()?;
    let hours_len = hours.len();
    let hours = number(hours).filter(|&hours| hours_len >= 2 && hours <= most_hours)?;
    let minutes = match parts.next() {
        None => 0,
        Some(part) => {
            unit = Unit::Minutes;
            number(part).filter(|&m| part.len() == 2 && m < 60)?
        }
    };
    let (seconds, attoseconds) = match parts.next() {
        None => (0, 0),
        Some(part) => {
            unit = Unit::Fractions(fraction_digits(part)?);
            read_seconds(part)?
        }
    };
    let minutes = hours.checked_mul(60)?.checked_add(minutes)?;
    let seconds = minutes.checked_mul(60)?.checked_add(seconds)?;
    match parts.next() {
        None => {
            let length = Length {
                seconds,
                attoseconds,
            };
            Some((length, unit))
        }
        Some(_) => None,
    }
}

/// Returns the number of digits after the point.
fn fraction_digits(seconds: &str) -> Option<u32> {
    let fraction = seconds.split_once('.').map_or("", |(_, fraction)| fraction);
    u32::try_from(fraction.len()).ok()
}

fn read_seconds(text: &str) -> Option<(i128, i128)> {
    let (whole, fraction) = match text.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (text, None),
    };
    let whole = number(whole).filter(|&s| whole.len() == 2 && s < 60)?;
    let fraction = match fraction {
        None => 0,
        Some(digits) if digits.len() <= 18 => {
            let missing = 18_u32.checked_sub(u32::try_from(digits.len()).ok()?)?;
            number(digits)?.checked_mul(10_i128.checked_pow(missing)?)?
        }
        // Finer than an attosecond, the finest unit.
        Some(_) => return None,
    };
    Some((whole, fraction))
}

/// Parses a length of time as a clock shows it, `[-]HH:MM[:SS[.fraction]]`; returns whether it is
/// negative, and the length without a sign.
pub(super) fn read_length(text: &str) -> Option<(bool, Length)> {
    let (is_negative, clock) = match text.strip_prefix('-') {
        Some(clock) => (true, clock),
        None => (false, text),
    };
    clock.contains(':').then_some(())?;
    Some((is_negative, read_clock(clock, i128::from(u64::MAX))?.0))
}

fn number(digits: &str) -> Option<i128> {
    let is_number =
        (1..=DIGITS).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
    is_number.then(|| digits.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::{date_days, days_of_date};

    #[test]
    fn plain_dates_are_read_like_all_others() {
        for year in [0, 1, 1599, 1600, 1900, 1970, 2000, 2023, 2024, 2100, 9999] {
            for month in 0..100 {
                for day in 0..100 {
                    let text = format!("{year:04}-{month:02}-{day:02}");
                    let slowly = date_days(&text).filter(|_| year >= 1600);
                    let days = days_of_date(&text).map(i128::from);
                    assert_eq!(days, slowly.map(|(days, _)| days), "{text}");
                }
            }
        }
        for text in [
            "",
            "2024-2-029",
            "2024/02/01",
            "+024-02-01",
            "2024-02-1é",
            "２024-02-0",
        ] {
            assert_eq!(days_of_date(text), None, "{text}");
        }
    }
}
