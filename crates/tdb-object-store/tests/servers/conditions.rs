//! Servers that do not support "create only if absent", and servers that report an error after success.

use bytes::Bytes;
use tdb_store::{Store, StoreError, conformance, read_whole};

use crate::asking::{GOOD, answers, server};
use crate::stub::{Answer, Does, Request, Server};

fn has_condition(request: &Request) -> bool {
    request.header("if-none-match").is_some()
}

fn put(store: &dyn Store) -> Result<(), StoreError> {
    store.put("a/new", Bytes::from_static(b"bytes"))
}

#[test]
fn a_server_without_conditions_is_looked_at_first() {
    for (status, code) in [
        (501, "NotImplemented"),
        (400, "InvalidArgument"),
        (400, "InvalidRequest"),
    ] {
        let server = Server::start(move |one, _| {
            if has_condition(one) {
                Does::Says(Answer::error(status, code, "If-None-Match is no header."))
            } else {
                Does::Serves
            }
        });
        let store = server.store();
        assert!(store.notes().is_empty());
        conformance::check(&store).unwrap();
        assert_eq!(server.count(has_condition), 1, "it is asked once");
        let notes = store.notes();
        assert!(
            notes[0].contains("does not take If-None-Match"),
            "{notes:?}"
        );
        assert_eq!(notes.len(), 1);
    }
}

#[test]
fn every_request_to_a_server_without_conditions_is_as_to_others() {
    let server = server(|one, _| {
        if has_condition(one) {
            Does::Says(Answer::new(501, ""))
        } else {
            Does::Serves
        }
    });
    assert_eq!(answers(&server.store()), GOOD);
    let objects = server.bucket.objects.lock().unwrap().clone();
    assert_eq!(
        objects.into_iter().collect::<Vec<_>>(),
        [("a/new".to_owned(), b"new".to_vec())]
    );
}

#[test]
fn what_is_refused_for_another_reason_is_told_and_not_made() {
    for (code, puts) in [("ExpiredToken", 1), ("EntityTooLarge", 2)] {
        let server = Server::start(move |one, _| match &*one.method {
            "PUT" => Does::Says(Answer::error(400, code, "No.")),
            _ => Does::Serves,
        });
        let store = server.store();
        let told = put(&store).unwrap_err().to_string();
        assert!(
            told.contains(&format!("the server says {code}: No")),
            "{told}"
        );
        assert_eq!(server.count(|one| one.method == "PUT"), puts);
        assert!(store.notes().is_empty());
        assert!(!server.bucket.has("a/new"));
    }
}

/// A server that stores the first object, but reports an error.
fn failing(status: u16) -> Server {
    Server::start(move |one, before| match (&*one.method, before) {
        ("PUT", 0) => Does::ServesAndSays(Answer::error(status, "InternalError", "Oh.")),
        _ => Does::Serves,
    })
}

#[test]
fn an_object_is_made_although_the_server_says_that_it_failed() {
    for status in [500, 502, 503, 504] {
        let server = failing(status);
        put(&server.store()).unwrap();
        assert_eq!(read_whole(&server.store(), "a/new", 5).unwrap(), "bytes");
        // An existing object of another writer is not mistaken for it, and is not replaced.
        let server = failing(status);
        server.bucket.put("a/new", b"other");
        let again = put(&server.store());
        assert!(matches!(again, Err(StoreError::Exists { .. })), "{again:?}");
        assert_eq!(server.bucket.objects.lock().unwrap()["a/new"], b"other");
    }
}

#[test]
fn an_object_is_made_although_the_server_fails_for_ever_behind_it() {
    let server = Server::start(|one, _| match &*one.method {
        "PUT" => Does::ServesAndSays(Answer::error(500, "InternalError", "Oh.")),
        _ => Does::Serves,
    });
    put(&server.store()).unwrap();
}

fn conflict() -> Does {
    Does::Says(Answer::error(409, "ConditionalRequestConflict", "Retry."))
}

#[test]
fn an_object_is_sent_again_where_another_request_is_in_the_way() {
    let server = Server::start(|one, before| match (&*one.method, before) {
        ("PUT", 0) => conflict(),
        _ => Does::Serves,
    });
    put(&server.store()).unwrap();
    assert_eq!(server.count(|one| one.method == "PUT"), 2);
    assert!(server.bucket.has("a/new"));
}

#[test]
fn what_is_always_in_the_way_is_no_object() {
    let server = Server::start(|one, _| match &*one.method {
        "PUT" => conflict(),
        _ => Does::Serves,
    });
    let error = put(&server.store()).unwrap_err();
    assert!(matches!(error, StoreError::Io { .. }), "{error}");
    assert!(error.to_string().contains("try again later"), "{error}");
    assert!(!server.bucket.has("a/new"));
}
