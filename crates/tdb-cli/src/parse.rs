//! Values on the command line: times, sizes and ranges.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::time::Duration;

use tdb::engine::schema::value::rfc3339;
use tdb::{Interval, Time, Value};

use crate::names::unquoted;

/// An amount of memory or storage, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size(pub(crate) u64);

/// An interval of a dimension or label, as typed: `DIM=LO..HI`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NamedInterval {
    pub(crate) name: String,
    pub(crate) interval: Interval,
}

/// Parses a time in any form that [`Time`] accepts.
pub(crate) fn moment(text: &str) -> Result<Time, String> {
    text.parse().map_err(|error: tdb::Error| error.to_string())
}

/// Numbers that are dates from 1985 to 2286 in seconds. In milliseconds they are early 1970, when nothing was
/// written.
const LIKE_SECONDS: Range<u64> = 500_000_000..10_000_000_000;

/// Numbers that look like years. In milliseconds they are the first seconds of 1970.
const LIKE_YEARS: Range<u64> = 1970..2101;

/// Warning for a user who may have given seconds, or a year, instead of milliseconds.
pub(crate) fn number_hint(option: &str, moment: Option<Time>) -> Option<String> {
    let given = moment?.0;
    let (meant, seconds) = (rfc3339(given), given.saturating_mul(1000));
    let other = if LIKE_SECONDS.contains(&given) {
        format!("seconds? write {seconds}")
    } else if LIKE_YEARS.contains(&given) {
        format!("the year? write {given}-01-01")
    } else {
        return None;
    };
    Some(format!(
        "{option} {given} is {meant}, since a number is milliseconds since 1970; {other}"
    ))
}

/// Parses a duration: `0s`, `10m`, `2h`, `1d`.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    tdb::parse_duration(text).map_err(|error| error.to_string())
}

/// Parses a number of threads.
pub(crate) fn threads(text: &str) -> Result<NonZeroUsize, String> {
    let number = text.parse();
    number.map_err(|_| "not a whole number from 1 on".to_owned())
}

/// Parses a number of bytes with an optional unit.
pub(crate) fn size(text: &str) -> Result<Size, String> {
    let digits = text
        .trim_end_matches(|c: char| c.is_ascii_alphabetic())
        .trim_end();
    let unit = text.get(digits.len()..).unwrap_or("").trim();
    let factor: u64 = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kb" => 1000,
        "m" | "mb" => 1000 * 1000,
        "g" | "gb" => 1000 * 1000 * 1000,
        "t" | "tb" => 1000 * 1000 * 1000 * 1000,
        "kib" => 1 << 10,
        "mib" => 1 << 20,
        "gib" => 1 << 30,
        "tib" => 1 << 40,
        _ => {
            return Err(format!(
                "{unit:?} is not a unit: use kB, MB, GB, TB, KiB, MiB, GiB or TiB"
            ));
        }
    };
    let whole = digits
        .parse::<u64>()
        .ok()
        .and_then(|n| n.checked_mul(factor));
    whole
        .map(Size)
        .ok_or_else(|| "not a whole number of bytes, like 200MB or 2GiB".to_owned())
}

/// Splits `NAME=VALUE`, where the name may be in double quotes. Spaces around `=` are ignored.
pub(crate) fn named(text: &str) -> Option<(String, &str)> {
    let Some(quoted) = text.trim_start().strip_prefix('"') else {
        let (name, value) = text.split_once('=')?;
        return Some((name.trim().to_owned(), value.trim_start()));
    };
    let (name, behind) = unquoted(quoted)?;
    let value = behind.trim_start().strip_prefix('=')?;
    Some((name, value.trim_start()))
}

/// Parses `DIM=LO..HI`, `DIM=..HI`, `DIM=LO..`, `DIM=..` or `DIM=VALUE`.
pub(crate) fn interval(text: &str) -> Result<NamedInterval, String> {
    let (dimension, ends) = named(text).ok_or_else(|| "not of the form DIM=LO..HI".to_owned())?;
    if ends.is_empty() {
        return Err(format!(
            "nothing after the `=`: LO..HI, LO.., ..HI, a value, or {dimension}=.. for all"
        ));
    }
    let end = |text: &str| (!text.is_empty()).then(|| Value::from(text));
    let (lo, hi) = match ends.split_once("..") {
        Some((lo, hi)) => (end(lo), end(hi)),
        None => (end(ends), end(ends)),
    };
    Ok(NamedInterval {
        name: dimension,
        interval: Interval::new(lo, hi),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_decimal_or_binary() {
        assert_eq!(size("200MB"), Ok(Size(200_000_000)));
        assert_eq!(size("2GiB"), Ok(Size(2 << 30)));
        assert_eq!(size("2 gib"), Ok(Size(2 << 30)));
        assert_eq!(size("17"), Ok(Size(17)));
        assert!(size("lots").is_err());
        assert!(size("1.5GB").is_err());
        assert!(size("99999999999TB").is_err());
        assert!(size("").is_err());
    }

    #[test]
    fn intervals_may_be_open_single_or_negative() {
        let of = |text| {
            let NamedInterval { name, interval } = interval(text).unwrap();
            (name, interval.lo, interval.hi)
        };
        let some = |text: &str| Some(Value::from(text));
        assert_eq!(of("x=-5..-1"), ("x".to_owned(), some("-5"), some("-1")));
        assert_eq!(of("x=..3"), ("x".to_owned(), None, some("3")));
        assert_eq!(of("x=3.."), ("x".to_owned(), some("3"), None));
        assert_eq!(of("x=0.5"), ("x".to_owned(), some("0.5"), some("0.5")));
        assert_eq!(of("t=2020-01-01..2020-02-01").1, some("2020-01-01"));
        assert_eq!(of("x=.."), ("x".to_owned(), None, None));
        assert!(interval("x").is_err());
        assert!(interval("x=").unwrap_err().contains("x=.."));
    }

    #[test]
    fn names_are_bare_or_in_quotes() {
        let of = |text| named(text).map(|(name, value)| (name, value.to_owned()));
        let some = |name: &str, value: &str| Some((name.to_owned(), value.to_owned()));
        assert_eq!(of("order id=377"), some("order id", "377"));
        assert_eq!(of("\"order id\"=377"), some("order id", "377"));
        assert_eq!(of("\"a=\"\"b\" = 1=2"), some("a=\"b", "1=2"));
        assert_eq!(of(" amount = 5"), some("amount", "5"));
        assert_eq!(of("amount"), None);
        assert_eq!(of("\"amount=5"), None);
        assert_eq!(of("\"amount\"5=6"), None);
    }

    #[test]
    fn seconds_and_years_are_told_from_milliseconds() {
        let hint = |given| number_hint("--at", Some(Time(given)));
        assert_eq!(
            hint(1_795_342_234).unwrap(),
            "--at 1795342234 is 1970-01-21T18:42:22.234Z, since a number is milliseconds since 1970; seconds? write \
             1795342234000"
        );
        assert_eq!(
            hint(2020).unwrap(),
            "--at 2020 is 1970-01-01T00:00:02.020Z, since a number is milliseconds since 1970; the year? write 2020-01-01"
        );
        for milliseconds in [0, 100, 1500, 86_400_000, 1_795_342_234_000] {
            assert_eq!(hint(milliseconds), None);
        }
    }
}
