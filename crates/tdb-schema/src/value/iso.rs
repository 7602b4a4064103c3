//! Reading ISO 8601.

use crate::value::calendar::days_from_date;
use crate::value::unit::{Length, Moment};

/// Digits of the longest number that is read: more than any datetime needs.
const DIGITS: usize = 20;

impl Moment {
    /// Reads ISO 8601: `2024`, `2024-02`, `2024-02-29`, then `T` or a space and `12`, `12:30`
    /// or `12:30:01.5`, then `Z`, an offset such as `+02:00`, or nothing, which means UTC.
    /// Years of other than four digits have a sign.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (date, clock) = match text.find(['T', 't', ' ']) {
            Some(at) => (text.get(..at)?, text.get(at.checked_add(1)?..)),
            None => (text, None),
        };
        let days = date_days(date)?;
        let Some(clock) = clock else {
            return Self::new(days, 0);
        };
        let (clock, offset) = split_offset(clock)?;
        let since_midnight = read_clock(clock, 23)?.in_attoseconds()?;
        Self::new(days, since_midnight.checked_sub(offset)?)
    }
}

fn date_days(text: &str) -> Option<i128> {
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
    let mut two = || match parts.next() {
        None => Some(1),
        Some(part) => number(part).filter(|_| part.len() == 2),
    };
    let (month, day) = (two()?, two()?);
    match parts.next() {
        None => days_from_date(year, month, day),
        Some(_) => None,
    }
}

/// Splits `Z` or an offset from UTC, in attoseconds, off the end.
fn split_offset(text: &str) -> Option<(&str, i128)> {
    if let Some(clock) = text.strip_suffix(['Z', 'z']) {
        return Some((clock, 0));
    }
    let Some(at) = text.find(['+', '-']) else {
        return Some((text, 0));
    };
    let (clock, offset) = (text.get(..at)?, text.get(at..)?);
    let sign = if offset.starts_with('-') { -1 } else { 1 };
    let offset = read_clock(offset.get(1..)?, 23)?.in_attoseconds()?;
    Some((clock, offset.checked_mul(sign)?))
}

/// `12`, `12:30`, `12:30:01.5`.
fn read_clock(text: &str, most_hours: i128) -> Option<Length> {
    let mut parts = text.split(':');
    let hours = parts.next()?;
    let hours_len = hours.len();
    let hours = number(hours).filter(|&hours| hours_len >= 2 && hours <= most_hours)?;
    let minutes = match parts.next() {
        None => 0,
        Some(part) => number(part).filter(|&m| part.len() == 2 && m < 60)?,
    };
    let (seconds, attoseconds) = match parts.next() {
        None => (0, 0),
        Some(part) => read_seconds(part)?,
    };
    let minutes = hours.checked_mul(60)?.checked_add(minutes)?;
    let seconds = minutes.checked_mul(60)?.checked_add(seconds)?;
    match parts.next() {
        None => Some(Length {
            seconds,
            attoseconds,
        }),
        Some(_) => None,
    }
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
        // Finer than any unit.
        Some(_) => return None,
    };
    Some((whole, fraction))
}

/// Reads a length of time as a clock shows it, `[-]HH:MM[:SS[.fraction]]`; whether it is
/// negative stands apart.
pub(super) fn read_length(text: &str) -> Option<(bool, Length)> {
    let (is_negative, clock) = match text.strip_prefix('-') {
        Some(clock) => (true, clock),
        None => (false, text),
    };
    clock.contains(':').then_some(())?;
    Some((is_negative, read_clock(clock, i128::from(u64::MAX))?))
}

fn number(digits: &str) -> Option<i128> {
    let is_number =
        (1..=DIGITS).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
    is_number.then(|| digits.parse().ok())?
}
