//! The address of a bucket: its name in the host, or as the first folder.

use bytes::Bytes;
use tdb_object_store::{Connection, Settings};
use tdb_store::{Store, conformance, list_all, read_whole};

use crate::stub::{Server, open};

/// Settings for a bucket at `bucket.server`. The stub acts as a proxy, which receives the requests for any host.
fn virtually(server: &Server) -> Settings {
    let mut settings = server.s3();
    for (name, value) in [
        ("vfs.s3.endpoint_override", "server:9000"),
        ("vfs.s3.scheme", "HTTP"),
        ("vfs.s3.use_virtual_addressing", "true"),
        ("vfs.s3.proxy_host", "127.0.0.1"),
        ("vfs.s3.proxy_port", &server.port.to_string()),
    ] {
        settings.set(name, value);
    }
    settings
}

#[test]
fn the_bucket_is_in_the_name_of_the_host() {
    let server = Server::good();
    let store = open("s3://bucket/folder", &virtually(&server));
    conformance::check(&store).unwrap();
    store.put("a", Bytes::from_static(b"1")).unwrap();
    assert!(server.bucket.has("folder/a"));
    for one in server.asked() {
        assert_eq!(one.header("host"), Some("bucket.server:9000"), "{one:?}");
        assert!(!one.path.starts_with("/bucket"), "{one:?}");
    }
}

#[test]
fn a_server_that_is_a_number_has_the_bucket_as_a_folder() {
    let server = Server::good();
    let mut settings = server.s3();
    settings.set("vfs.s3.use_virtual_addressing", "true");
    let store = open("s3://bucket/folder", &settings);
    store.put("a", Bytes::from_static(b"1")).unwrap();
    assert!(server.bucket.has("folder/a"));
    assert_eq!(server.asked()[0].path, "/bucket/folder/a");
}

#[test]
fn the_address_that_is_told_is_the_one_that_is_asked() {
    let server = Server::good();
    let mut path = server.s3();
    path.set("vfs.s3.endpoint_override", "server:9000/below/");
    path.set("vfs.s3.scheme", "http");
    let told = |settings: &Settings| {
        let found = Connection::of("s3://bucket/folder", settings).unwrap();
        found.endpoint.unwrap()
    };
    assert_eq!(told(&virtually(&server)), "http://bucket.server:9000");
    assert_eq!(told(&path), "http://server:9000/below/bucket");
    let mut amazon = Settings::new();
    amazon.set("vfs.s3.region", "eu-west-1");
    assert_eq!(
        told(&amazon),
        "https://s3.eu-west-1.amazonaws.com/bucket",
        "unless the environment of this test says otherwise"
    );
    amazon.set("vfs.s3.use_virtual_addressing", "true");
    assert_eq!(told(&amazon), "https://bucket.s3.eu-west-1.amazonaws.com");
}

#[test]
fn heads_of_requests_that_settings_name_are_sent() {
    let server = Server::good();
    let mut settings = server.s3();
    settings.set("vfs.s3.custom_headers.X-From", "here");
    let store = open("s3://bucket", &settings);
    store.put("a", Bytes::from_static(b"1")).unwrap();
    list_all(&store, "").unwrap();
    read_whole(&store, "a", 1).unwrap();
    for one in server.asked() {
        assert_eq!(one.header("x-from"), Some("here"), "{one:?}");
    }
    settings.set("vfs.s3.custom_headers.not a name", "x");
    let opened = tdb_object_store::open(
        "s3://bucket",
        &settings,
        &tdb_object_store::Runtime::start().unwrap(),
    );
    let error = opened.unwrap_err().to_string();
    assert!(
        error.contains("vfs.s3.custom_headers.not a name: its name"),
        "{error}"
    );
}

#[test]
fn settings_that_are_no_address_are_told_by_their_names() {
    for (name, value, told) in [
        (
            "vfs.s3.endpoint_override",
            "http://host :9000",
            "vfs.s3.endpoint_override is \"http://host :9000\", and no address has a blank in it",
        ),
        ("vfs.s3.scheme", "gopher", "vfs.s3.scheme is \"gopher\""),
        (
            "vfs.s3.aws_session_token",
            "a\nb",
            "vfs.s3.aws_session_token has a blank, an end of line",
        ),
    ] {
        let mut settings = Server::good().s3();
        if name == "vfs.s3.scheme" {
            settings.set("vfs.s3.endpoint_override", "host:1");
        }
        settings.set(name, value);
        let error = Connection::of("s3://bucket", &settings).unwrap_err();
        assert!(error.to_string().contains(told), "{error}");
    }
}

#[test]
fn servers_of_azure_and_google_may_be_told_without_their_beginning() {
    let open = |uri: &str, settings: &Settings| {
        let runtime = tdb_object_store::Runtime::start().unwrap();
        let opened = tdb_object_store::open(uri, settings, &runtime);
        opened.map(drop).map_err(|error| error.to_string())
    };
    let key =
        r#"{"disable_oauth": true, "client_email": "", "private_key": "", "private_key_id": ""}"#;
    for (uri, name) in [
        ("azure://container", "vfs.azure.blob_endpoint"),
        ("gs://bucket", "vfs.gcs.endpoint"),
    ] {
        let mut settings = Settings::new();
        settings.set("vfs.azure.storage_account_name", "account");
        settings.set("vfs.azure.storage_account_key", "a2V5");
        settings.set("vfs.gcs.service_account_key", key);
        for good in ["server:9000", "http://server:9000/path"] {
            settings.set(name, good);
            assert_eq!(open(uri, &settings), Ok(()), "{good}");
        }
        settings.set(name, "http://server :9000");
        let error = open(uri, &settings).unwrap_err();
        assert!(error.contains(name) && error.contains("a blank"), "{error}");
    }
}
