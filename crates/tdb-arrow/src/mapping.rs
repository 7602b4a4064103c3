use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use tdb_cells::files::{ConversionError, OutputOptions};
use tdb_cells::{Batch, FieldInfo};
use tdb_schema::json::{Times, enumeration_to_json};
use tdb_schema::value::is_padded;
use tdb_schema::{CellValNum, FieldKind};
use tdb_tile::Code;

use crate::cells::ColumnCells;
use crate::element::{ArrowTarget, Element};
use crate::{array, dates, dictionary};

/// Key of the metadata of an Arrow field that holds the name of its TileDB datatype.
pub const DATATYPE: &str = "tiledb.datatype";
/// Key of the metadata of an Arrow field that holds the values per cell: a number or `var`.
pub const CELL_VAL_NUM: &str = "tiledb.cell_val_num";

/// Key of the metadata of an Arrow field of labels that holds the name of their enumeration.
pub const ENUMERATION: &str = "tiledb.enumeration";

/// Key of the metadata of an Arrow field of labels in a Parquet file, which keeps neither their order nor those without a cell: the
/// enumeration, as JSON.
pub const LABELS: &str = "tiledb.labels";

/// Key of the metadata of an Arrow schema that holds the schema of the array, as JSON: with it a file that comes back remembers
/// dimensions, keys and filters.
pub const ARRAY_SCHEMA: &str = "tiledb.schema";

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
    /// Whether NaT is null, though Arrow's type has a place for it.
    has_null_times: bool,
}

impl Mapping {
    /// The mapping of these fields, in this order.
    ///
    /// # Errors
    /// A cell that is too large for Arrow; an enumeration whose values do not fit.
    pub fn new(fields: &[FieldInfo], options: OutputOptions) -> Result<Self, ConversionError> {
        Self::for_target(fields, ArrowTarget::usual(options))
    }

    /// As [`Mapping::new`], for columns that a query engine compares:
    ///
    /// - NaT is null in the columns of timestamps and durations that are attributes of one value, as it is in those of dates: what a cell
    ///   of a dense array holds that was never written. Such columns may have nulls, whatever their attribute may.
    /// - Text in cells of fixed size is text of any size, without the NUL bytes that fill its cell up: `LargeUtf8`, and `LargeBinary` for
    ///   `char`, which need not be UTF-8.
    /// - The labels of an enumeration of `char` are text if all of them are UTF-8.
    ///
    /// # Errors
    /// As for [`Mapping::new`].
    pub fn for_queries(
        fields: &[FieldInfo],
        options: OutputOptions,
    ) -> Result<Self, ConversionError> {
        let target = ArrowTarget {
            is_for_queries: true,
            ..ArrowTarget::usual(options)
        };
        Self::for_target(fields, target)
    }

    pub(crate) fn for_target(
        fields: &[FieldInfo],
        target: ArrowTarget,
    ) -> Result<Self, ConversionError> {
        let (mut arrow, mut columns) = (Vec::new(), Vec::new());
        for field in fields {
            let element = Element::new(field.datatype, target);
            let cell_val_num =
                if target.is_for_queries && is_padded(field.datatype, field.cell_val_num) {
                    CellValNum::Var
                } else {
                    field.cell_val_num
                };
            let plain = element.of_cells(&field.name, field.datatype, cell_val_num)?;
            let labels = dictionary::labels(field, target)?;
            let data_type = match &labels {
                Some(labels) => {
                    DataType::Dictionary(plain.into(), labels.data_type().clone().into())
                }
                None => plain,
            };
            let has_null_times = target.is_for_queries && has_times(field, &data_type);
            let arrow_field = arrow_field(field, data_type, labels.is_some(), target);
            let is_nullable = arrow_field.is_nullable() || has_null_times;
            arrow.push(arrow_field.with_nullable(is_nullable));
            columns.push(ColumnMapping {
                element,
                labels,
                has_null_times,
            });
        }
        Ok(Self {
            schema: Arc::new(Schema::new(arrow)),
            columns,
            cells: 0,
        })
    }

    /// The same mapping, whose schema also tells that of the array, as JSON.
    #[must_use]
    pub fn with_array_schema(mut self, json: &str) -> Self {
        let schema = Schema::clone(&self.schema);
        let metadata = HashMap::from([(ARRAY_SCHEMA.to_owned(), json.to_owned())]);
        self.schema = Arc::new(schema.with_metadata(metadata));
        self
    }

    /// The mapping, with the schema of the array if that is given.
    #[cfg(any(feature = "ipc", feature = "parquet"))]
    pub(crate) fn remembering(self, json: Option<&str>) -> Self {
        match json {
            Some(json) => self.with_array_schema(json),
            None => self,
        }
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
                let cells = ColumnCells {
                    column,
                    count: batch.rows,
                    first: self.cells,
                };
                match &mapping.labels {
                    Some(labels) => dictionary::array(&cells, labels, field.data_type()),
                    None => {
                        let validity = if mapping.has_null_times {
                            dates::dated(&cells)
                        } else {
                            cells.validity()
                        };
                        array::array(&cells, &mapping.element, field.data_type(), validity)
                    }
                }
            })
            .collect::<Result<Vec<_>, _>>()?;
        self.cells = self.cells.saturating_add(batch.rows as u64);
        let options = RecordBatchOptions::new().with_row_count(Some(batch.rows));
        RecordBatch::try_new_with_options(Arc::clone(&self.schema), arrays, &options)
            .map_err(|error| ConversionError::library("Arrow", error))
    }
}

/// Whether cells are times of a type that has a place for NaT. Coordinates are never NaT.
fn has_times(field: &FieldInfo, data_type: &DataType) -> bool {
    let is_attribute = !matches!(field.field, FieldKind::Dimension(_));
    is_attribute && matches!(data_type, DataType::Timestamp(..) | DataType::Duration(_))
}

fn arrow_field(
    field: &FieldInfo,
    data_type: DataType,
    enumerated: bool,
    target: ArrowTarget,
) -> Field {
    // NaT has no other place in Date32, nor has an index without a label in a dictionary.
    let nullable = field.nullable || enumerated || data_type == DataType::Date32;
    let values = match field.cell_val_num {
        CellValNum::Fixed(n) => n.to_string(),
        CellValNum::Var => "var".to_owned(),
    };
    let mut metadata = HashMap::from([
        (DATATYPE.to_owned(), field.datatype.name().to_owned()),
        (CELL_VAL_NUM.to_owned(), values),
    ]);
    let enumeration = field.enumeration.as_ref().filter(|_| enumerated);
    if let Some(enumeration) = enumeration {
        metadata.insert(ENUMERATION.to_owned(), enumeration.name().to_owned());
        if !target.keeps_labels {
            let labels = enumeration_to_json(enumeration, Times::Ticks);
            metadata.insert(LABELS.to_owned(), labels.to_string());
        }
    }
    // Who reads labels in another order must not take that for theirs.
    let ordered = enumeration.is_some_and(|e| e.is_ordered() && target.keeps_labels);
    Field::new(&field.name, data_type, nullable)
        .with_dict_is_ordered(ordered)
        .with_metadata(metadata)
}
