//! Converts Arrow numbers, dates and times into values of fields.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Date64Type, DurationMicrosecondType, DurationMillisecondType,
    DurationNanosecondType, DurationSecondType, Float16Type, Float32Type, Float64Type, Int8Type,
    Int16Type, Int32Type, Int64Type, Time32MillisecondType, Time32SecondType,
    Time64MicrosecondType, Time64NanosecondType, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType};
use arrow_buffer::{Buffer, NullBuffer};
use arrow_schema::{DataType, TimeUnit};
use bytes::Bytes;
use tdb_cells::files::{Recount, write_float, write_whole};
use tdb_schema::CellValNum;
use tdb_schema::value::NOT_A_TIME;
use tdb_tile::{Datatype, Physical, Scalar};

use super::datatypes::of_arrow;
use super::decimals::{Scale, write_decimal};
use super::wrong::RowProblem;

/// Converts values of an Arrow type into a datatype.
#[derive(Clone, Debug)]
pub(super) struct NumberConverter {
    from: DataType,
    to: Datatype,
    way: Conversion,
}

#[derive(Clone, Copy, Debug)]
enum Conversion {
    /// The bytes stay the same.
    Same,
    /// Bits become bytes.
    Bits,
    /// The value is converted, if that loses nothing.
    Value,
    /// Dates and times are converted between units.
    Unit(Recount),
    /// Decimals are converted by value; floats are rounded to the nearest.
    Decimal(Scale),
}

impl NumberConverter {
    /// Chooses the conversion; `None` if there is none. `said` is the original datatype in the metadata, which gives
    /// the unit of ticks.
    pub(super) fn new(from: &DataType, said: Option<Datatype>, to: Datatype) -> Option<Self> {
        let is_number = to != Datatype::Bool && (to.is_integer() || to.is_real());
        let is_ticks = to.is_datetime() || to.is_time();
        let way = match from {
            DataType::Boolean => (to == Datatype::Bool).then_some(Conversion::Bits),
            DataType::Int64 if is_ticks => {
                let said = said.filter(|said| said.is_datetime() || said.is_time());
                match said.filter(|said| *said != to) {
                    Some(said) => Recount::between(said, to).map(Conversion::Unit),
                    None => Some(Conversion::Same),
                }
            }
            _ if from.is_integer() && (is_number || is_ticks) => {
                Some(if from == &arrow_number(to) {
                    Conversion::Same
                } else {
                    Conversion::Value
                })
            }
            _ if from.is_floating() && is_number => Some(if from == &arrow_number(to) {
                Conversion::Same
            } else {
                Conversion::Value
            }),
            _ => match Scale::of(from) {
                Some(scale) => is_number.then_some(Conversion::Decimal(scale)),
                None => from_arrow(from, to),
            },
        };
        Some(Self {
            from: from.clone(),
            to,
            way: way?,
        })
    }

    /// Size of a converted value, in bytes.
    pub(super) fn size(&self) -> usize {
        self.to.size()
    }

    pub(super) fn is_time(&self) -> bool {
        self.to.is_datetime() || self.to.is_time()
    }

    /// Converts the values of an array; the results for nulls are zero or arbitrary.
    pub(super) fn values(
        &self,
        array: &ArrayRef,
        nulls: Option<&NullBuffer>,
    ) -> Result<Bytes, RowProblem> {
        match self.way {
            Conversion::Same => self.same(array),
            Conversion::Bits => {
                let bits = array.as_boolean().values();
                Ok(bits.iter().map(u8::from).collect())
            }
            Conversion::Value => self.by_value(array, nulls),
            Conversion::Unit(recount) => self.by_unit(array, nulls, recount),
            Conversion::Decimal(scale) => self.decimals(array, nulls, scale),
        }
    }

    fn decimals(
        &self,
        array: &ArrayRef,
        nulls: Option<&NullBuffer>,
        scale: Scale,
    ) -> Result<Bytes, RowProblem> {
        let size = self.to.size();
        let mut out = Vec::with_capacity(array.len() * size);
        scale.for_each(array, nulls, |value| match value {
            Some(text) => write_decimal(text, self.to, &mut out),
            None => {
                out.resize(out.len() + size, 0);
                Ok(())
            }
        })?;
        Ok(out.into())
    }

    fn same(&self, array: &ArrayRef) -> Result<Bytes, RowProblem> {
        let data = array.to_data();
        let size = self.to.size();
        let range = data
            .offset()
            .checked_mul(size)
            .zip(data.len().checked_mul(size));
        let slice = data
            .buffers()
            .first()
            .zip(range)
            .and_then(|(buffer, (start, len))| {
                let end = start.checked_add(len)?;
                (end <= buffer.len()).then(|| shared(buffer.slice_with_length(start, len)))
            });
        slice.ok_or_else(|| {
            let what = format!(
                "the memory of the column has fewer than {} cells",
                data.len()
            );
            (0, what)
        })
    }

