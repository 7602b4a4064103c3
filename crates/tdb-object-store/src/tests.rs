//! Tests of the adapter over the in-memory store of the crate `object_store`, without a network.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use bytes::Bytes;
use object_store::memory::InMemory;
use object_store::{ObjectStore, ObjectStoreExt};
use tdb_store::{Store, StoreError, conformance, list_all, read_whole};

use crate::ranges::TailReads;
use crate::remote::Remote;
use crate::runtime::Runtime;
use crate::store::RemoteStore;
use crate::writer::PART;

fn adapted(store: &Arc<InMemory>, root: &str, tails: TailReads, is_writable: bool) -> RemoteStore {
    let remote = Remote {
        store: Arc::clone(store) as Arc<dyn ObjectStore>,
        pages: None,
        markers: None,
        root: root.to_owned(),
        tails,
        is_writable,
        at_a_time: 32,
        is_unconditional: AtomicBool::new(false),
    };
    RemoteStore::new(remote, Runtime::start().unwrap())
}

#[test]
fn the_adapter_is_a_store() {
    for tails in [TailReads::Answered, TailReads::BySize] {
        for root in ["", "a/b"] {
            let store = adapted(&Arc::new(InMemory::new()), root, tails, true);
            conformance::check(&store).unwrap();
        }
    }
}

#[test]
fn objects_of_several_parts_are_whole_or_not_there() {
    let store = adapted(&Arc::new(InMemory::new()), "x", TailReads::Answered, true);
    let long: Vec<u8> = (0..251).cycle().take(PART * 2 + 77).collect();
    let mut object = store.create("long").unwrap();
    for piece in long.chunks(1_000_003) {
        object.write(piece).unwrap();
    }
    assert!(store.size("long").unwrap_err().is_not_found());
    object.finish().unwrap();
    assert_eq!(read_whole(&store, "long", u64::MAX).unwrap(), long);

    let mut dropped = store.create("dropped").unwrap();
    dropped.write(&long).unwrap();
    drop(dropped);
    assert!(store.size("dropped").unwrap_err().is_not_found());

    let again = store.put("long", Bytes::from(vec![0; PART + 1]));
    assert!(matches!(again, Err(StoreError::Exists { .. })), "{again:?}");
    assert_eq!(read_whole(&store, "long", u64::MAX).unwrap(), long);
}

#[test]
fn what_can_only_be_read_is_not_changed() {
    let objects = Arc::new(InMemory::new());
    let writable = adapted(&objects, "", TailReads::Answered, true);
    writable.put("a", Bytes::from_static(b"1")).unwrap();
    let store = adapted(&objects, "", TailReads::Answered, false);
    let answers = [
        store.put("b", Bytes::new()),
        store.create("b").map(drop),
        store.remove("a"),
    ];
    for answer in answers {
        let error = answer.unwrap_err();
        assert!(matches!(error, StoreError::ReadOnly { .. }), "{error}");
    }
    assert_eq!(read_whole(&store, "a", 1).unwrap(), "1");
}

#[test]
fn folders_end_where_their_names_end() {
    let objects = Arc::new(InMemory::new());
    let runtime = Runtime::start().unwrap();
    let path = |key: &str| object_store::path::Path::parse(key).unwrap();
    for key in ["x/a", "xy/a", "x/b/c"] {
        let objects = Arc::clone(&objects);
        let key = path(key);
        let put = runtime.wait(async move { objects.put(&key, "1".into()).await });
        put.unwrap().unwrap();
    }
    let found = list_all(&adapted(&objects, "x", TailReads::Answered, true), "").unwrap();
    let keys: Vec<&str> = found.objects.iter().map(|object| &*object.key).collect();
    assert_eq!((keys, found.prefixes), (vec!["a"], vec!["b".to_owned()]));
}
