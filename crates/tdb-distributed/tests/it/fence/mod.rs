//! A client that knows the token can read what the worker's owner allowed, and compute within limits. Nobody else can
//! do anything.
#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests, which may fail so"
)]

mod doors;
mod limits;
mod plans;

use std::sync::{Arc, Mutex};

use datafusion_proto::protobuf::PhysicalPlanNode;
use tdb_distributed::{Allowed, Certificates, ClusterError, Token, Worker, WorkerLimits};
use tokio::runtime::Runtime;
use tokio::sync::oneshot;
use tonic::{Code, Status};

use crate::cluster::{arrays, runtime};
use crate::hostile::Hostile;
use crate::plans::text;
use crate::proof::Proof;

const TOKEN: &str = "a token of the owner, and of no other";

/// A worker controlled by a test, with a folder that it may read.
struct Fenced {
    folder: tempfile::TempDir,
    address: String,
    told: Arc<Mutex<Vec<String>>>,
    stop: Option<oneshot::Sender<()>>,
    ended: Option<tokio::task::JoinHandle<Result<(), ClusterError>>>,
    runtime: Runtime,
}

impl Fenced {
    fn new() -> Self {
        Self::with(|_| {}, None)
    }

    fn with(change: impl FnOnce(&mut WorkerLimits), memory: Option<u64>) -> Self {
        let mut limits = WorkerLimits::default();
        change(&mut limits);
        Self::start(limits, memory, Certificates::default())
    }

    fn showing(certificates: Certificates) -> Self {
        Self::start(WorkerLimits::default(), None, certificates)
    }

    fn start(limits: WorkerLimits, memory: Option<u64>, certificates: Certificates) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("allowed")).unwrap();
        let allowed = folder.path().join("allowed");
        let allowed = Allowed::new([allowed.to_str().unwrap()]).unwrap();
        let runtime = runtime();
        let token = Token::new(TOKEN).unwrap();
        let worker = runtime.block_on(Worker::bind("127.0.0.1:0", token, allowed));
        let told: Arc<Mutex<Vec<String>>> = Arc::default();
        let tell = Arc::clone(&told);
        let worker = worker.unwrap().limits(limits).certificates(certificates);
        let worker = worker.listener(move |what| tell.lock().unwrap().push(what.to_owned()));
        let address = worker.address().to_string();
        let (stop, stopped) = oneshot::channel();
        let arrays = arrays(memory);
        let ended = runtime.spawn(worker.serve(arrays, async {
            // A test that ends early drops the sender, which stops the worker as well.
            let _ = stopped.await;
        }));
        Self {
            folder,
            address,
            told,
            stop: Some(stop),
            ended: Some(ended),
            runtime,
        }
    }

    fn owner(&self) -> Hostile {
        let _entered = self.runtime.enter();
        Hostile::new(&self.address, Proof::Token(TOKEN))
    }

    fn refused(&self, plan: &PhysicalPlanNode) -> Status {
        let kept = self.runtime.block_on(self.owner().plan(plan));
        kept.err().unwrap_or_else(|| panic!("was kept: {plan:?}"))
    }

    /// Asserts that the worker still executes plans.
    fn is_well(&self) {
        let rows = self
            .runtime
            .block_on(self.owner().run(&text("all is well")));
        let rows = rows.unwrap();
        assert!(String::from_utf8_lossy(&rows).contains("all is well"));
    }

    fn told(&self) -> String {
        self.told.lock().unwrap().join("\n")
    }
}

fn says(status: &Status, code: Code, text: &str) {
    assert_eq!(status.code(), code, "{status}");
    assert!(status.message().contains(text), "{status}");
}
