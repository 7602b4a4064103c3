//! The client side of a cluster of workers.

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use datafusion::common::{DataFusionError, Result as DataFusionResult, exec_err};
use datafusion::execution::SessionStateBuilder;
use datafusion_distributed::{
    ChannelResolver, DesiredTaskCountEvent, DistributedExt, ScaleUpLeafNodeEvent,
    SessionStateBuilderExt, WorkerResolver,
};
use futures_util::future::join_all;
use tdb_datafusion::{Arrays, Database, Machines, SqlError};
use tokio::time::{Instant, sleep, timeout};
use url::Url;

use crate::address::{text, url};
use crate::cause;
use crate::channels::Channels;
use crate::codec::ScanCodec;
use crate::journal::Listener;
use crate::planner::Planner;
use crate::spread::{desired, shares};
use crate::tls::of_client;
use crate::{Certificates, ClusterError, Token, VERSION};

/// Timeout for a worker's reply to the version request.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long `check` keeps retrying a worker that was just started, and the pause between attempts.
const START: Duration = Duration::from_secs(2);
const CALL: Duration = Duration::from_millis(100);

/// Default minimum number of cells per worker: below that, the overhead of another worker exceeds the time it saves.
const CELLS_EACH: usize = 1 << 16;

/// Workers that answer queries together. Cheap to clone; clones share the list of live workers and the connections.
#[derive(Clone)]
pub struct Cluster {
    all: Arc<[Url]>,
    live: Arc<Mutex<Vec<Url>>>,
    channels: Arc<Channels>,
    count: NonZeroUsize,
    cells_each: usize,
    listener: Option<Listener>,
}

impl Cluster {
    /// Creates a client of the workers at these addresses (`HOST:PORT`), which share this token. Connects to none of
    /// them; see [`Cluster::check`].
    ///
    /// # Errors
    /// No address, or an invalid one.
    pub fn new<A: AsRef<str>>(
        addresses: impl IntoIterator<Item = A>,
        token: &Token,
    ) -> Result<Self, ClusterError> {
        Self::with_certificates(addresses, token, &Certificates::default())
    }

    /// Like [`Cluster::new`], for workers that show certificates issued by the trusted authorities.
    ///
    /// # Errors
    /// As [`Cluster::new`].
    pub fn with_certificates<A: AsRef<str>>(
        addresses: impl IntoIterator<Item = A>,
        token: &Token,
        certificates: &Certificates,
    ) -> Result<Self, ClusterError> {
        let mut urls: Vec<Url> = Vec::new();
        for address in addresses {
            let url = url(address.as_ref())?;
            if !urls.contains(&url) {
                urls.push(url);
            }
        }
        let count = NonZeroUsize::new(urls.len()).ok_or(ClusterError::NoWorkers)?;
        let tls = Arc::new(of_client(token, certificates)?);
        Ok(Self {
            all: urls.as_slice().into(),
            live: Arc::new(Mutex::new(urls)),
            channels: Arc::new(Channels::new(tls)),
            count,
            cells_each: CELLS_EACH,
            listener: None,
        })
    }

    /// Sets a listener that receives a message when a query is run again.
    #[must_use]
    pub fn listener(mut self, listener: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.listener = Some(Arc::new(listener));
        self
    }

    /// Sets the minimum number of cells per worker: a query uses fewer workers if it has fewer cells.
    #[must_use]
    pub fn cells_each(mut self, cells: usize) -> Self {
        self.cells_each = cells;
        self
    }

    /// Returns a client of the same workers, including those found lost, with new connections. Needed on another
    /// runtime: connections end with the runtime on which they were first used.
    #[must_use]
    pub fn afresh(&self) -> Self {
        Self {
            live: Arc::new(Mutex::new(self.all.to_vec())),
            channels: Arc::new(self.channels.afresh()),
            ..self.clone()
        }
    }

    /// Checks that all live workers answer. A worker that was just started is retried for up to two seconds.
    ///
    /// # Errors
    /// A worker that does not answer within five seconds, refuses the token, or runs another version.
    pub async fn check(&self) -> Result<(), ClusterError> {
        let urls = self.live().clone();
        let answers = join_all(urls.iter().map(|url| self.wait_for(url))).await;
        answers.into_iter().collect()
    }

    async fn wait_for(&self, url: &Url) -> Result<(), ClusterError> {
        let begun = Instant::now();
        loop {
            match self.ask(url).await {
                Err(ClusterError::Silent { .. }) if begun.elapsed() < START => sleep(CALL).await,
                answer => return answer,
            }
        }
    }

