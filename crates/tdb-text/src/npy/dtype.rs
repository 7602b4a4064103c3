//! NumPy types of values.

use std::fmt;

use tdb_cells::files::InputError;
use tdb_schema::CellValNum;
use tdb_tile::{Datatype, Physical};

use super::header::unfit;

/// Type of the values of a file.
#[derive(Debug)]
pub(super) struct Values {
    /// Name of the type in the file.
    descr: String,
    /// Size of a value, in bytes.
    pub(super) size: usize,
    /// Number of bytes that are reversed together; `None` if values are little-endian.
    swapped: Option<usize>,
    /// Number of hours per tick, for times in units that no datatype has.
    pub(super) hours: Option<i64>,
    pub(super) form: Form,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Numbers, dates or times.
    Number(Datatype),
    /// 16-bit floats, which no datatype has.
    Half,
    Bool,
    /// Bytes padded with zeros.
    Bytes,
    /// Characters of four bytes each, padded with zeros.
    Characters,
    /// Bytes without padding.
    Raw,
}

impl Values {
    pub(super) fn parse(descr: &str) -> Result<Self, InputError> {
        Self::of(descr).ok_or_else(|| {
            unfit(format!(
                "not supported: values of type {descr:?}, for which there is no datatype"
            ))
        })
    }

    fn of(descr: &str) -> Option<Self> {
        let (order, rest) = descr.split_at_checked(1)?;
        let (kind, rest) = rest.split_at_checked(1)?;
        let (size, letters) = match rest.split_once('[') {
            Some((size, unit)) => (size, Some(unit.strip_suffix(']')?)),
            None => (rest, None),
        };
        let size: usize = size.parse().ok().filter(|size| *size > 0)?;
        let hours = match (kind, letters) {
            ("m", Some("D")) => Some(24),
            ("m", Some("W")) => Some(7 * 24),
            _ => None,
        };
        let form = match (kind, size) {
            ("b", 1) => Form::Bool,
            ("i", 1) => Form::Number(Datatype::Int8),
            ("i", 2) => Form::Number(Datatype::Int16),
            ("i", 4) => Form::Number(Datatype::Int32),
            ("i", 8) => Form::Number(Datatype::Int64),
            ("u", 1) => Form::Number(Datatype::UInt8),
            ("u", 2) => Form::Number(Datatype::UInt16),
            ("u", 4) => Form::Number(Datatype::UInt32),
            ("u", 8) => Form::Number(Datatype::UInt64),
            ("f", 2) => Form::Half,
            ("f", 4) => Form::Number(Datatype::Float32),
            ("f", 8) => Form::Number(Datatype::Float64),
            ("M", 8) => Form::Number(unit_of(letters?)?.0),
            ("m", 8) if hours.is_some() => Form::Number(Datatype::TimeHour),
            ("m", 8) => Form::Number(unit_of(letters?)?.1?),
            ("S", _) => Form::Bytes,
            ("U", _) => Form::Characters,
            ("V", _) => Form::Raw,
            _ => return None,
        };
        let is_text = form == Form::Characters;
        let size = if is_text { size.checked_mul(4)? } else { size };
        let word = if is_text { 4 } else { size };
        let is_big = match order {
            "<" | "|" | "=" => false,
            ">" => true,
            _ => return None,
        };
        Some(Self {
            descr: descr.to_owned(),
            size,
            swapped: (is_big && word > 1 && !matches!(form, Form::Bytes | Form::Raw))
                .then_some(word),
            hours,
            form,
        })
    }

    /// Converts values to little-endian.
    pub(super) fn in_order(&self, bytes: &mut [u8]) {
        if let Some(word) = self.swapped {
            bytes.chunks_exact_mut(word).for_each(<[u8]>::reverse);
        }
    }

