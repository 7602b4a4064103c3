use tdb_schema::value::{holds_bytes, parse, parse_number, period_ticks};
use tdb_tile::{Code, Datatype, Physical, Scalar};

use crate::{Error, Result};

/// A value not yet assigned to a field; the datatype of the field decides how it is converted.
///
/// Text is parsed if the field holds numbers, dates or times, so `"2024-02-29"` is a day and `"2024"` the beginning of
/// a year. A number is the raw ticks of a date or time.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Value {
    /// An integer.
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
    /// Converts to the `f64` with the same shortest decimal text, so that 0.1 stays 0.1.
    fn from(value: f32) -> Self {
        Self::Float(value.to_string().parse().unwrap_or(value.into()))
    }
}

impl From<usize> for Value {
    fn from(value: usize) -> Self {
        Self::Integer(value as i128)
    }
}

/// Lower or upper end of an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Low,
    High,
}

const RAW_TICKS: &str = "with --ticks, dates and times are raw numbers; without, they are ISO 8601";

impl Value {
    /// Converts to the stored form of one value of a datatype. `what` names the value in errors, such as `range of
    /// "day"`. With `ticks`, text for dates and times is a raw number of ticks.
    ///
    /// # Errors
    /// Fails if the datatype does not have such a value.
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
                    "{what}: got {found}, expected {datatype}"
                )));
            }
        };
        parsed.map_err(|error| Error::invalid(format!("{what}: {error}")))?;
        Ok(out)
    }

    /// Converts to the stored form of an end of an interval. A date stands for the whole period that it names. An
    /// integer beyond the datatype is replaced by the smallest or largest value of the datatype, which contains the
    /// same cells. With `ticks`, text for dates and times is a raw number of ticks.
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

/// Returns the smallest or the largest value of a datatype.
pub(crate) fn extreme(datatype: Datatype, is_high: bool) -> Vec<u8> {
    let mut out = Vec::new();
    match datatype.physical() {
        // The byte 0xff occurs in no text, so it sorts after all of them.
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
            // The smallest integer means "not a time" for dates and times, so the next one is used.
            if let (Some(byte), false) = (out.first_mut(), is_high || datatype.is_integer()) {
                *byte = 1;
            }
        }
    }
    out
}
