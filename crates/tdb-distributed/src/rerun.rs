//! Queries that survive the loss of a worker.

use std::io;
use std::time::Duration;

use datafusion::common::DataFusionError;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::sql::parser::Statement;
use datafusion::sql::sqlparser::ast::Statement as SqlStatement;
use futures_util::{StreamExt, stream};
use tdb_cells::Session;
use tdb_datafusion::{Answer, Database, RowStream, SqlError};
use tokio::time::sleep;

use crate::worker_error::WorkerError;
use crate::{Cluster, ClusterError};

/// Interval at which a waiting query checks whether it was cancelled.
const LOOK: Duration = Duration::from_millis(100);

/// Message about a query that is run again.
const AGAIN: &str = "running the query again on the remaining workers";

/// Message about a statement that changes an array and failed: the change may have been made before the error.
const UNKNOWN: &str = "the statement failed; tdb log shows whether the array was changed";

/// A running query, with all that is needed to start it again.
struct Query {
    cluster: Cluster,
    database: Database,
    session: Session,
    statement: Statement,
    rows: RowStream,
    /// True once rows have been returned; they cannot be taken back.
    has_given: bool,
}

impl Cluster {
    /// Runs a statement. If a worker is lost, a query is run again on the remaining workers, unless it has already
    /// returned rows.
    ///
    /// # Errors
    /// As [`Database::run`]; lost workers, if no other worker is left or rows were already returned.
    pub async fn run(
        &self,
        database: &Database,
        session: &Session,
        statement: Statement,
    ) -> Result<Answer, SqlError> {
        loop {
            match database.run(statement.clone()).await {
                Ok(Answer::Rows(rows)) => {
                    let query = Query {
                        cluster: self.clone(),
                        database: database.clone(),
                        session: session.clone(),
                        statement,
                        rows,
                        has_given: false,
                    };
                    return Ok(Answer::Rows(query.into_rows()));
                }
                Ok(other) => return Ok(other),
                Err(error) => {
                    let lost = self.lost().await;
                    if lost.is_empty() {
                        return Err(error);
                    }
                    if !is_query(&statement) {
                        return Err(gone(&lost, UNKNOWN).into());
                    }
                    if !self.is_alive() {
                        return Err(gone(&lost, "no other worker is left").into());
                    }
                    self.tell(&format!("{}: {AGAIN}", names(&lost)));
                }
            }
        }
    }
}

/// Replaces an error by the worker's own error, if it contains one.
fn in_words_of_worker(error: DataFusionError) -> DataFusionError {
    match WorkerError::found_in(&error) {
        Some(error) => DataFusionError::External(ClusterError::from(error).into()),
        None => error,
    }
}

/// True if a statement only reads.
fn is_query(statement: &Statement) -> bool {
    match statement {
        Statement::Statement(statement) => matches!(**statement, SqlStatement::Query(_)),
        Statement::Explain(_) => true,
        _ => false,
    }
}

/// Error about lost workers.
fn gone(lost: &[String], what: &str) -> io::Error {
    io::Error::other(format!("{}: {what}", names(lost)))
}

/// Formats the names of lost workers as a clause.
fn names(lost: &[String]) -> String {
    match lost {
        [one] => format!("worker {one} was lost"),
        several => format!("workers {} were lost", several.join(", ")),
    }
}

impl Query {
    /// Returns the rows of the query as a stream.
    fn into_rows(self) -> RowStream {
        let schema = self.rows.schema();
        let batches = stream::unfold(Some(self), async |query| {
            let mut query = query?;
            match query.next().await? {
                Ok(batch) => Some((Ok(batch), Some(query))),
                Err(error) => Some((Err(error), None)),
            }
        });
        Box::pin(RecordBatchStreamAdapter::new(schema, batches))
    }

    /// Returns the next batch. If workers are lost before the first rows, restarts the query and continues with that
    /// run.
    async fn next(&mut self) -> Option<Result<arrow_array::RecordBatch, DataFusionError>> {
        loop {
            let error = match self.wait().await? {
                Ok(batch) => {
                    self.has_given |= batch.num_rows() > 0;
                    return Some(Ok(batch));
                }
                Err(error) => error,
            };
            if self.session.check_cancelled().is_err() {
                return Some(Err(error));
            }
            if let Err(error) = self.begin_again(error).await {
                return Some(Err(error));
            }
        }
    }

    /// Waits for the next batch, or for the cancellation of the query.
    async fn wait(&mut self) -> Option<Result<arrow_array::RecordBatch, DataFusionError>> {
        let session = self.session.clone();
        let cancelled = async {
            loop {
                if let Err(cancelled) = session.check_cancelled() {
                    return io::Error::from(cancelled);
                }
                sleep(LOOK).await;
            }
        };
        tokio::select! {
            next = self.rows.next() => next,
            cancelled = cancelled => Some(Err(cancelled.into())),
        }
    }

    /// Restarts the query on the remaining workers, if `error` was caused by a lost worker.
    async fn begin_again(&mut self, error: DataFusionError) -> Result<(), DataFusionError> {
        let lost = self.cluster.lost().await;
        if lost.is_empty() {
            return Err(in_words_of_worker(error));
        }
        if self.has_given {
            let what =
                "some rows were already returned; run the query again on the remaining workers";
            return Err(gone(&lost, what).into());
        }
        if !self.cluster.is_alive() {
            return Err(gone(&lost, "no other worker is left").into());
        }
        self.cluster.tell(&format!("{}: {AGAIN}", names(&lost)));
        let again = Box::pin(self.database.run(self.statement.clone()));
        match again.await {
            Ok(Answer::Rows(rows)) => self.rows = rows,
            Ok(_) => return Err(io::Error::other("the repeated query returned no rows").into()),
            Err(again) => return Err(DataFusionError::External(again.into())),
        }
        Ok(())
    }
}
