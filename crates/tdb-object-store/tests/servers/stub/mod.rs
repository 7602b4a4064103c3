//! In-memory servers of the protocol that S3 and Google Cloud Storage share, with faults on demand.

mod bucket;
mod http;

use std::net::{Ipv4Addr, TcpListener};
use std::sync::{Arc, Mutex};
use std::thread;

use tdb_object_store::{RemoteStore, Runtime, Settings};

pub(crate) use bucket::{Bucket, listed, page};
pub(crate) use http::{Answer, Request};

/// The reaction of a server to a request.
pub(crate) enum Does {
    /// Serves the request.
    Serves,
    /// Serves the request, but hangs up without an answer.
    ServesUnheard,
    /// Serves the request, but sends this answer.
    ServesAndSays(Answer),
    /// Sends this answer instead of serving the request.
    Says(Answer),
    /// Receives the request and never answers.
    Stalls,
    /// Hangs up without serving or answering.
    HangsUp,
    /// Sends N bytes of the right body, then hangs up.
    CutsAfter(usize),
    /// Sends N bytes of the right body, then stalls without hanging up.
    StallsAfter(usize),
    /// Begins this answer and continues its body without end.
    NeverEnds(Answer),
}

/// Chooses the reaction to a request; the number counts the earlier requests with the same method and path.
pub(crate) type Deed = dyn Fn(&Request, usize) -> Does + Send + Sync;

/// A server on its own port. Its threads end with the process.
pub(crate) struct Server {
    pub(crate) port: u16,
    pub(crate) bucket: Arc<Bucket>,
    asked: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    /// Starts a server with an empty bucket.
    pub(crate) fn start(deed: impl Fn(&Request, usize) -> Does + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let (bucket, asked) = (Arc::new(Bucket::default()), Arc::default());
        let (deed, objects, notes): (Arc<Deed>, _, _) =
            (Arc::new(deed), Arc::clone(&bucket), Arc::clone(&asked));
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let (deed, objects, notes) =
                    (Arc::clone(&deed), Arc::clone(&objects), Arc::clone(&notes));
                // A broken connection is reported by the client.
                thread::spawn(move || http::serve(client, &*deed, &objects, &notes));
            }
        });
        Self {
            port,
            bucket,
            asked,
        }
    }

    /// Starts a server without faults.
    pub(crate) fn good() -> Self {
        Self::start(|_, _| Does::Serves)
    }

    pub(crate) fn address(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Returns all requests so far.
    pub(crate) fn asked(&self) -> Vec<Request> {
        self.asked.lock().unwrap().clone()
    }

    /// Returns the number of matching requests.
    pub(crate) fn count(&self, is_meant: impl Fn(&Request) -> bool) -> usize {
        self.asked().iter().filter(|one| is_meant(one)).count()
    }

    /// Settings for S3 on this server, with short timeouts, but longer than a pause of a busy machine.
    pub(crate) fn s3(&self) -> Settings {
        let mut settings = Settings::new();
        for (name, value) in [
            ("vfs.s3.endpoint_override", &*self.address()),
            ("vfs.s3.region", "us-east-1"),
            ("vfs.s3.use_virtual_addressing", "false"),
            ("vfs.s3.aws_access_key_id", "the-key-id"),
            ("vfs.s3.aws_secret_access_key", "the-secret"),
            ("vfs.s3.aws_session_token", "the-token"),
            ("vfs.s3.request_timeout_ms", "1000"),
            ("vfs.s3.connect_timeout_ms", "1000"),
            ("vfs.s3.connect_max_tries", "3"),
        ] {
            settings.set(name, value);
        }
        settings
    }

    /// Opens the bucket by the protocol of S3.
    pub(crate) fn store(&self) -> RemoteStore {
        open("s3://bucket", &self.s3())
    }
}

pub(crate) fn open(uri: &str, settings: &Settings) -> RemoteStore {
    tdb_object_store::open(uri, settings, &Runtime::start().unwrap()).unwrap()
}
