//! Stored bytes of tiles, from a store or from memory.
#![expect(clippy::unwrap_used, reason = "helpers of tests, which may fail so")]

use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use tdb_cells::{FetchedBytes, KeptMemory, StoredBytes, TileBytes, TileError};
use tdb_store::{MemoryStore, Piece, Read, Store, StoreError};
use tdb_tile::{ErrorKind, Limits};

const KEY: &str = "fragment/a0.tdb";

fn store(bytes: &[u8]) -> Arc<dyn Store> {
    let store = MemoryStore::new();
    store.put(KEY, Bytes::copy_from_slice(bytes)).unwrap();
    Arc::new(store)
}

/// Fetches bytes within a budget.
fn fetch(
    bytes: &dyn TileBytes,
    key: &str,
    extent: Range<u64>,
    memory: u64,
) -> Result<Vec<u8>, TileError> {
    let (limits, mut place) = (Limits::with_budget(memory), KeptMemory::default());
    let stored = bytes.fetch(&key.into(), extent, &mut place, &limits)?;
    Ok(stored.to_vec())
}

#[test]
fn a_store_gives_the_bytes_of_an_extent() {
    let store = store(b"0123456789");
    assert_eq!(fetch(&store, KEY, 3..7, 4).unwrap(), b"3456");
    assert_eq!(fetch(&store, KEY, 0..10, 100).unwrap(), b"0123456789");
    assert!(store.near().is_some() && FetchedBytes::default().near().is_none());
}

#[test]
fn what_a_store_lacks_is_told_before_memory_is_taken() {
    let store = store(b"0123456789");
    let beyond = fetch(&store, KEY, 3..1 << 60, 4).unwrap_err();
    assert_eq!(beyond.kind(), ErrorKind::Corrupt);
    assert!(matches!(
        beyond,
        TileError::Store(StoreError::OutOfRange {
            offset: 3,
            size: 10,
            ..
        })
    ));
    assert_eq!(
        fetch(&store, "other", 0..1, 4).unwrap_err().kind(),
        ErrorKind::NotFound
    );
    let large = fetch(&store, KEY, 0..5, 4).unwrap_err();
    assert_eq!(large.kind(), ErrorKind::Memory);
    assert_eq!(
        large.to_string(),
        "memory of 5 is over the limit of 4 (memory budget)"
    );
}

#[test]
fn bytes_that_were_read_before_are_found_by_where_they_begin() {
    let reads = [Read::bounded(KEY, 3, 2), Read::bounded("b", 0, 1)];
    let piece = |offset, bytes: &'static str| Piece {
        offset,
        bytes: Bytes::from_static(bytes.as_bytes()),
    };
    let fetched = FetchedBytes::new(&reads, vec![piece(3, "xy"), piece(0, "z")]);
    // The bytes are in memory already, so the budget can be 0.
    assert_eq!(fetch(&fetched, KEY, 3..5, 0).unwrap(), b"xy");
    assert_eq!(fetch(&fetched, "b", 0..1, 0).unwrap(), b"z");
    for (key, extent) in [
        (KEY, 3..4),
        (KEY, 3..6),
        (KEY, 4..5),
        ("b", 3..5),
        ("c", 0..1),
    ] {
        let error = fetch(&fetched, key, extent, 100).unwrap_err();
        assert!(
            matches!(error, TileError::Store(StoreError::OutOfRange { .. })),
            "{error}"
        );
    }
}

#[test]
fn bytes_are_the_same_whether_they_are_shared() {
    let shared = StoredBytes::Shared(Arc::new(vec![1_u8, 2]));
    assert_eq!(
        (&*shared, &*StoredBytes::Own(&[3])),
        (&[1, 2][..], &[3][..])
    );
}
