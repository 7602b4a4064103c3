//! The protocol of S3, on a stub.

use std::sync::atomic::Ordering;

use crate::stub::{Answer, Does, Server};
use tdb_store::{Store, conformance};

#[test]
fn a_bucket_of_s3_is_a_store() {
    for page in [1000, 2] {
        let server = Server::good();
        server.bucket.page.store(page, Ordering::Relaxed);
        conformance::check(&server.store()).unwrap();
        assert!(server.bucket.uploads.lock().unwrap().is_empty());
    }
}

#[test]
fn what_lies_below_a_folder_is_listed_page_by_page() {
    let server = Server::good();
    for number in 0..2500 {
        server
            .bucket
            .put(&format!("x/{:03}/{number}", number % 500), b"1");
    }
    server.bucket.put("xy/1", b"1");
    let found = server.store().list_recursive("x").unwrap();
    assert_eq!(found.len(), 2500);
    assert!(found.iter().all(|object| object.size == Some(1)));
    assert!(found.is_sorted_by_key(|object| &object.key));
    assert_eq!(server.asked().len(), 3);
}

/// Folder markers of other programs are not listed; other empty objects are.
#[test]
fn what_stands_for_a_folder_is_no_object() {
    for page in [1000, 1] {
        let server = Server::good();
        server.bucket.page.store(page, Ordering::Relaxed);
        for empty in ["a/", "a/b/", "a/c/", "a/d", "a/e/", "a/e", "a/f/g"] {
            server.bucket.put(empty, b"");
        }
        server.bucket.put("a/b/1", b"1");
        server.bucket.put("a/h/", b"");
        server.bucket.put("a/h", b"22");
        let found = server.store().list_recursive("a").unwrap().into_iter();
        let found: Vec<_> = found
            .map(|object| (object.key, object.size.unwrap()))
            .collect();
        let expected = [
            ("a/b/1", 1),
            ("a/d", 0),
            ("a/e", 0),
            ("a/f/g", 0),
            ("a/h", 2),
        ];
        assert_eq!(found, expected.map(|(key, size)| (key.to_owned(), size)));
        let by_folder = tdb_store::list_by_folder(&server.store(), "a").unwrap();
        assert_eq!(found.len(), by_folder.len());
    }
}

/// Removes folder markers, with and without a slash at the end.
pub(crate) fn marked_folders_go(server: &Server, store: &dyn Store) {
    for name in ["a", "a/b", "ü b+%c/d", "e"] {
        server.bucket.put(&format!("{name}/"), b"");
        server.bucket.put(name, b"");
        server.bucket.put(&format!("{name}/inside"), b"1");
        store.remove_folder(name).unwrap();
        assert!(
            server.bucket.has(&format!("{name}/")),
            "{name} is not empty"
        );
        assert!(server.bucket.has(name));
        store.remove(&format!("{name}/inside")).unwrap();
        store.remove_folder(name).unwrap();
        assert!(!server.bucket.has(&format!("{name}/")), "{name}");
        assert!(!server.bucket.has(name), "{name}");
        // Removing a folder that does not exist is not an error.
        store.remove_folder(name).unwrap();
    }
    // An object that is not empty is not a marker.
    server.bucket.put("f", b"1");
    server.bucket.put("f/", b"");
    store.remove_folder("f").unwrap();
    assert!(server.bucket.has("f") && !server.bucket.has("f/"));
}

#[test]
fn what_marks_an_empty_folder_goes_with_it() {
    let server = Server::good();
    marked_folders_go(&server, &server.store());
    let removals = server.asked().into_iter();
    let mut removals = removals.filter(|one| one.method == "DELETE");
    assert!(removals.all(|one| one.header("authorization").is_some()));
}

#[test]
fn many_objects_are_removed_by_few_requests() {
    let server = Server::good();
    let keys: Vec<String> = (0..2500).map(|n| format!("x/{}/{n}", n % 5)).collect();
    for key in &keys {
        server.bucket.put(key, b"1");
    }
    server.bucket.put("x/0/stays", b"1");
    let mut asked: Vec<&str> = keys.iter().map(String::as_str).collect();
    asked.insert(1, "x/0/none");
    asked.push("elsewhere/none");
    let answers = server.store().remove_many(&asked);
    for (key, answer) in asked.iter().zip(&answers) {
        match answer {
            Ok(()) => assert!(!key.ends_with("none"), "{key}"),
            Err(error) => assert!(error.is_not_found() && error.key() == *key, "{error}"),
        }
    }
    assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 2500);
    assert!(server.bucket.has("x/0/stays"));
    // One listing per folder, one request for the lone object, and one removal per thousand objects.
    assert_eq!(server.asked().len(), 5 + 1 + 3);
}

#[test]
fn of_many_objects_that_are_not_all_removed_each_is_told() {
    let server = Server::start(|one, _| {
        let body = String::from_utf8_lossy(&one.body).into_owned();
        if one.value("delete").is_some() && body.contains("<Key>x/7</Key>") {
            Does::Says(Answer::error(403, "AccessDenied", "No."))
        } else {
            Does::Serves
        }
    });
    let keys: Vec<String> = (0..10).map(|n| format!("x/{n}")).collect();
    for key in &keys {
        server.bucket.put(key, b"1");
    }
    let asked: Vec<&str> = keys.iter().map(String::as_str).collect();
    for (key, answer) in asked.iter().zip(server.store().remove_many(&asked)) {
        assert_eq!(answer.is_err(), *key == "x/7", "{key}: {answer:?}");
        assert_eq!(server.bucket.has(key), *key == "x/7");
    }
}
