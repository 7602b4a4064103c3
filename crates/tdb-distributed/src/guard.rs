//! Checks every request before the engine sees it.
//!
//! The engine receives the decoded message, encoded again, and never the client's bytes. So the check and the engine
//! cannot interpret a message differently.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use http_body::{Frame, SizeHint};
use http_body_util::BodyExt;
use prost::Message;
use tdb_tile::{Budget, ErrorKind, Grant};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tonic::body::Body;
use tonic::codegen::http::{HeaderMap, Request, Response};
use tonic::codegen::{Bytes, Service};
use tonic::server::NamedService;
use tonic::{Code, Status};

use crate::check::{Refusal, Rules};
use crate::journal::Journal;
use crate::messages::{Execute, Inner, TaskKey, ToWorker};
use crate::refused::RefusedPlans;
use crate::worker_error::WorkerError;

/// gRPC paths of the requests.
const SET_PLAN: &str = "/worker.WorkerService/CoordinatorChannel";
const EXECUTE: &str = "/worker.WorkerService/ExecuteTask";
const VERSION: &str = "/worker.WorkerService/GetWorkerInfo";

/// Prefix of the headers that carry the settings of a query.
const SETTINGS: &str = "x-datafusion-distributed-config-distributed.";

/// Length of a gRPC message prefix: one byte for compression, four for the length.
const PREFIX: usize = 5;

/// Estimated memory of a plan per byte of its message: it exists encoded, decoded, and as running nodes.
const PER_BYTE: u64 = 4;

/// The engine, wrapped in the check.
#[derive(Clone)]
pub(crate) struct Guard<S> {
    engine: S,
    check: Arc<Check>,
}

/// Everything needed to check a request.
pub(crate) struct Check {
    rules: Arc<Rules>,
    budget: Budget,
    plans: Arc<Semaphore>,
    refused: RefusedPlans,
    journal: Journal,
    /// Name of the worker in errors.
    name: String,
}

/// An admitted request; with it the key of the plan whose rows it requests, `None` for other requests.
type AdmittedRequest = (Request<Body>, Option<TaskKey>);

impl<S> Guard<S> {
    pub(crate) fn new(
        engine: S,
        rules: Arc<Rules>,
        budget: Budget,
        journal: Journal,
        name: String,
    ) -> Self {
        let plans = Arc::new(Semaphore::new(rules.limits.plans));
        Self {
            engine,
            check: Arc::new(Check {
                rules,
                budget,
                plans,
                refused: RefusedPlans::default(),
                journal,
                name,
            }),
        }
    }
}

impl<S> Service<Request<Body>> for Guard<S>
where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>,
    S: Clone + Send + 'static,
    S::Future: Send,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.engine.poll_ready(context)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let check = Arc::clone(&self.check);
        // The clone may not be ready; only the service that was polled ready may be called.
        let next = self.engine.clone();
        let mut engine = std::mem::replace(&mut self.engine, next);
        let answer = async move {
            let (request, key) = match check.admit(request).await {
                Ok(admitted) => admitted,
                Err(status) => return Ok(check.refuse(&status)),
            };
            let Some(key) = key else {
                return engine.call(request).await;
            };
            tokio::select! {
                answer = engine.call(request) => answer,
                status = check.refused.of(&key) => Ok(status.into_http()),
            }
        };
        answer.boxed()
    }
}

impl<S: NamedService> NamedService for Guard<S> {
    const NAME: &'static str = S::NAME;
}

impl Check {
    /// Checks a request and returns it in the form that the engine receives.
    async fn admit(&self, request: Request<Body>) -> Result<AdmittedRequest, Status> {
        match request.uri().path() {
            SET_PLAN => Ok((self.set_plan(request).await?, None)),
            EXECUTE => self.execute(request).await,
            VERSION => Ok((request, None)),
            _ => Err(Status::unimplemented("unknown request")),
        }
    }

    /// Logs a refusal and builds the response to it.
    fn refuse(&self, status: &Status) -> Response<Body> {
        // The lines after the first are a hint for the client.
        let what = status.message().lines().next().unwrap_or("no reason");
        self.journal
            .tell(format_args!("a request was refused: {what}"));
        let error = self.error_of(status);
        Status::new(status.code(), error.to_string()).into_http()
    }

    /// The error that a client gets for a refusal.
    fn error_of(&self, status: &Status) -> WorkerError {
        let kind = match status.code() {
            Code::ResourceExhausted => ErrorKind::Limit,
            _ => ErrorKind::Invalid,
        };
        WorkerError::of_lines(&self.name, kind, status.message())
    }

    /// Checks a request that sends a plan, and returns it with the plan encoded again.
    ///
    /// The permit and the memory grant of a plan must live as long as the engine keeps it. The engine holds the body
    /// of the request for that long, so both are stored in the body. A refusal is also recorded under the plan's key:
    /// the client requests the rows concurrently, and would otherwise wait for a plan that never arrives.
    async fn set_plan(&self, request: Request<Body>) -> Result<Request<Body>, Status> {
        let (parts, mut body) = request.into_parts();
        self.settings(&parts.headers)?;
        let plans = Arc::clone(&self.plans).try_acquire_owned();
        let place = plans.map_err(|_| {
            let most = self.rules.limits.plans;
            Status::resource_exhausted(format!("the worker already holds {most} plans, its limit"))
        })?;
        let (message, memory, rest) = self.first(&mut body).await?;
        let message = ToWorker::decode(&*message).map_err(Refusal::undecodable)?;
        let Some(Inner::SetPlan(plan)) = &message.inner else {
            return Err(Refusal::undecodable("the first message is not a plan").into());
        };
        if let Err(refusal) = self.rules.set_plan(plan) {
            let status = Status::from(refusal);
            if let Some(key) = &plan.task_key {
                self.refused
                    .add(key.clone(), self.error_of(&status).to_string());
            }
            return Err(status);
        }
        let body = AdmittedBody {
            first: Some(framed(&message)?),
            rest: Some(rest).filter(|rest| !rest.is_empty()),
            body,
            _kept: HeldResources {
                _place: Some(place),
                _memory: memory,
            },
        };
        Ok(Request::from_parts(parts, Body::new(body)))
    }

