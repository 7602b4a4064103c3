//! All kinds of requests to a server with a given behaviour.

use std::time::{Duration, Instant};

use bytes::Bytes;
use tdb_store::{Read, Store, StoreError, list_all, read_one, read_whole};

use crate::stub::{Does, Request, Server};

/// Limit for any operation that should give up; far more than it needs.
const BOUNDED: Duration = Duration::from_secs(30);

/// Starts a server with an object of 100,000 bytes in a folder.
pub(crate) fn server(deed: impl Fn(&Request, usize) -> Does + Send + Sync + 'static) -> Server {
    let server = Server::start(deed);
    server.bucket.put("a/object", &object());
    server
}

fn object() -> Vec<u8> {
    (0..251).cycle().take(100_000).collect()
}

/// Performs each kind of request and returns the results, or the messages of the errors.
pub(crate) fn answers(store: &dyn Store) -> Vec<String> {
    let begun = Instant::now();
    let told =
        |answer: Result<String, StoreError>| answer.unwrap_or_else(|error| error.to_string());
    let read = Read::bounded("a/object", 10, 1000);
    let all = vec![
        told(read_whole(store, "a/object", u64::MAX).map(|bytes| format!("{} bytes", bytes.len()))),
        told(read_one(store, read).map(|piece| format!("{} bytes", piece.bytes.len()))),
        told(store.size("a/object").map(|size| format!("{size} bytes"))),
        told(list_all(store, "a").map(|all| format!("{} objects", all.objects.len()))),
        told(
            store
                .put("a/new", Bytes::from_static(b"new"))
                .map(|()| "made".to_owned()),
        ),
        told(store.remove("a/object").map(|()| "gone".to_owned())),
    ];
    assert!(begun.elapsed() < BOUNDED, "{:?}: {all:?}", begun.elapsed());
    all
}

pub(crate) fn all_say(answers: &[String], what: &[&str]) {
    for answer in answers {
        assert!(what.iter().all(|part| answer.contains(part)), "{answer}");
        assert!(answer.starts_with("a"), "no name: {answer}");
        assert!(answer.len() < 1000, "{answer}");
    }
}

/// The results on a server without faults.
pub(crate) const GOOD: [&str; 6] = [
    "100000 bytes",
    "1000 bytes",
    "100000 bytes",
    "1 objects",
    "made",
    "gone",
];
