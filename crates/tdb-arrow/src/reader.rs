use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use tdb_cells::files::{ConversionError, OutputOptions};
use tdb_cells::{Batch, FieldInfo};
use tdb_query::Reader;

use crate::Mapping;

/// The error type of a source of batches.
type BoxedError = Box<dyn std::error::Error + Send + Sync>;

/// Converts the cells of a read into record batches, for anything that takes a `RecordBatchReader` of Arrow.
pub struct RecordBatches {
    batches: Box<dyn Iterator<Item = Result<Batch, BoxedError>> + Send>,
    mapping: Mapping,
}

impl RecordBatches {
    /// Starts with the first batch that `reader` has not returned yet.
    ///
    /// # Errors
    /// Errors of [`Mapping::new`].
    pub fn try_new(reader: Reader, options: OutputOptions) -> Result<Self, ConversionError> {
        let fields = reader.fields().to_vec();
        Self::of(&fields, reader, options)
    }

    /// Converts any batches whose columns are these fields.
    ///
    /// # Errors
    /// Errors of [`Mapping::new`].
    pub fn of<E>(
        fields: &[FieldInfo],
        batches: impl Iterator<Item = Result<Batch, E>> + Send + 'static,
        options: OutputOptions,
    ) -> Result<Self, ConversionError>
    where
        E: Into<BoxedError>,
    {
        let mapping = Mapping::new(fields, options)?;
        let batches = batches.map(|batch| batch.map_err(Into::into));
        Ok(Self {
            batches: Box::new(batches),
            mapping,
        })
    }
}

impl Iterator for RecordBatches {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch: Result<RecordBatch, BoxedError> = match self.batches.next()? {
            Ok(batch) => self.mapping.record_batch(&batch).map_err(Into::into),
            Err(error) => Err(error),
        };
        Some(batch.map_err(ArrowError::from_external_error))
    }
}

impl RecordBatchReader for RecordBatches {
    fn schema(&self) -> SchemaRef {
        self.mapping.schema().clone()
    }
}
