//! The rows of a query on their way to a thread that may wait.

use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use datafusion::common::Result;
use datafusion::execution::SendableRecordBatchStream;
use futures_util::StreamExt;
use tokio::sync::mpsc;

use crate::error::external;

/// The rows of a query, for a thread that may wait.
pub(crate) struct Rows {
    schema: SchemaRef,
    receiver: mpsc::Receiver<Result<RecordBatch, ArrowError>>,
}

/// Has a thread that may wait take the rows of a query, and says what it made of them.
pub(crate) async fn hand_over<T: Send + 'static>(
    mut stream: SendableRecordBatchStream,
    take: impl FnOnce(Rows) -> Result<T> + Send + 'static,
) -> Result<T> {
    let (sender, receiver) = mpsc::channel(2);
    let rows = Rows {
        schema: stream.schema(),
        receiver,
    };
    let taken = tokio::task::spawn_blocking(move || take(rows));
    while let Some(batch) = stream.next().await {
        let has_failed = batch.is_err();
        let batch = batch.map_err(|error| ArrowError::ExternalError(Box::new(error)));
        // After an error, nobody takes any more.
        if sender.send(batch).await.is_err() || has_failed {
            break;
        }
    }
    drop(sender);
    taken.await.map_err(external)?
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
