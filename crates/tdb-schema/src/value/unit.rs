use std::fmt;

use tdb_tile::{Code, Datatype};

use crate::value::calendar::{date_from_days, days_from_date};

/// Number of attoseconds in a second.
const SECOND: i128 = 1_000_000_000_000_000_000;
const DAY: i128 = 86_400 * SECOND;

/// The unit that the ticks of a date or time count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Years,
    Months,
    /// A number of days: 1, or 7 for weeks.
    Days(i128),
    Hours,
    Minutes,
    /// Fractions of a second with this many digits after the point; 0 for whole seconds.
    Fractions(u32),
}

impl Unit {
    pub(super) fn of(datatype: Datatype) -> Option<Self> {
        let code = datatype.code();
        // The datatypes of times have the units of the datetimes from the hour down, in the same
        // order.
        let index = if datatype.is_datetime() {
            code.checked_sub(Datatype::DateTimeYear.code())?
        } else if datatype.is_time() {
            code.checked_sub(Datatype::TimeHour.code())?
                .checked_add(4)?
        } else {
            return None;
        };
        Some(match index {
            0 => Self::Years,
            1 => Self::Months,
            2 => Self::Days(7),
            3 => Self::Days(1),
            4 => Self::Hours,
            5 => Self::Minutes,
            _ => Self::Fractions(u32::from(index).checked_sub(6)?.checked_mul(3)?),
        })
    }

    /// The number of attoseconds per tick; `None` for years and months.
    fn attoseconds(self) -> Option<i128> {
        match self {
            Self::Years | Self::Months => None,
            Self::Days(days) => DAY.checked_mul(days),
            Self::Hours => SECOND.checked_mul(3_600),
            Self::Minutes => SECOND.checked_mul(60),
            Self::Fractions(digits) => SECOND.checked_div(10_i128.checked_pow(digits)?),
        }
    }

    pub(super) fn ticks_of_day(self) -> Option<i128> {
        DAY.checked_div(self.attoseconds()?)
    }
}

/// A point in time in the proleptic Gregorian calendar and UTC, without leap seconds. Every tick of
/// every datetime is such a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment {
    /// Days since 1970-01-01.
    days: i128,
    /// Attoseconds since midnight, less than a day.
    attoseconds: i128,
}

impl Moment {
    pub(super) fn new(days: i128, attoseconds: i128) -> Option<Self> {
        Some(Self {
            days: days.checked_add(attoseconds.div_euclid(DAY))?,
            attoseconds: attoseconds.rem_euclid(DAY),
        })
    }

    /// The number of whole days since 1970-01-01.
    pub(super) fn days(self) -> i128 {
        self.days
    }

    /// Returns the moment at which a tick of a datetime begins; `None` for other datatypes.
    #[must_use]
    pub fn of_ticks(datatype: Datatype, ticks: i64) -> Option<Self> {
        let unit = Unit::of(datatype).filter(|_| datatype.is_datetime())?;
        let ticks = i128::from(ticks);
        match unit {
            Unit::Years => Self::new(days_from_date(ticks.checked_add(1970)?, 1, 1)?, 0),
            Unit::Months => {
                let year = ticks.div_euclid(12).checked_add(1970)?;
                Self::new(
                    days_from_date(year, ticks.rem_euclid(12).checked_add(1)?, 1)?,
                    0,
                )
            }
            Unit::Days(days) => Self::new(ticks.checked_mul(days)?, 0),
            _ => {
                let of_day = unit.ticks_of_day()?;
                let (days, rest) = (ticks.div_euclid(of_day), ticks.rem_euclid(of_day));
                Self::new(days, rest.checked_mul(unit.attoseconds()?)?)
            }
        }
    }

    /// Returns the last tick of a datetime that does not begin after the moment, and whether it
    /// begins exactly then; `None` for other datatypes. The tick may exceed `i64`.
    #[must_use]
    pub fn ticks(self, datatype: Datatype) -> Option<(i128, bool)> {
        let unit = Unit::of(datatype).filter(|_| datatype.is_datetime())?;
        let is_midnight = self.attoseconds == 0;
        Some(match unit {
            Unit::Years | Unit::Months => {
                let (year, month, day) = date_from_days(self.days)?;
                let years = year.checked_sub(1970)?;
                let is_first = is_midnight && day == 1;
                if unit == Unit::Years {
                    (years, is_first && month == 1)
                } else {
                    (
                        years.checked_mul(12)?.checked_add(month)?.checked_sub(1)?,
                        is_first,
                    )
                }
            }
            Unit::Days(days) => {
                let is_start = self.days.checked_rem_euclid(days)? == 0;
                (self.days.checked_div_euclid(days)?, is_midnight && is_start)
            }
            _ => {
                let (of_day, tick) = (unit.ticks_of_day()?, unit.attoseconds()?);
                let since_midnight = self.attoseconds.checked_div(tick)?;
                let ticks = self.days.checked_mul(of_day)?.checked_add(since_midnight)?;
                (ticks, self.attoseconds.checked_rem(tick)? == 0)
            }
        })
    }

