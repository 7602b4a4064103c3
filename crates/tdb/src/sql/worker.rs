//! A worker: a process that runs parts of queries for other processes.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tdb_datafusion::Arrays;
use tdb_distributed::{Allowed, Certificates, Token, WorkerLimits};
use tdb_open::Result;
use tokio::runtime::Runtime;
use tokio::time::sleep;

use super::errors::of_cluster;
use crate::Context;

/// Interval between checks for cancellation.
const LOOK: Duration = Duration::from_millis(100);

/// Runs parts of the queries of a [`Cluster`](crate::Cluster), with the threads, the memory, the key and the stores of
/// a context. Clients that know its token may read what `Allowed` permits, and compute; all others are refused.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let (file, uri) = (folder.path().join("orders.csv"), folder.path().join("orders"));
/// # let uri = uri.to_str().expect("a path of text");
/// use tdb::{Allowed, Cluster, Context, Token};
///
/// let token = Token::new("a line that the client knows, too")?;
/// let allowed = Allowed::new([folder.path().to_str().expect("a path of text")])?;
/// let worker = Context::new().worker("127.0.0.1:0", token.clone(), allowed)?;
/// let address = worker.address().to_string();
/// std::thread::spawn(move || worker.serve());
///
/// std::fs::write(&file, "id,town,amount\n7,Bergen,12.5\n9,Oslo,3\n12,Bergen,1\n")?;
/// tdb::import(&file, uri)?;
/// let sql = Context::new().cluster(Cluster::new([address], &token)?).sql()?;
/// let rows = sql.query(&format!("select town, sum(amount) from '{uri}' group by town"))?;
/// assert_eq!(rows.to_arrow()?.num_rows(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Worker {
    context: Context,
    runtime: Runtime,
    worker: tdb_distributed::Worker,
}

impl Context {
    /// Creates a worker that listens at `HOST:PORT`; port 0 picks a free one. It serves clients that know the token,
    /// and reads only what is allowed.
    ///
    /// # Errors
    /// Fails if the address is not valid or is in use.
    pub fn worker(&self, address: &str, token: Token, allowed: Allowed) -> Result<Worker> {
        let runtime = super::threads::start(self.shared_session().threads())?;
        let bound = tdb_distributed::Worker::bind(address, token, allowed);
        let worker = runtime.block_on(bound).map_err(of_cluster)?;
        Ok(Worker {
            context: self.clone(),
            runtime,
            worker,
        })
    }
}

impl Worker {
    /// Sets the certificates: the worker's own, and those that the worker accepts from other workers.
    #[must_use]
    pub fn certificates(mut self, certificates: Certificates) -> Self {
        self.worker = self.worker.certificates(certificates);
        self
    }

    /// Sets the limits.
    #[must_use]
    pub fn limits(mut self, limits: WorkerLimits) -> Self {
        self.worker = self.worker.limits(limits);
        self
    }

    /// Reports refused requests, and who made them, to `listener`.
    #[must_use]
    pub fn listener(mut self, listener: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.worker = self.worker.listener(listener);
        self
    }

    /// Returns the address at which the worker listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.worker.address()
    }

    /// Serves requests until the session of the context is cancelled.
    ///
    /// # Errors
    /// Fails if the system ends the server.
    pub fn serve(self) -> Result<()> {
        let session = self.context.shared_session().clone();
        let stop = async move {
            while session.check_cancelled().is_ok() {
                sleep(LOOK).await;
            }
        };
        let arrays = Arc::new(Arrays::new(self.context.into()));
        let served = self.runtime.block_on(self.worker.serve(arrays, stop));
        served.map_err(of_cluster)?;
        // Remaining tasks belong to clients that were told that the worker ended.
        self.runtime.shutdown_background();
        Ok(())
    }
}
