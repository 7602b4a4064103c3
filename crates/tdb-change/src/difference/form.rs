//! Converting cells of different types so that equal values have equal bytes.

use std::borrow::Cow;

use tdb_schema::CellValNum;
use tdb_schema::value::{Value, read, unpadded};
use tdb_tile::Datatype;

/// Kinds of numbers, as the first byte of the converted form, so that an integer never equals the bits of a fraction.
const WHOLE: u8 = 0;
const OTHER: u8 = 1;
const NAN: u8 = 2;

/// Upper bound of the integers that 128 bits hold, 2^127.
const END: f64 = 170_141_183_460_469_231_731_687_303_715_884_105_728.0;

/// How the cells of a field are converted before they are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Stored bytes; both sides have the same type.
    Stored,
    /// Bytes of text, without trailing NUL bytes if the cells have a fixed size.
    Text { is_padded: bool },
    /// Numeric values of the cells.
    Numbers(Datatype),
}

/// Type of the cells of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CellType {
    pub(super) datatype: Datatype,
    pub(super) values: CellValNum,
}

/// Returns how cells of two types are compared; `None` if they have no values in common.
pub(super) fn forms(old: CellType, new: CellType) -> Option<(Form, Form)> {
    let text = |cell: CellType| Form::Text {
        is_padded: !cell.values.is_var(),
    };
    let (one, other) = (old.datatype, new.datatype);
    let is_alike = one == other && (old.values == new.values || !is_text(one));
    if is_alike {
        return Some((Form::Stored, Form::Stored));
    }
    if is_text(one) && is_text(other) {
        return Some((text(old), text(new)));
    }
    (is_number(one) && is_number(other)).then_some((Form::Numbers(one), Form::Numbers(other)))
}

/// True for datatypes of characters or bytes.
fn is_text(datatype: Datatype) -> bool {
    matches!(
        datatype,
        Datatype::Char
            | Datatype::StringAscii
            | Datatype::StringUtf8
            | Datatype::Blob
            | Datatype::GeometryWkb
            | Datatype::GeometryWkt
    )
}

fn is_number(datatype: Datatype) -> bool {
    datatype.is_integer() || datatype.is_real() || datatype == Datatype::Bool
}

impl Form {
    /// Converts a cell to this form.
    pub(super) fn of(self, cell: &[u8]) -> Cow<'_, [u8]> {
        match self {
            Self::Stored | Self::Text { is_padded: false } => Cow::Borrowed(cell),
            Self::Text { is_padded: true } => {
                Cow::Borrowed(unpadded(Datatype::Char, CellValNum::Fixed(1), cell))
            }
            Self::Numbers(datatype) => {
                let numbers = cell.chunks(datatype.size().max(1));
                Cow::Owned(
                    numbers
                        .flat_map(|number| of_number(datatype, number))
                        .collect(),
                )
            }
        }
    }
}

/// Converts a number so that equal numbers of any type have equal bytes. Both zeros are equal, and so are all NaN.
fn of_number(datatype: Datatype, bytes: &[u8]) -> [u8; 17] {
    let float = |value: f64| {
        if value.is_nan() {
            return (NAN, 0);
        }
        #[expect(
            clippy::cast_possible_truncation,
            reason = "whole numbers below the end of 128 bits"
        )]
        let whole = value as i128;
        if value.trunc() == value && value.abs() < END {
            (WHOLE, whole)
        } else {
            (OTHER, i128::from(value.to_bits()))
        }
    };
    let (kind, number) = match read(datatype, bytes) {
        Some(Value::Signed(value)) => (WHOLE, value.into()),
        Some(Value::Unsigned(value)) => (WHOLE, value.into()),
        Some(Value::Bool(value)) => (WHOLE, value.into()),
        Some(Value::Float32(value)) => float(value.into()),
        Some(Value::Float64(value)) => float(value),
        // Not reached: other datatypes are not numbers.
        _ => (NAN, 1),
    };
    let mut form = [kind; 17];
    for (byte, of_number) in form.iter_mut().skip(1).zip(number.to_le_bytes()) {
        *byte = of_number;
    }
    form
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: CellValNum = CellValNum::Fixed(1);

    /// As [`super::forms`], with each type as a pair.
    fn forms(old: (Datatype, CellValNum), new: (Datatype, CellValNum)) -> Option<(Form, Form)> {
        let cell = |(datatype, values)| CellType { datatype, values };
        super::forms(cell(old), cell(new))
    }

    fn number(datatype: Datatype, bytes: &[u8]) -> Vec<u8> {
        Form::Numbers(datatype).of(bytes).into_owned()
    }

    #[test]
    fn numbers_of_all_types_are_equal_where_their_values_are() {
        let five = number(Datatype::Int8, &[5]);
        assert_eq!(five, number(Datatype::UInt64, &5_u64.to_le_bytes()));
        assert_eq!(five, number(Datatype::Float32, &5_f32.to_le_bytes()));
        assert_eq!(five, number(Datatype::Float64, &5_f64.to_le_bytes()));
        assert_ne!(five, number(Datatype::Float64, &5.5_f64.to_le_bytes()));
        let minus = number(Datatype::Int64, &(-1_i64).to_le_bytes());
        assert_ne!(minus, number(Datatype::UInt64, &u64::MAX.to_le_bytes()));
        assert_ne!(minus, number(Datatype::UInt8, &[255]));
        // The nearest double is greater than `u64::MAX`.
        let most = number(Datatype::UInt64, &u64::MAX.to_le_bytes());
        assert_ne!(
            most,
            number(Datatype::Float64, &(2_f64.powi(64)).to_le_bytes())
        );
        let third = number(Datatype::Float32, &0.1_f32.to_le_bytes());
        assert_eq!(
            third,
            number(Datatype::Float64, &f64::from(0.1_f32).to_le_bytes())
        );
        assert_ne!(third, number(Datatype::Float64, &0.1_f64.to_le_bytes()));
        let zero = number(Datatype::Float32, &(-0.0_f32).to_le_bytes());
        assert_eq!(zero, number(Datatype::Bool, &[0]));
        let nan = number(Datatype::Float32, &f32::NAN.to_le_bytes());
        assert_eq!(nan, number(Datatype::Float64, &(-f64::NAN).to_le_bytes()));
        let far = number(Datatype::Float64, &f64::INFINITY.to_le_bytes());
        assert_ne!(far, number(Datatype::Float64, &1e300_f64.to_le_bytes()));
    }

    #[test]
    fn values_of_other_kinds_are_not_compared() {
        let (text, var) = (Datatype::StringUtf8, CellValNum::Var);
        assert_eq!(forms((Datatype::Int32, ONE), (text, var)), None);
        assert_eq!(
            forms((Datatype::Int64, ONE), (Datatype::DateTimeDay, ONE)),
            None
        );
        let (day, hour) = (Datatype::DateTimeDay, Datatype::DateTimeHour);
        assert_eq!(forms((day, ONE), (hour, ONE)), None);
        assert_eq!(
            forms((day, ONE), (day, var)),
            Some((Form::Stored, Form::Stored))
        );
        let fixed = CellValNum::Fixed(3);
        let padded = Form::Text { is_padded: true };
        let whole = Form::Text { is_padded: false };
        assert_eq!(
            forms((text, fixed), (Datatype::Blob, var)),
            Some((padded, whole))
        );
        assert_eq!(&*padded.of(b"a\0\0"), b"a");
    }
}
