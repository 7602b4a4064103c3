//! Results as Arrow record batches.

use arrow_array::RecordBatch;
use arrow_schema::ArrowError;
use arrow_select::concat::concat_batches;
use tdb_arrow::RecordBatches;
use tdb_cells::files::{ConversionError, OutputOptions};

use crate::{Error, ErrorKind, ReadBuilder, Result};

impl From<ArrowError> for Error {
    /// Unwraps the error that a read of record batches carries. Errors of Arrow itself become [`ErrorKind::Invalid`].
    fn from(error: ArrowError) -> Self {
        let ArrowError::ExternalError(source) = error else {
            return Self::new(ErrorKind::Invalid, error);
        };
        let source = match source.downcast::<Self>() {
            Ok(error) => return *error,
            Err(source) => source,
        };
        match source.downcast::<ConversionError>() {
            Ok(error) => Self::from(*error),
            Err(source) => Self::new(ErrorKind::Invalid, source),
        }
    }
}

impl ReadBuilder {
    /// Reads batch by batch, as Arrow record batches.
    ///
    /// # Errors
    /// As for [`ReadBuilder::batches`]; fails also if text is not valid UTF-8.
    pub fn arrow(self) -> Result<RecordBatches> {
        let array = self.array().clone();
        let batches = self.batches()?;
        let fields = batches.fields().to_vec();
        let batches = RecordBatches::of(&fields, batches, OutputOptions::default());
        batches.map_err(|error| array.failed(error))
    }

    /// Reads the whole result as one record batch.
    ///
    /// # Errors
    /// As for [`ReadBuilder::arrow`]; fails also if reading fails.
    pub fn to_arrow(self) -> Result<RecordBatch> {
        let uri = self.array().uri().to_owned();
        let failed = |error: ArrowError| Error::from(error).at(&uri);
        let batches = self.arrow()?;
        let schema = arrow_array::RecordBatchReader::schema(&batches);
        let batches = batches.collect::<Result<Vec<_>, _>>();
        concat_batches(&schema, &batches.map_err(failed)?).map_err(failed)
    }
}