    fn by_value(&self, array: &ArrayRef, nulls: Option<&NullBuffer>) -> Result<Bytes, RowProblem> {
        macro_rules! whole {
            ($t:ty) => {
                self.each::<$t>(array, nulls, |value, out| {
                    write_whole(i128::from(value), self.to, out)
                })
            };
        }
        match self.from {
            DataType::Int8 => whole!(Int8Type),
            DataType::Int16 => whole!(Int16Type),
            DataType::Int32 => whole!(Int32Type),
            DataType::Int64 => whole!(Int64Type),
            DataType::UInt8 => whole!(UInt8Type),
            DataType::UInt16 => whole!(UInt16Type),
            DataType::UInt32 => whole!(UInt32Type),
            DataType::UInt64 => whole!(UInt64Type),
            DataType::Float16 => self
                .each::<Float16Type>(array, nulls, |v, out| write_float(v.to_f64(), self.to, out)),
            DataType::Float32 => {
                self.each::<Float32Type>(array, nulls, |v, out| write_float(v.into(), self.to, out))
            }
            _ => self.each::<Float64Type>(array, nulls, |v, out| write_float(v, self.to, out)),
        }
    }

    fn by_unit(
        &self,
        array: &ArrayRef,
        nulls: Option<&NullBuffer>,
        recount: Recount,
    ) -> Result<Bytes, RowProblem> {
        let ticks = |value: i64, out: &mut Vec<u8>| {
            let wrong = || {
                let (from, to) = (&self.from, self.to);
                format!("{value} of {from} is not a whole number of {to}")
            };
            recount.ticks(value).ok_or_else(wrong)?.write(out);
            Ok(())
        };
        macro_rules! ticks {
            ($t:ty) => {
                self.each::<$t>(array, nulls, |value, out| ticks(value.into(), out))
            };
        }
        use TimeUnit as U;
        match self.from {
            DataType::Int64 => ticks!(Int64Type),
            DataType::Date32 => ticks!(Date32Type),
            DataType::Date64 => ticks!(Date64Type),
            DataType::Timestamp(U::Second, _) => ticks!(TimestampSecondType),
            DataType::Timestamp(U::Millisecond, _) => ticks!(TimestampMillisecondType),
            DataType::Timestamp(U::Microsecond, _) => ticks!(TimestampMicrosecondType),
            DataType::Timestamp(U::Nanosecond, _) => ticks!(TimestampNanosecondType),
            DataType::Duration(U::Second) => ticks!(DurationSecondType),
            DataType::Duration(U::Millisecond) => ticks!(DurationMillisecondType),
            DataType::Duration(U::Microsecond) => ticks!(DurationMicrosecondType),
            DataType::Duration(U::Nanosecond) => ticks!(DurationNanosecondType),
            DataType::Time32(U::Second) => ticks!(Time32SecondType),
            DataType::Time32(_) => ticks!(Time32MillisecondType),
            DataType::Time64(U::Microsecond) => ticks!(Time64MicrosecondType),
            _ => ticks!(Time64NanosecondType),
        }
    }

    /// Converts value by value; nulls become zeros.
    fn each<T: ArrowPrimitiveType>(
        &self,
        array: &ArrayRef,
        nulls: Option<&NullBuffer>,
        write: impl Fn(T::Native, &mut Vec<u8>) -> Result<(), String>,
    ) -> Result<Bytes, RowProblem> {
        let size = self.to.size();
        let values = array.as_primitive::<T>().values();
        let mut out = Vec::with_capacity(values.len() * size);
        for (row, value) in values.iter().enumerate() {
            if nulls.is_some_and(|nulls| nulls.is_null(row)) {
                out.resize(out.len() + size, 0)
            } else {
                write(*value, &mut out).map_err(|what| (row, what))?
            }
        }
        Ok(out.into())
    }
}

/// Converts a buffer into shared bytes, without a copy.
pub(super) fn shared(buffer: Buffer) -> Bytes {
    struct Owner(Buffer);
    impl AsRef<[u8]> for Owner {
        fn as_ref(&self) -> &[u8] {
            &self.0
        }
    }
    Bytes::from_owner(Owner(buffer))
}

/// The Arrow type with the same representation as the numbers of a datatype.
fn arrow_number(datatype: Datatype) -> DataType {
    match datatype.physical() {
        Physical::I8 => DataType::Int8,
        Physical::I16 => DataType::Int16,
        Physical::I32 => DataType::Int32,
        Physical::I64 => DataType::Int64,
        Physical::U8 => DataType::UInt8,
        Physical::U16 => DataType::UInt16,
        Physical::U32 => DataType::UInt32,
        Physical::U64 => DataType::UInt64,
        Physical::F32 => DataType::Float32,
        Physical::F64 => DataType::Float64,
    }
}

/// Chooses the conversion of Arrow dates and times into a datatype.
fn from_arrow(from: &DataType, to: Datatype) -> Option<Conversion> {
    let (source, values) = of_arrow(from)?;
    if values != CellValNum::Fixed(1) {
        return None;
    }
    let is_wide = from.primitive_width() == Some(i64::SIZE);
    if is_wide && source == to && (to.is_datetime() || to.is_time()) {
        Some(Conversion::Same)
    } else {
        Recount::between(source, to).map(Conversion::Unit)
    }
}

/// Replaces null dates and times by NaT.
pub(super) fn dated(values: &[u8], nulls: &NullBuffer) -> Bytes {
    let values = values.chunks_exact(i64::SIZE).zip(nulls.iter());
    let dated = values.flat_map(|(value, is_valid)| {
        let value = i64::read(value).filter(|_| is_valid);
        value.unwrap_or(NOT_A_TIME).to_le_bytes()
    });
    dated.collect::<Vec<u8>>().into()
}
