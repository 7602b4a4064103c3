//! Uploads that fail, that are aborted, and whose answers are lost.

use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use bytes::Bytes;
use tdb_object_store::Runtime;
use tdb_store::{ObjectWriter, Store, StoreError, read_whole};

use crate::stub::{Answer, Bucket, Does, Request, Server};

fn long() -> Vec<u8> {
    (0..251).cycle().take(20_000_000).collect()
}

fn write(store: &dyn Store) -> Result<Box<dyn ObjectWriter>, StoreError> {
    let mut object = store.create("long")?;
    object.write(&long())?;
    Ok(object)
}

fn is_abort(request: &Request) -> bool {
    request.method == "DELETE" && request.value("uploadId").is_some()
}

fn is_clean(server: &Server) {
    assert_eq!(server.count(is_abort), 1, "the upload is given up");
    assert!(server.bucket.uploads.lock().unwrap().is_empty());
    assert!(!server.bucket.has("long"));
}

#[test]
fn an_upload_that_is_dropped_is_given_up() {
    let server = Server::good();
    drop(write(&server.store()).unwrap());
    is_clean(&server);
}

#[test]
fn an_upload_of_which_a_part_fails_is_given_up() {
    for deed in [
        || Does::Says(Answer::error(403, "AccessDenied", "No.")),
        || Does::Stalls,
    ] {
        let server = Server::start(move |one, _| match one.value("partNumber") {
            Some("2") => deed(),
            _ => Does::Serves,
        });
        let begun = Instant::now();
        let store = server.store();
        let failed = write(&store)
            .and_then(|object| object.finish())
            .unwrap_err();
        assert!(failed.to_string().starts_with("long: "), "{failed}");
        assert!(begun.elapsed() < Duration::from_secs(30));
        is_clean(&server);
    }
}

#[test]
fn an_upload_that_cannot_be_completed_is_given_up() {
    let server = Server::start(|one, _| {
        if one.method == "POST" && one.value("uploadId").is_some() {
            Does::Says(Answer::error(403, "AccessDenied", "No."))
        } else {
            Does::Serves
        }
    });
    let failed = write(&server.store()).unwrap().finish().unwrap_err();
    assert!(matches!(failed, StoreError::Denied { .. }), "{failed}");
    is_clean(&server);
}

#[test]
fn an_upload_in_whose_way_another_object_comes_is_given_up() {
    let server = Server::good();
    let object = write(&server.store()).unwrap();
    server.bucket.put("long", b"of another");
    assert!(matches!(object.finish(), Err(StoreError::Exists { .. })));
    assert_eq!(server.count(is_abort), 1);
    assert_eq!(server.bucket.objects.lock().unwrap()["long"], b"of another");
}

#[test]
fn an_upload_that_is_cancelled_while_a_part_stalls_is_given_up_at_once() {
    let server = Server::start(|one, _| match one.value("partNumber") {
        Some(_) => Does::Stalls,
        None => Does::Serves,
    });
    let mut settings = server.s3();
    settings.set("vfs.s3.request_timeout_ms", "60000");
    let runtime = Runtime::start().unwrap();
    let store = tdb_object_store::open("s3://bucket", &settings, &runtime).unwrap();
    let begun = Instant::now();
    let writing = thread::spawn(move || write(&store).and_then(|object| object.finish()));
    while server.count(|one| one.value("partNumber").is_some()) == 0 {
        assert!(begun.elapsed() < Duration::from_secs(30));
        thread::sleep(Duration::from_millis(5));
    }
    runtime.cancel();
    let failed = writing.join().unwrap().unwrap_err();
    assert_eq!(failed.to_string(), "long: interrupted");
    assert!(runtime.has_noticed_cancel());
    runtime.resume();
    assert!(!runtime.has_noticed_cancel());
    assert!(begun.elapsed() < Duration::from_secs(30));
    is_clean(&server);
}

#[test]
fn what_is_cancelled_can_still_be_taken_back() {
    let server = Server::start(|one, _| {
        if one.is_read() {
            Does::Stalls
        } else {
            Does::Serves
        }
    });
    server.bucket.put("a", b"1");
    let runtime = Runtime::start().unwrap();
    let store = tdb_object_store::open("s3://bucket", &server.s3(), &runtime).unwrap();
    runtime.cancel();
    assert!(!runtime.has_noticed_cancel());
    assert!(
        read_whole(&store, "a", 1)
            .unwrap_err()
            .to_string()
            .contains("interrupted")
    );
    assert!(store.put("b", Bytes::new()).is_err());
    assert_eq!(store.list("", None).unwrap().objects.len(), 1);
    store.remove("a").unwrap();
    assert!(server.bucket.objects.lock().unwrap().is_empty());
}

/// A server that performs the first request for which `is_meant` is true, but hangs up without an answer.
fn losing(is_meant: fn(&Request) -> bool) -> Server {
    Server::start(move |one, before| {
        if is_meant(one) && before == 0 {
            Does::ServesUnheard
        } else {
            Does::Serves
        }
    })
}

#[test]
fn an_object_is_made_although_the_answer_is_lost() {
    let server = losing(|one| one.method == "PUT");
    let store = server.store();
    store.put("a", Bytes::from_static(b"bytes")).unwrap();
    assert_eq!(read_whole(&store, "a", u64::MAX).unwrap(), "bytes");
    // An existing object of another writer is not mistaken for it.
    let server = losing(|one| one.method == "PUT");
    server.bucket.put("a", b"of another");
    let again = server.store().put("a", Bytes::from_static(b"bytes"));
    assert!(matches!(again, Err(StoreError::Exists { .. })), "{again:?}");
}

#[test]
fn an_upload_is_complete_although_the_answer_is_lost() {
    let server = losing(|one| one.method == "POST" && one.value("uploadId").is_some());
    let store = server.store();
    write(&store).unwrap().finish().unwrap();
    assert_eq!(read_whole(&store, "long", u64::MAX).unwrap(), long());
    assert!(server.bucket.uploads.lock().unwrap().is_empty());
}

#[test]
fn an_object_of_another_writer_is_not_taken_for_an_upload() {
    // Of the same size, and created between the look at the key and the completion, which the server refuses.
    let other: Vec<u8> = long().into_iter().rev().collect();
    let bucket: Arc<OnceLock<Arc<Bucket>>> = Arc::default();
    let (server_bucket, object) = (Arc::clone(&bucket), other.clone());
    let server = Server::start(move |one, _| {
        if one.method == "POST" && one.value("uploadId").is_some() {
            server_bucket.get().unwrap().put("long", &object);
            Does::Says(Answer::error(412, "PreconditionFailed", "Exists."))
        } else {
            Does::Serves
        }
    });
    drop(bucket.set(Arc::clone(&server.bucket)));
    let failed = write(&server.store()).unwrap().finish().unwrap_err();
    assert!(matches!(failed, StoreError::Exists { .. }), "{failed}");
    assert_eq!(server.count(is_abort), 1, "the upload is given up");
    assert_eq!(server.bucket.objects.lock().unwrap()["long"], other);
}

#[test]
fn an_object_is_gone_although_the_answer_is_lost() {
    let server = losing(|one| one.method == "POST" && one.value("delete").is_some());
    server.bucket.put("a", b"1");
    server.store().remove("a").unwrap();
    assert!(!server.bucket.has("a"));
}
