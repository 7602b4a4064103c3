//! A process that does its part of queries.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;

use datafusion_distributed::{
    ChannelResolver, DistributedExt, Worker as Engine, WorkerQueryContext,
};
use datafusion_proto::physical_plan::PhysicalExtensionCodec;
use tdb_datafusion::{Arrays, SqlError, runtime, with_functions};
use tokio::net::TcpListener;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;
use tonic::{Request, Status};

use crate::channels::Channels;
use crate::codec::ScanCodec;
use crate::{ClusterError, Token, VERSION};

/// Listens for parts of queries. It reads what it is asked to read with its own keys and credentials, so that whoever may ask it may
/// read whatever it can.
#[derive(Debug)]
pub struct Worker {
    listener: TcpListener,
    address: SocketAddr,
    token: Option<Token>,
}

impl Worker {
    /// Listens at an address, `HOST:PORT`; with port 0 at one that is free. Without a token only this machine may be able to reach it.
    ///
    /// # Errors
    /// An address that is none, that is taken, or that others reach while there is no token.
    pub async fn bind(address: &str, token: Option<Token>) -> Result<Self, ClusterError> {
        crate::address::url(address)?;
        let cannot = |source| ClusterError::Listen {
            address: address.to_owned(),
            source,
        };
        let listener = TcpListener::bind(address).await.map_err(cannot)?;
        let bound = listener.local_addr().map_err(cannot)?;
        if token.is_none() && !bound.ip().is_loopback() {
            return Err(ClusterError::Open {
                address: address.to_owned(),
            });
        }
        Ok(Self {
            listener,
            address: bound,
            token,
        })
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers until `stop` ends. Needs a runtime of several threads.
    ///
    /// # Errors
    /// A session that cannot be used; a server that ends by itself.
    pub async fn serve(
        self,
        arrays: Arc<dyn Arrays>,
        stop: impl Future<Output = ()>,
    ) -> Result<(), ClusterError> {
        let runtime = runtime(&arrays).map_err(SqlError::from)?;
        let codec: Arc<dyn PhysicalExtensionCodec> = Arc::new(ScanCodec::new(arrays));
        let channels: Arc<dyn ChannelResolver + Send + Sync> =
            Arc::new(Channels::new(self.token.clone()));
        let engine = Engine::from_session_builder(move |query: WorkerQueryContext| {
            let (codec, channels) = (Arc::clone(&codec), Arc::clone(&channels));
            async move {
                let state = with_functions(query.builder).with_distributed_user_codec_arc(codec);
                Ok(state.with_distributed_channel_resolver(channels).build())
            }
        });
        let engine = engine.with_runtime_env(runtime).with_version(VERSION);
        let token = self.token;
        let guarded =
            InterceptedService::new(engine.into_worker_server(), move |request: Request<()>| {
                allow(token.as_ref(), request)
            });
        let incoming = TcpIncoming::from(self.listener).with_nodelay(Some(true));
        let server = Server::builder().add_service(guarded);
        let served = server.serve_with_incoming_shutdown(incoming, stop).await;
        served.map_err(|error| ClusterError::Ended(error.to_string()))
    }
}

/// Lets requests through that have the token, if there is one.
fn allow(token: Option<&Token>, request: Request<()>) -> Result<Request<()>, Status> {
    let Some(token) = token else {
        return Ok(request);
    };
    let given = request.metadata().get("authorization");
    if given.is_some_and(|given| token.is(given.as_encoded_bytes())) {
        return Ok(request);
    }
    Err(Status::unauthenticated("wrong token"))
}
