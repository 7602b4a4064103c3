use std::time::Duration;

use tdb_array::{NameSource, SystemNames};
use tdb_schema::value::parse_time;
use tdb_tile::{Datatype, Scalar};

use crate::{Error, Result};

/// A timestamp as in array objects: milliseconds since 1970.
///
/// ```
/// use tdb_open::Time;
///
/// assert_eq!("1970-01-02".parse::<Time>()?, Time(86_400_000));
/// assert_eq!("2024-03-07T12:30:00Z".parse::<Time>()?, Time(1_709_814_600_000));
/// assert!("-2h".parse::<Time>()? < Time::now());
/// # Ok::<(), tdb_open::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Time(pub u64);

/// Milliseconds per day.
const DAY: u64 = 86_400_000;

impl Time {
    /// Returns the current time of the system clock; 0 if the clock is before 1970.
    #[must_use]
    pub fn now() -> Self {
        Self(SystemNames.now())
    }
}

impl From<u64> for Time {
    fn from(milliseconds: u64) -> Self {
        Self(milliseconds)
    }
}

impl std::str::FromStr for Time {
    type Err = Error;

    /// Parses milliseconds since 1970, RFC 3339, a date, `today` or `yesterday` (midnight in UTC), `now`, or a time
    /// before now such as `-2h`.
    fn from_str(text: &str) -> Result<Self> {
        if let Ok(milliseconds) = text.parse() {
            return Ok(Self(milliseconds));
        }
        if let Some(days) = ["today", "yesterday"].iter().position(|day| *day == text) {
            let today = Self::now().0 / DAY;
            // On the first day of 1970, there is no yesterday.
            return Ok(Self(today.saturating_sub(days as u64) * DAY));
        }
        let ago = match text {
            "now" => Some(Duration::ZERO),
            _ => text
                .strip_prefix('-')
                .and_then(|ago| parse_duration(ago).ok()),
        };
        if let Some(ago) = ago {
            // Durations that reach back before 1970 give time 0.
            let ago = u64::try_from(ago.as_millis()).unwrap_or(Self::now().0);
            return Ok(Self(Self::now().0.saturating_sub(ago)));
        }
        let mut milliseconds = Vec::new();
        parse_time(Datatype::DateTimeMillisecond, text, &mut milliseconds)
            .ok()
            .and_then(|()| u64::try_from(i64::read(&milliseconds)?).ok())
            .map(Self)
            .ok_or_else(|| {
                Error::invalid(
                    "expected milliseconds since 1970, 2024-03-07T12:30:00Z, 2024-03-07, yesterday, now or -2h",
                )
            })
    }
}

/// Parses a duration: `0s`, `10m`, `2h`, `1d`.
///
/// # Errors
/// Fails for any other text, or if the number of seconds overflows.
pub fn parse_duration(text: &str) -> Result<Duration> {
    let wrong = || {
        Error::invalid(format!(
            "{text:?} is not a duration; write it like 0s, 10m, 2h or 1d"
        ))
    };
    let unit = text.chars().next_back().ok_or_else(wrong)?;
    let seconds = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3600,
        'd' => 86400,
        _ => return Err(wrong()),
    };
    let number: u64 = text.trim_end_matches(unit).parse().map_err(|_| wrong())?;
    let all = number.checked_mul(seconds).ok_or_else(wrong)?;
    Ok(Duration::from_secs(all))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(text: &str) -> Option<u64> {
        text.parse::<Time>().ok().map(|time| time.0)
    }

    #[test]
    fn times_are_numbers_or_rfc_3339() {
        assert_eq!(time("0"), Some(0));
        assert_eq!(time("1970-01-01T00:00:01.5Z"), Some(1500));
        assert_eq!(time("1970-01-01T02:00:00+02:00"), Some(0));
        assert_eq!(time("1970-01-02"), Some(86_400_000));
        for wrong in ["tomorrow", "-2", "1969-12-31T00:00:00Z", ""] {
            assert_eq!(time(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn times_may_be_counted_from_now() {
        let before = Time::now();
        let (now, earlier) = (time("now").expect("now"), time("-2h").expect("earlier"));
        let times = before.0..=Time::now().0;
        assert!(times.contains(&now));
        assert!(times.contains(&(earlier + 2 * 3_600_000)));
        assert_eq!(time("-99999999d"), Some(0));
        let (yesterday, today) = (
            time("yesterday").expect("a day"),
            time("today").expect("a day"),
        );
        assert_eq!(today % DAY, 0);
        assert_eq!(today - yesterday, DAY);
        assert!(today <= now);
    }
}
