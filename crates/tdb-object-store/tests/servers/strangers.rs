//! Servers that answer without error, but are not object stores: consoles, login pages, HTTP servers without WebDAV.

use tdb_store::{Store, list_all, read_whole};

use crate::asking::{all_say, answers, server};
use crate::stub::{Answer, Does, Server, open};

fn page() -> Answer {
    let page = "<!DOCTYPE html>\n<html><head><title>Please sign in</title></head></html>";
    Answer::new(200, page).with("content-type", "text/html; charset=utf-8")
}

#[test]
fn a_page_is_no_answer_of_a_store() {
    let server = server(|_, _| Does::Says(page()));
    let answers = answers(&server.store());
    let what = ["a web page", "look at the server that the settings name"];
    all_say(&answers, &what);
    for told in [0, 1, 3, 4] {
        assert!(answers[told].contains("\"Please sign in\""), "{answers:?}");
    }
    assert_eq!(server.asked().len(), 6, "nothing is asked again");
    assert_eq!(server.bucket.objects.lock().unwrap().len(), 1);
    let all = server.store().list_recursive("a").unwrap_err().to_string();
    assert!(all.contains("a web page"), "{all}");
}

#[test]
fn a_page_that_says_no_kind_is_no_listing() {
    for body in [
        "<html></html>",
        "",
        "{\"login\": true}",
        "<ListAllMyBucketsResult/>",
    ] {
        let server = Server::start(move |_, _| Does::Says(Answer::new(200, body)));
        let told = list_all(&server.store(), "").unwrap_err().to_string();
        assert!(
            told.contains("not as an object store does"),
            "{body}: {told}"
        );
    }
    let error = "<Error><Code>SlowDown</Code><Message>Later.</Message></Error>";
    let server = Server::start(move |_, _| Does::Says(Answer::new(200, error)));
    let told = list_all(&server.store(), "").unwrap_err().to_string();
    assert!(told.contains("the server says SlowDown: Later"), "{told}");
}

#[test]
fn a_page_that_is_an_object_is_read() {
    let server = Server::start(|one, _| {
        if one.is_read() {
            Does::Says(
                page()
                    .with("etag", "\"e\"")
                    .with("last-modified", "Tue, 02 Jan 2024 03:04:05 GMT"),
            )
        } else {
            Does::Serves
        }
    });
    server.bucket.put("page", &page().body);
    let store = server.store();
    assert_eq!(read_whole(&store, "page", 1000).unwrap(), page().body);
}

#[test]
fn a_server_of_files_that_answers_with_pages_is_told() {
    let server = Server::start(|_, _| Does::Says(page()));
    let files = open(&format!("{}/bucket", server.address()), &server.s3());
    for told in [
        list_all(&files, "").unwrap_err(),
        read_whole(&files, "__schema/s", 1000).unwrap_err(),
        files.size("a.tdb").unwrap_err(),
    ] {
        assert!(told.to_string().contains("a web page"), "{told}");
    }
    let page = read_whole(&files, "README.html", 1000).unwrap();
    assert!(page.starts_with(b"<!DOCTYPE html>"));
}

#[test]
fn a_server_of_files_that_lists_no_folders_is_told_what_is_needed() {
    for status in [405, 501] {
        let server = Server::start(move |one, _| match &*one.method {
            "PROPFIND" => Does::Says(Answer::new(status, "")),
            _ => Does::Serves,
        });
        let files = open(&format!("{}/bucket", server.address()), &server.s3());
        let told = list_all(&files, "a").unwrap_err().to_string();
        assert!(told.contains("rclone serve webdav"), "{told}");
        assert!(told.contains("PROPFIND http://127.0.0.1"), "{told}");
        assert_eq!(server.asked().len(), 1);
    }
}
