//! Passes the rows of a query to a thread that may block.

use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use datafusion::common::Result;
use datafusion::execution::SendableRecordBatchStream;
use futures_util::StreamExt;
use tdb_cells::Session;
use tokio::sync::mpsc;

use crate::error::external;
use crate::given_up::unless_cancelled;

/// Rows of a query, for a thread that may block.
pub(crate) struct Rows {
    schema: SchemaRef,
    receiver: mpsc::Receiver<Sent>,
    /// Whether all rows were taken.
    is_done: bool,
}

/// Next rows; `None` after the last.
type Sent = Result<Option<RecordBatch>, ArrowError>;

/// Passes the rows of a query to `take`, which runs on a thread that may block, and returns its result. If the
/// session is cancelled, the rows end with an error.
pub(crate) async fn hand_over<T: Send + 'static>(
    session: &Session,
    mut stream: SendableRecordBatchStream,
    take: impl FnOnce(Rows) -> Result<T> + Send + 'static,
) -> Result<T> {
    let (sender, receiver) = mpsc::channel(2);
    let rows = Rows {
        schema: stream.schema(),
        receiver,
        is_done: false,
    };
    let taken = tokio::task::spawn_blocking(move || take(rows));
    loop {
        let next = unless_cancelled(session, stream.next())
            .await
            .and_then(Option::transpose);
        let is_last = !matches!(next, Ok(Some(_)));
        let next = next.map_err(|error| ArrowError::ExternalError(Box::new(error)));
        // After a failure, the receiver takes no more rows.
        if sender.send(next).await.is_err() || is_last {
            break;
        }
    }
    taken.await.map_err(external)?
}

impl Iterator for Rows {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_done {
            return None;
        }
        // The sender marks the end explicitly, so that the rows of a query that was dropped midway are not taken for
        // all of its rows.
        let sent = self.receiver.blocking_recv().unwrap_or_else(|| {
            let lost = std::io::Error::other("the query was dropped before its last row");
            Err(ArrowError::from(lost))
        });
        self.is_done = !matches!(sent, Ok(Some(_)));
        sent.transpose()
    }
}

impl RecordBatchReader for Rows {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::Int64Array;
    use arrow_schema::{DataType, Field, Schema};
    use datafusion::common::exec_datafusion_err;
    use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
    use futures_util::{Stream, stream};

    use super::*;

    fn numbers() -> RecordBatch {
        let column = Arc::new(Int64Array::from(vec![1, 2]));
        RecordBatch::try_from_iter([("n", column as _)]).unwrap()
    }

    fn query(
        rows: impl Stream<Item = Result<RecordBatch>> + Send + 'static,
    ) -> SendableRecordBatchStream {
        let schema = Schema::new(vec![Field::new("n", DataType::Int64, false)]);
        Box::pin(RecordBatchStreamAdapter::new(Arc::new(schema), rows))
    }

    /// Returns the number of batches, and whether an error came.
    fn count(rows: Rows) -> Result<(usize, bool)> {
        let rows: Vec<_> = rows.collect();
        let failed = rows.iter().filter(|batch| batch.is_err()).count();
        Ok((rows.len() - failed, failed > 0))
    }

    #[tokio::test]
    async fn rows_end_as_the_query_does() {
        let session = Session::default();
        let whole = query(stream::iter([Ok(numbers()), Ok(numbers())]));
        assert_eq!(hand_over(&session, whole, count).await.unwrap(), (2, false));
        let failed = exec_datafusion_err!("no more");
        let failing = query(stream::iter([Ok(numbers()), Err(failed)]));
        assert_eq!(
            hand_over(&session, failing, count).await.unwrap(),
            (1, true)
        );
    }

    #[tokio::test]
    async fn rows_of_a_query_that_was_given_up_end_with_an_error() {
        let session = Session::default();
        let endless = stream::iter([Ok(numbers())]).chain(stream::pending());
        let cancelled = session.clone();
        let cancel = tokio::task::spawn_blocking(move || cancelled.cancel());
        assert_eq!(
            hand_over(&session, query(endless), count).await.unwrap(),
            (1, true)
        );
        cancel.await.unwrap();
        // Also if the rows are always ready.
        let ready = query(stream::repeat_with(|| Ok(numbers())));
        assert!(hand_over(&session, ready, count).await.unwrap().1);
        // The query is dropped without marking the end of its rows.
        let (sender, receiver) = mpsc::channel(2);
        sender.send(Ok(Some(numbers()))).await.unwrap();
        drop(sender);
        let rows = Rows {
            schema: numbers().schema(),
            receiver,
            is_done: false,
        };
        let counted = tokio::task::spawn_blocking(move || count(rows))
            .await
            .unwrap();
        assert_eq!(counted.unwrap(), (1, true));
    }
}
