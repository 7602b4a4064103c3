//! Raw values as people read and write them.
//!
//! Dates and times are exact for all units, from years to attoseconds. Where ticks are asked
//! for, they are the raw 64-bit numbers instead.
//!
//! ```
//! use tdb_schema::value::{parse, read};
//! use tdb_tile::Datatype;
//!
//! let mut raw = Vec::new();
//! parse(Datatype::DateTimeMinute, "2024-02-29T12:30", &mut raw)?;
//! assert_eq!(raw, 28_486_830_i64.to_le_bytes());
//! let value = read(Datatype::DateTimeMinute, &raw).unwrap();
//! assert_eq!(value.to_string(), "2024-02-29T12:30");
//! assert_eq!(value.as_ticks().to_string(), "28486830");
//! # Ok::<(), tdb_schema::value::ValueError>(())
//! ```

mod calendar;
mod date;
mod iso;
mod padding;
mod time_text;
mod unit;

use std::borrow::Cow;
use std::fmt;

use tdb_tile::{Datatype, Physical, Scalar};

use crate::CellValNum;
use crate::coordinate::{Coordinate, whole_bytes};

pub use date::{Calendar, CalendarDate, DatePart};
pub use iso::{days_of_date, has_offset};
pub use padding::{is_padded, unpadded};
pub use time_text::TimeText;
pub use unit::Moment;
use unit::{Length, Unit};

/// The number that stands for "no time" in dates and times.
pub const NOT_A_TIME: i64 = i64::MIN;

/// One value of a field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    /// Yes or no; any byte but 0 is yes.
    Bool(bool),
    /// An integer, or the ticks of a date or time.
    Signed(i64),
    /// An integer without a sign.
    Unsigned(u64),
    /// A float of 32 bits.
    Float32(f32),
    /// A float of 64 bits.
    Float64(f64),
    /// A date or time: its datatype and ticks; never [`NOT_A_TIME`].
    Time(Datatype, i64),
    /// The date or time that is none.
    NotATime,
    /// Text.
    Text(&'a str),
    /// Bytes that are no text, or no UTF-8.
    Bytes(&'a [u8]),
}

/// What a cell holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell<'a> {
    /// One value, or a string or blob of any length.
    One(Value<'a>),
    /// Several numbers.
    Many(Vec<Value<'a>>),
}

/// A text that does not say what it should.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{:?} is not a valid {wanted}", shortened(.text))]
pub struct ValueError {
    /// The text.
    pub text: String,
    /// What it should be: the datatype, and how it is written.
    pub wanted: String,
}

/// A text for an error: the first 40 characters of one that is longer.
#[must_use]
pub fn shortened(text: &str) -> Cow<'_, str> {
    const MOST: usize = 40;
    if text.chars().nth(MOST).is_none() {
        return text.into();
    }
    let start: String = text.chars().take(MOST).collect();
    format!("{start}…").into()
}

/// One number from its stored form; `None` where bytes are missing.
///
/// Datatypes whose values are bytes or characters are [`Value::Bytes`] of that size.
#[must_use]
pub fn read(datatype: Datatype, bytes: &[u8]) -> Option<Value<'_>> {
    let bytes = bytes.get(..datatype.size())?;
    if holds_bytes(datatype) {
        return Some(Value::Bytes(bytes));
    }
    if datatype == Datatype::Bool {
        return Some(Value::Bool(bytes != [0]));
    }
    if datatype.is_datetime() || datatype.is_time() {
        return i64::read(bytes).map(|ticks| match ticks {
            NOT_A_TIME => Value::NotATime,
            ticks => Value::Time(datatype, ticks),
        });
    }
    match datatype.physical() {
        Physical::I8 => i8::read(bytes).map(|v| Value::Signed(v.into())),
        Physical::I16 => i16::read(bytes).map(|v| Value::Signed(v.into())),
        Physical::I32 => i32::read(bytes).map(|v| Value::Signed(v.into())),
        Physical::I64 => i64::read(bytes).map(Value::Signed),
        Physical::U8 => u8::read(bytes).map(|v| Value::Unsigned(v.into())),
        Physical::U16 => u16::read(bytes).map(|v| Value::Unsigned(v.into())),
        Physical::U32 => u32::read(bytes).map(|v| Value::Unsigned(v.into())),
        Physical::U64 => u64::read(bytes).map(Value::Unsigned),
        Physical::F32 => f32::read(bytes).map(Value::Float32),
        Physical::F64 => f64::read(bytes).map(Value::Float64),
    }
}

/// A whole cell from its stored form: text where strings vary in length and are UTF-8, other
/// strings and blobs as bytes, numbers one by one.
#[must_use]
pub fn read_cell(datatype: Datatype, cell_val_num: CellValNum, bytes: &[u8]) -> Cell<'_> {
    if holds_bytes(datatype) {
        let text = std::str::from_utf8(bytes).ok();
        let text = text.filter(|_| holds_text(datatype) && cell_val_num.is_var());
        return Cell::One(text.map_or(Value::Bytes(bytes), Value::Text));
    }
    if cell_val_num == CellValNum::Fixed(1)
        && let Some(value) = read(datatype, bytes)
    {
        return Cell::One(value);
    }
    let values = bytes.chunks_exact(datatype.size());
    Cell::Many(values.filter_map(|value| read(datatype, value)).collect())
}

