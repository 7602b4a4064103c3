use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use tdb_cells::files::{ConversionError, OutputOptions};
use tdb_cells::{Batch, FieldInfo};
use tdb_query::Reader;

use crate::Mapping;

/// An error of whoever gives the batches.
type BoxedError = Box<dyn std::error::Error + Send + Sync>;

/// The cells of a read as record batches, for all that takes Arrow's `RecordBatchReader`.
pub struct RecordBatches {
    batches: Box<dyn Iterator<Item = Result<Batch, BoxedError>> + Send>,
    mapping: Mapping,
}

impl RecordBatches {
    /// Begins with the first batch that `reader` has not handed out.
    ///
    /// # Errors
    /// As for [`Mapping::new`].
    pub fn try_new(reader: Reader, options: OutputOptions) -> Result<Self, ConversionError> {
        let fields = reader.fields().to_vec();
        Self::of(&fields, reader, options)
    }

    /// The same of any batches whose columns are these fields.
    ///
    /// # Errors
    /// As for [`Mapping::new`].
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
