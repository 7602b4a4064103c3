//! A process that executes its share of queries.

use std::convert::Infallible;
use std::fmt;
use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;

use datafusion::common::DataFusionError;
use datafusion::execution::SessionStateBuilder;
use datafusion::execution::disk_manager::DiskManagerBuilder;
use datafusion::execution::runtime_env::{RuntimeEnv, RuntimeEnvBuilder};
use datafusion_distributed::{
    ChannelResolver, DistributedExt, Worker as Engine, WorkerPlanRewriteEvent,
    WorkerPlanRewriteEventResponse, WorkerQueryContext,
};
use datafusion_proto::physical_plan::PhysicalExtensionCodec;
use futures_util::stream;
use tdb_datafusion::{Arrays, SqlError, fit_to_memory, runtime, with_functions};
use tdb_tile::Budget;
use tokio::net::TcpListener;
use tokio::sync::{mpsc, watch};
use tokio::time::sleep;
use tokio_rustls::TlsAcceptor;
use tonic::body::Body;
use tonic::codegen::Service;
use tonic::codegen::http::{Request, Response};
use tonic::server::NamedService;
use tonic::transport::Server;

use crate::channels::Channels;
use crate::check::{Rules, check_channels};
use crate::codec::ScanCodec;
use crate::gate::{Gate, Proven};
use crate::guard::Guard;
use crate::journal::{Journal, Listener};
use crate::tls::{of_client, of_worker};
use crate::{Allowed, Certificates, ClusterError, Token, VERSION, WorkerLimits};

/// Queue length for connections that have proven the token and wait for the server.
const WAITING: usize = 16;

/// A server that executes parts of queries for clients that know its token. It reads the allowed places with its own
/// keys and credentials, and writes nothing but temporary files.
pub struct Worker {
    listener: TcpListener,
    address: SocketAddr,
    token: Token,
    allowed: Allowed,
    certificates: Certificates,
    limits: WorkerLimits,
    told: Option<Listener>,
}

impl Worker {
    /// Binds to an address, `HOST:PORT`; port 0 selects a free port. The worker reads nothing outside the allowed
    /// places.
    ///
    /// # Errors
    /// An invalid address, or one that is already in use.
    pub async fn bind(address: &str, token: Token, allowed: Allowed) -> Result<Self, ClusterError> {
        crate::address::url(address)?;
        let cannot = |source| ClusterError::Listen {
            address: address.to_owned(),
            source,
        };
        let listener = TcpListener::bind(address).await.map_err(cannot)?;
        Ok(Self {
            address: listener.local_addr().map_err(cannot)?,
            listener,
            token,
            allowed,
            certificates: Certificates::default(),
            limits: WorkerLimits::default(),
            told: None,
        })
    }

    /// Sets the certificate that this worker shows, and the authorities that it accepts for other workers.
    #[must_use]
    pub fn certificates(mut self, certificates: Certificates) -> Self {
        self.certificates = certificates;
        self
    }

