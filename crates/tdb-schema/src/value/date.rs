use tdb_tile::Datatype;

use crate::value::NOT_A_TIME;
use crate::value::calendar::{date_from_days, days_from_date};
use crate::value::unit::{Moment, Unit};

/// A day of the proleptic Gregorian calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CalendarDate {
    /// The year; 0 is the one before year 1. More than 64 bits hold, for datetimes of years and months.
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

/// Finds the dates of many datetimes of one datatype: of a week its first day, of a month or year the first day too.
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
    /// Ticks of a day, where whole days have so many and 64 bits count them.
    of_day: Option<i64>,
    /// The day found last, as neighbours are often of one day.
    last: Option<(i64, CalendarDate)>,
}

impl CalendarDate {
    /// A part of the date as a number.
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
    /// All parts, from the longest.
    pub const ALL: [Self; 3] = [Self::Year, Self::Month, Self::Day];

    /// As conditions and other expressions call it: "year".
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Year => "year",
            Self::Month => "month",
            Self::Day => "day",
        }
    }

    /// The part with this name, in letters of any case.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let has_name = |part: &Self| part.name().eq_ignore_ascii_case(name);
        Self::ALL.into_iter().find(has_name)
    }
}

impl Calendar {
    /// For datetimes of this datatype; `None` for other datatypes.
    #[must_use]
    pub fn new(datatype: Datatype) -> Option<Self> {
        let unit = Unit::of(datatype).filter(|_| datatype.is_datetime())?;
        Some(Self {
            datatype,
            of_day: match unit {
                // Of these a tick may have several days.
                Unit::Years | Unit::Months | Unit::Days(_) => None,
                _ => unit.ticks_of_day().and_then(|ticks| ticks.try_into().ok()),
            },
            last: None,
        })
    }

    /// The date on which a tick begins; `None` for [`NOT_A_TIME`].
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
    /// The midnight with which a date begins; `None` for a date that does not exist.
    #[must_use]
    pub fn of_date(year: i128, month: u8, day: u8) -> Option<Self> {
        Self::new(days_from_date(year, month.into(), day.into())?, 0)
    }
}
