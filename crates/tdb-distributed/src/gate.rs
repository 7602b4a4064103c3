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

/// Delay before a connection that failed to prove itself is closed.
const SLOW: Duration = Duration::from_secs(1);

/// Initial and longest pause after the system refused to accept a connection.
const PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// A connection that has proven that it knows the token. It counts against the connection limit until it is dropped.
pub(crate) struct Proven {
    stream: TlsStream<TcpStream>,
    _counted: OwnedSemaphorePermit,
}

/// Accepts connections, and forwards those that prove that they know the token.
pub(crate) struct Gate {
    pub(crate) listener: TcpListener,
    pub(crate) tls: TlsAcceptor,
    pub(crate) limits: WorkerLimits,
    pub(crate) journal: Journal,
    pub(crate) proven: Sender<Proven>,
}

impl Gate {
    /// Accepts connections until the future is dropped.
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
                // The peer closed the connection before it was accepted.
                Err(error) if is_of_peer(&error) => {}
                Err(error) => {
                    self.journal.tell(format_args!("no connection: {error}"));
                    // Unproven connections are closed to free file handles, which may have run out.
                    strangers.dismiss_half();
                    sleep(pause).await;
                    pause = pause.saturating_mul(2).min(LONGEST_PAUSE);
                }
            }
        }
    }
}

/// Number of file handles for unproven connections: a quarter of the limit, since arrays and files need handles as
/// well.
#[cfg(unix)]
fn spare_handles() -> usize {
    use rustix::process::{Resource, getrlimit};

    let handles = getrlimit(Resource::Nofile).current;
    let quarter = handles.map(|handles| handles.div_ceil(4));
    // Without a limit on handles, only the semaphore's own limit applies.
    quarter.map_or(Semaphore::MAX_PERMITS, |quarter| {
        usize::try_from(quarter).unwrap_or(Semaphore::MAX_PERMITS)
    })
}

/// Number of file handles for unproven connections; other systems have no such limit.
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

/// Connections that have not proven themselves yet, oldest first. When the limit is reached, a new connection
/// replaces the oldest one, so that strangers cannot keep out a client that knows the token, however many of them
/// connect.
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

/// Performs the TLS handshakes that prove the token.
struct Prover {
    tls: TlsAcceptor,
    handshake: Duration,
    places: Arc<Semaphore>,
    most: usize,
    journal: Journal,
    proven: Sender<Proven>,
}

impl Prover {
    /// Performs the handshake of one connection within the time limit, and forwards the connection to the server. A
    /// connection that fails the handshake is closed after a delay.
    async fn prove(self: Arc<Self>, stream: TcpStream, peer: SocketAddr) {
        // Avoids delays of small messages. A failure only makes them slower.
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
        // Fails only if the receiver is gone, because the worker is ending.
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
