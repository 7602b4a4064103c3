//! Values in readable form: conversion from and to text.
//!
//! Dates and times are exact for all units, from years to attoseconds. They can also be converted
//! as ticks, the stored 64-bit numbers.
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

/// The tick that means "no time" in dates and times.
pub const NOT_A_TIME: i64 = i64::MIN;

/// The lowest ticks that are a date or time.
const FIRST_TICK: i64 = NOT_A_TIME + 1;

/// One value of a field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    /// True or false; every stored byte but 0 is true.
    Bool(bool),
    /// A signed integer, or the ticks of a date or time.
    Signed(i64),
    /// An unsigned integer.
    Unsigned(u64),
    /// A float of 32 bits.
    Float32(f32),
    /// A float of 64 bits.
    Float64(f64),
    /// A date or time: its datatype and ticks; the ticks are never [`NOT_A_TIME`].
    Time(Datatype, i64),
    /// No date or time: the ticks are [`NOT_A_TIME`].
    NotATime,
    /// Text.
    Text(&'a str),
    /// Bytes that are not text, or not valid UTF-8.
    Bytes(&'a [u8]),
}

/// The content of a cell.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell<'a> {
    /// One value, or a string or blob of any length.
    One(Value<'a>),
    /// Several numbers.
    Many(Vec<Value<'a>>),
}

/// The error for a text that is not a valid value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{:?} is not a valid {wanted}", shortened(.text))]
pub struct ValueError {
    /// The invalid text.
    pub text: String,
    /// The expected value: the datatype, and the form in which it is written.
    pub wanted: String,
}

/// Shortens a text for an error to its first 40 characters.
#[must_use]
pub fn shortened(text: &str) -> Cow<'_, str> {
    const MOST: usize = 40;
    if text.chars().nth(MOST).is_none() {
        return text.into();
    }
    let start: String = text.chars().take(MOST).collect();
    format!("{start}…").into()
}

/// Reads one value from its stored form; `None` if bytes are missing.
///
/// Values of datatypes that hold bytes or characters become [`Value::Bytes`] of one value's size.
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

/// Reads a whole cell from its stored form. Var-sized strings that are valid UTF-8 become text,
/// other strings and blobs become bytes, numbers are read one by one.
#[must_use]
pub fn read_cell(datatype: Datatype, cell_val_num: CellValNum, bytes: &[u8]) -> Cell<'_> {
    if holds_bytes(datatype) {
        let text = std::str::from_utf8(bytes)
            .ok()
            .filter(|_| holds_text(datatype) && cell_val_num.is_var());
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

/// True if cells are sequences of bytes or characters rather than numbers.
#[must_use]
pub fn holds_bytes(datatype: Datatype) -> bool {
    datatype.is_string()
        || datatype.is_byte_like()
        || matches!(datatype, Datatype::Char | Datatype::Any)
}

/// True if var-sized cells are readable text: ASCII, UTF-8 or well-known text.
#[must_use]
pub fn holds_text(datatype: Datatype) -> bool {
    matches!(
        datatype,
        Datatype::StringAscii | Datatype::StringUtf8 | Datatype::GeometryWkt
    )
}

impl Value<'_> {
    /// Converts dates and times to ticks; other values stay unchanged.
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

/// Writes the fewest digits that identify the number.
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
        // Hours alone would look like a number.
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

/// Parses a text and appends the stored form of its value.
///
/// Numbers are digits; floats also `NaN`, `Infinity` and `-Infinity`; `bool` is `true` or `false`.
/// Dates and times are ISO 8601, or digits, which are ticks. There are two exceptions: four digits
/// are a year for every datetime, and a sign with four or more digits is a year for datetimes of
/// years. Text and bytes are taken as they are.
///
/// # Errors
/// Fails if the text is not a valid value, or not a whole number of the datatype's units.
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

/// True if a number is the year of a datetime rather than ticks.
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
    let how = if datatype == Datatype::Bool {
        " (true or false)"
    } else if datatype.is_datetime() {
        " (ISO 8601, or a number of ticks)"
    } else if datatype.is_time() {
        " (HH:MM:SS, or a number of ticks)"
    } else {
        ""
    };
    ValueError {
        text: text.to_owned(),
        wanted: format!("{datatype}{how}"),
    }
}

/// Parses a number and appends its stored form; dates and times are ticks.
///
/// # Errors
/// Fails if the text is not such a number.
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

/// True if the text names infinity, rather than being a number too large for the type.
fn names_infinity(text: &str) -> bool {
    !text.contains(|c: char| c.is_ascii_digit())
}

/// Parses ISO 8601 to the last tick that is not after the text's moment; also returns whether the
/// two are equal. `None` if the text is not ISO 8601 or the datatype is not a date or time. The
/// tick may exceed 64 bits.
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

/// Returns the first and the last tick of a datetime that begin within the period that a text
/// names, as [`Moment::parse_period`] parses it: `2024-02` is the whole month. Four digits are a
/// year, other numbers are ticks.
///
/// `None` if the text is ticks or not a date, if the datatype is not a datetime, or if no tick
/// begins within the period.
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

/// Like [`period_ticks`], but the text is never taken as ticks.
#[must_use]
pub fn ticks_of_period(datatype: Datatype, text: &str) -> Option<(i64, i64)> {
    datatype.is_datetime().then_some(())?;
    let (start, end) = Moment::parse_period(text)?;
    let next_tick = |moment: Moment| {
        let (floor, is_exact) = moment.ticks(datatype)?;
        floor.checked_add(i128::from(!is_exact))
    };
    let (first, end) = (next_tick(start)?, next_tick(end)?);
    // Clips to 64 bits without the number that means no time.
    let first = first.max(FIRST_TICK.into());
    let last = end.checked_sub(1)?.min(i64::MAX.into());
    (first <= last).then_some(())?;
    Some((first.try_into().ok()?, last.try_into().ok()?))
}

/// Parses a date or time in ISO 8601, or `NaT`, and appends its stored form.
///
/// # Errors
/// Fails if the text is neither, is finer than the datatype's unit, or exceeds 64 bits.
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

/// Formats milliseconds since 1970, as in the timestamps of array versions, in RFC 3339 and UTC. A
/// number beyond the range of datetimes is formatted as a number.
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
