//! Converts Arrow decimals into other numbers, or into text with all their digits.

use arrow_array::cast::AsArray;
use arrow_array::types::{Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type};
use arrow_array::{Array, ArrayRef};
use arrow_buffer::NullBuffer;
use arrow_schema::DataType;
use bytes::Bytes;
use tdb_cells::files::write_whole;
use tdb_tile::{Datatype, Physical, Scalar};

use super::wrong::RowProblem;

/// Number of decimal places; if negative, the number of zeros that are left out before the point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Scale(i8);

impl Scale {
    /// `None` if the type is not a decimal.
    pub(super) fn of(data_type: &DataType) -> Option<Self> {
        match data_type {
            DataType::Decimal32(_, scale)
            | DataType::Decimal64(_, scale)
            | DataType::Decimal128(_, scale)
            | DataType::Decimal256(_, scale) => Some(Self(*scale)),
            _ => None,
        }
    }

    /// Whether all values are whole numbers.
    pub(super) fn is_whole(self) -> bool {
        self.0 <= 0
    }

    /// Calls `each` with the text of every value, in order; `None` for nulls.
    pub(super) fn for_each(
        self,
        array: &ArrayRef,
        nulls: Option<&NullBuffer>,
        mut each: impl FnMut(Option<&str>) -> Result<(), String>,
    ) -> Result<(), RowProblem> {
        macro_rules! values {
            ($t:ty) => {
                for (row, value) in array.as_primitive::<$t>().values().iter().enumerate() {
                    let is_null = nulls.is_some_and(|nulls| nulls.is_null(row));
                    let text = (!is_null).then(|| self.written_out(&value.to_string()));
                    each(text.as_deref()).map_err(|what| (row, what))?;
                }
            };
        }
        match array.data_type() {
            DataType::Decimal32(..) => values!(Decimal32Type),
            DataType::Decimal64(..) => values!(Decimal64Type),
            DataType::Decimal128(..) => values!(Decimal128Type),
            DataType::Decimal256(..) => values!(Decimal256Type),
            other => return Err((0, format!("is {other}, which is no decimal"))),
        }
        Ok(())
    }

    /// Values and offsets of the texts of all values; empty for nulls.
    pub(super) fn texts(
        self,
        array: &ArrayRef,
        nulls: Option<&NullBuffer>,
    ) -> Result<(Bytes, Bytes), RowProblem> {
        let (mut values, mut offsets) = (Vec::new(), vec![0; 8]);
        self.for_each(array, nulls, |value| {
            values.extend_from_slice(value.unwrap_or("").as_bytes());
            offsets.extend_from_slice(&(values.len() as u64).to_le_bytes());
            Ok(())
        })?;
        Ok((values.into(), offsets.into()))
    }

    /// Formats a number with these digits, without an exponent.
    fn written_out(self, digits: &str) -> String {
        let (sign, digits) = match digits.strip_prefix('-') {
            Some(digits) => ("-", digits),
            None => ("", digits),
        };
        let places = usize::from(self.0.unsigned_abs());
        if self.is_whole() {
            let zeros = if digits == "0" { 0 } else { places };
            return format!("{sign}{digits}{}", "0".repeat(zeros));
        }
        // At least one digit is before the point.
        let digits = format!("{digits:0>width$}", width = places.saturating_add(1));
        let (whole, fraction) = digits.split_at(digits.len() - places);
        format!("{sign}{whole}.{fraction}")
    }
}

/// Appends a decimal as a value of a datatype: floats are rounded to the nearest value, whole numbers must be exact.
pub(super) fn write_decimal(text: &str, to: Datatype, out: &mut Vec<u8>) -> Result<(), String> {
    let wrong = || format!("{text} is not a valid {to}");
    match to.physical() {
        Physical::F32 => finite(text, f32::is_finite).ok_or_else(wrong)?.write(out),
        Physical::F64 => finite(text, f64::is_finite).ok_or_else(wrong)?.write(out),
        Physical::I8
        | Physical::I16
        | Physical::I32
        | Physical::I64
        | Physical::U8
        | Physical::U16
        | Physical::U32
        | Physical::U64 => {
            let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
            let is_whole = fraction.bytes().all(|digit| digit == b'0');
            let value = whole.parse::<i128>().ok().filter(|_| is_whole);
            write_whole(value.ok_or_else(wrong)?, to, out)?;
        }
    }
    Ok(())
}

/// Returns the nearest float; `None` if the number is beyond all floats.
fn finite<T: std::str::FromStr + Copy>(text: &str, is_finite: fn(T) -> bool) -> Option<T> {
    text.parse().ok().filter(|float| is_finite(*float))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_written_out_with_the_point_where_the_scale_says() {
        let written = |digits: &str, scale| Scale(scale).written_out(digits);
        assert_eq!(written("150", 2), "1.50");
        assert_eq!(written("-5", 3), "-0.005");
        assert_eq!(written("0", 2), "0.00");
        assert_eq!(written("-15", -2), "-1500");
        assert_eq!(written("0", -2), "0");
        assert_eq!(written("7", 0), "7");
    }

    #[test]
    fn whole_numbers_take_no_fractions_and_floats_the_nearest_value() {
        let write = |text: &str, to| {
            let mut out = Vec::new();
            write_decimal(text, to, &mut out).map(|()| out)
        };
        assert_eq!(write("-12.00", Datatype::Int8), Ok(vec![0xf4]));
        assert_eq!(
            write("1.50", Datatype::Int64),
            Err("1.50 is not a valid int64".to_owned())
        );
        assert_eq!(
            write("300", Datatype::UInt8),
            Err("300 is not a valid uint8".to_owned())
        );
        assert_eq!(
            write("0.1", Datatype::Float32),
            Ok(0.1_f32.to_le_bytes().into())
        );
        let huge = "9".repeat(60);
        assert!(write(&huge, Datatype::Float64).is_ok());
        assert!(write(&huge, Datatype::Float32).is_err());
        assert!(write(&huge, Datatype::Int64).is_err());
    }
}
