use tdb_tile::Datatype;

use crate::value::NOT_A_TIME;
use crate::value::calendar::{date_from_days, days_from_date};
use crate::value::unit::{Moment, Unit};

/// A day of the proleptic Gregorian calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CalendarDate {
    /// The year; 0 is the year before year 1. Datetimes of years and months need more than 64 bits.
    pub year: i128,
    /// The month, from 1.
    pub month: u8,
    /// The day of the month, from 1.
    pub day: u8,
}

/// A part of a [`CalendarDate`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the parts of a date by their usual names")]
pub enum DatePart {
    Year,
    Month,
    Day,
}

/// Converts many datetimes of one datatype to dates; a week, month or year becomes its first day.
///
/// ```
/// use tdb_schema::value::Calendar;
/// use tdb_tile::Datatype;
///
/// let mut calendar = Calendar::new(Datatype::DateTimeMinute).unwrap();
/// let date = calendar.date(28_486_830).unwrap();
/// assert_eq!((date.year, date.month, date.day), (2024, 2, 29));
/// ```
#[derive(Clone, Debug)]
pub struct Calendar {
    datatype: Datatype,
    /// Number of ticks per day; `None` if a tick may be longer than a day, or if 64 bits cannot
    /// hold the number.
    of_day: Option<i64>,
    /// The day converted last and its date: neighbours often have the same day.
    last: Option<(i64, CalendarDate)>,
}

impl CalendarDate {
    /// Returns a part of the date as a number.
    #[must_use]
    pub fn part(self, part: DatePart) -> i128 {
        match part {
            DatePart::Year => self.year,
            DatePart::Month => self.month.into(),
            DatePart::Day => self.day.into(),
        }
    }

    fn of_days(days: i128) -> Option<Self> {
        let (year, month, day) = date_from_days(days)?;
        Some(Self {
            year,
            month: u8::try_from(month).ok()?,
            day: u8::try_from(day).ok()?,
        })
    }
}

impl DatePart {
    /// All parts, the longest first.
    pub const ALL: [Self; 3] = [Self::Year, Self::Month, Self::Day];

    /// The name in conditions and other expressions: "year".
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Year => "year",
            Self::Month => "month",
            Self::Day => "day",
        }
    }

    /// Returns the part with this name, in upper or lower case.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let has_name = |part: &Self| part.name().eq_ignore_ascii_case(name);
        Self::ALL.into_iter().find(has_name)
    }
}

impl Calendar {
    /// Creates a calendar for datetimes of this datatype; `None` for other datatypes.
    #[must_use]
    pub fn new(datatype: Datatype) -> Option<Self> {
        let unit = Unit::of(datatype).filter(|_| datatype.is_datetime())?;
        Some(Self {
            datatype,
            of_day: match unit {
                // A tick of these units may be longer than a day.
                Unit::Years | Unit::Months | Unit::Days(_) => None,
                _ => unit.ticks_of_day().and_then(|ticks| ticks.try_into().ok()),
            },
            last: None,
        })
    }

    /// Returns the date on which a tick begins; `None` for [`NOT_A_TIME`].
    pub fn date(&mut self, ticks: i64) -> Option<CalendarDate> {
        if ticks == NOT_A_TIME {
            return None;
        }
        let Some(day) = self
            .of_day
            .and_then(|of_day| ticks.checked_div_euclid(of_day))
        else {
            return CalendarDate::of_days(Moment::of_ticks(self.datatype, ticks)?.days());
        };
        match self.last {
            Some((last, date)) if last == day => Some(date),
            _ => {
                let date = CalendarDate::of_days(day.into())?;
                self.last = Some((day, date));
                Some(date)
            }
        }
    }
}

impl Moment {
    /// Returns the midnight at which a date begins; `None` for a date that does not exist.
    #[must_use]
    pub fn of_date(year: i128, month: u8, day: u8) -> Option<Self> {
        Self::new(days_from_date(year, month.into(), day.into())?, 0)
    }
}
