//! Connections to workers.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use datafusion::common::{Result, exec_datafusion_err};
use datafusion_distributed::grpc::{BoxCloneSyncChannel, create_worker_client};
use datafusion_distributed::{ChannelResolver, GetWorkerInfoRequest, WorkerChannel};
use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tonic::codegen::http::Uri;
use tonic::transport::{Channel, Endpoint};
use tower::service_fn;
use url::Url;

/// Timeout for connecting to a worker.
const CONNECT: Duration = Duration::from_secs(5);

/// Idle time after which a connection is pinged, and the timeout for the reply.
const ALIVE: Duration = Duration::from_secs(10);

/// Connections to workers. Each is mutually authenticated and reused by later requests.
#[derive(Debug)]
pub(crate) struct Channels {
    tls: Arc<ClientConfig>,
    open: Mutex<HashMap<Url, Channel>>,
}

impl Channels {
    pub(crate) fn new(tls: Arc<ClientConfig>) -> Self {
        Self {
            tls,
            open: Mutex::default(),
        }
    }

    /// Returns an empty set of connections with the same TLS configuration.
    pub(crate) fn afresh(&self) -> Self {
        Self::new(Arc::clone(&self.tls))
    }

    fn channel(&self, url: &Url) -> Result<Channel> {
        // A panic cannot leave the map half changed, so a poisoned lock is safe to use.
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(channel) = open.get(url) {
            return Ok(channel.clone());
        }
        let endpoint = Endpoint::from_shared(url.to_string())
            .map_err(|error| exec_datafusion_err!("{url}: {error}"))?;
        let tls = TlsConnector::from(Arc::clone(&self.tls));
        let connector = service_fn(move |uri: Uri| connect(tls.clone(), uri));
        let channel = endpoint
            .connect_timeout(CONNECT)
            .http2_keep_alive_interval(ALIVE)
            .keep_alive_timeout(ALIVE)
            .connect_with_connector_lazy(connector);
        open.insert(url.clone(), channel.clone());
        Ok(channel)
    }

    /// Returns the version that a worker reports.
    pub(crate) async fn version(&self, url: &Url) -> Result<String> {
        let mut worker = self.get_worker_client_for_url(url).await?;
        let info = worker.get_worker_info(GetWorkerInfoRequest {}).await?;
        Ok(info.version)
    }
}

/// Connects to the worker at an address; both sides have proven the token when this returns.
async fn connect(
    tls: TlsConnector,
    uri: Uri,
) -> io::Result<TokioIo<BufReader<TlsStream<TcpStream>>>> {
    let wrong = || io::Error::new(io::ErrorKind::InvalidInput, format!("{uri} is no address"));
    let host = uri
        .host()
        .ok_or_else(wrong)?
        .trim_start_matches('[')
        .trim_end_matches(']');
    let port = uri.port_u16().unwrap_or(80);
    let name = ServerName::try_from(host.to_owned()).map_err(|_| wrong())?;
    let stream = TcpStream::connect((host, port)).await?;
    stream.set_nodelay(true)?;
    let mut stream = BufReader::new(tls.connect(name, stream).await?);
    // In TLS 1.3 the worker verifies the client last, after the client considers the handshake complete. The worker
    // sends the first bytes (HTTP/2 settings), so that waiting for them shows whether the client was accepted.
    stream.fill_buf().await?;
    Ok(TokioIo::new(stream))
}

#[async_trait]
impl ChannelResolver for Channels {
    async fn get_worker_client_for_url(&self, url: &Url) -> Result<Box<dyn WorkerChannel>> {
        let channel = BoxCloneSyncChannel::new(self.channel(url)?);
        Ok(create_worker_client(channel))
    }
}
