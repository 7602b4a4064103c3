use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use tdb_cells::files::{ConversionError, OutputOptions};
use tdb_query::Reader;

use crate::Mapping;

/// The cells of a read as record batches, for all that takes Arrow's `RecordBatchReader`.
pub struct RecordBatches {
    reader: Reader,
    mapping: Mapping,
}

impl RecordBatches {
    /// Begins with the first batch that `reader` has not handed out.
    ///
    /// # Errors
    /// As for [`Mapping::new`].
    pub fn try_new(reader: Reader, options: OutputOptions) -> Result<Self, ConversionError> {
        let mapping = Mapping::new(reader.fields(), options)?;
        Ok(Self { reader, mapping })
    }
}

impl Iterator for RecordBatches {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = match self.reader.next()? {
            Ok(batch) => self.mapping.record_batch(&batch).map_err(Into::into),
            Err(error) => Err(error.into()),
        };
        Some(batch.map_err(ArrowError::from_external_error))
    }
}

impl RecordBatchReader for RecordBatches {
    fn schema(&self) -> SchemaRef {
        self.mapping.schema().clone()
    }
}
