//! Results as columns that cells can hold: what Arrow has and no field does becomes text.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Decimal128Type;
use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions, RecordBatchReader};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use datafusion::arrow::compute::cast;
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use tdb_arrow::field_of_column;

/// Record batches whose columns have names that no other has, and types that fields of arrays hold: what none holds is text.
pub struct HeldRows<R> {
    rows: R,
    schema: SchemaRef,
}

impl<R: RecordBatchReader> HeldRows<R> {
    /// The rows of a reader.
    #[must_use]
    pub fn new(rows: R) -> Self {
        Self {
            schema: held_by_cells(&distinct_names(&rows.schema())),
            rows,
        }
    }
}

impl<R: RecordBatchReader> Iterator for HeldRows<R> {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = self.rows.next()?;
        Some(batch.and_then(|batch| hold(&batch, &self.schema)))
    }
}

impl<R: RecordBatchReader> RecordBatchReader for HeldRows<R> {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}

/// The same columns, each with a name that no other has: `a`, `a:1`.
fn distinct_names(schema: &Schema) -> SchemaRef {
    let mut taken: HashSet<String> = HashSet::new();
    let fields = schema.fields().iter().map(|field| {
        let mut name = field.name().clone();
        let mut number = 0_u64;
        while !taken.insert(name.clone()) {
            number = number.saturating_add(1);
            name = format!("{}:{number}", field.name());
        }
        Field::clone(field).with_name(name)
    });
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}

/// The schema of the same columns where those that no field holds are text.
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

/// The columns of a batch as those of such a schema.
fn hold(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch, ArrowError> {
    let columns = batch.columns().iter().zip(schema.fields());
    let columns = columns.map(|(column, field)| {
        if column.data_type() == field.data_type() {
            return Ok(Arc::clone(column));
        }
        match column.data_type() {
            DataType::Dictionary(..) => cast(column, field.data_type()),
            _ => text(column),
        }
    });
    let columns = columns.collect::<Result<Vec<ArrayRef>, ArrowError>>()?;
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(Arc::clone(schema), columns, &options)
}

/// Values as Arrow shows them: of a decimal so many digits as its type has, though products and sums have more.
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