    /// Checks a request for rows, and returns it encoded again, with the key of the plan.
    async fn execute(&self, request: Request<Body>) -> Result<AdmittedRequest, Status> {
        let (parts, mut body) = request.into_parts();
        let (message, memory, _) = self.first(&mut body).await?;
        let message = Execute::decode(&*message).map_err(Refusal::undecodable)?;
        self.rules.execute(&message)?;
        let body = AdmittedBody {
            first: Some(framed(&message)?),
            rest: None,
            body: Body::empty(),
            _kept: HeldResources {
                _place: None,
                _memory: memory,
            },
        };
        let request = Request::from_parts(parts, Body::new(body));
        Ok((request, message.task_key))
    }

    /// Reads the first message of a body. Returns the message, the grant for its memory, and the bytes after it that
    /// arrived in the same frame.
    async fn first(&self, body: &mut Body) -> Result<(Vec<u8>, Grant, Bytes), Status> {
        let mut came = Vec::new();
        let mut memory = None;
        loop {
            if let Some((prefix, message)) = came.split_first_chunk::<PREFIX>() {
                let length = self.length(*prefix)?;
                if memory.is_none() {
                    memory = Some(self.memory(length)?);
                }
                if let Some((message, rest)) = message.split_at_checked(length)
                    && let Some(memory) = memory.take()
                {
                    return Ok((message.to_vec(), memory, Bytes::copy_from_slice(rest)));
                }
            }
            let frame = body.frame().await;
            let cut = || Status::invalid_argument("the request ends within its first message");
            let frame = frame.ok_or_else(cut)??;
            if let Ok(data) = frame.into_data() {
                came.extend_from_slice(&data);
            }
        }
    }

    /// Parses a message prefix into the length of the message, in bytes; fails above the limit.
    fn length(&self, prefix: [u8; PREFIX]) -> Result<usize, Status> {
        let [compressed, length @ ..] = prefix;
        if compressed != 0 {
            return Err(Refusal::Odd("compression, which workers do not accept").into());
        }
        let most = self.rules.limits.message;
        let length = u32::from_be_bytes(length);
        match usize::try_from(length) {
            Ok(length) if length <= most => Ok(length),
            _ => Err(Status::resource_exhausted(format!(
                "the message has {length} bytes; workers allow at most {most}"
            ))),
        }
    }

    /// Reserves memory for a message of this length in the worker's budget.
    fn memory(&self, length: usize) -> Result<Grant, Status> {
        let bytes = (length as u64).saturating_mul(PER_BYTE);
        let granted = self.budget.take(bytes);
        granted
            .map_err(|error| Status::resource_exhausted(format!("no memory for a plan: {error}")))
    }

    /// Checks the settings of a query, which are sent as headers.
    fn settings(&self, headers: &HeaderMap) -> Result<(), Status> {
        let limits = &self.rules.limits;
        for (name, value) in headers {
            let Some(name) = name.as_str().strip_prefix(SETTINGS) else {
                continue;
            };
            let (what, most) = match name {
                "shuffle_batch_size" => ("rows of a batch", limits.batch),
                "worker_connection_buffer_budget_bytes" => ("bytes of a buffer", limits.buffer),
                // Other settings affect only planning, on the client.
                _ => continue,
            };
            let text = value.to_str().ok();
            let found: u64 = text
                .and_then(|text| text.parse().ok())
                .ok_or(Refusal::Odd("a setting that is not a number"))?;
            Refusal::above(what, found, most)?;
        }
        Ok(())
    }
}

/// Encodes a message with its gRPC prefix.
fn framed(message: &impl Message) -> Result<Bytes, Status> {
    let length = u32::try_from(message.encoded_len())
        .map_err(|_| Status::internal("a message of more than 4 GiB"))?;
    let mut bytes = vec![0];
    bytes.extend_from_slice(&length.to_be_bytes());
    let encoded = message.encode(&mut bytes);
    encoded.map_err(|error| Status::internal(error.to_string()))?;
    Ok(bytes.into())
}

/// Resources that a request holds while the engine keeps it.
struct HeldResources {
    _place: Option<OwnedSemaphorePermit>,
    _memory: Grant,
}

/// A body whose first message has been checked. The engine keeps it as long as the plan.
struct AdmittedBody {
    first: Option<Bytes>,
    rest: Option<Bytes>,
    body: Body,
    _kept: HeldResources,
}

impl http_body::Body for AdmittedBody {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let ready = self.first.take().or_else(|| self.rest.take());
        if let Some(bytes) = ready {
            return Poll::Ready(Some(Ok(Frame::data(bytes))));
        }
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.first.is_none() && self.rest.is_none() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::default()
    }
}
