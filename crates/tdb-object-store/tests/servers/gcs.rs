//! The protocol of Google Cloud Storage, on a stub: there is no server for tests.

use std::sync::atomic::Ordering;

use crate::stub::{Server, open};
use bytes::Bytes;
use tdb_object_store::Settings;
use tdb_store::{Store, StoreError, conformance, read_whole};

/// Settings for a server, with a service account that needs no token.
fn settings(server: &Server) -> Settings {
    let account = format!(
        r#"{{"gcs_base_url": "{}", "disable_oauth": true, "client_email": "", "private_key": "", "private_key_id": ""}}"#,
        server.address()
    );
    let mut settings = Settings::new();
    settings.set("vfs.gcs.service_account_key", &account);
    settings.set("vfs.gcs.endpoint", &server.address());
    settings
}

#[test]
fn a_bucket_of_gcs_is_a_store() {
    for page in [1000, 2] {
        let server = Server::good();
        server.bucket.page.store(page, Ordering::Relaxed);
        let store = open("gs://bucket/a/folder", &settings(&server));
        conformance::check(&store).unwrap();
        assert!(server.bucket.uploads.lock().unwrap().is_empty());
    }
}

#[test]
fn long_objects_of_gcs_come_in_parts_and_replace_none() {
    let server = Server::good();
    let store = open("gs://bucket", &settings(&server));
    let long: Vec<u8> = (0..251).cycle().take(20_000_000).collect();
    store.put("long", Bytes::from(long.clone())).unwrap();
    assert_eq!(read_whole(&store, "long", u64::MAX).unwrap(), long);
    assert_eq!(server.count(|one| one.value("partNumber").is_some()), 3);
    let again = store.put("long", Bytes::from_static(b"short"));
    assert!(matches!(again, Err(StoreError::Exists { .. })), "{again:?}");

    let mut dropped = store.create("dropped").unwrap();
    dropped.write(&long).unwrap();
    drop(dropped);
    assert!(server.bucket.uploads.lock().unwrap().is_empty());
    assert!(!server.bucket.has("dropped"));
}

#[test]
fn what_marks_an_empty_folder_of_gcs_goes_with_it() {
    let server = Server::good();
    let store = open("gs://bucket", &settings(&server));
    crate::s3::marked_folders_go(&server, &store);
}
