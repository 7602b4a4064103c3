//! The rows of a query on their way to a thread that may wait.

use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use tokio::sync::mpsc;

/// The rows of a query, for a thread that may wait.
pub(crate) struct Rows {
    pub(crate) schema: SchemaRef,
    pub(crate) receiver: mpsc::Receiver<Result<RecordBatch, ArrowError>>,
}

impl Iterator for Rows {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.receiver.blocking_recv()
    }
}

impl RecordBatchReader for Rows {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}
