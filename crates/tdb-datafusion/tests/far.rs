//! Requests of a query to a far store.
#![expect(clippy::unwrap_used, reason = "helpers of tests, which may fail so")]

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::{Arc, Mutex};

use datafusion::prelude::{SessionConfig, SessionContext};
use tdb_array::{Array, OpenOptions};
use tdb_cells::{Session, SessionOptions};
use tdb_datafusion::ArrayTable;
use tdb_store::{
    Distance, Listing, MemoryStore, ObjectWriter, Page, Piece, Read, Store, StoreError,
};
use tokio::runtime::Builder;

/// Far store that records the keys and ranges of each call.
#[derive(Clone, Debug)]
struct Watched {
    inner: MemoryStore,
    calls: Arc<Mutex<Vec<Vec<String>>>>,
}

impl Watched {
    fn take(&self) -> Vec<Vec<String>> {
        std::mem::take(&mut *self.calls.lock().unwrap())
    }
}

impl Store for Watched {
    fn distance(&self) -> Distance {
        Distance::Far { gap: 1 << 20 }
    }

    fn list(&self, prefix: &str, page: Option<&Page>) -> Result<Listing, StoreError> {
        self.inner.list(prefix, page)
    }

    fn size(&self, key: &str) -> Result<u64, StoreError> {
        self.inner.size(key)
    }

    fn read(&self, reads: &[Read]) -> Vec<Result<Piece, StoreError>> {
        if !reads.is_empty() {
            let asked = reads
                .iter()
                .map(|read| format!("{} {:?}", read.key, read.range));
            self.calls.lock().unwrap().push(asked.collect());
        }
        // Lets other partitions begin meanwhile.
        std::thread::sleep(std::time::Duration::from_millis(20));
        self.inner.read(reads)
    }

    fn read_into(&self, key: &str, offset: u64, into: &mut [u8]) -> Result<(), StoreError> {
        self.inner.read_into(key, offset, into)
    }

    fn create(&self, key: &str) -> Result<Box<dyn ObjectWriter>, StoreError> {
        self.inner.create(key)
    }

    fn settle(&self, prefix: &str) -> Result<(), StoreError> {
        self.inner.settle(prefix)
    }

    fn remove_many(&self, keys: &[&str]) -> Vec<Result<(), StoreError>> {
        self.inner.remove_many(keys)
    }
}

/// Returns the rows of a statement over an array, in two partitions, as text.
fn ask(store: &Watched, statement: &str) -> String {
    let opened = Array::open(Arc::new(store.clone()), "", OpenOptions::default()).unwrap();
    store.take();
    let session = Session::new(SessionOptions::default().threads(NonZeroUsize::new(2)));
    let table = ArrayTable::new(Arc::new(opened), session.clone(), "t").unwrap();
    let config = SessionConfig::new().with_target_partitions(2);
    let context = SessionContext::new_with_config(config);
    context.register_table("t", Arc::new(table)).unwrap();
    let runtime = Builder::new_multi_thread().enable_all().build().unwrap();
    let rows = runtime.block_on(async { context.sql(statement).await?.collect().await });
    // The plan is made before the scan is split, and all partitions share it.
    assert_eq!(session.profile().reads_planned, 1, "{statement}");
    format!("{:?}", rows.unwrap())
}

/// Returns the number of calls that a statement needs once the array is open, by kind: metadata, none of it twice, or
/// cells.
fn calls(fixture: &str, statement: &str) -> BTreeMap<&'static str, usize> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let inner = MemoryStore::from_folder(folder.join(fixture).join("array")).unwrap();
    let store = Watched {
        inner,
        calls: Arc::default(),
    };
    let plan = ask(&store, &format!("explain {statement}"));
    assert!(plan.contains("partitions=2"), "{plan}");
    ask(&store, statement);
    let is_metadata =
        |one: &String| one.contains("__fragment_metadata") || one.contains("__schema");
    let (mut metadata, mut counts) = (BTreeSet::new(), BTreeMap::new());
    for call in store.take() {
        let of_metadata: Vec<&String> = call.iter().filter(|one| is_metadata(one)).collect();
        let what = if of_metadata.is_empty() {
            "cells"
        } else {
            "metadata"
        };
        *counts.entry(what).or_default() += 1;
        for one in of_metadata {
            assert!(metadata.insert(one.clone()), "{one} twice");
        }
    }
    counts
}

#[test]
fn what_planning_takes_is_asked_for_once_for_all_partitions() {
    let expected = BTreeMap::from([("metadata", 1), ("cells", 2)]);
    // Most footers were consolidated, so that planning needs requests.
    let found = calls("v22_footers", "select * from t");
    assert_eq!(found, expected);
    // Two enumerations; the ends of the fragment metadata were read when the array was opened.
    let found = calls("v22_enumerations_sparse", "select * from t");
    assert_eq!(found, expected);
}
