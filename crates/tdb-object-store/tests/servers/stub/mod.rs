//! Servers of the protocol that S3 and Google Cloud Storage share, in memory, which fail as they are told.

mod bucket;
mod http;

use std::net::{Ipv4Addr, TcpListener};
use std::sync::{Arc, Mutex};
use std::thread;

use tdb_object_store::{RemoteStore, Runtime, Settings};

pub(crate) use bucket::{Bucket, listed, page};
pub(crate) use http::{Answer, Request};

/// What a server does with a request.
pub(crate) enum Does {
    /// What a server should.
    Serves,
    /// What a server should, and hangs up without an answer.
    ServesUnheard,
    /// What a server should, and answers this.
    ServesAndSays(Answer),
    /// Answers this instead.
    Says(Answer),
    /// Takes the request and never answers.
    Stalls,
    /// Hangs up without an answer.
    HangsUp,
    /// Sends so many bytes of the right body, and hangs up.
    CutsAfter(usize),
    /// Sends so many bytes of the right body, and no more, and does not hang up.
    StallsAfter(usize),
    /// Begins this answer, and goes on with its body for ever.
    NeverEnds(Answer),
}

/// What a server does with the requests of which there were so many of the same method and path before.
pub(crate) type Deed = dyn Fn(&Request, usize) -> Does + Send + Sync;

/// A server on a port of its own. Its threads end with the process.
pub(crate) struct Server {
    pub(crate) port: u16,
    pub(crate) bucket: Arc<Bucket>,
    asked: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    /// Starts one, with an empty bucket.
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
                // A connection that breaks is the client's to tell.
                thread::spawn(move || http::serve(client, &*deed, &objects, &notes));
            }
        });
        Self {
            port,
            bucket,
            asked,
        }
    }

    /// Starts one that does nothing wrong.
    pub(crate) fn good() -> Self {
        Self::start(|_, _| Does::Serves)
    }

    pub(crate) fn address(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// All that was asked so far.
    pub(crate) fn asked(&self) -> Vec<Request> {
        self.asked.lock().unwrap().clone()
    }

    /// How often something was asked.
    pub(crate) fn count(&self, is_meant: impl Fn(&Request) -> bool) -> usize {
        self.asked().iter().filter(|one| is_meant(one)).count()
    }

    /// Settings by which S3's protocol is spoken with this server, impatiently, but for longer than a busy machine halts a program.
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

    /// The bucket, by S3's protocol.
    pub(crate) fn store(&self) -> RemoteStore {
        open("s3://bucket", &self.s3())
    }
}

pub(crate) fn open(uri: &str, settings: &Settings) -> RemoteStore {
    tdb_object_store::open(uri, settings, &Runtime::start().unwrap()).unwrap()
}
