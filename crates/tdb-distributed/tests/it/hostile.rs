//! A client that sends requests no client of tdb sends. It shares no code with the crate under test.
#![expect(clippy::unwrap_used, reason = "helpers of tests, which may fail so")]

use std::sync::Arc;
use std::time::Duration;

use datafusion_proto::protobuf::PhysicalPlanNode;
use futures_util::{StreamExt, stream};
use hyper_util::rt::TokioIo;
use prost::bytes::{Buf, BufMut};
use prost::{Message, Oneof};
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio_rustls::TlsConnector;
use tonic::client::Grpc;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::codegen::http::Uri;
use tonic::codegen::http::uri::PathAndQuery;
use tonic::metadata::MetadataValue;
use tonic::transport::{Channel, Endpoint};
use tonic::{Request, Status, Streaming};
use tower::service_fn;

use crate::proof::{Proof, tls};

/// Timeout for an answer.
const PATIENCE: Duration = Duration::from_secs(20);

/// A gRPC codec that passes bytes through.
#[derive(Clone, Copy, Default)]
struct Raw;

impl Codec for Raw {
    type Encode = Vec<u8>;
    type Decode = Vec<u8>;
    type Encoder = Self;
    type Decoder = Self;

    fn encoder(&mut self) -> Self {
        Self
    }

    fn decoder(&mut self) -> Self {
        Self
    }
}

impl Encoder for Raw {
    type Item = Vec<u8>;
    type Error = Status;

    fn encode(&mut self, item: Vec<u8>, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        buffer.put_slice(&item);
        Ok(())
    }
}

