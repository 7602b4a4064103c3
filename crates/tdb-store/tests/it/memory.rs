//! The memory store: conformance, counts, pages.

use bytes::Bytes;
use tdb_store::{
    Counts, JoinedReads, MemoryStore, Read, Store, conformance, list_all, read_coalesced,
    read_whole,
};

#[test]
fn memory_conforms_in_pages_of_any_size() {
    conformance::check(&MemoryStore::new()).unwrap();
    for entries in 1..5 {
        conformance::check(&MemoryStore::new().with_page_size(entries)).unwrap();
    }
}

#[test]
fn requests_are_counted() {
    let store = MemoryStore::new();
    store.put("a/b", Bytes::from_static(b"0123456789")).unwrap();
    assert_eq!(store.take_counts().creates, 1);
    list_all(&store, "a").unwrap();
    read_whole(&store, "a/b", 10).unwrap();
    store.read(&[Read::tail("a/b", 3), Read::bounded("a/b", 0, 2)]);
    let expected = Counts {
        lists: 1,
        batches: 2,
        reads: 3,
        bytes: 15,
        ..Counts::default()
    };
    assert_eq!(store.counts(), expected);
}

#[test]
fn near_ranges_are_read_at_once() {
    let store = MemoryStore::new();
    let bytes: Bytes = (0..=255).collect();
    store.put("a", bytes.clone()).unwrap();
    store.put("b", bytes.clone()).unwrap();
    store.take_counts();
    let ranges = [
        ("a", 100, 10),
        ("b", 0, 4),
        ("a", 0, 4),
        ("a", 6, 4),
        ("a", 104, 20),
    ];
    let reads: Vec<Read> = ranges
        .iter()
        .map(|&(key, start, len)| Read::bounded(key, start, len))
        .collect();
    let answers = read_coalesced(&store, &reads, 2, 1000);
    for ((_, start, len), answer) in ranges.iter().zip(answers) {
        let piece = answer.unwrap();
        assert_eq!(piece.offset, *start);
        let (start, len) = (
            usize::try_from(*start).unwrap(),
            usize::try_from(*len).unwrap(),
        );
        assert_eq!(piece.bytes, bytes.slice(start..start + len));
    }
    // Joined ranges: 0..10 and 100..124 of a, 0..4 of b.
    let counts = store.take_counts();
    assert_eq!((counts.batches, counts.reads, counts.bytes), (1, 3, 38));
    read_coalesced(&store, &reads, 2, 9);
    assert_eq!(store.counts().reads, 5, "no joined read is over the most");
}

/// Twenty ranges of a byte, of which pairs lie 1 KiB apart and the pairs a mebibyte.
#[test]
fn of_many_ranges_those_that_lie_nearest_are_joined() {
    let store = MemoryStore::new();
    store.put("a", Bytes::from(vec![1; 20 << 20])).unwrap();
    let pairs = (0..20).map(|pair| pair << 20);
    let starts = pairs.flat_map(|start| [start, start + 1025]);
    let reads: Vec<Read> = starts.map(|start| Read::bounded("a", start, 1)).collect();
    store.take_counts();
    for (pairs, requests) in [(4, 1), (8, 1), (20, 20)] {
        let joined = JoinedReads::new(&reads[..2 * pairs], 1 << 20, u64::MAX);
        let answers = joined.read(&store);
        assert!(answers.iter().all(Result::is_ok));
        let counts = store.take_counts();
        assert_eq!((counts.reads, counts.bytes), (requests, joined.bytes()));
        assert!(counts.bytes <= 9 << 20, "{}", counts.bytes);
    }
}

#[test]
fn a_joined_read_that_fails_is_taken_apart() {
    let store = MemoryStore::new();
    store.put("a", Bytes::from(vec![1; 10])).unwrap();
    let reads = [
        Read::bounded("a", 0, 4),
        Read::bounded("a", 6, 40),
        Read::bounded("a", 4, 2),
        Read::bounded("a", 4, 5).at_most(4),
    ];
    let answers = read_coalesced(&store, &reads, 10, 100);
    let good: Vec<bool> = answers.iter().map(Result::is_ok).collect();
    assert_eq!(good, [true, false, true, false]);
}

#[test]
fn a_clone_is_the_same_store() {
    let store = MemoryStore::new();
    store.clone().put("a", Bytes::new()).unwrap();
    assert_eq!(store.keys(), ["a"]);
    store.overwrite("a", "new");
    assert_eq!(read_whole(&store, "a", 9).unwrap(), "new");
}
