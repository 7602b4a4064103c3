//! Guesses the type of dates and times in a text column.

use tdb_schema::value::{days_of_date, time_ticks};
use tdb_tile::Datatype;

/// Properties of dates and times: their range in nanoseconds, and the greatest number of digits of fractional seconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Times {
    lo: i128,
    hi: i128,
    has_time: bool,
    digits: usize,
}

impl Times {
    /// Parses a date, with or without a time.
    pub(super) fn of(text: &str) -> Option<Self> {
        const DAY: i128 = 86_400_000_000_000;
        if let Some(days) = days_of_date(text) {
            let ticks = DAY * i128::from(days);
            return Some(Self {
                lo: ticks,
                hi: ticks,
                has_time: false,
                digits: 0,
            });
        }
        let bytes = text.as_bytes();
        let is_dash = |at: usize| bytes.get(at) == Some(&b'-');
        let starts_with_digit = bytes.first().is_some_and(u8::is_ascii_digit);
        if !(starts_with_digit && is_dash(4) && is_dash(7)) {
            return None;
        }
        let (ticks, is_exact) = time_ticks(Datatype::DateTimeNanosecond, text)?;
        let fraction = text.split_once('.').map_or("", |(_, fraction)| fraction);
        let digits = fraction.bytes().take_while(u8::is_ascii_digit).count();
        is_exact.then_some(Self {
            lo: ticks,
            hi: ticks,
            has_time: bytes.len() > "2024-01-01".len(),
            digits,
        })
    }

    /// Includes a text; returns false if it is not a date.
    pub(super) fn widen(&mut self, text: &str) -> bool {
        let Some(other) = Self::of(text) else {
            return false;
        };
        *self = self.join(other);
        true
    }

    /// Combines the properties of both.
    pub(super) fn join(self, other: Self) -> Self {
        Self {
            lo: self.lo.min(other.lo),
            hi: self.hi.max(other.hi),
            has_time: self.has_time | other.has_time,
            digits: self.digits.max(other.digits),
        }
    }

    /// Returns the coarsest datatype that holds all of them, and their range; `None` if they are too far apart.
    pub(super) fn finest(self) -> Option<(Datatype, i64, i64)> {
        let (datatype, unit) = match self.digits {
            0 if !self.has_time => (Datatype::DateTimeDay, 86_400_000_000_000),
            0 => (Datatype::DateTimeSecond, 1_000_000_000),
            1..=3 => (Datatype::DateTimeMillisecond, 1_000_000),
            4..=6 => (Datatype::DateTimeMicrosecond, 1_000),
            _ => (Datatype::DateTimeNanosecond, 1),
        };
        let ticks = |ns: i128| i64::try_from(ns.div_euclid(unit)).ok();
        Some((datatype, ticks(self.lo)?, ticks(self.hi)?))
    }
}
