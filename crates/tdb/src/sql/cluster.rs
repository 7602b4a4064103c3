//! Statements that workers answer, where a context has some.

use std::sync::Arc;

use tdb_datafusion::{Answer, Arrays, Database, SqlError, Statement};
use tdb_distributed::ClusterError;
use tokio::runtime::Runtime;

use super::errors::told;
use crate::{Context, Error, Result};

impl Context {
    /// The same with connections of its own to its workers.
    pub(super) fn with_workers_afresh(mut self) -> Self {
        self.cluster = self.cluster.map(|cluster| Arc::new(cluster.afresh()));
        self
    }

    /// The database that the workers answer for, all of which must be there; without workers, one that answers by itself.
    pub(super) fn database_of(
        &self,
        arrays: Arc<dyn Arrays>,
        runtime: &Runtime,
    ) -> Result<Database> {
        let Some(cluster) = &self.cluster else {
            return Database::new(arrays).map_err(told);
        };
        runtime.block_on(cluster.check())?;
        cluster.database(arrays).map_err(told)
    }

    pub(super) async fn run(
        &self,
        database: &Database,
        statement: Statement,
    ) -> std::result::Result<Answer, SqlError> {
        match &self.cluster {
            None => database.run(statement).await,
            Some(cluster) => {
                let session = self.shared_session();
                cluster.run(database, session, statement).await
            }
        }
    }
}

impl From<ClusterError> for Error {
    fn from(error: ClusterError) -> Self {
        if let ClusterError::Sql(error) = error {
            return told(error);
        }
        let hint = error.hint().map(str::to_owned);
        let error = Self::new(error.kind(), error);
        match hint {
            Some(hint) => error.with_hint(hint),
            None => error,
        }
    }
}
