//! Admits connections that have proven that they know the token.

use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::Sender;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use tonic::transport::server::Connected;

use crate::WorkerLimits;
use crate::journal::Journal;

/// How long one that failed to prove itself is kept waiting.
const SLOW: Duration = Duration::from_secs(1);

/// How long the system is left alone after it gave no connection, at first and at most.
const PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// A connection that has proven itself. It counts until it is dropped.
pub(crate) struct Proven {
    stream: TlsStream<TcpStream>,
    _counted: OwnedSemaphorePermit,
}

/// Takes connections, and hands on those that prove themselves.
pub(crate) struct Gate {
    pub(crate) listener: TcpListener,
    pub(crate) tls: TlsAcceptor,
    pub(crate) limits: WorkerLimits,
    pub(crate) journal: Journal,
    pub(crate) proven: Sender<Proven>,
}

impl Gate {
    /// Takes connections for as long as it is awaited.
    pub(crate) async fn keep(self) {
        let prover = Arc::new(Prover {
            tls: self.tls,
            handshake: self.limits.handshake,
            places: Arc::new(Semaphore::new(self.limits.connections)),
            most: self.limits.connections,
            journal: self.journal.clone(),
            proven: self.proven,
        });
        let mut strangers = Strangers::new(self.limits.strangers.min(spare_handles()));
        let mut pause = PAUSE;
        loop {
            match self.listener.accept().await {
                Ok((stream, peer)) => {
                    pause = PAUSE;
                    strangers.admit(Arc::clone(&prover).prove(stream, peer));
                }
                // One that was gone again before it was taken.
                Err(error) if is_of_peer(&error) => {}
                Err(error) => {
                    self.journal.tell(format_args!("no connection: {error}"));
                    // Who has proven nothing makes room: there may be no more handles.
                    strangers.dismiss_half();
                    sleep(pause).await;
                    pause = pause.saturating_mul(2).min(LONGEST_PAUSE);
                }
            }
        }
    }
}

/// Handles that strangers may take: a quarter of all, since arrays and files need some.
#[cfg(unix)]
fn spare_handles() -> usize {
    use rustix::process::{Resource, getrlimit};

    let handles = getrlimit(Resource::Nofile).current;
    let quarter = handles.map(|handles| handles.div_ceil(4));
    // Without an end, there are as many as somebody counts.
    quarter.map_or(Semaphore::MAX_PERMITS, |quarter| {
        usize::try_from(quarter).unwrap_or(Semaphore::MAX_PERMITS)
    })
}

/// Handles that strangers may take: other systems have no such end of them.
#[cfg(not(unix))]
fn spare_handles() -> usize {
    Semaphore::MAX_PERMITS
}

fn is_of_peer(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::Interrupted
    )
}

/// Connections that have not proven themselves, the oldest first. They never keep out another one: it takes the place of the oldest, so
/// that who knows the token comes in however many others wait.
struct Strangers {
    tasks: JoinSet<()>,
    oldest_first: VecDeque<AbortHandle>,
    most: usize,
}

impl Strangers {
    fn new(most: usize) -> Self {
        Self {
            tasks: JoinSet::new(),
            oldest_first: VecDeque::new(),
            most: most.max(1),
        }
    }

    fn admit(&mut self, proof: impl Future<Output = ()> + Send + 'static) {
        while self.tasks.try_join_next().is_some() {}
        self.oldest_first.retain(|task| !task.is_finished());
        while self.oldest_first.len() >= self.most {
            self.dismiss_oldest();
        }
        self.oldest_first.push_back(self.tasks.spawn(proof));
    }

    fn dismiss_oldest(&mut self) {
        if let Some(oldest) = self.oldest_first.pop_front() {
            oldest.abort();
        }
    }

    fn dismiss_half(&mut self) {
        for _ in 0..self.oldest_first.len().div_ceil(2) {
            self.dismiss_oldest();
        }
    }
}

/// Has connections prove themselves.
struct Prover {
    tls: TlsAcceptor,
    handshake: Duration,
    places: Arc<Semaphore>,
    most: usize,
    journal: Journal,
    proven: Sender<Proven>,
}

impl Prover {
    async fn prove(self: Arc<Self>, stream: TcpStream, peer: SocketAddr) {
        // Small messages wait for no others; without it they are only slower.
        let _ = stream.set_nodelay(true);
        let handshake = self.tls.accept(stream).into_fallible();
        let stream = match timeout(self.handshake, handshake).await {
            Ok(Ok(stream)) => stream,
            Ok(Err((error, stream))) => {
                self.journal
                    .tell(format_args!("{peer} was refused: {error}"));
                sleep(SLOW).await;
                drop(stream);
                return;
            }
            Err(_) => {
                let seconds = self.handshake.as_secs_f32();
                let what = format_args!("{peer} was refused: no proof of the token in {seconds} s");
                self.journal.tell(what);
                return;
            }
        };
        let Ok(counted) = Arc::clone(&self.places).try_acquire_owned() else {
            let most = self.most;
            let what = format_args!("{peer} was refused: there are {most} connections already");
            self.journal.tell(what);
            return;
        };
        let proven = Proven {
            stream,
            _counted: counted,
        };
        // Where nobody takes it, the worker ends.
        let _ = self.proven.send(proven).await;
    }
}

impl Connected for Proven {
    type ConnectInfo = ();

    fn connect_info(&self) {}
}

impl AsyncRead for Proven {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Proven {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
