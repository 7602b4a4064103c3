//! The store that injects faults.

use bytes::Bytes;
use tdb_store::{Faults, FaultyStore, MemoryStore, Read, Store, StoreError, conformance, exists};

#[test]
fn without_faults_it_is_the_store_it_wraps() {
    let store = FaultyStore::new(MemoryStore::new(), Faults::default(), 1);
    conformance::check(&store).unwrap();
    assert!(store.operations() > 100);
}

#[test]
fn each_single_fault_breaks_conformance() {
    let sound = FaultyStore::failing_at(MemoryStore::new(), u64::MAX);
    conformance::check(&sound).unwrap();
    let survived = (0..sound.operations()).filter(|&operation| {
        let store = FaultyStore::failing_at(MemoryStore::new(), operation);
        conformance::check(&store).is_ok()
    });
    // If a joined read fails, its reads are repeated one by one, so this fault has no effect.
    assert_eq!(survived.collect::<Vec<_>>(), [33]);
}

#[test]
fn an_error_after_means_it_was_done() {
    let faults = Faults {
        after: 1,
        ..Faults::default()
    };
    let store = FaultyStore::new(MemoryStore::new(), faults, 7);
    assert!(store.put("a", Bytes::new()).is_err());
    assert!(exists(store.inner(), "a").unwrap());
}

#[test]
fn a_short_read_is_noticed() {
    let faults = Faults {
        short: 1,
        ..Faults::default()
    };
    let memory = MemoryStore::new();
    memory.put("a", Bytes::from_static(b"12345678")).unwrap();
    let store = FaultyStore::new(memory, faults, 7);
    let answer = store.read(&[Read::whole("a")]).remove(0);
    assert!(
        matches!(answer, Err(StoreError::OutOfRange { size: 4, .. })),
        "{answer:?}"
    );
}

#[test]
fn the_same_seed_makes_the_same_faults() {
    let faults = Faults {
        before: 3,
        stale: 4,
        ..Faults::default()
    };
    let run = |seed| {
        let store = FaultyStore::new(MemoryStore::new(), faults, seed);
        let sizes = (0..100).map(|_| match store.size("a") {
            Err(StoreError::NotFound { .. }) => '.',
            _ => 'x',
        });
        sizes.collect::<String>()
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
    let failed = run(1).matches('x').count();
    assert!((20..50).contains(&failed), "{failed}");
}

#[test]
fn a_store_that_stops_does_nothing_more() {
    let store = FaultyStore::stopping_at(MemoryStore::new(), 1);
    store.put("a", "1".into()).unwrap();
    for _ in 0..3 {
        assert!(store.put("b", "2".into()).is_err());
        assert!(store.size("a").is_err());
    }
    assert_eq!(store.inner().keys(), ["a"]);
}
