//! Numbers, dates and times of files as values of fields, where nothing is lost by it.

use std::num::NonZeroI64;

use tdb_schema::value::{Moment, NOT_A_TIME};
use tdb_tile::{Datatype, Physical, Scalar};

/// Attoseconds of a second.
const SECOND: i128 = 1_000_000_000_000_000_000;

/// Appends a whole number as a value of a datatype.
///
/// # Errors
/// What is wrong where the datatype has no such value.
pub fn write_whole(value: i128, datatype: Datatype, out: &mut Vec<u8>) -> Result<(), String> {
    macro_rules! write {
        ($t:ty) => {
            <$t>::try_from(value).ok().map(|value| value.write(out))
        };
    }
    let written =
        match datatype.physical() {
            Physical::I8 => write!(i8),
            Physical::I16 => write!(i16),
            Physical::I32 => write!(i32),
            Physical::I64 => write!(i64),
            Physical::U8 => write!(u8),
            Physical::U16 => write!(u16),
            Physical::U32 => write!(u32),
            Physical::U64 => write!(u64),
            Physical::F32 => (value.unsigned_abs() <= 1 << f32::MANTISSA_DIGITS)
                .then(|| (value as f32).write(out)),
            Physical::F64 => (value.unsigned_abs() <= 1 << f64::MANTISSA_DIGITS)
                .then(|| (value as f64).write(out)),
        };
    written.ok_or_else(|| format!("{value} is not a valid {datatype}"))
}

/// Appends a float as a value of a datatype.
///
/// # Errors
/// What is wrong where the datatype has no such value.
pub fn write_float(value: f64, datatype: Datatype, out: &mut Vec<u8>) -> Result<(), String> {
    let wrong = || format!("{value} is not a valid {datatype}");
    match datatype.physical() {
        Physical::F64 => value.write(out),
        Physical::F32 => {
            #[expect(clippy::cast_possible_truncation, reason = "what is lost is looked at")]
            let near = value as f32;
            if f64::from(near) != value && !value.is_nan() {
                return Err(wrong());
            }
            near.write(out);
        }
        _ => {
            // Beyond this, no datatype has a whole number.
            if value.fract() != 0.0 || value.abs() > 2_f64.powi(64) {
                return Err(wrong());
            }
            #[expect(clippy::cast_possible_truncation, reason = "it is whole and in range")]
            let whole = value as i128;
            return write_whole(whole, datatype, out);
        }
    }
    Ok(())
}

/// How dates of one unit become dates of another, and times likewise.
///
/// ```
/// use tdb_cells::files::Recount;
/// use tdb_tile::Datatype;
///
/// let hours = Recount::between(Datatype::DateTimeDay, Datatype::DateTimeHour).unwrap();
/// assert_eq!(hours.ticks(2), Some(48));
/// let years = Recount::between(Datatype::DateTimeDay, Datatype::DateTimeYear).unwrap();
/// assert_eq!((years.ticks(365), years.ticks(366)), (Some(1), None));
/// assert!(Recount::between(Datatype::DateTimeDay, Datatype::TimeHour).is_none());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Recount {
    way: Way,
}

#[derive(Clone, Copy, Debug)]
enum Way {
    /// A tick of the one is so many of the other.
    Times(i64),
    /// So many ticks of the one are one of the other.
    Parts(NonZeroI64),
    /// Attoseconds of a tick of the one and of the other, where 64 bits do not hold how often one goes into the other.
    Unit(i128, i128),
    /// Of these datatypes, where one of the two has ticks of no one length: by the calendar.
    Calendar(Datatype, Datatype),
}

impl Recount {
    /// From the ticks of one datatype to those of another, if both are dates or both are times.
    #[must_use]
    pub fn between(from: Datatype, to: Datatype) -> Option<Self> {
        let is_kind = from.is_datetime() && to.is_datetime() || from.is_time() && to.is_time();
        is_kind.then(|| Self {
            way: match (unit(from), unit(to)) {
                (Some(from), Some(to)) => Way::of_units(from, to),
                _ => Way::Calendar(from, to),
            },
        })
    }

    /// The same date or time, if it is a whole number of ticks that 64 bits hold; what is none stays none.
    #[must_use]
    #[inline]
    pub fn ticks(self, ticks: i64) -> Option<i64> {
        if ticks == NOT_A_TIME {
            return Some(ticks);
        }
        let counted = match self.way {
            Way::Times(times) => {
                return ticks
                    .checked_mul(times)
                    .filter(|ticks| *ticks != NOT_A_TIME);
            }
            Way::Parts(parts) => {
                let is_whole = ticks.checked_rem(parts.get())? == 0;
                return is_whole.then(|| ticks.checked_div(parts.get())).flatten();
            }
            Way::Unit(from, to) => in_unit(ticks, from, to)?,
            Way::Calendar(from, to) => {
                let (ticks, is_whole) = Moment::of_ticks(from, ticks)?.ticks(to)?;
                is_whole.then_some(ticks)?
            }
        };
        let counted = i64::try_from(counted).ok();
        counted.filter(|ticks| *ticks != NOT_A_TIME)
    }
}

impl Way {
    /// Between ticks of so many attoseconds.
    fn of_units(from: i128, to: i128) -> Self {
        let whole = |large: i128, small: i128| {
            let is_whole = large.checked_rem(small) == Some(0);
            let times = large.checked_div(small).filter(|_| is_whole);
            times.and_then(|times| i64::try_from(times).ok())
        };
        let parts = whole(to, from).and_then(NonZeroI64::new);
        match (whole(from, to), parts) {
            (Some(times), _) => Self::Times(times),
            (None, Some(parts)) => Self::Parts(parts),
            (None, None) => Self::Unit(from, to),
        }
    }
}

/// Ticks of one length as ticks of another, where they are whole.
fn in_unit(ticks: i64, from: i128, to: i128) -> Option<i128> {
    let ticks = i128::from(ticks);
    match from.checked_div(to) {
        Some(times) if times > 0 => ticks.checked_mul(times),
        _ => {
            let parts = to.checked_div(from)?;
            let is_whole = ticks.checked_rem(parts)? == 0;
            is_whole.then(|| ticks.checked_div(parts)).flatten()
        }
    }
}

/// Attoseconds of the unit of a date or time; months and years have no one length.
fn unit(datatype: Datatype) -> Option<i128> {
    use Datatype as D;
    Some(match datatype {
        D::DateTimeWeek => 7 * 86_400 * SECOND,
        D::DateTimeDay => 86_400 * SECOND,
        D::DateTimeHour | D::TimeHour => 3_600 * SECOND,
        D::DateTimeMinute | D::TimeMinute => 60 * SECOND,
        D::DateTimeSecond | D::TimeSecond => SECOND,
        D::DateTimeMillisecond | D::TimeMillisecond => SECOND / 1_000,
        D::DateTimeMicrosecond | D::TimeMicrosecond => SECOND / 1_000_000,
        D::DateTimeNanosecond | D::TimeNanosecond => SECOND / 1_000_000_000,
        D::DateTimePicosecond | D::TimePicosecond => 1_000_000,
        D::DateTimeFemtosecond | D::TimeFemtosecond => 1_000,
        D::DateTimeAttosecond | D::TimeAttosecond => 1,
        _ => return None,
    })
}
