//! Connections to workers.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use datafusion::common::{Result, exec_datafusion_err};
use datafusion_distributed::grpc::{BoxCloneSyncChannel, create_worker_client};
use datafusion_distributed::{ChannelResolver, GetWorkerInfoRequest, WorkerChannel};
use tonic::codegen::http::Request;
use tonic::codegen::http::header::AUTHORIZATION;
use tonic::transport::{Channel, Endpoint};
use tower::ServiceExt;
use url::Url;

use crate::Token;

/// How long a worker may take until it takes a call.
const CONNECT: Duration = Duration::from_secs(5);

/// How long a connection may be silent until it is asked whether somebody is there, and how long the answer may take.
const ALIVE: Duration = Duration::from_secs(10);

/// Connections, each kept for the next request, and the token that all requests have.
#[derive(Debug, Default)]
pub(crate) struct Channels {
    pub(crate) token: Option<Token>,
    open: Mutex<HashMap<Url, Channel>>,
}

impl Channels {
    pub(crate) fn new(token: Option<Token>) -> Self {
        Self {
            token,
            open: Mutex::default(),
        }
    }

    fn channel(&self, url: &Url) -> Result<Channel> {
        // A map of what is open has no state that could be half done.
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(channel) = open.get(url) {
            return Ok(channel.clone());
        }
        let endpoint = Endpoint::from_shared(url.to_string());
        let endpoint = endpoint.map_err(|error| exec_datafusion_err!("{url}: {error}"))?;
        let channel = endpoint
            .connect_timeout(CONNECT)
            .tcp_nodelay(true)
            .http2_keep_alive_interval(ALIVE)
            .keep_alive_timeout(ALIVE)
            .connect_lazy();
        open.insert(url.clone(), channel.clone());
        Ok(channel)
    }

    /// The version of a worker.
    pub(crate) async fn version(&self, url: &Url) -> Result<String> {
        let mut worker = self.get_worker_client_for_url(url).await?;
        let info = worker.get_worker_info(GetWorkerInfoRequest {}).await?;
        Ok(info.version)
    }
}

#[async_trait]
impl ChannelResolver for Channels {
    async fn get_worker_client_for_url(&self, url: &Url) -> Result<Box<dyn WorkerChannel>> {
        let token = self.token.clone();
        let channel = self
            .channel(url)?
            .map_request(move |mut request: Request<_>| {
                if let Some(token) = &token {
                    let headers = request.headers_mut();
                    headers.insert(AUTHORIZATION, token.header().clone());
                }
                request
            });
        Ok(create_worker_client(BoxCloneSyncChannel::new(channel)))
    }
}
