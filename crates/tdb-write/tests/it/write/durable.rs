//! A write counts only after its files and folders are durable.

use std::sync::Mutex;

use bytes::Bytes;
use tdb_store::{
    Listing, LocalStore, ObjectWriter, Page, Piece, Read, StoreError, SyncCounts, name, parent,
};
use tdb_write::Writer;

use super::*;

const ATTRIBUTES: u64 = 40;

fn wide() -> ArraySchema {
    let x = Dimension::numbers("x", Datatype::Int64, (0_i64, 99), 10);
    let attributes = (0..ATTRIBUTES).map(|n| Attribute::new(format!("a{n}"), Datatype::Int32));
    ArraySchema::new(ArrayType::Sparse, vec![x], attributes.collect())
}

/// Writes one cell.
fn write(array: &Arc<Array>, time: u64) {
    let schema = array.schema();
    let columns = schema.fields().map(|field| {
        let size = usize::try_from(field.cell_size().unwrap()).unwrap();
        column(schema, field.name, &vec![Some(vec![1; size])])
    });
    let columns: Vec<Column> = columns
        .map(|mut column| {
            if column.name == "x" {
                column.values = Bytes::copy_from_slice(&7_i64.to_le_bytes());
            }
            column
        })
        .collect();
    // One thread: several threads that create the same folder would each sync it.
    let session = Session::new(SessionOptions::default().threads(Some(NonZeroUsize::MIN)));
    let mut writer = Writer::open(&session, array, &at(time)).unwrap();
    writer.push(&Batch { rows: 1, columns }).unwrap();
    writer.finish().unwrap();
}

#[test]
fn a_write_waits_once_for_each_file_and_once_for_each_folder() {
    let folder = tempfile::tempdir().unwrap();
    let local = LocalStore::open(folder.path()).unwrap();
    let store: Arc<dyn Store> = Arc::new(local.clone());
    let array = array(&store, &wide());
    write(&array, 5);
    let before = local.syncs();
    write(&array, 6);
    let SyncCounts { files, folders } = local.syncs();
    // Attributes, the dimension, the metadata and the commit.
    assert_eq!(files - before.files, ATTRIBUTES + 3);
    // `__fragments`, the folder of the fragment, and `__commits`.
    assert_eq!(folders - before.folders, 3);
}

/// A store that records the calls that make names durable.
#[derive(Debug, Default)]
struct Listed {
    inner: MemoryStore,
    done: Arc<Mutex<Vec<String>>>,
}

#[derive(Debug)]
struct ListedWriter {
    inner: Box<dyn ObjectWriter>,
    key: String,
    done: Arc<Mutex<Vec<String>>>,
}

fn note(done: &Mutex<Vec<String>>, what: &str, key: &str) {
    done.lock().unwrap().push(format!("{what} {key}"));
}

impl Store for Listed {
    fn list(&self, prefix: &str, page: Option<&Page>) -> Result<Listing, StoreError> {
        self.inner.list(prefix, page)
    }
    fn size(&self, key: &str) -> Result<u64, StoreError> {
        self.inner.size(key)
    }
    fn read(&self, reads: &[Read]) -> Vec<Result<Piece, StoreError>> {
        self.inner.read(reads)
    }
    fn read_into(&self, key: &str, offset: u64, into: &mut [u8]) -> Result<(), StoreError> {
        self.inner.read_into(key, offset, into)
    }
    fn create(&self, key: &str) -> Result<Box<dyn ObjectWriter>, StoreError> {
        Ok(Box::new(ListedWriter {
            inner: self.inner.create(key)?,
            key: key.to_owned(),
            done: Arc::clone(&self.done),
        }))
    }
    fn settle(&self, prefix: &str) -> Result<(), StoreError> {
        note(&self.done, "settle", prefix);
        self.inner.settle(prefix)
    }
    fn remove_many(&self, keys: &[&str]) -> Vec<Result<(), StoreError>> {
        self.inner.remove_many(keys)
    }
}

impl ObjectWriter for ListedWriter {
    fn write(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        self.inner.write(bytes)
    }
    fn finish(self: Box<Self>) -> Result<(), StoreError> {
        note(&self.done, "finish", &self.key);
        self.inner.finish()
    }
    fn place(self: Box<Self>) -> Result<(), StoreError> {
        note(&self.done, "place", &self.key);
        self.inner.place()
    }
}

#[test]
fn all_of_a_fragment_is_on_the_disk_before_its_commit() {
    let listed = Listed::default();
    let done = Arc::clone(&listed.done);
    let store: Arc<dyn Store> = Arc::new(listed);
    let array = array(&store, &wide());
    done.lock().unwrap().clear();
    write(&array, 5);
    let mut done = std::mem::take(&mut *done.lock().unwrap());
    let commit = done.pop().unwrap();
    assert!(commit.starts_with("finish a/__commits/"), "{commit}");
    let settled = done.pop().unwrap();
    let fragment = settled.strip_prefix("settle ").unwrap();
    assert_eq!(name(parent(fragment)), "__fragments");
    // All placed objects are in the folder that was settled afterwards.
    assert_eq!(done.len() as u64, ATTRIBUTES + 2);
    for placed in done {
        let key = placed.strip_prefix("place ").unwrap();
        assert_eq!(parent(key), fragment, "{placed}");
    }
}
