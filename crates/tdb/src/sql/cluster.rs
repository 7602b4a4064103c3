//! Running statements on workers, if the context has a cluster.

use std::sync::Arc;

use tdb_datafusion::{Answer, Arrays, Database, SqlError, Statement};
use tdb_distributed::ClusterError;
use tokio::runtime::Runtime;

use crate::Context;
use tdb_open::{Error, Result};

impl Context {
    /// Gives the context its own connections to its workers.
    pub(super) fn with_workers_afresh(mut self) -> Self {
        self.cluster = self.cluster.map(|cluster| Arc::new(cluster.afresh()));
        self
    }

    /// Returns a database that uses the workers, all of which must be reachable; without workers, one that runs in
    /// this process.
    pub(super) fn database_of(&self, arrays: Arc<Arrays>, runtime: &Runtime) -> Result<Database> {
        let Some(cluster) = &self.cluster else {
            return Database::new(arrays).map_err(of_sql);
        };
        runtime.block_on(cluster.check()).map_err(of_cluster)?;
        cluster.database(arrays).map_err(of_sql)
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

/// Converts an error of a cluster.
pub(crate) fn of_cluster(error: ClusterError) -> Error {
    match error {
        ClusterError::Sql(error) => of_sql(error),
        error => Error::from(error),
    }
}

/// Restores an error that passed through DataFusion.
pub(crate) fn of_sql(error: SqlError) -> Error {
    let (place, source) = match error {
        SqlError::Array { place, source } => (place, source),
        error => return error.into(),
    };
    match source.downcast::<ClusterError>() {
        Ok(error) => {
            let error = of_cluster(*error);
            match place {
                Some(uri) => error.at(&uri),
                None => error,
            }
        }
        Err(source) => SqlError::Array { place, source }.into(),
    }
}
