//! Servers that redirect requests, and what the other server receives.

use tdb_object_store::Settings;
use tdb_store::{Store, list_all, read_whole};

use crate::stub::{Answer, Does, Request, Server, open};

const SECRET: [&str; 3] = ["the-key-id", "the-secret", "the-token"];

fn is_secret(request: &Request) -> bool {
    let text = format!("{request:?}");
    request.header("authorization").is_some() || SECRET.iter().any(|secret| text.contains(secret))
}

#[test]
fn signed_requests_are_not_sent_on_to_another_server() {
    for status in [301, 302, 303, 307, 308] {
        let other = Server::good();
        other.bucket.put("a", b"a trap");
        let address = other.address();
        let server = Server::start(move |one, _| {
            Does::Says(Answer::new(status, "").with("location", format!("{address}{}", one.path)))
        });
        let store = server.store();
        let errors = [
            read_whole(&store, "a", u64::MAX).unwrap_err(),
            list_all(&store, "").unwrap_err(),
            store.put("b", "b".into()).unwrap_err(),
            store.size("a").unwrap_err(),
        ];
        for error in errors {
            let told = error.to_string();
            assert!(
                told.contains(&format!("sends requests on to {}", other.address())),
                "{told}"
            );
            assert!(told.contains("the server that the settings name"), "{told}");
        }
        assert_eq!(other.asked().len(), 0, "nothing goes there, signed or not");
        assert!(
            server.asked().iter().all(is_secret),
            "the right server sees the signature"
        );
    }
}

#[test]
fn a_circle_of_redirects_ends() {
    let server =
        Server::start(|one, _| Does::Says(Answer::new(307, "").with("location", one.path.clone())));
    assert!(server.store().size("a").is_err());
    assert_eq!(server.asked().len(), 1);
    let files = open(&format!("{}/bucket", server.address()), &server.s3());
    let error = files.size("a").unwrap_err().to_string();
    assert!(error.contains("too many redirects"), "{error}");
    assert!(
        server.asked().len() < 20,
        "{} requests",
        server.asked().len()
    );
}

#[test]
fn a_server_of_files_is_followed_and_told_no_secret() {
    let other = Server::good();
    other.bucket.put("a", b"bytes of the other");
    let address = other.address();
    let server = Server::start(move |one, _| {
        Does::Says(Answer::new(302, "").with("location", format!("{address}{}", one.path)))
    });
    // The settings contain credentials, which must not go to a server that a URI names.
    let store = open(&format!("{}/bucket", server.address()), &server.s3());
    assert_eq!(
        read_whole(&store, "a", u64::MAX).unwrap(),
        "bytes of the other"
    );
    for seen in [server.asked(), other.asked()] {
        assert!(!seen.is_empty());
        assert!(!seen.iter().any(is_secret), "{seen:?}");
    }
}

#[test]
fn buckets_are_looked_for_where_the_settings_say_and_nowhere_else() {
    for uri in [
        "s3://127.0.0.1:1/a",
        "s3://user@host/a",
        "azure://c@account.host/a",
        "gs://b:80/a",
    ] {
        let opened = tdb_object_store::open(
            uri,
            &Settings::new(),
            &tdb_object_store::Runtime::start().unwrap(),
        );
        assert!(opened.is_err(), "{uri}");
    }
    // A bucket whose name looks like a host is still requested from the server of the settings.
    let server = Server::good();
    let store = open("s3://evil.example", &server.s3());
    assert!(store.size("a").unwrap_err().is_not_found());
    assert_eq!(server.asked()[0].path, "/evil.example/a");
}
