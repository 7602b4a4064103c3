//! Results as Arrow record batches.

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use arrow_select::concat::concat_batches;
use tdb_arrow::RecordBatches;
use tdb_cells::files::{ConversionError, OutputOptions};
use tdb_open::{Error, ErrorKind, Result};

use crate::{Array, ReadBuilder};

/// The cells of a read as Arrow record batches, which are read as they are taken.
pub struct ArrowBatches {
    batches: RecordBatches,
    array: Array,
}

impl ArrowBatches {
    /// Returns the Arrow schema of the batches.
    #[must_use]
    pub fn schema(&self) -> SchemaRef {
        self.batches.schema()
    }

    /// Converts to the reader that Arrow's own interfaces take, with errors of Arrow.
    #[must_use]
    pub fn into_reader(self) -> RecordBatches {
        self.batches
    }
}

impl std::fmt::Debug for ArrowBatches {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut text = f.debug_struct("ArrowBatches");
        text.field("array", &self.array).finish_non_exhaustive()
    }
}

impl Iterator for ArrowBatches {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = self.batches.next()?;
        Some(batch.map_err(|error| of_arrow(error).at(self.array.uri())))
    }
}

/// Unwraps the error that a reader of record batches carries. Errors of Arrow itself become [`ErrorKind::Invalid`].
pub(crate) fn of_arrow(error: ArrowError) -> Error {
    let ArrowError::ExternalError(source) = error else {
        return Error::new(ErrorKind::Invalid, error);
    };
    let source = match source.downcast::<Error>() {
        Ok(error) => return *error,
        Err(source) => source,
    };
    match source.downcast::<ConversionError>() {
        Ok(error) => Error::from(*error),
        Err(source) => Error::new(ErrorKind::Invalid, source),
    }
}

impl ReadBuilder {
    /// Reads batch by batch, as Arrow record batches.
    ///
    /// # Errors
    /// As for [`ReadBuilder::batches`]; fails also if text is not valid UTF-8.
    pub fn arrow(self) -> Result<ArrowBatches> {
        let array = self.array().clone();
        let batches = self.batches()?;
        let fields = batches.fields().to_vec();
        let batches = RecordBatches::of(&fields, batches, OutputOptions::default());
        match batches {
            Ok(batches) => Ok(ArrowBatches { batches, array }),
            Err(error) => Err(array.failed(error)),
        }
    }

    /// Reads the whole result as one record batch.
    ///
    /// # Errors
    /// As for [`ReadBuilder::arrow`]; fails also if reading fails.
    pub fn to_arrow(self) -> Result<RecordBatch> {
        let batches = self.arrow()?;
        let (schema, array) = (batches.schema(), batches.array.clone());
        let batches = batches.collect::<Result<Vec<_>>>()?;
        let whole = concat_batches(&schema, &batches);
        whole.map_err(|error| of_arrow(error).at(array.uri()))
    }
}
