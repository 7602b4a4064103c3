use std::cmp::Ordering;

use tdb_schema::CellValNum;
use tdb_schema::value::{ticks_of_period, time_ticks};
use tdb_tile::{Datatype, Physical, Scalar, with_scalar};

use crate::padding::unpadded;
use crate::{CompareOp, Literal};

/// Position of a literal among the values that a field can hold.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum LiteralPosition {
    /// The literal is this value.
    At(Vec<u8>),
    /// The literal covers all values from the first to the second, both included.
    Period(Vec<u8>, Vec<u8>),
    /// The literal is between this value and the next one.
    After(Vec<u8>),
    /// The literal is less than every value.
    BeforeAll,
    /// The literal is greater than every value.
    AfterAll,
    /// The literal is neither equal to, less nor greater than any value.
    Unordered,
}

/// Result of resolving a comparison with a literal.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Outcome {
    /// Compares with a value of the field's type.
    Compare(CompareOp, Vec<u8>),
    /// True if `lo <= cell <= hi`.
    Within(Vec<u8>, Vec<u8>),
    /// True if `cell < lo` or `cell > hi`.
    Outside(Vec<u8>, Vec<u8>),
    /// True for every cell that is not null.
    True,
    /// False for every cell.
    False,
}

impl LiteralPosition {
    /// Finds the position of a literal among values of a datatype; `None` if they cannot be compared.
    pub(crate) fn of(literal: &Literal, datatype: Datatype) -> Option<Self> {
        match literal {
            Literal::Bytes(bytes) => is_text(datatype).then(|| Self::At(bytes.clone())),
            Literal::Text(text) => Self::of_text(text, datatype),
            Literal::Date(text) => {
                datatype.is_datetime().then_some(())?;
                Self::of_time(text, datatype)
            }
            Literal::Bool(value) => {
                (datatype == Datatype::Bool).then(|| Self::At(vec![u8::from(*value)]))
            }
            Literal::Integer(value) => {
                is_number(datatype).then(|| Self::of_number(Number::Integer(*value), datatype))
            }
            Literal::Float(value) => {
                is_number(datatype).then(|| Self::of_number(Number::Float(*value), datatype))
            }
            Literal::Moment(moment) => {
                let (ticks, exact) = moment.ticks(datatype)?;
                Some(Self::of_whole(ticks, exact, datatype))
            }
        }
    }

    fn of_text(text: &str, datatype: Datatype) -> Option<Self> {
        if is_text(datatype) {
            return Some(Self::At(text.as_bytes().to_vec()));
        }
        if datatype.is_real() {
            let value = match text {
                "NaN" => f64::NAN,
                "Infinity" => f64::INFINITY,
                "-Infinity" => f64::NEG_INFINITY,
                _ => return None,
            };
            return Some(Self::of_number(Number::Float(value), datatype));
        }
        Self::of_time(text, datatype)
    }

    /// Finds the position of a time. A date covers its whole period; a time too fine for the ticks of the datatype is
    /// between two of them.
    fn of_time(text: &str, datatype: Datatype) -> Option<Self> {
        let bytes = |ticks: i64| ticks.to_le_bytes().to_vec();
        match ticks_of_period(datatype, text) {
            Some((first, last)) if first < last => Some(Self::Period(bytes(first), bytes(last))),
            _ => {
                let (ticks, exact) = time_ticks(datatype, text)?;
                Some(Self::of_whole(ticks, exact, datatype))
            }
        }
    }

    fn of_number(number: Number, datatype: Datatype) -> Self {
        match (datatype.physical(), number) {
            (Physical::F32 | Physical::F64, Number::Float(value)) if value.is_nan() => {
                Self::Unordered
            }
            (Physical::F64, _) => Self::of_double(number.to_f64()),
            (Physical::F32, _) => Self::of_single(number),
            (_, Number::Integer(value)) => Self::of_whole(value, true, datatype),
            (_, Number::Float(value)) if value.is_nan() => Self::Unordered,
            // A float beyond 128 bits becomes the nearest 128-bit integer, which is also beyond the field's type.
            #[expect(clippy::cast_possible_truncation, reason = "saturates, see above")]
            (_, Number::Float(value)) => {
                Self::of_whole(value.floor() as i128, value.floor() == value, datatype)
            }
        }
    }

    /// Finds the position of a whole number, or if not `exact`, of a number between `floor` and the next whole number.
    pub(crate) fn of_whole(floor: i128, exact: bool, datatype: Datatype) -> Self {
        with_scalar!(datatype, T => Self::of_whole_in::<T>(floor, exact))
    }

    fn of_whole_in<T: Whole>(floor: i128, exact: bool) -> Self {
        let value = match T::from_whole(floor) {
            Ok(value) => value,
            Err(place) => return place,
        };
        let mut bytes = Vec::with_capacity(T::SIZE);
        value.write(&mut bytes);
        let next = floor.checked_add(1);
        let has_next = || next.is_some_and(|next| T::from_whole(next).is_ok());
        match exact {
            true => Self::At(bytes),
            false if has_next() => Self::After(bytes),
            false => Self::AfterAll,
        }
    }