    /// Returns the closest datatype and number of values, for cells of `inner` values; `None` if there is none.
    pub(super) fn natural_type(&self, inner: u32) -> Option<(Datatype, CellValNum)> {
        match self.form {
            Form::Number(datatype) => Some((datatype, CellValNum::Fixed(inner))),
            // The smallest datatype that holds all of them.
            Form::Half => Some((Datatype::Float32, CellValNum::Fixed(inner))),
            Form::Bool => Some((Datatype::Bool, CellValNum::Fixed(inner))),
            Form::Bytes | Form::Characters if inner == 1 => {
                Some((Datatype::StringUtf8, CellValNum::Var))
            }
            Form::Raw if inner == 1 => {
                let size = u32::try_from(self.size).ok()?;
                Some((Datatype::Blob, CellValNum::Fixed(size)))
            }
            _ => None,
        }
    }
}

impl fmt::Display for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "values of type {:?}", self.descr)
    }
}

/// Returns the NumPy type for cells of `values` values, and the length of the inner axis, if there is one.
pub(super) fn dtype(datatype: Datatype, values: u32) -> (String, Option<u64>) {
    use Datatype as D;
    match datatype {
        D::Char | D::StringAscii | D::StringUtf8 => (format!("|S{values}"), None),
        D::StringUtf32 | D::StringUcs4 => (format!("<U{values}"), None),
        _ if datatype.is_string() || datatype.is_byte_like() || datatype == D::Any => {
            let bytes = u64::from(values) * datatype.size() as u64;
            (format!("|V{bytes}"), None)
        }
        _ => (number(datatype), (values != 1).then_some(u64::from(values))),
    }
}

fn number(datatype: Datatype) -> String {
    let kind = match datatype.physical() {
        _ if datatype == Datatype::Bool => 'b',
        _ if datatype.is_datetime() => return format!("<M8[{}]", letters(datatype)),
        _ if datatype.is_time() => return format!("<m8[{}]", letters(datatype)),
        Physical::F32 | Physical::F64 => 'f',
        _ if datatype.is_signed() => 'i',
        _ => 'u',
    };
    let order = if datatype.size() == 1 { '|' } else { '<' };
    format!("{order}{kind}{}", datatype.size())
}

/// NumPy's codes of units, with the datatypes of dates and of times in these units.
const UNITS: &[(&str, Datatype, Option<Datatype>)] = &[
    ("Y", Datatype::DateTimeYear, None),
    ("M", Datatype::DateTimeMonth, None),
    ("W", Datatype::DateTimeWeek, None),
    ("D", Datatype::DateTimeDay, None),
    ("h", Datatype::DateTimeHour, Some(Datatype::TimeHour)),
    ("m", Datatype::DateTimeMinute, Some(Datatype::TimeMinute)),
    ("s", Datatype::DateTimeSecond, Some(Datatype::TimeSecond)),
    (
        "ms",
        Datatype::DateTimeMillisecond,
        Some(Datatype::TimeMillisecond),
    ),
    (
        "us",
        Datatype::DateTimeMicrosecond,
        Some(Datatype::TimeMicrosecond),
    ),
    (
        "ns",
        Datatype::DateTimeNanosecond,
        Some(Datatype::TimeNanosecond),
    ),
    (
        "ps",
        Datatype::DateTimePicosecond,
        Some(Datatype::TimePicosecond),
    ),
    (
        "fs",
        Datatype::DateTimeFemtosecond,
        Some(Datatype::TimeFemtosecond),
    ),
    (
        "as",
        Datatype::DateTimeAttosecond,
        Some(Datatype::TimeAttosecond),
    ),
];

/// Returns the datatypes of dates and of times with this unit code.
fn unit_of(letters: &str) -> Option<(Datatype, Option<Datatype>)> {
    let unit = UNITS.iter().find(|(unit, ..)| *unit == letters);
    unit.map(|(_, date, time)| (*date, *time))
}

/// Returns the unit code of a date or time.
fn letters(datatype: Datatype) -> &'static str {
    let mut units = UNITS.iter();
    let unit = units.find(|(_, date, time)| *date == datatype || *time == Some(datatype));
    unit.map_or("generic", |(letters, ..)| letters)
}