    async fn ask(&self, url: &Url) -> Result<(), ClusterError> {
        let address = text(url);
        match timeout(PATIENCE, self.channels.version(url)).await {
            Ok(Ok(version)) if version == VERSION => Ok(()),
            Ok(Ok(found)) => Err(ClusterError::Version { address, found }),
            Ok(Err(error)) => Err(refusal(address, &error)),
            Err(_) => {
                let what = format!("nothing came within {} s", PATIENCE.as_secs());
                Err(ClusterError::Silent { address, what })
            }
        }
    }

    /// Creates a database whose queries run on the workers. The workers open arrays by URI, with their own keys and
    /// credentials.
    ///
    /// # Errors
    /// [`SqlError`].
    pub fn database(&self, arrays: Arc<Arrays>) -> Result<Database, SqlError> {
        let codec = ScanCodec::of_client(Arc::clone(&arrays));
        let cells_each = self.cells_each;
        let desired = move |event: DesiredTaskCountEvent<'_>| desired(&event, cells_each);
        let shares = |event: ScaleUpLeafNodeEvent<'_>| shares(&event);
        let channels: Arc<dyn ChannelResolver + Send + Sync> = Arc::clone(&self.channels) as _;
        Database::extended(arrays, |mut state: SessionStateBuilder| {
            let config = state.config().get_or_insert_default();
            config.set_extension(Arc::new(Machines { count: self.count }));
            let mut state = state
                .with_distributed_worker_resolver(self.clone())
                .with_distributed_channel_resolver(channels)
                .with_distributed_user_codec(codec)
                .with_distributed_planner()
                .with_distributed_desired_task_count_handler(desired)
                .with_distributed_scale_up_leaf_node_handler(shares);
            let distributed = state.query_planner().take();
            state.with_query_planner(Arc::new(Planner {
                listener: self.listener.clone(),
                distributed,
            }))
        })
    }

    /// Asks the live workers whether they still answer, removes those that do not, and returns the addresses of the
    /// removed ones.
    pub(crate) async fn lost(&self) -> Vec<String> {
        let urls = self.live().clone();
        let answers = join_all(urls.iter().map(|url| self.ask(url))).await;
        let is_gone = |answer: &_| matches!(answer, Err(ClusterError::Silent { .. }));
        let gone: Vec<Url> = urls
            .into_iter()
            .zip(answers)
            .filter(|(_, answer)| is_gone(answer))
            .map(|(url, _)| url)
            .collect();
        self.live().retain(|url| !gone.contains(url));
        gone.iter().map(text).collect()
    }

    /// Passes a message to the listener, if there is one.
    pub(crate) fn tell(&self, what: &str) {
        if let Some(listener) = &self.listener {
            listener(what);
        }
    }

    /// True if at least one worker is left.
    pub(crate) fn is_alive(&self) -> bool {
        !self.live().is_empty()
    }

    fn live(&self) -> MutexGuard<'_, Vec<Url>> {
        // A panic cannot leave the list half changed, so a poisoned lock is safe to use.
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Omits the listener and the token's keys.
impl fmt::Debug for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cluster")
            .field("live", &*self.live())
            .field("cells_each", &self.cells_each)
            .finish_non_exhaustive()
    }
}

/// Converts a failed version request into [`ClusterError::Refused`] or [`ClusterError::Silent`].
fn refusal(address: String, error: &DataFusionError) -> ClusterError {
    if cause::first(error).is_some_and(is_of_proof) {
        return ClusterError::Refused { address };
    }
    let last = cause::chain(error).last().map(ToString::to_string);
    let what = last
        .filter(|text| !text.is_empty())
        .unwrap_or_else(|| error.to_string());
    ClusterError::Silent { address, what }
}

/// True if one side failed to prove that it knows the token.
fn is_of_proof(error: &rustls::Error) -> bool {
    use rustls::AlertDescription as Alert;
    use rustls::{CertificateError, Error};

    matches!(
        error,
        Error::InvalidCertificate(CertificateError::ApplicationVerificationFailure)
            | Error::AlertReceived(
                Alert::AccessDenied
                    | Alert::BadCertificate
                    | Alert::CertificateRequired
                    | Alert::CertificateUnknown
                    // One side shows a certificate where the other expects a raw key.
                    | Alert::HandshakeFailure
                    | Alert::UnsupportedCertificate
            )
    )
}

impl WorkerResolver for Cluster {
    fn get_urls(&self) -> DataFusionResult<Vec<Url>> {
        let urls = self.live().clone();
        if urls.is_empty() {
            return exec_err!("no worker of the cluster is left");
        }
        Ok(urls)
    }
}
