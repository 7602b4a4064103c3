//! Converts results to types that cells can hold: Arrow types that no field has become text.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Decimal128Type;
use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions, RecordBatchReader};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use datafusion::arrow::compute::cast;
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use tdb_arrow::field_of_column;

/// Record batches with unique column names and with types that fields of arrays can hold; other types become text.
pub struct StorableRows<R> {
    rows: R,
    schema: SchemaRef,
}

impl<R: RecordBatchReader> StorableRows<R> {
    /// Wraps the rows of a reader.
    #[must_use]
    pub fn new(rows: R) -> Self {
        Self {
            schema: held_by_cells(&distinct_names(&rows.schema())),
            rows,
        }
    }
}

impl<R: RecordBatchReader> Iterator for StorableRows<R> {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = self.rows.next()?;
        Some(batch.and_then(|batch| hold(&batch, &self.schema)))
    }
}

impl<R: RecordBatchReader> RecordBatchReader for StorableRows<R> {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}

/// Returns the columns with unique names, such as `a`, `a:1`.
fn distinct_names(schema: &Schema) -> SchemaRef {
    let mut taken: HashSet<String> = HashSet::new();
    let fields = schema.fields().iter().map(|field| {
        let mut name = field.name().clone();
        let mut number = 0_u64;
        while !taken.insert(name.clone()) {
            number += 1;
            name = format!("{}:{number}", field.name());
        }
        Field::clone(field).with_name(name)
    });
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}

/// Returns the schema with text in place of types that no field can hold.
fn held_by_cells(schema: &Schema) -> SchemaRef {
    let fields = schema.fields().iter().map(|field| {
        let plain = match field.data_type() {
            DataType::Dictionary(_, values) => values.as_ref().clone(),
            data_type => data_type.clone(),
        };
        let plain = Field::clone(field).with_data_type(plain);
        if field_of_column(&plain, 0).is_some() {
            plain
        } else {
            plain
                .with_data_type(DataType::LargeUtf8)
                .with_metadata(HashMap::new())
        }
    });
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}

/// Converts the columns of a batch to those of such a schema.
fn hold(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch, ArrowError> {
    let columns = batch
        .columns()
        .iter()
        .zip(schema.fields())
        .map(|(column, field)| {
            if column.data_type() == field.data_type() {
                return Ok(Arc::clone(column));
            }
            match column.data_type() {
                DataType::Dictionary(..) => cast(column, field.data_type()),
                _ => text(column),
            }
        })
        .collect::<Result<Vec<ArrayRef>, ArrowError>>()?;
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(Arc::clone(schema), columns, &options)
}

/// Formats values as Arrow shows them. Fails for a decimal with more digits than its type has, as products and sums
/// may have.
fn text(column: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    if let (DataType::Decimal128(digits, _), Some(decimals)) = (
        column.data_type(),
        column.as_primitive_opt::<Decimal128Type>(),
    ) {
        decimals.validate_decimal_precision(*digits)?;
    }
    let options = FormatOptions::default();
    let shown = ArrayFormatter::try_new(column.as_ref(), &options)?;
    let mut texts = arrow_array::builder::LargeStringBuilder::new();
    for row in 0..column.len() {
        if column.is_null(row) {
            texts.append_null();
        } else {
            texts.append_value(shown.value(row).try_to_string()?);
        }
    }
    Ok(Arc::new(texts.finish()))
}
