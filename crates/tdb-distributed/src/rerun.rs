//! Queries that survive the end of a worker.

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

/// How often a query looks whether it was cancelled while it waits for workers.
const LOOK: Duration = Duration::from_millis(100);

/// What is told of a query that is run again.
const AGAIN: &str = "the query is run again on those that are left";

/// What is told of a statement that changes an array: its error may have come after the change.
const UNKNOWN: &str =
    "the statement did not end; tdb log tells whether the array was changed before";

/// A query under way.
struct Query {
    cluster: Cluster,
    database: Database,
    session: Session,
    statement: Statement,
    rows: RowStream,
    /// Whether somebody was given rows, which cannot be taken back.
    has_given: bool,
}

impl Cluster {
    /// Runs a statement. Where a worker is lost, a query is run again on those that are left, as long as it has given no rows.
    ///
    /// # Errors
    /// As [`Database::run`]; workers that are lost, where no other can do their work.
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

/// What a worker says, in its own words.
fn in_words_of_worker(error: DataFusionError) -> DataFusionError {
    match WorkerError::found_in(&error) {
        Some(error) => DataFusionError::External(ClusterError::from(error).into()),
        None => error,
    }
}

/// Whether a statement only asks.
fn is_query(statement: &Statement) -> bool {
    match statement {
        Statement::Statement(statement) => matches!(**statement, SqlStatement::Query(_)),
        Statement::Explain(_) => true,
        _ => false,
    }
}

/// The error of workers that are lost.
fn gone(lost: &[String], what: &str) -> io::Error {
    io::Error::other(format!("{}: {what}", names(lost)))
}

/// Says that workers are lost.
fn names(lost: &[String]) -> String {
    match lost {
        [one] => format!("worker {one} was lost"),
        several => format!("workers {} were lost", several.join(", ")),
    }
}

impl Query {
    /// The rows of the query.
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

    /// The next batch, of this run or, where workers were lost before the first, of another one.
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

    /// What comes next, unless the query is cancelled before.
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

    /// Runs the query again on the workers that are left, if it failed since one was lost.
    async fn begin_again(&mut self, error: DataFusionError) -> Result<(), DataFusionError> {
        let lost = self.cluster.lost().await;
        if lost.is_empty() {
            return Err(in_words_of_worker(error));
        }
        if self.has_given {
            let what = "rows were given already; run the query again, on the workers that are left";
            return Err(gone(&lost, what).into());
        }
        if !self.cluster.is_alive() {
            return Err(gone(&lost, "no other worker is left").into());
        }
        self.cluster.tell(&format!("{}: {AGAIN}", names(&lost)));
        let again = Box::pin(self.database.run(self.statement.clone()));
        match again.await {
            Ok(Answer::Rows(rows)) => self.rows = rows,
            Ok(_) => return Err(io::Error::other("a query that gives rows gave none").into()),
            Err(again) => return Err(DataFusionError::External(again.into())),
        }
        Ok(())
    }
}