impl Decoder for Raw {
    type Item = Vec<u8>;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<Vec<u8>>, Status> {
        let mut bytes = vec![0; buffer.remaining()];
        buffer.copy_to_slice(&mut bytes);
        Ok(Some(bytes))
    }
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct TaskKey {
    #[prost(bytes = "vec", tag = "1")]
    pub(crate) query: Vec<u8>,
    #[prost(uint64, tag = "2")]
    pub(crate) stage: u64,
    #[prost(uint64, tag = "3")]
    pub(crate) task: u64,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Feed {
    #[prost(bytes = "vec", tag = "1")]
    pub(crate) id: Vec<u8>,
    #[prost(uint64, tag = "2")]
    pub(crate) partitions: u64,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct SetPlan {
    #[prost(message, optional, tag = "1")]
    pub(crate) key: Option<TaskKey>,
    #[prost(uint64, tag = "2")]
    pub(crate) tasks: u64,
    #[prost(bytes = "vec", tag = "3")]
    pub(crate) plan: Vec<u8>,
    #[prost(message, repeated, tag = "4")]
    pub(crate) feeds: Vec<Feed>,
    #[prost(string, tag = "5")]
    pub(crate) url: String,
    #[prost(uint64, tag = "6")]
    pub(crate) time: u64,
}

#[derive(Clone, PartialEq, Message)]
struct ToWorker {
    #[prost(message, optional, tag = "1")]
    set_plan: Option<SetPlan>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Execute {
    #[prost(message, optional, tag = "1")]
    pub(crate) key: Option<TaskKey>,
    #[prost(uint64, tag = "2")]
    pub(crate) start: u64,
    #[prost(uint64, tag = "3")]
    pub(crate) end: u64,
    #[prost(oneof = "Head", tags = "6, 7, 8")]
    pub(crate) head: Option<Head>,
}

#[derive(Clone, PartialEq, Oneof)]
pub(crate) enum Head {
    #[prost(message, tag = "6")]
    None(()),
    #[prost(message, tag = "7")]
    Broadcast(Count),
    #[prost(message, tag = "8")]
    Repartition(Bytes),
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Count {
    #[prost(uint64, tag = "1")]
    pub(crate) count: u64,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Bytes {
    #[prost(bytes = "vec", tag = "1")]
    pub(crate) bytes: Vec<u8>,
}

/// The client.
#[derive(Clone)]
pub(crate) struct Hostile {
    channel: Channel,
    address: String,
    headers: Vec<(&'static str, String)>,
}

/// A plan that a worker keeps until this value is dropped.
pub(crate) struct Kept {
    pub(crate) key: TaskKey,
    _open: mpsc::Sender<Vec<u8>>,
    _answers: Streaming<Vec<u8>>,
}

impl Hostile {
    pub(crate) fn new(address: &str, proof: Proof<'_>) -> Self {
        let tls = TlsConnector::from(Arc::new(tls(proof)));
        let to = address.to_owned();
        let connector = service_fn(move |_: Uri| {
            let (tls, to) = (tls.clone(), to.clone());
            async move {
                let stream = TcpStream::connect(to).await?;
                let name = ServerName::try_from("worker").unwrap();
                Ok::<_, std::io::Error>(TokioIo::new(tls.connect(name, stream).await?))
            }
        });
        let endpoint = Endpoint::from_shared(format!("http://{address}")).unwrap();
        Self {
            channel: endpoint.connect_with_connector_lazy(connector),
            address: address.to_owned(),
            headers: Vec::new(),
        }
    }

    /// Adds a header to each request.
    pub(crate) fn header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }

    fn request<T>(&self, body: T) -> Request<T> {
        let mut request = Request::new(body);
        for (name, value) in &self.headers {
            let value: MetadataValue<_> = value.parse().unwrap();
            request.metadata_mut().insert(*name, value);
        }
        request.set_timeout(PATIENCE);
        request
    }

    async fn grpc(&self) -> Result<Grpc<Channel>, Status> {
        let mut grpc = Grpc::new(self.channel.clone());
        let ready = grpc.ready().await;
        ready.map_err(|error| Status::unavailable(format!("{error:?}")))?;
        Ok(grpc)
    }

    /// Sends arbitrary bytes in place of a plan.
    pub(crate) async fn send(&self, message: Vec<u8>) -> Result<Kept, Status> {
        let (open, waiting) = mpsc::channel(4);
        open.send(message).await.unwrap();
        let messages = stream::unfold(waiting, async |mut waiting| {
            let message: Vec<u8> = waiting.recv().await?;
            Some((message, waiting))
        });
        let path = PathAndQuery::from_static("/worker.WorkerService/CoordinatorChannel");
        let mut grpc = self.grpc().await?;
        let answer = grpc.streaming(self.request(messages), path, Raw);
        let answer = tokio::time::timeout(PATIENCE, answer).await;
        let answer = answer.map_err(|_| Status::deadline_exceeded("no answer"))??;
        Ok(Kept {
            key: TaskKey::default(),
            _open: open,
            _answers: answer.into_inner(),
        })
    }

    /// Sends a plan for later execution.
    pub(crate) async fn set(&self, change: impl FnOnce(&mut SetPlan)) -> Result<Kept, Status> {
        let mut query = vec![0; 16];
        ring::rand::SecureRandom::fill(&ring::rand::SystemRandom::new(), &mut query).unwrap();
        let key = TaskKey {
            query,
            stage: 1,
            task: 0,
        };
        let mut plan = SetPlan {
            key: Some(key.clone()),
            tasks: 1,
            plan: Vec::new(),
            feeds: Vec::new(),
            url: format!("http://{}", self.address),
            time: 1,
        };
        change(&mut plan);
        let message = ToWorker {
            set_plan: Some(plan),
        };
        let kept = self.send(message.encode_to_vec()).await?;
        Ok(Kept { key, ..kept })
    }

    pub(crate) async fn plan(&self, plan: &PhysicalPlanNode) -> Result<Kept, Status> {
        let plan = plan.encode_to_vec();
        self.set(|request| request.plan = plan).await
    }

    /// Executes partitions and returns all response bytes.
    pub(crate) async fn execute(&self, execute: &Execute) -> Result<Vec<u8>, Status> {
        let path = PathAndQuery::from_static("/worker.WorkerService/ExecuteTask");
        let mut grpc = self.grpc().await?;
        let request = self.request(execute.encode_to_vec());
        let answer = grpc.server_streaming(request, path, Raw).await?;
        let mut rows = answer.into_inner();
        let mut all = Vec::new();
        while let Some(row) = rows.next().await {
            all.extend(row?);
        }
        Ok(all)
    }

    /// Sends and executes a plan with one partition.
    pub(crate) async fn run(&self, plan: &PhysicalPlanNode) -> Result<Vec<u8>, Status> {
        let plain = self.clone();
        let plain = plain.header(
            "x-datafusion-distributed-config-distributed.compression",
            "none",
        );
        let kept = plain.plan(plan).await?;
        let execute = Execute {
            key: Some(kept.key.clone()),
            start: 0,
            end: 1,
            head: Some(Head::None(())),
        };
        plain.execute(&execute).await
    }

    /// Requests the version.
    pub(crate) async fn version(&self) -> Result<Vec<u8>, Status> {
        let path = PathAndQuery::from_static("/worker.WorkerService/GetWorkerInfo");
        let mut grpc = self.grpc().await?;
        let answer = grpc.unary(self.request(Vec::new()), path, Raw);
        let answer = tokio::time::timeout(PATIENCE, answer).await;
        let answer = answer.map_err(|_| Status::deadline_exceeded("no answer"))??;
        Ok(answer.into_inner())
    }
}
