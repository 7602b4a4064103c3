//! A write that replaces cells opens the array once, and looks twice for what others wrote meanwhile.
#![expect(clippy::unwrap_used, reason = "helpers of tests, which may fail so")]

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tdb::{Attribute, Context, Datatype, Dimension, LocalStores, RemoteFolder, Schema, Stores};
use tdb_store::{Listing, MemoryStore, ObjectWriter, Page, Piece, Read, Store, StoreError};

/// A store that counts how often an array is opened: then its schemas are listed.
#[derive(Clone, Debug, Default)]
struct CountingStore {
    store: MemoryStore,
    opens: Arc<AtomicU64>,
}

impl CountingStore {
    fn take(&self) -> u64 {
        self.opens.swap(0, Ordering::Relaxed)
    }
}

impl Store for CountingStore {
    fn list(&self, prefix: &str, page: Option<&Page>) -> Result<Listing, StoreError> {
        if prefix.ends_with("__schema") {
            self.opens.fetch_add(1, Ordering::Relaxed);
        }
        self.store.list(prefix, page)
    }

    fn size(&self, key: &str) -> Result<u64, StoreError> {
        self.store.size(key)
    }

    fn read(&self, reads: &[Read]) -> Vec<Result<Piece, StoreError>> {
        self.store.read(reads)
    }

    fn read_into(&self, key: &str, offset: u64, into: &mut [u8]) -> Result<(), StoreError> {
        self.store.read_into(key, offset, into)
    }

    fn create(&self, key: &str) -> Result<Box<dyn ObjectWriter>, StoreError> {
        self.store.create(key)
    }

    fn settle(&self, prefix: &str) -> Result<(), StoreError> {
        self.store.settle(prefix)
    }

    fn remove_many(&self, keys: &[&str]) -> Vec<Result<(), StoreError>> {
        self.store.remove_many(keys)
    }
}

/// The store behind URIs that begin with `test://`.
#[derive(Debug)]
struct CountingStores(CountingStore);

impl Stores for CountingStores {
    fn open(&self, folder: &Path) -> Result<Arc<dyn Store>, StoreError> {
        LocalStores.open(folder)
    }

    fn open_remote(&self, uri: &str) -> tdb::Result<RemoteFolder> {
        Ok(RemoteFolder {
            store: Arc::new(self.0.clone()),
            root_uri: "test:/".to_owned(),
            folder: uri.strip_prefix("test://").unwrap().to_owned(),
        })
    }
}

#[test]
fn cells_are_replaced_with_one_open_and_two_looks_for_others() {
    let store = CountingStore::default();
    let context = Context::new().stores(Arc::new(CountingStores(store.clone())));
    for schema in [Schema::sparse(), Schema::dense()] {
        let schema = schema
            .dimension(
                Dimension::new("x", Datatype::Int32)
                    .domain(1..=100)
                    .tile(10),
            )
            .attribute(Attribute::new("a", Datatype::Int32))
            .attribute(Attribute::new("b", Datatype::Int32))
            .build()
            .unwrap();
        let uri = if schema.is_dense() {
            "test://dense"
        } else {
            "test://sparse"
        };
        let array = context.create(uri, &schema).unwrap();
        let cells = || {
            array
                .write()
                .replace()
                .column("x", [3, 5])
                .column("a", [1, 2])
        };
        store.take();
        let written = cells().column("b", [7, 8]).commit().unwrap();
        assert_eq!((written.cells, written.yielded), (2, 0));
        assert_eq!(
            store.take(),
            3,
            "the view; the looks before and after the commit"
        );
        // The handle is as old as before: the second write sees the first one all the same.
        assert_eq!(cells().commit().unwrap().replaced, 2);
        assert_eq!(store.take(), 3);

        let stream = array.write().replace().stream().unwrap();
        assert_eq!(
            store.take(),
            0,
            "a stream opens the array when its cells are complete"
        );
        assert_eq!(stream.finish().unwrap().cells, 0);

        assert_eq!(cells().dry_run(true).commit().unwrap().replaced, 2);
        assert_eq!(store.take(), 1);
    }
}

#[test]
fn columns_of_a_later_schema_are_known_to_an_older_handle() {
    let store = CountingStore::default();
    let context = Context::new().stores(Arc::new(CountingStores(store)));
    let schema = Schema::sparse()
        .dimension(
            Dimension::new("x", Datatype::Int32)
                .domain(1..=100)
                .tile(10),
        )
        .attribute(Attribute::new("a", Datatype::Int32))
        .build()
        .unwrap();
    let array = context.create("test://a", &schema).unwrap();
    let mut evolution = context.open("test://a").unwrap().evolve().unwrap();
    evolution
        .add_attribute(&Attribute::new("b", Datatype::Int32))
        .unwrap();
    evolution.commit().unwrap();
    let replacing = array.write().replace().column("x", [3]).column("a", [1]);
    assert_eq!(replacing.column("b", [7]).commit().unwrap().cells, 1);
    let found = array.reopen().unwrap().read().to_vec::<i32>("b").unwrap();
    assert_eq!(found, [7]);
}
