//! Opening an array of many fragments: from memory, which measures decoding alone, and from files.
use std::sync::Arc;

use bytes::{Buf, Bytes};
use divan::{Bencher, black_box, counter::ItemsCount};
use tdb_array::{Array, OpenOptions};
use tdb_store::{LocalStore, MemoryStore, Store, copy_tree};

const FRAGMENTS: u32 = 1000;

fn main() {
    divan::main();
}

/// Returns the sparse array of the tests, with many copies of its first fragment.
fn array() -> MemoryStore {
    let mut bytes = Bytes::from_static(include_bytes!("../tests/data/v12_sparse_dups.pack"));
    let store = MemoryStore::new();
    while !bytes.is_empty() {
        let end = bytes
            .iter()
            .position(|byte| *byte == b'\n')
            .expect("a newline");
        let key = String::from_utf8(bytes.split_to(end).to_vec()).expect("a key");
        bytes.advance(1);
        let size = usize::try_from(bytes.get_u64_le()).expect("a size");
        let bytes = bytes.split_to(size);
        if key.starts_with("__schema") {
            store.put(&key, bytes).expect("a key of its own");
        } else if key.contains("/__110_110_") && key.ends_with("__fragment_metadata.tdb") {
            for number in 0..FRAGMENTS {
                let name = format!("__{number}_{number}_{number:032x}_12");
                let metadata = format!("__fragments/{name}/__fragment_metadata.tdb");
                store
                    .put(&metadata, bytes.clone())
                    .expect("a key of its own");
                store
                    .put(&format!("__commits/{name}.wrt"), Bytes::new())
                    .expect("a key of its own");
            }
        }
    }
    store
}

fn open(store: Arc<dyn Store>) -> usize {
    let array = Array::open(store, "", OpenOptions::default()).expect("a sound array");
    array.fragments().len()
}

#[divan::bench]
fn memory(bencher: Bencher) {
    let store: Arc<dyn Store> = Arc::new(array());
    bencher
        .counter(ItemsCount::new(FRAGMENTS))
        .bench(|| open(black_box(Arc::clone(&store))));
}

#[divan::bench]
fn files(bencher: Bencher) {
    let folder = tempfile::tempdir().expect("a folder");
    let store = LocalStore::open(folder.path()).expect("a folder");
    copy_tree(&array(), "", &store, "").expect("room");
    let store: Arc<dyn Store> = Arc::new(store);
    bencher
        .counter(ItemsCount::new(FRAGMENTS))
        .bench(|| open(black_box(Arc::clone(&store))));
}
