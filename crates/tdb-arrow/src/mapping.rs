use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::{DataType, Field, Schema, SchemaRef, TimeUnit};
use tdb_cells::files::{ConversionError, OutputOptions};
use tdb_cells::{Batch, FieldInfo};
use tdb_schema::CellValNum;
use tdb_tile::{Code, Datatype};

use crate::array::Cells;
use crate::{array, dictionary};

/// Key of the metadata of an Arrow field that holds the name of its TileDB datatype.
pub const DATATYPE: &str = "tiledb.datatype";
/// Key of the metadata of an Arrow field that holds the values per cell: a number or `var`.
pub const CELL_VAL_NUM: &str = "tiledb.cell_val_num";

/// How the fields of one result become columns of record batches.
///
/// The values of numbers, texts and bytes are shared, not copied; see the crate's front page
/// for what is what.
#[derive(Debug)]
pub struct Mapping {
    schema: SchemaRef,
    columns: Vec<ColumnMapping>,
    cells: u64,
}

/// How one field becomes a column.
#[derive(Debug)]
struct ColumnMapping {
    element: Element,
    /// The values of the enumeration, for enumerated fields.
    labels: Option<ArrayRef>,
}

/// What one value becomes, without regard to how many a cell holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Element {
    /// Part of a string that must be UTF-8.
    Text,
    /// Part of a string of bytes.
    Bytes,
    /// One byte, in Arrow one bit.
    Bool,
    /// A datetime of eight bytes, in Arrow the first day of it, in four.
    Date(Datatype),
    /// A datetime, in Arrow so many times a smaller unit.
    Stamp { unit: TimeUnit, times: i64 },
    /// The same bytes in Arrow.
    Plain(DataType),
}

/// What values become Arrow's for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    pub(crate) options: OutputOptions,
    /// Whether there are timestamps that count seconds; if not, they count milliseconds.
    pub(crate) has_seconds: bool,
}

impl Mapping {
    /// The mapping of these fields, in this order.
    ///
    /// # Errors
    /// A cell that is too large for Arrow; an enumeration whose values do not fit.
    pub fn new(fields: &[FieldInfo], options: OutputOptions) -> Result<Self, ConversionError> {
        let has_seconds = true;
        Self::for_target(
            fields,
            Target {
                options,
                has_seconds,
            },
        )
    }

    pub(crate) fn for_target(
        fields: &[FieldInfo],
        target: Target,
    ) -> Result<Self, ConversionError> {
        let (mut arrow, mut columns) = (Vec::new(), Vec::new());
        for field in fields {
            let element = Element::new(field.datatype, target);
            let plain = element.of_cells(&field.name, field.datatype, field.cell_val_num)?;
            let labels = dictionary::labels(field, target)?;
            let data_type = match &labels {
                Some(labels) => {
                    DataType::Dictionary(plain.into(), labels.data_type().clone().into())
                }
                None => plain,
            };
            arrow.push(arrow_field(field, data_type, labels.is_some()));
            columns.push(ColumnMapping { element, labels });
        }
        Ok(Self {
            schema: Arc::new(Schema::new(arrow)),
            columns,
            cells: 0,
        })
    }

    /// The schema of all record batches.
    #[must_use]
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The next batch of the result.
    ///
    /// # Errors
    /// Text that is not UTF-8, a date or time beyond Arrow's type; columns that are not those of the mapping.
    pub fn record_batch(&mut self, batch: &Batch) -> Result<RecordBatch, ConversionError> {
        if batch.columns.len() != self.columns.len() {
            return Err(ConversionError::column("", "not the columns of the result"));
        }
        let arrays = (batch.columns.iter().zip(&self.columns))
            .zip(self.schema.fields())
            .map(|((column, mapping), field)| {
                let cells = Cells {
                    column,
                    count: batch.rows,
                    first: self.cells,
                };
                match &mapping.labels {
                    Some(labels) => dictionary::array(&cells, labels, field.data_type()),
                    None => array::array(&cells, &mapping.element, field.data_type()),
                }
            })
            .collect::<Result<Vec<_>, _>>()?;
        self.cells = self.cells.saturating_add(batch.rows as u64);
        let options = RecordBatchOptions::new().with_row_count(Some(batch.rows));
        RecordBatch::try_new_with_options(Arc::clone(&self.schema), arrays, &options)
            .map_err(|error| ConversionError::library("Arrow", error))
    }
}

fn arrow_field(field: &FieldInfo, data_type: DataType, enumerated: bool) -> Field {
    // NaT has no other place in Date32, nor has an index without a label in a dictionary.
    let nullable = field.nullable || enumerated || data_type == DataType::Date32;
    let values = match field.cell_val_num {
        CellValNum::Fixed(n) => n.to_string(),
        CellValNum::Var => "var".to_owned(),
    };
    let ordered = enumerated && field.enumeration.as_ref().is_some_and(|e| e.is_ordered());
    Field::new(&field.name, data_type, nullable)
        .with_dict_is_ordered(ordered)
        .with_metadata(HashMap::from([
            (DATATYPE.to_owned(), field.datatype.name().to_owned()),
            (CELL_VAL_NUM.to_owned(), values),
        ]))
}

impl Target {
    /// Ticks of so many seconds.
    fn seconds(self, times: i64) -> Element {
        let (unit, times) = if self.has_seconds {
            (TimeUnit::Second, times)
        } else {
            (TimeUnit::Millisecond, times.saturating_mul(1_000))
        };
        match times {
            1 => Element::Plain(DataType::Timestamp(unit, None)),
            _ => Element::Stamp { unit, times },
        }
    }
}

impl Element {
    pub(crate) fn new(datatype: Datatype, target: Target) -> Self {
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
            // The other units of dates and times have no Arrow type of their own.
            _ => DataType::Int64,
        })
    }

    /// The Arrow type of cells that hold so many of these values.
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
                let bytes = u64::from(n).saturating_mul(datatype.size() as u64);
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
