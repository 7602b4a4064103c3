use std::io::Write;

use tdb_tile::Datatype;

use crate::value::unit::Unit;
use crate::value::{NOT_A_TIME, Value};

/// Formats many dates or times of one datatype as text, in the form of [`Value`].
///
/// The text of a date is computed once for consecutive ticks of the same day.
#[derive(Clone, Debug)]
pub struct TimeText {
    datatype: Datatype,
    /// The division of a day; `None` unless the datatype is a datetime with a time of day whose
    /// ticks per day fit 64 bits.
    clock: Option<Clock>,
    /// The day written last; `date` is its text.
    day: i64,
    date: Vec<u8>,
}

/// The number of ticks of each part of a day.
#[derive(Clone, Copy, Debug)]
struct Clock {
    of_day: i64,
    of_hour: i64,
    /// 0 if the text has no minutes.
    of_minute: i64,
    /// 0 if the text has no seconds.
    of_second: i64,
    /// Number of digits after the point.
    digits: usize,
}

impl TimeText {
    /// Creates a formatter for this datatype.
    #[must_use]
    pub fn new(datatype: Datatype) -> Self {
        Self {
            datatype,
            clock: datatype
                .is_datetime()
                .then(|| Unit::of(datatype).and_then(Clock::new))
                .flatten(),
            day: NOT_A_TIME,
            date: Vec::new(),
        }
    }

    /// Appends the text of `ticks`; nothing for [`NOT_A_TIME`].
    pub fn append(&mut self, ticks: i64, out: &mut Vec<u8>) {
        if ticks == NOT_A_TIME {
            return;
        }
        let Some(clock) = self.clock else {
            write(Value::Time(self.datatype, ticks), out);
            return;
        };
        let day = ticks.div_euclid(clock.of_day);
        if day != self.day {
            self.date.clear();
            write(Value::Time(Datatype::DateTimeDay, day), &mut self.date);
            self.day = day;
        }
        out.extend_from_slice(&self.date);
        clock.append(ticks.rem_euclid(clock.of_day), out);
    }
}

impl Clock {
    /// Creates the clock of a unit; `None` for days and longer units, and if the ticks per day
    /// exceed 64 bits.
    fn new(unit: Unit) -> Option<Self> {
        let (of_second, digits) = match unit {
            Unit::Years | Unit::Months | Unit::Days(_) => return None,
            Unit::Hours | Unit::Minutes => (0, 0),
            Unit::Fractions(digits) => (10_i64.checked_pow(digits)?, digits),
        };
        let of_minute = match unit {
            Unit::Hours => 0,
            Unit::Minutes => 1,
            _ => of_second.checked_mul(60)?,
        };
        let of_hour = of_minute.checked_mul(60)?.max(1);
        Some(Self {
            of_day: of_hour.checked_mul(24)?,
            of_hour,
            of_minute,
            of_second,
            digits: digits as usize,
        })
    }

    /// Appends `T12`, `T12:30`, `T12:30:01` or `T12:30:01.500`.
    fn append(self, ticks: i64, out: &mut Vec<u8>) {
        let part = |unit: i64, of: i64| ticks.checked_div(unit).map(|n| n.rem_euclid(of));
        for (before, unit, of) in [
            (b'T', self.of_hour, 24),
            (b':', self.of_minute, 60),
            (b':', self.of_second, 60),
        ] {
            if let Some(part) = part(unit, of) {
                out.push(before);
                digits(part, 2, out);
            }
        }
        if let (1.., Some(fraction)) = (self.digits, ticks.checked_rem(self.of_second)) {
            out.push(b'.');
            digits(fraction, self.digits, out);
        }
    }
}

/// Appends the last `count` digits of a non-negative number.
fn digits(mut number: i64, count: usize, out: &mut Vec<u8>) {
    let start = out.len();
    out.extend(std::iter::repeat_n(b'0', count));
    for place in out.iter_mut().skip(start).rev() {
        // The digits are ten bytes whose lowest four bits are the digit.
        *place |= u8::try_from(number % 10).unwrap_or(0);
        number /= 10;
    }
}

fn write(value: Value<'_>, out: &mut Vec<u8>) {
    // Writing to a vector cannot fail.
    let _ = write!(out, "{value}");
}