    /// Sets the limits.
    #[must_use]
    pub fn limits(mut self, limits: WorkerLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets a listener that receives a message for each refusal, with the address of the refused peer.
    #[must_use]
    pub fn listener(mut self, listener: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.told = Some(Arc::new(listener));
        self
    }

    /// Address at which the worker listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Name of the worker in errors: its address. If it listens on all addresses (`0.0.0.0`), the host name replaces
    /// the IP.
    fn name(&self) -> String {
        let address = self.address;
        match machine() {
            Some(machine) if address.ip().is_unspecified() => {
                format!("{machine}:{}", address.port())
            }
            _ => address.to_string(),
        }
    }

    /// Serves requests until `stop` completes; running requests are then given [`WorkerLimits::stop`] to finish.
    /// Needs a multi-threaded runtime.
    ///
    /// # Errors
    /// A session that cannot be used; a server that ends unexpectedly.
    pub async fn serve(
        self,
        arrays: Arc<Arrays>,
        stop: impl Future<Output = ()>,
    ) -> Result<(), ClusterError> {
        let journal = Journal::new(self.told.clone());
        let limits = self.limits.clone();
        let guarded = self.guarded(arrays, &journal)?;
        let tls = of_worker(&self.token, &self.certificates)?;
        let (proven, incoming) = mpsc::channel::<Proven>(WAITING);
        let gate = Gate {
            listener: self.listener,
            tls: TlsAcceptor::from(Arc::new(tls)),
            limits: limits.clone(),
            journal,
            proven,
        };
        let incoming = stream::unfold(incoming, async |mut incoming| {
            let proven = incoming.recv().await?;
            Some((Ok::<_, std::io::Error>(proven), incoming))
        });
        let (stopped, mut is_stopped) = watch::channel(false);
        let server = Server::builder()
            .http2_keepalive_interval(Some(limits.idle))
            .http2_keepalive_timeout(Some(limits.idle))
            .max_concurrent_streams(limits.requests)
            .add_service(guarded);
        let served = server.serve_with_incoming_shutdown(incoming, async move {
            // Fails only if the sender is gone, and then the server is about to end as well.
            let _ = is_stopped.wait_for(|stopped| *stopped).await;
        });
        let stopping = async move {
            stop.await;
            // Fails only if the server has already ended.
            let _ = stopped.send(true);
            sleep(limits.stop).await;
        };
        tokio::select! {
            served = served => served.map_err(|error| ClusterError::Ended(error.to_string())),
            // Clients that are still connected are not waited for.
            () = stopping => Ok(()),
            () = gate.keep() => Ok(()),
        }
    }

    /// Builds the engine, wrapped in the check of requests.
    fn guarded(
        &self,
        arrays: Arc<Arrays>,
        journal: &Journal,
    ) -> Result<Guard<impl Requests>, ClusterError> {
        let name = self.name();
        let runtime = bounded(&arrays, &name, self.limits.temporary)?;
        let budget = arrays.session().limits().budget.clone();
        let rules = Rules::new(self.allowed.clone(), self.limits.clone());
        let codec = ScanCodec::of_worker(arrays, self.allowed.clone(), &name);
        let codec: Arc<dyn PhysicalExtensionCodec> = Arc::new(codec);
        let tls = Arc::new(of_client(&self.token, &self.certificates)?);
        let channels: Arc<dyn ChannelResolver + Send + Sync> = Arc::new(Channels::new(tls));
        let (limits, memory) = (self.limits.clone(), budget.clone());
        let engine = Engine::from_session_builder(move |query: WorkerQueryContext| {
            let (codec, channels) = (Arc::clone(&codec), Arc::clone(&channels));
            let (limits, memory) = (limits.clone(), memory.clone());
            let check = move |decoded: WorkerPlanRewriteEvent<'_>| {
                check_channels(&decoded.plan, &limits)?;
                Ok(WorkerPlanRewriteEventResponse::new(decoded.plan))
            };
            async move {
                let state = with_functions(fitted(query.builder, &memory)?)
                    .with_distributed_user_codec_arc(codec)
                    .with_distributed_worker_plan_rewrite_handler(check);
                Ok(state.with_distributed_channel_resolver(channels).build())
            }
        })
        .with_runtime_env(runtime)
        .with_version(VERSION)
        .into_worker_server()
        .max_decoding_message_size(self.limits.message);
        let (rules, journal) = (Arc::new(rules), journal.clone());
        Ok(Guard::new(engine, rules, budget, journal, name))
    }
}

/// Host name of this machine.
#[cfg(unix)]
fn machine() -> Option<String> {
    let system = rustix::system::uname();
    let name = system.nodename().to_str().ok()?;
    (!name.is_empty()).then(|| name.to_owned())
}

/// Host name of this machine, from an environment variable of Windows.
#[cfg(not(unix))]
fn machine() -> Option<String> {
    std::env::var("COMPUTERNAME").ok()
}

/// Bounds of the engine's server, whose concrete type has no public name.
trait Requests:
    Service<Request<Body>, Response = Response<Body>, Error = Infallible, Future: Send>
    + NamedService
    + Clone
    + Send
    + Sync
    + 'static
{
}

impl<S> Requests for S where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible, Future: Send>
        + NamedService
        + Clone
        + Send
        + Sync
        + 'static
{
}

/// Returns the state of a query whose batches and spilled files suit the memory of the worker, not that of the client.
fn fitted(
    mut state: SessionStateBuilder,
    budget: &Budget,
) -> Result<SessionStateBuilder, DataFusionError> {
    fit_to_memory(state.config().get_or_insert_default(), budget)?;
    Ok(state)
}

/// Builds DataFusion's runtime with a limit on temporary files, in bytes.
fn bounded(
    arrays: &Arc<Arrays>,
    name: &str,
    temporary: u64,
) -> Result<Arc<RuntimeEnv>, ClusterError> {
    let runtime = runtime(arrays, &format!("worker {name}")).map_err(SqlError::from)?;
    let files = DiskManagerBuilder::default().with_max_temp_directory_size(temporary);
    let runtime = RuntimeEnvBuilder::from_runtime_env(&runtime)
        .with_disk_manager_builder(files)
        .build_arc()
        .map_err(SqlError::from)?;
    Ok(runtime)
}

/// Omits the token and the certificates.
impl fmt::Debug for Worker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Worker")
            .field("address", &self.address)
            .field("allowed", &self.allowed)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use datafusion::prelude::SessionConfig;

    use super::*;

    #[test]
    fn batches_and_spilled_files_suit_the_memory_of_the_worker() {
        let of = |rows, memory| {
            let config = SessionConfig::new().with_batch_size(rows);
            let builder = SessionStateBuilder::new().with_config(config);
            let state = fitted(builder, &Budget::new(memory)).unwrap().build();
            let execution = &state.config_options().execution;
            (
                execution.batch_size.get(),
                execution.max_spill_file_size_bytes.get(),
            )
        };
        assert_eq!(of(8192, 20_000_000), (390, 1));
        assert_eq!(of(8192, 1 << 30), (8192, 1));
        // What the client wants is a most.
        assert_eq!(of(100, 20_000_000), (100, 1));
    }
}
