//! Both stores return the same for any sequence of operations.

use bytes::Bytes;
use proptest::prelude::*;
use tdb_store::{ByteRange, LocalStore, MemoryStore, Read, Store, StoreError, list_all};

/// One operation on a store.
#[derive(Clone, Debug)]
enum Operation {
    Put(String, Vec<u8>),
    Remove(String),
    Size(String),
    Read(String, ByteRange, u64),
    List(String),
}

/// Keys of which none is a folder of another: there, object stores and file systems differ.
fn key() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "a", "d/b", "d/c", "d/e/f", "g/h", "d.x/i", "bad//key", "..",
    ])
    .prop_map(str::to_owned)
}

fn range() -> impl Strategy<Value = ByteRange> {
    prop_oneof![
        Just(ByteRange::Whole),
        (0_u64..9, 0_u64..9).prop_map(|(start, len)| ByteRange::Bounded { start, len }),
        (0_u64..9).prop_map(ByteRange::From),
        (0_u64..9).prop_map(ByteRange::Tail),
    ]
}

fn operation() -> impl Strategy<Value = Operation> {
    let folder = prop::sample::select(vec!["", "d", "d/e", "g", "none", "a"]);
    prop_oneof![
        3 => (key(), prop::collection::vec(any::<u8>(), 0..8)).prop_map(|(k, b)| Operation::Put(k, b)),
        2 => key().prop_map(Operation::Remove),
        1 => key().prop_map(Operation::Size),
        2 => (key(), range(), 3_u64..20).prop_map(|(k, r, l)| Operation::Read(k, r, l)),
        2 => folder.prop_map(|folder| Operation::List(folder.to_owned())),
    ]
}

/// Performs an operation and returns the result as text, without the sizes in listings, which differ between stores.
fn ask(store: &dyn Store, operation: &Operation) -> String {
    let shown = |error: StoreError| error.to_string();
    match operation {
        Operation::Put(key, bytes) => {
            format!(
                "{:?}",
                store.put(key, Bytes::copy_from_slice(bytes)).map_err(shown)
            )
        }
        Operation::Remove(key) => format!("{:?}", store.remove(key).map_err(shown)),
        Operation::Size(key) => format!("{:?}", store.size(key).map_err(shown)),
        Operation::Read(key, range, limit) => {
            let read = Read::new(key.as_str(), *range).at_most(*limit);
            format!("{:?}", store.read(&[read.clone(), read]))
        }
        Operation::List(prefix) => {
            let listing = list_all(store, prefix).map(|listing| {
                let keys: Vec<String> = listing.objects.into_iter().map(|o| o.key).collect();
                (keys, listing.prefixes)
            });
            format!("{:?}", listing.map_err(shown))
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn files_and_memory_answer_alike(operations in prop::collection::vec(operation(), 1..30)) {
        let folder = tempfile::tempdir().unwrap();
        let local = LocalStore::open(folder.path()).unwrap().with_page_size(2);
        let memory = MemoryStore::new().with_page_size(3);
        for operation in &operations {
            let (local, memory) = (ask(&local, operation), ask(&memory, operation));
            prop_assert_eq!(local, memory, "{:?}", operation);
        }
    }
}
