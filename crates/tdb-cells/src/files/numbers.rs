//! Lossless conversion of numbers, dates and times in files into values of fields.

use std::num::NonZeroI64;

use tdb_schema::value::{Moment, NOT_A_TIME};
use tdb_tile::{Datatype, Physical, Scalar};

/// Attoseconds per second.
const SECOND: i128 = 1_000_000_000_000_000_000;

/// Appends a whole number as a value of a datatype.
///
/// # Errors
/// A message that describes the problem if the datatype cannot represent the number.
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
/// A message that describes the problem if the datatype cannot represent the number.
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
            // No datatype has whole numbers beyond this.
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

/// Converts dates between units, and times between units.
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
    way: TickConversion,
}

#[derive(Clone, Copy, Debug)]
enum TickConversion {
    /// One tick of the source is this many ticks of the target.
    Times(i64),
    /// This many ticks of the source are one tick of the target.
    Parts(NonZeroI64),
    /// Attoseconds per tick of the source and of the target; their ratio does not fit into 64 bits.
    Unit(i128, i128),
    /// The datatypes, converted by the calendar, because months or years have no fixed length.
    Calendar(Datatype, Datatype),
}

impl Recount {
    /// Converts ticks of `from` into ticks of `to`; `None` unless both are dates or both are times.
    #[must_use]
    pub fn between(from: Datatype, to: Datatype) -> Option<Self> {
        let is_kind = from.is_datetime() && to.is_datetime() || from.is_time() && to.is_time();
        is_kind.then(|| Self {
            way: match (unit(from), unit(to)) {
                (Some(from), Some(to)) => TickConversion::of_units(from, to),
                _ => TickConversion::Calendar(from, to),
            },
        })
    }

    /// Returns the same date or time in ticks of the target; NaT stays NaT. `None` if the result is not a whole number
    /// of ticks or does not fit into 64 bits.
    #[must_use]
    #[inline]
    pub fn ticks(self, ticks: i64) -> Option<i64> {
        if ticks == NOT_A_TIME {
            return Some(ticks);
        }
        let counted = match self.way {
            TickConversion::Times(times) => {
                return ticks
                    .checked_mul(times)
                    .filter(|ticks| *ticks != NOT_A_TIME);
            }
            TickConversion::Parts(parts) => {
                let is_whole = ticks.checked_rem(parts.get())? == 0;
                return is_whole.then(|| ticks.checked_div(parts.get())).flatten();
            }
            TickConversion::Unit(from, to) => in_unit(ticks, from, to)?,
            TickConversion::Calendar(from, to) => {
                let (ticks, is_whole) = Moment::of_ticks(from, ticks)?.ticks(to)?;
                is_whole.then_some(ticks)?
            }
        };
        let counted = i64::try_from(counted).ok();
        counted.filter(|ticks| *ticks != NOT_A_TIME)
    }
}

impl TickConversion {
    /// Converts between ticks of `from` and `to` attoseconds.
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

/// Converts ticks of `from` attoseconds into ticks of `to` attoseconds; `None` if the result is not whole.
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

/// Attoseconds per tick of a date or time; `None` for months and years, which have no fixed length.
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
