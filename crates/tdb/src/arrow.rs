//! Results as Arrow record batches.

use arrow_array::RecordBatch;
use arrow_select::concat::concat_batches;
use tdb_arrow::RecordBatches;
use tdb_cells::files::OutputOptions;

use crate::{Error, ErrorKind, ReadBuilder, Result};

impl ReadBuilder {
    /// Reads batch by batch, as Arrow's record batches.
    ///
    /// # Errors
    /// As for [`ReadBuilder::batches`]; text that is no UTF-8.
    pub fn arrow(self) -> Result<RecordBatches> {
        let array = self.array().clone();
        let batches = self.batches()?;
        let fields = batches.fields().to_vec();
        let batches = RecordBatches::of(&fields, batches, OutputOptions::default());
        batches.map_err(|error| array.failed(error))
    }

    /// The whole result as one record batch.
    ///
    /// # Errors
    /// As for [`ReadBuilder::arrow`]; errors of reading.
    pub fn to_arrow(self) -> Result<RecordBatch> {
        let uri = self.array().uri().to_owned();
        let failed = |error| Error::new(ErrorKind::Invalid, error).at(&uri);
        let batches = self.arrow()?;
        let schema = arrow_array::RecordBatchReader::schema(&batches);
        let batches = batches.collect::<Result<Vec<_>, _>>();
        concat_batches(&schema, &batches.map_err(failed)?).map_err(failed)
    }
}