    fn of_double(value: f64) -> Self {
        Self::At(value.to_le_bytes().to_vec())
    }

    /// Rounds to the nearest 32-bit float, as the field's writer did, except that a finite number never becomes
    /// infinite.
    fn of_single(number: Number) -> Self {
        let (single, finite) = number.to_f32();
        if single.is_infinite() && finite {
            let below = if single > 0.0 {
                f32::MAX
            } else {
                f32::NEG_INFINITY
            };
            return Self::After(below.to_le_bytes().to_vec());
        }
        Self::At(single.to_le_bytes().to_vec())
    }

    /// Pads text with NUL bytes to the size of a cell with `values` values; longer text is kept.
    #[expect(
        clippy::arithmetic_side_effects,
        reason = "the cells of a field, whose size is checked with the schema"
    )]
    pub(crate) fn padded(self, datatype: Datatype, values: CellValNum) -> Self {
        match (self, values) {
            (Self::At(text), CellValNum::Fixed(values)) if is_text(datatype) => {
                let size = datatype.size() * values as usize;
                let mut text = unpadded(&text).to_vec();
                text.resize(text.len().max(size), 0);
                Self::At(text)
            }
            (place, _) => place,
        }
    }

    /// Resolves the comparison `cell op literal`.
    pub(crate) fn compare(self, op: CompareOp) -> Outcome {
        use CompareOp::{Eq, Ge, Gt, Le, Lt, Ne};
        match (self, op) {
            (Self::At(value), _) => Outcome::Compare(op, value),
            (Self::Period(first, _), Lt | Ge) => Outcome::Compare(op, first),
            (Self::Period(_, last), Le | Gt) => Outcome::Compare(op, last),
            (Self::Period(first, last), Eq) => Outcome::Within(first, last),
            (Self::Period(first, last), Ne) => Outcome::Outside(first, last),
            (Self::After(value), Lt | Le) => Outcome::Compare(Le, value),
            (Self::After(value), Gt | Ge) => Outcome::Compare(Gt, value),
            (Self::BeforeAll, Gt | Ge) | (Self::AfterAll, Lt | Le) | (_, Ne) => Outcome::True,
            _ => Outcome::False,
        }
    }
}

/// A number in a condition.
#[derive(Clone, Copy, Debug)]
enum Number {
    Integer(i128),
    Float(f64),
}

impl Number {
    #[expect(
        clippy::cast_precision_loss,
        reason = "rounds to the nearest, which is meant"
    )]
    fn to_f64(self) -> f64 {
        match self {
            Self::Integer(value) => value as f64,
            Self::Float(value) => value,
        }
    }

    /// Returns the nearest 32-bit float, and whether the number itself is finite.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        reason = "rounds to the nearest, which is meant"
    )]
    fn to_f32(self) -> (f32, bool) {
        match self {
            Self::Integer(value) => (value as f32, true),
            Self::Float(value) => (value as f32, value.is_finite()),
        }
    }
}

/// Whether values are strings, which are compared byte by byte.
pub(crate) fn is_text(datatype: Datatype) -> bool {
    matches!(
        datatype,
        Datatype::Char | Datatype::StringAscii | Datatype::StringUtf8
    )
}

/// Whether values can be compared with numbers.
pub(crate) fn is_number(datatype: Datatype) -> bool {
    datatype.is_integer() || datatype.is_real() || datatype.is_datetime() || datatype.is_time()
}

/// Numbers that are converted from whole numbers.
trait Whole: Scalar {
    /// Converts a whole number into this type; if it does not fit, returns its position.
    fn from_whole(value: i128) -> Result<Self, LiteralPosition>;
}

macro_rules! whole {
    ($($t:ty),*) => {$(
        impl Whole for $t {
            fn from_whole(value: i128) -> Result<Self, LiteralPosition> {
                value.try_into().map_err(|_| match value < i128::from(<$t>::MIN) {
                    true => LiteralPosition::BeforeAll,
                    false => LiteralPosition::AfterAll,
                })
            }
        }
    )*};
}

macro_rules! not_whole {
    ($($t:ty),*) => {$(
        impl Whole for $t {
            fn from_whole(_value: i128) -> Result<Self, LiteralPosition> {
                Err(LiteralPosition::Unordered)
            }
        }
    )*};
}

whole!(i8, u8, i16, u16, i32, u32, i64, u64);
not_whole!(f32, f64);

/// Orders values like conditions do: text by bytes, numbers by value. Values that cannot be compared count as equal.
pub(crate) fn order(datatype: Datatype, a: &[u8], b: &[u8]) -> Ordering {
    datatype.compare(a, b).unwrap_or(Ordering::Equal)
}
