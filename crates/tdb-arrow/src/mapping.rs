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

/// Metadata key of an Arrow field: the name of its TileDB datatype.
pub const DATATYPE: &str = "tiledb.datatype";
/// Metadata key of an Arrow field: the number of values per cell, or `var`.
pub const CELL_VAL_NUM: &str = "tiledb.cell_val_num";

/// Metadata key of an Arrow field of labels: the name of their enumeration.
pub const ENUMERATION: &str = "tiledb.enumeration";

/// Metadata key of an Arrow field of labels in a Parquet file: the enumeration, as JSON. Parquet dictionaries keep
/// neither the order of labels nor unused ones.
pub const LABELS: &str = "tiledb.labels";

/// Metadata key of an Arrow schema: the schema of the array, as JSON. A file with it can be imported again with the
/// same dimensions and filters.
pub const ARRAY_SCHEMA: &str = "tiledb.schema";

/// Converts the fields of one result into columns of record batches.
///
/// The values of numbers, texts and bytes are shared, not copied. The crate's front page lists the Arrow types.
#[derive(Debug)]
pub struct Mapping {
    schema: SchemaRef,
    columns: Vec<ColumnMapping>,
    cells: u64,
}

/// The conversion of one field into a column.
#[derive(Debug)]
struct ColumnMapping {
    element: Element,
    /// The values of the enumeration, if the field is enumerated.
    labels: Option<ArrayRef>,
    /// Whether NaT becomes null, although the Arrow type could represent it.
    has_null_times: bool,
}

impl Mapping {
    /// Creates the mapping of these fields, in this order.
    ///
    /// # Errors
    /// A cell is too large for Arrow, or the values of an enumeration cannot be converted.
    pub fn new(fields: &[FieldInfo], options: OutputOptions) -> Result<Self, ConversionError> {
        Self::for_target(fields, ArrowTarget::usual(options))
    }

    /// Like [`Mapping::new`], for columns that a query engine compares:
    ///
    /// - In attributes with one timestamp or duration per cell, NaT is null, as it is in dates; cells of dense arrays
    ///   that were never written contain it. Such columns are nullable even if the attribute is not.
    /// - Text in cells of fixed size becomes text of any size, without padding NUL bytes: `LargeUtf8`, or
    ///   `LargeBinary` for `char`, which need not be UTF-8.
    /// - The labels of an enumeration of `char` are text if all of them are UTF-8.
    ///
    /// # Errors
    /// Errors of [`Mapping::new`].
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

    /// Adds the schema of the array, as JSON, to the metadata.
    #[must_use]
    pub fn with_array_schema(mut self, json: &str) -> Self {
        let schema = Schema::clone(&self.schema);
        let metadata = HashMap::from([(ARRAY_SCHEMA.to_owned(), json.to_owned())]);
        self.schema = Arc::new(schema.with_metadata(metadata));
        self
    }

    /// Adds the schema of the array, if it is given.
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

    /// Returns the labels of each column: the values of its dictionary; `None` for columns that have none.
    pub fn labels(&self) -> impl Iterator<Item = Option<&ArrayRef>> {
        self.columns.iter().map(|column| column.labels.as_ref())
    }

    /// Converts the next batch of the result.
    ///
    /// # Errors
    /// Text that is not UTF-8, a date or time beyond Arrow's type, or other columns than those of the mapping.
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
        self.cells += batch.rows as u64;
        let options = RecordBatchOptions::new().with_row_count(Some(batch.rows));
        RecordBatch::try_new_with_options(Arc::clone(&self.schema), arrays, &options)
            .map_err(|error| ConversionError::library("Arrow", error))
    }
}

/// Whether cells are times of an Arrow type that can represent NaT. Coordinates do not count, because they are never
/// NaT.
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
    // In Date32 and in dictionaries, null is the only representation of NaT and of an index without a label.
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
    // Labels that a reader gets in another order must not count as ordered.
    let ordered = enumeration.is_some_and(|e| e.is_ordered() && target.keeps_labels);
    Field::new(&field.name, data_type, nullable)
        .with_dict_is_ordered(ordered)
        .with_metadata(metadata)
}
