//! Running statements on workers, if the context has a cluster.

use std::sync::Arc;

use tdb_datafusion::{Answer, Arrays, Database, SqlError, Statement};
use tdb_distributed::ClusterError;
use tokio::runtime::Runtime;

use super::errors::told;
use crate::{Context, Error, Result};

impl Context {
    /// Gives the context its own connections to its workers.
    pub(super) fn with_workers_afresh(mut self) -> Self {
        self.cluster = self.cluster.map(|cluster| Arc::new(cluster.afresh()));
        self
    }

    /// Returns a database that uses the workers, all of which must be reachable; without workers, one that runs in
    /// this process.
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
