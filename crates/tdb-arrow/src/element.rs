//! The Arrow type of a datatype's values.

use std::sync::Arc;

use arrow_schema::{DataType, Field, TimeUnit};
use tdb_cells::files::{ConversionError, OutputOptions};
use tdb_schema::CellValNum;
use tdb_tile::Datatype;

/// The conversion of one value into Arrow, whatever the number of values per cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Element {
    /// Part of a string that must be UTF-8.
    Text,
    /// Part of a string of bytes.
    Bytes,
    /// A truth value: one byte, one bit in Arrow.
    Bool,
    /// A datetime of eight bytes: in Arrow its first day, of four bytes.
    Date(Datatype),
    /// A datetime: in Arrow, each tick becomes `times` ticks of a smaller unit.
    Stamp { unit: TimeUnit, times: i64 },
    /// The bytes are the same in Arrow.
    Plain(DataType),
}

/// The purpose of a conversion, which decides which Arrow types are available.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ArrowTarget {
    pub(crate) options: OutputOptions,
    /// Whether timestamps may count seconds; otherwise they count milliseconds.
    pub(crate) has_seconds: bool,
    /// Whether dictionaries keep all labels in their order, including unused ones.
    pub(crate) keeps_labels: bool,
    /// Whether labels may be bytes of fixed size; otherwise they are bytes of any size.
    pub(crate) has_fixed_labels: bool,
    /// Whether the columns are used in queries: NaT in timestamps and durations becomes null, although Arrow could
    /// represent it, and text of fixed size becomes text of any size, without padding NUL bytes.
    pub(crate) is_for_queries: bool,
}

impl ArrowTarget {
    /// The target for general use: all Arrow types are available.
    pub(crate) fn usual(options: OutputOptions) -> Self {
        Self {
            options,
            has_seconds: true,
            keeps_labels: true,
            has_fixed_labels: true,
            is_for_queries: false,
        }
    }

    /// The element for ticks of `times` seconds each.
    fn seconds(self, times: i64) -> Element {
        let (unit, times) = if self.has_seconds {
            (TimeUnit::Second, times)
        } else {
            (TimeUnit::Millisecond, times * 1_000)
        };
        match times {
            1 => Element::Plain(DataType::Timestamp(unit, None)),
            _ => Element::Stamp { unit, times },
        }
    }
}

impl Element {
    pub(crate) fn new(datatype: Datatype, target: ArrowTarget) -> Self {
        use Datatype as D;
        let options = target.options;
        let timestamp = |unit| DataType::Timestamp(unit, None);
        Self::Plain(match datatype {
            D::StringAscii | D::StringUtf8 | D::GeometryWkt if options.binary_strings => {
                return Self::Bytes;
            }
            D::StringAscii | D::StringUtf8 | D::GeometryWkt => return Self::Text,
            D::Char | D::Blob | D::GeometryWkb | D::Any => return Self::Bytes,
            D::StringUtf16 | D::StringUtf32 | D::StringUcs2 | D::StringUcs4 => return Self::Bytes,
            D::Bool => return Self::Bool,
            _ if options.ticks && (datatype.is_datetime() || datatype.is_time()) => DataType::Int64,
            D::DateTimeYear | D::DateTimeMonth | D::DateTimeWeek | D::DateTimeDay => {
                return Self::Date(datatype);
            }
            D::DateTimeHour => return target.seconds(3_600),
            D::DateTimeMinute => return target.seconds(60),
            D::DateTimeSecond => return target.seconds(1),
            D::DateTimeMillisecond => timestamp(TimeUnit::Millisecond),
            D::DateTimeMicrosecond => timestamp(TimeUnit::Microsecond),
            D::DateTimeNanosecond => timestamp(TimeUnit::Nanosecond),
            D::TimeSecond => DataType::Duration(TimeUnit::Second),
            D::TimeMillisecond => DataType::Duration(TimeUnit::Millisecond),
            D::TimeMicrosecond => DataType::Duration(TimeUnit::Microsecond),
            D::TimeNanosecond => DataType::Duration(TimeUnit::Nanosecond),
            D::Int8 => DataType::Int8,
            D::Int16 => DataType::Int16,
            D::Int32 => DataType::Int32,
            D::UInt8 => DataType::UInt8,
            D::UInt16 => DataType::UInt16,
            D::UInt32 => DataType::UInt32,
            D::UInt64 => DataType::UInt64,
            D::Float32 => DataType::Float32,
            D::Float64 => DataType::Float64,
            // Other units of dates and times have no Arrow type.
            _ => DataType::Int64,
        })
    }

    /// Returns the Arrow type of cells with this number of values.
    pub(crate) fn of_cells(
        &self,
        field: &str,
        datatype: Datatype,
        values: CellValNum,
    ) -> Result<DataType, ConversionError> {
        let too_large = || ConversionError::column(field, "cells are too large for Arrow");
        match (self, values) {
            (Self::Text, CellValNum::Var) => Ok(DataType::LargeUtf8),
            (Self::Bytes, CellValNum::Var) => Ok(DataType::LargeBinary),
            (Self::Text | Self::Bytes, CellValNum::Fixed(n)) => {
                let bytes = u64::from(n) * datatype.size() as u64;
                let bytes = i32::try_from(bytes).map_err(|_| too_large())?;
                Ok(DataType::FixedSizeBinary(bytes))
            }
            (_, CellValNum::Fixed(1)) => Ok(self.of_value()),
            (_, CellValNum::Fixed(n)) => {
                let n = i32::try_from(n).map_err(|_| too_large())?;
                Ok(DataType::FixedSizeList(self.item(), n))
            }
            (_, CellValNum::Var) => Ok(DataType::LargeList(self.item())),
        }
    }

    fn of_value(&self) -> DataType {
        match self {
            Self::Text | Self::Bytes => DataType::UInt8,
            Self::Bool => DataType::Boolean,
            Self::Date(_) => DataType::Date32,
            Self::Stamp { unit, .. } => DataType::Timestamp(*unit, None),
            Self::Plain(data_type) => data_type.clone(),
        }
    }

    fn item(&self) -> Arc<Field> {
        let is_date = matches!(self, Self::Date(_));
        Arc::new(Field::new("item", self.of_value(), is_date))
    }
}
