//! Servers that send more than they should.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tdb_store::{Read, Store, StoreError, list_all, read_one, read_whole};

use crate::stub::{Answer, Does, Server, listed, page};

fn described(answer: Answer) -> Answer {
    let answer = answer.with("etag", "\"e\"");
    answer.with("last-modified", "Tue, 02 Jan 2024 03:04:05 GMT")
}

#[test]
fn an_error_without_end_is_cut() {
    let server = Server::start(|_, _| Does::NeverEnds(Answer::new(403, "")));
    let store = server.store();
    let errors = [
        read_whole(&store, "a", u64::MAX).unwrap_err(),
        store.list("", None).unwrap_err(),
        store.put("a", "1".into()).unwrap_err(),
    ];
    for error in errors {
        let told = error.to_string();
        assert!(told.contains("the server answers 403 Forbidden"), "{told}");
        assert!(told.len() < 1000, "{} bytes", told.len());
    }
}

#[test]
fn a_listing_without_end_is_cut() {
    let server = Server::start(|_, _| Does::NeverEnds(Answer::new(200, "")));
    let told = server.store().list("", None).unwrap_err().to_string();
    assert!(told.contains("longer than 16 MiB"), "{told}");
}

#[test]
fn an_object_without_end_is_not_read() {
    let server = Server::start(|_, _| Does::NeverEnds(described(Answer::new(200, ""))));
    let told = read_whole(&server.store(), "a", 1000)
        .unwrap_err()
        .to_string();
    assert!(told.contains("does not say how many bytes"), "{told}");
    // The body continues after its announced length: the rest is not part of the answer.
    let server = Server::start(|_, _| {
        let answer = described(Answer::new(206, vec![7; 50_000]));
        let answer = answer.with("content-length", "10");
        Does::Says(answer.with("content-range", "bytes 0-9/100"))
    });
    let piece = read_one(&server.store(), Read::bounded("a", 0, 10)).unwrap();
    assert_eq!(piece.bytes, vec![7; 10]);
}

#[test]
fn an_object_that_is_longer_than_its_limit_is_not_read() {
    let server = Server::good();
    server.bucket.put("a", &vec![7; 2_000_000]);
    let error = read_whole(&server.store(), "a", 1000).unwrap_err();
    assert!(
        matches!(
            error,
            StoreError::TooLarge {
                size: 2_000_000,
                limit: 1000,
                ..
            }
        ),
        "{error}"
    );
}

#[test]
fn more_or_other_bytes_than_were_asked_for_are_an_error() {
    for (range, body) in [
        ("bytes 0-99/100", 100),
        ("bytes 20-29/100", 10),
        ("bytes 0-9/100", 90),
    ] {
        let server = Server::start(move |one, _| {
            if one.is_read() {
                Does::Says(described(
                    Answer::new(206, vec![7; body]).with("content-range", range),
                ))
            } else {
                Does::Serves
            }
        });
        server.bucket.put("a", &[7; 100]);
        let answer = read_one(&server.store(), Read::bounded("a", 0, 10));
        assert!(
            matches!(answer, Err(StoreError::Io { .. })),
            "{range}: {answer:?}"
        );
    }
}

#[test]
fn a_server_that_sends_whole_objects_for_parts_is_told_apart() {
    let server = Server::start(|one, _| {
        if one.is_read() {
            Does::Says(described(Answer::new(200, vec![7; 100])))
        } else {
            Does::Serves
        }
    });
    server.bucket.put("a", &[7; 100]);
    let store = server.store();
    let told = read_one(&store, Read::bounded("a", 0, 10))
        .unwrap_err()
        .to_string();
    assert!(
        told.contains("arrays need one that answers Range"),
        "{told}"
    );
    assert_eq!(read_whole(&store, "a", 100).unwrap(), vec![7; 100]);
}

#[test]
fn a_million_names_come_a_page_at_a_time() {
    let most = Arc::new(AtomicUsize::new(0));
    let longest = Arc::clone(&most);
    let server = Server::start(move |one, _| {
        let token = one.value("continuation-token").unwrap_or("0");
        let first: usize = token.parse().unwrap();
        let names = (first..first + 1000).map(|i| listed(&format!("a/{i:07}"), 1));
        let next = (first + 1000).to_string();
        let answer = page(
            &names.collect::<String>(),
            (first < 999_000).then_some(&*next),
        );
        longest.fetch_max(answer.body.len(), Ordering::Relaxed);
        Does::Says(answer)
    });
    let store = server.store();
    let (mut count, mut from) = (0, None);
    loop {
        let listing = store.list("a", from.as_ref()).unwrap();
        assert!(listing.objects.len() <= 1000);
        count += listing.objects.len();
        from = listing.next;
        if from.is_none() {
            break;
        }
    }
    assert_eq!((count, server.asked().len()), (1_000_000, 1000));
    assert!(most.load(Ordering::Relaxed) < 1 << 20);
}

#[test]
fn a_listing_that_goes_in_circles_is_an_error() {
    let server = Server::start(|one, _| {
        let next = if one.value("continuation-token") == Some("x") {
            "y"
        } else {
            "x"
        };
        Does::Says(page(&listed("a/1", 1), Some(next)))
    });
    let store = server.store();
    for told in [
        list_all(&store, "a").map(drop),
        store.list_recursive("a").map(drop),
    ] {
        let told = told.unwrap_err().to_string();
        assert!(told.contains("a: "), "{told}");
        assert!(told.contains("goes in circles"), "{told}");
    }
    assert!(server.asked().len() < 8);
}

#[test]
fn pages_without_names_come_to_an_end() {
    let server = Server::start(|_, number| Does::Says(page("", Some(&number.to_string()))));
    let told = server.store().list_recursive("a").unwrap_err().to_string();
    assert!(told.contains("does not come to an end"), "{told}");
    assert!(server.asked().len() < 1100);
}
