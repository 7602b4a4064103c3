use tdb_schema::value::{holds_bytes, parse, parse_number, period_ticks};
use tdb_tile::{Code, Datatype, Physical, Scalar};

use crate::{Error, Result};

/// A value as a program has it, before it is known which field it is for: the field says what becomes of it.
///
/// Text is parsed where the field holds numbers, dates or times, so `"2024-02-29"` is a day and `"2024"` the beginning of a year; a
/// number is the raw ticks of a date or time.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Value {
    /// A whole number.
    Integer(i128),
    /// A float.
    Float(f64),
    /// Text: a string, a number, a date or a time.
    Text(String),
    /// Raw bytes: a string, or the stored form of a number.
    Bytes(Vec<u8>),
}

macro_rules! value_of {
    ($variant:ident: $($native:ty),*) => {$(
        impl From<$native> for Value {
            fn from(value: $native) -> Self {
                Self::$variant(value.into())
            }
        }
    )*};
}

value_of!(Integer: i8, i16, i32, i64, u8, u16, u32, u64, i128, bool);
value_of!(Text: &str, String);
value_of!(Bytes: &[u8], Vec<u8>);
value_of!(Float: f64);

impl From<f32> for Value {
    /// The float that has the same shortest text: 0.1 stays 0.1.
    fn from(value: f32) -> Self {
        Self::Float(value.to_string().parse().unwrap_or(value.into()))
    }
}

impl From<usize> for Value {
    fn from(value: usize) -> Self {
        Self::Integer(value as i128)
    }
}

/// Which end of an interval a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Low,
    High,
}

const RAW_TICKS: &str = "with --ticks, dates and times are raw numbers; without, they are ISO 8601";

impl Value {
    /// The stored form of one value of a datatype; `what` stands in errors: `range of "day"`. With `ticks`, text for dates
    /// and times is raw numbers.
    ///
    /// # Errors
    /// A value that the datatype does not have.
    pub fn stored(&self, datatype: Datatype, ticks: bool, what: &str) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        let is_text = holds_bytes(datatype);
        let parsed = match self {
            Self::Bytes(bytes) if is_text || bytes.len() == datatype.size() => {
                return Ok(bytes.clone());
            }
            Self::Text(text) if ticks && !is_text => {
                let parsed = parse_number(datatype, text, &mut out);
                let is_time = datatype.is_datetime() || datatype.is_time();
                if parsed.is_err() && is_time {
                    let datatype = datatype.name();
                    let wrong = format!("{what}: {text:?} is not a number of ticks of {datatype}");
                    return Err(Error::invalid(wrong).with_hint(RAW_TICKS));
                }
                parsed
            }
            Self::Text(text) => parse(datatype, text, &mut out),
            Self::Integer(number) if !is_text => {
                parse_number(datatype, &number.to_string(), &mut out)
            }
            Self::Float(number) if !is_text => {
                parse_number(datatype, &number.to_string(), &mut out)
            }
            other => {
                let (found, datatype) = (other.described(), datatype.name());
                return Err(Error::invalid(format!(
                    "{what}: {found} is given, and the field holds {datatype}"
                )));
            }
        };
        parsed.map_err(|error| Error::invalid(format!("{what}: {error}")))?;
        Ok(out)
    }

    /// The stored form of an end of an interval. A date means all of the period that it names. A whole number that the
    /// datatype does not have is beyond any cell: the least or greatest that it has will do. With `ticks`, text for dates
    /// and times is raw numbers.
    pub(crate) fn end(
        &self,
        datatype: Datatype,
        end: End,
        ticks: bool,
        what: &str,
    ) -> Result<Vec<u8>> {
        let is_high = end == End::High;
        let number = match self {
            Self::Integer(number) => Some(*number),
            Self::Text(text) => text.parse().ok(),
            _ => None,
        };
        let period = match self {
            Self::Text(text) if !ticks => period_ticks(datatype, text),
            _ => None,
        };
        if let Some((first, last)) = period {
            let mut out = Vec::new();
            (if is_high { last } else { first }).write(&mut out);
            return Ok(out);
        }
        let stored = self.stored(datatype, ticks, what);
        let beyond = |number: i128| datatype.is_integer() && (number > 0) == is_high;
        if stored.is_err() && number.is_some_and(beyond) {
            return Ok(extreme(datatype, is_high));
        }
        stored
    }

    fn described(&self) -> String {
        match self {
            Self::Integer(number) => format!("the number {number}"),
            Self::Float(number) => format!("the number {number}"),
            Self::Text(text) => format!("the text {text:?}"),
            Self::Bytes(bytes) => format!("a string of {} bytes", bytes.len()),
        }
    }
}

/// The least or the greatest value of a datatype.
pub(crate) fn extreme(datatype: Datatype, is_high: bool) -> Vec<u8> {
    let mut out = Vec::new();
    match datatype.physical() {
        // No text has a byte such as this.
        _ if holds_bytes(datatype) => out.extend(is_high.then_some(0xff)),
        Physical::F32 if is_high => f32::INFINITY.write(&mut out),
        Physical::F32 => f32::NEG_INFINITY.write(&mut out),
        Physical::F64 if is_high => f64::INFINITY.write(&mut out),
        Physical::F64 => f64::NEG_INFINITY.write(&mut out),
        _ => {
            out.resize(datatype.size(), if is_high { 0xff } else { 0x00 });
            if let (Some(sign), true) = (out.last_mut(), datatype.is_signed()) {
                *sign ^= 0x80;
            }
            // The least number of dates and times is none of them.
            if let (Some(byte), false) = (out.first_mut(), is_high || datatype.is_integer()) {
                *byte = 1;
            }
        }
    }
    out
}
