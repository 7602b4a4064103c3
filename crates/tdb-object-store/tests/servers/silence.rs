//! Servers that do not answer, that are busy, and that stop halfway.

use tdb_store::{Read, StoreError, list_all, read_one, read_whole};

use crate::asking::{GOOD, all_say, answers, server};
use crate::stub::{Answer, Does, Request, Server};

fn busy() -> Answer {
    Answer::error(503, "SlowDown", "Please reduce your request rate.")
}

#[test]
fn a_server_that_never_answers_is_given_up() {
    let server = server(|_, _| Does::Stalls);
    let what = ["in time", "vfs.s3.request_timeout_ms", &server.address()];
    all_say(&answers(&server.store()), &what);
    let is_meant = |one: &Request| one.is_read() && one.path.ends_with("object");
    assert_eq!(server.count(is_meant), 6, "each is asked three times");
}

#[test]
fn a_server_that_hangs_up_is_given_up() {
    let server = server(|_, _| Does::HangsUp);
    let answers = answers(&server.store());
    all_say(&answers, &["the connection broke"]);
}

#[test]
fn a_server_that_takes_no_calls_is_given_up() {
    let server = server(|_, _| Does::Serves);
    let mut settings = server.s3();
    settings.set("vfs.s3.endpoint_override", "http://127.0.0.1:9");
    let store = crate::stub::open("s3://bucket", &settings);
    all_say(
        &answers(&store),
        &[
            "no connection",
            "http://127.0.0.1:9/bucket",
            "the settings name",
        ],
    );
}

#[test]
fn a_server_that_is_busy_for_a_while_is_asked_again() {
    let server = server(|_, before| {
        if before < 2 {
            Does::Says(busy())
        } else {
            Does::Serves
        }
    });
    assert_eq!(answers(&server.store()), GOOD);
    assert_eq!(server.bucket.objects.lock().unwrap().len(), 1);
}

#[test]
fn a_server_that_is_busy_for_ever_is_given_up() {
    let server = server(|_, _| Does::Says(busy()));
    let answers = answers(&server.store());
    all_say(
        &answers,
        &["asked 3 times; try again later", "vfs.s3.connect_max_tries"],
    );
    assert!(
        answers[0].contains("SlowDown: Please reduce"),
        "{}",
        answers[0]
    );
    // Answers to HEAD have no body.
    let size = format!(
        "503 Service Unavailable to HEAD {}/bucket/a/object",
        server.address()
    );
    assert!(answers[2].contains(&size), "{}", answers[2]);
    assert_eq!(server.count(|_| true), 18);
}

#[test]
fn what_is_cut_off_is_asked_for_again() {
    for cut in [|| Does::CutsAfter(40), || Does::StallsAfter(40)] {
        let server = server(move |_, before| if before == 0 { cut() } else { Does::Serves });
        assert_eq!(answers(&server.store()), GOOD);
        let asked = server.asked();
        let mut reads = asked.iter().filter(|one| one.is_read());
        let second = reads.nth(1).unwrap();
        assert_eq!(
            second.header("range"),
            Some("bytes=40-99999"),
            "it goes on where it was"
        );
    }
}

#[test]
fn what_is_always_cut_off_is_no_answer() {
    for cut in [|| Does::CutsAfter(40), || Does::StallsAfter(40)] {
        let server = server(move |one, _| {
            if one.method == "HEAD" {
                Does::Serves
            } else {
                cut()
            }
        });
        let answers = answers(&server.store());
        for failed in [0, 1, 3, 5] {
            let answer = &answers[failed];
            let is_told = answer.contains("the connection broke") || answer.contains("in time");
            assert!(is_told, "{answer}");
        }
    }
}

#[test]
fn an_object_that_is_another_when_the_reading_goes_on_is_an_error() {
    let server = Server::start(|one, before| match (one.is_read(), before) {
        (true, 0) => Does::CutsAfter(40),
        (true, _) => {
            let other = Answer::new(206, vec![9; 60]).with("etag", "\"another\"");
            let other = other.with("last-modified", "Tue, 02 Jan 2024 03:04:05 GMT");
            Does::Says(other.with("content-range", "bytes 40-99/100"))
        }
        (false, _) => Does::Serves,
    });
    server.bucket.put("a", &[7; 100]);
    let error = read_whole(&server.store(), "a", u64::MAX).unwrap_err();
    assert!(matches!(error, StoreError::Io { .. }), "{error}");
}

#[test]
fn an_object_that_vanishes_is_missed_by_its_name() {
    let server = server(|_, _| Does::Serves);
    let store = server.store();
    let listed = list_all(&store, "a").unwrap().objects;
    server.bucket.objects.lock().unwrap().clear();
    for read in [
        Read::whole(&*listed[0].key),
        Read::bounded(&*listed[0].key, 3, 5),
    ] {
        let error = read_one(&store, read).unwrap_err();
        assert!(error.is_not_found(), "{error}");
        assert_eq!(error.to_string(), "a/object: not found");
    }
}

#[test]
fn an_object_that_vanishes_while_it_is_read_is_an_error() {
    let server = server(|one, before| match (one.is_read(), before) {
        (true, 0) => Does::CutsAfter(40),
        (true, _) => Does::Says(Answer::error(404, "NoSuchKey", "there is no such object")),
        _ => Does::Serves,
    });
    let error = read_whole(&server.store(), "a/object", u64::MAX).unwrap_err();
    assert!(error.to_string().contains("a/object: "), "{error}");
}

#[test]
fn an_object_that_is_listed_and_not_there_yet_is_asked_for_once_more() {
    let server = server(|one, before| match (one.is_read(), before) {
        (true, 0) => Does::Says(Answer::error(404, "NoSuchKey", "there is no such object")),
        _ => Does::Serves,
    });
    let store = server.store();
    let whole = read_whole(&store, "a/object", u64::MAX).unwrap();
    assert_eq!(whole.len(), 100_000);
    let error = read_one(&store, Read::whole("a/none")).unwrap_err();
    assert!(error.is_not_found(), "{error}");
    assert_eq!(server.count(|one| one.path.ends_with("none")), 2);
}
