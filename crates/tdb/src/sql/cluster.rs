//! Running statements on workers, if the context has a cluster.

use std::sync::Arc;

use tdb_datafusion::{Answer, Arrays, Database, SqlError, Statement};
use tdb_open::Result;
use tokio::runtime::Runtime;

use super::errors::{of_cluster, of_sql};
use crate::Context;

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