/// Whether cells are runs of bytes or characters rather than numbers.
#[must_use]
pub fn holds_bytes(datatype: Datatype) -> bool {
    datatype.is_string()
        || datatype.is_byte_like()
        || matches!(datatype, Datatype::Char | Datatype::Any)
}

/// Whether var-sized cells are text for people: ASCII, UTF-8 or well-known text.
#[must_use]
pub fn holds_text(datatype: Datatype) -> bool {
    matches!(
        datatype,
        Datatype::StringAscii | Datatype::StringUtf8 | Datatype::GeometryWkt
    )
}

impl Value<'_> {
    /// The same value with dates and times as their raw number.
    #[must_use]
    pub fn as_ticks(self) -> Self {
        match self {
            Self::Time(_, ticks) => Self::Signed(ticks),
            Self::NotATime => Self::Signed(NOT_A_TIME),
            other => other,
        }
    }
}

impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(v) => v.fmt(f),
            Self::Signed(v) => v.fmt(f),
            Self::Unsigned(v) => v.fmt(f),
            Self::Float32(v) => write_float(f64::from(*v), v, f),
            Self::Float64(v) => write_float(*v, v, f),
            Self::Time(datatype, ticks) => write_time(*datatype, *ticks, f),
            Self::NotATime => f.write_str("NaT"),
            Self::Text(v) => v.fmt(f),
            Self::Bytes(v) => v.iter().try_for_each(|byte| write!(f, "{byte:02x}")),
        }
    }
}

/// The shortest digits that say just this number.
fn write_float(v: f64, shown: &dyn fmt::Debug, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if v.is_nan() {
        f.write_str("NaN")
    } else if v.is_infinite() {
        f.write_str(if v > 0.0 { "Infinity" } else { "-Infinity" })
    } else {
        shown.fmt(f)
    }
}

fn write_time(datatype: Datatype, ticks: i64, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if let Some((length, unit)) = Length::of_ticks(datatype, ticks.unsigned_abs()) {
        f.write_str(if ticks < 0 { "-" } else { "" })?;
        // Hours alone would be taken for a number.
        let unit = if unit == Unit::Hours {
            Unit::Minutes
        } else {
            unit
        };
        return length.write(unit, f);
    }
    let moment = Moment::of_ticks(datatype, ticks).ok_or(fmt::Error)?;
    moment.write(Unit::of(datatype).ok_or(fmt::Error)?, f)
}

/// Appends the stored form of what a text says.
///
/// Numbers are digits; floats also `NaN`, `Infinity` and `-Infinity`; `bool` is `true` or
/// `false`. Dates and times are ISO 8601, or digits, which are ticks; but four digits are a year of a
/// datetime, and so is a sign with four or more of a datetime of years. Text and bytes are as they are.
///
/// # Errors
/// A text that says something else, or no whole number of the datatype's units.
pub fn parse(datatype: Datatype, text: &str, out: &mut Vec<u8>) -> Result<(), ValueError> {
    if holds_bytes(datatype) {
        out.extend_from_slice(text.as_bytes());
        return Ok(());
    }
    let is_date = datatype.is_datetime() || datatype.is_time();
    if is_date && (looks_like_year(datatype, text) || text.parse::<i64>().is_err()) {
        return parse_time(datatype, text, out);
    }
    parse_number(datatype, text, out)
}

/// Whether a number is the year of a datetime, and no ticks.
fn looks_like_year(datatype: Datatype, text: &str) -> bool {
    let digits = text.trim_start_matches(['+', '-']);
    let has_sign = digits.len() < text.len();
    if datatype == Datatype::DateTimeYear {
        return digits.len() == 4 || (has_sign && digits.len() > 4);
    }
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
    datatype.is_datetime() && !has_sign && digits.len() == 4 && is_number
}

fn refusal(datatype: Datatype, text: &str) -> ValueError {
    let how = match datatype {
        Datatype::Bool => " (true or false)",
        _ if datatype.is_datetime() => " (ISO 8601, or a number of ticks)",
        _ if datatype.is_time() => " (HH:MM:SS, or a number of ticks)",
        _ => "",
    };
    ValueError {
        text: text.to_owned(),
        wanted: format!("{datatype}{how}"),
    }
}

/// Appends the stored form of a number; dates and times are their ticks.
///
/// # Errors
/// A text that is no such number.
pub fn parse_number(datatype: Datatype, text: &str, out: &mut Vec<u8>) -> Result<(), ValueError> {
    let refused = || refusal(datatype, text);
    if datatype == Datatype::Bool {
        let is_true = match text {
            "true" | "1" => true,
            "false" | "0" => false,
            _ => return Err(refused()),
        };
        out.push(u8::from(is_true));
        return Ok(());
    }
    match datatype.physical() {
        Physical::F32 => {
            let number: f32 = text.parse().map_err(|_| refused())?;
            if number.is_infinite() && !names_infinity(text) {
                return Err(refused());
            }
            number.write(out);
        }
        Physical::F64 => {
            let number: f64 = text.parse().map_err(|_| refused())?;
            if number.is_infinite() && !names_infinity(text) {
                return Err(refused());
            }
            number.write(out);
        }
        _ => {
            let number = text.parse::<i128>().map_err(|_| refused())?;
            out.extend(whole_bytes(datatype, number).ok_or_else(refused)?);
        }
    }
    Ok(())
}