    /// Returns the moment one unit later. For years and months, the moment must be the start of
    /// one.
    pub(super) fn after(self, unit: Unit) -> Option<Self> {
        let Some(length) = unit.attoseconds() else {
            let (year, month, day) = date_from_days(self.days)?;
            let next = match (unit, month) {
                (Unit::Months, ..12) => (year, month.checked_add(1)?),
                (Unit::Months, _) => (year.checked_add(1)?, 1),
                _ => (year.checked_add(1)?, month),
            };
            return Self::new(days_from_date(next.0, next.1, day)?, self.attoseconds);
        };
        Self::new(self.days, self.attoseconds.checked_add(length)?)
    }

    /// Writes the parts that a datetime of this unit has.
    pub(super) fn write(self, unit: Unit, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = date_from_days(self.days).ok_or(fmt::Error)?;
        match year {
            0..=9999 => write!(f, "{year:04}")?,
            ..0 => write!(f, "-{:04}", year.unsigned_abs())?,
            _ => write!(f, "+{year}")?,
        }
        if unit != Unit::Years {
            write!(f, "-{month:02}")?;
        }
        match unit {
            Unit::Years | Unit::Months => Ok(()),
            Unit::Days(_) => write!(f, "-{day:02}"),
            _ => {
                write!(f, "-{day:02}T")?;
                let (seconds, attoseconds) = (self.attoseconds / SECOND, self.attoseconds % SECOND);
                Length {
                    seconds,
                    attoseconds,
                }
                .write(unit, f)
            }
        }
    }
}

/// Writes ISO 8601 with the time of day, and as many digits of the second, in groups of three, as
/// are needed.
impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_exact = |digits: &u32| {
            let tick = Unit::Fractions(*digits).attoseconds().unwrap_or(1);
            self.attoseconds.checked_rem(tick) == Some(0)
        };
        let digits = (0..18).step_by(3).find(is_exact).unwrap_or(18);
        self.write(Unit::Fractions(digits), f)
    }
}

/// A length of time without its sign: whole seconds, and the rest in attoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Length {
    pub(super) seconds: i128,
    pub(super) attoseconds: i128,
}

impl Length {
    /// Converts to attoseconds; `None` from about 10^20 seconds on.
    pub(super) fn in_attoseconds(self) -> Option<i128> {
        self.seconds
            .checked_mul(SECOND)?
            .checked_add(self.attoseconds)
    }

    /// Returns the length of `ticks` ticks of a time, and the time's unit; `None` for other
    /// datatypes.
    pub(super) fn of_ticks(datatype: Datatype, ticks: u64) -> Option<(Self, Unit)> {
        let unit = Unit::of(datatype).filter(|_| datatype.is_time())?;
        let (tick, ticks) = (unit.attoseconds()?, i128::from(ticks));
        let length = match SECOND.checked_div(tick)? {
            0 => Self {
                seconds: ticks.checked_mul(tick.checked_div(SECOND)?)?,
                attoseconds: 0,
            },
            of_second => Self {
                seconds: ticks.checked_div(of_second)?,
                attoseconds: ticks.checked_rem(of_second)?.checked_mul(tick)?,
            },
        };
        Some((length, unit))
    }

    /// Returns the number of whole ticks of a time in this length, and whether they are exactly
    /// this length.
    pub(super) fn ticks(self, datatype: Datatype) -> Option<(i128, bool)> {
        let tick = Unit::of(datatype)
            .filter(|_| datatype.is_time())?
            .attoseconds()?;
        let (of_second, seconds) = (SECOND.checked_div(tick)?, tick.checked_div(SECOND)?);
        if of_second == 0 {
            let is_exact = self.attoseconds == 0 && self.seconds.checked_rem(seconds)? == 0;
            return Some((self.seconds.checked_div(seconds)?, is_exact));
        }
        let is_exact = self.attoseconds.checked_rem(tick)? == 0;
        let fraction = self.attoseconds.checked_div(tick)?;
        let ticks = self.seconds.checked_mul(of_second)?.checked_add(fraction)?;
        Some((ticks, is_exact))
    }

    /// Writes the length as a clock shows it; hours may exceed 24.
    pub(super) fn write(self, unit: Unit, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (minutes, seconds) = (self.seconds / 60, self.seconds % 60);
        write!(f, "{:02}", minutes / 60)?;
        if unit == Unit::Hours {
            return Ok(());
        }
        write!(f, ":{:02}", minutes % 60)?;
        let Unit::Fractions(digits) = unit else {
            return Ok(());
        };
        write!(f, ":{seconds:02}")?;
        if digits == 0 {
            return Ok(());
        }
        let fraction = unit
            .attoseconds()
            .and_then(|tick| self.attoseconds.checked_div(tick))
            .ok_or(fmt::Error)?;
        write!(f, ".{fraction:0width$}", width = digits as usize)
    }
}