/// Whether an infinity is meant, rather than a number beyond the largest.
fn names_infinity(text: &str) -> bool {
    !text.contains(|c: char| c.is_ascii_digit())
}

/// The last tick of a date or time that does not lie after a text of ISO 8601, and whether it is
/// just that; `None` where the text or the datatype is something else. It may be beyond what 64
/// bits count.
#[must_use]
pub fn time_ticks(datatype: Datatype, text: &str) -> Option<(i128, bool)> {
    if datatype == Datatype::DateTimeDay
        && let Some(days) = days_of_date(text)
    {
        return Some((days.into(), true));
    }
    if !datatype.is_time() {
        return Moment::parse(text)?.ticks(datatype);
    }
    let (is_negative, length) = iso::read_length(text)?;
    let (ticks, is_exact) = length.ticks(datatype)?;
    let floor = match (is_negative, is_exact) {
        (false, _) => ticks,
        (true, true) => ticks.checked_neg()?,
        (true, false) => ticks.checked_neg()?.checked_sub(1)?,
    };
    Some((floor, is_exact))
}

/// The first and the last tick of a datetime that begin in the period which a text names, as
/// [`Moment::parse_period`] reads it: `2024-02` is all of the month. Four digits are a year, other numbers are ticks.
///
/// `None` where the text is ticks or no date, the datatype is no datetime, or no tick of it begins in the period.
///
/// ```
/// use tdb_schema::value::period_ticks;
/// use tdb_tile::Datatype;
///
/// assert_eq!(period_ticks(Datatype::DateTimeDay, "1970-02"), Some((31, 58)));
/// assert_eq!(period_ticks(Datatype::DateTimeDay, "1970"), Some((0, 364)));
/// assert_eq!(period_ticks(Datatype::DateTimeMonth, "1970-02-03"), None);
/// ```
#[must_use]
pub fn period_ticks(datatype: Datatype, text: &str) -> Option<(i64, i64)> {
    let is_date = looks_like_year(datatype, text) || text.parse::<i64>().is_err();
    is_date.then(|| ticks_of_period(datatype, text))?
}

/// As [`period_ticks`], of a text that is never ticks.
#[must_use]
pub fn ticks_of_period(datatype: Datatype, text: &str) -> Option<(i64, i64)> {
    datatype.is_datetime().then_some(())?;
    let (start, end) = Moment::parse_period(text)?;
    let next_tick = |moment: Moment| {
        let (floor, is_exact) = moment.ticks(datatype)?;
        floor.checked_add(i128::from(!is_exact))
    };
    let (first, end) = (next_tick(start)?, next_tick(end)?);
    // What 64 bits count, but for the number of no time.
    let first = first.max(i128::from(NOT_A_TIME).saturating_add(1));
    let last = end.checked_sub(1)?.min(i64::MAX.into());
    (first <= last).then_some(())?;
    Some((first.try_into().ok()?, last.try_into().ok()?))
}

/// Appends the stored form of a date or time in ISO 8601, or of `NaT`.
///
/// # Errors
/// A text that is none, is finer than the datatype's unit, or beyond what 64 bits count.
pub fn parse_time(datatype: Datatype, text: &str, out: &mut Vec<u8>) -> Result<(), ValueError> {
    if text == "NaT" && (datatype.is_datetime() || datatype.is_time()) {
        NOT_A_TIME.write(out);
        return Ok(());
    }
    let ticks = time_ticks(datatype, text)
        .and_then(|(ticks, is_exact)| is_exact.then_some(ticks))
        .and_then(i64::from_whole)
        .filter(|ticks| *ticks != NOT_A_TIME)
        .ok_or_else(|| refusal(datatype, text))?;
    ticks.write(out);
    Ok(())
}

/// Milliseconds since 1970, as versions of an array are told by, in RFC 3339 and UTC; what is beyond its dates stays
/// a number.
///
/// ```
/// use tdb_schema::value::rfc3339;
///
/// assert_eq!(rfc3339(1_712_793_600_000), "2024-04-11T00:00:00Z");
/// assert_eq!(rfc3339(1_712_793_600_001), "2024-04-11T00:00:00.001Z");
/// assert_eq!(rfc3339(u64::MAX), "18446744073709551615");
/// ```
#[must_use]
pub fn rfc3339(milliseconds: u64) -> String {
    match i64::try_from(milliseconds) {
        Ok(ticks) => {
            let text = Value::Time(Datatype::DateTimeMillisecond, ticks).to_string();
            format!("{}Z", text.trim_end_matches(".000"))
        }
        Err(_) => milliseconds.to_string(),
    }
}
