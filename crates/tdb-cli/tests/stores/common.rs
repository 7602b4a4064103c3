//! Runs the program with a test server.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::stub::{Does, Request, Server};

/// Folder of the golden arrays.
pub(crate) fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

/// The program with space-separated arguments, without environment variables that lead to other servers.
pub(crate) fn bare(arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tdb"));
    let of_stores = |name: &str| {
        let beginnings = ["AWS_", "TILEDB_", "AZURE_", "GOOGLE_"];
        beginnings
            .iter()
            .any(|beginning| name.starts_with(beginning))
    };
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(of_stores) {
            command.env_remove(name);
        }
    }
    command
        .current_dir(fixtures())
        .env_remove("TDB_KEY_FILE")
        .env("AWS_EC2_METADATA_DISABLED", "true")
        .env("AWS_CONFIG_FILE", "/nonexistent")
        .env("AWS_SHARED_CREDENTIALS_FILE", "/nonexistent")
        .args(arguments.split_whitespace());
    command
}

/// The program with environment variables that lead to the S3 test server.
pub(crate) fn beside(server: &Server, arguments: &str) -> Command {
    let mut command = bare(arguments);
    command
        .env("AWS_ENDPOINT_URL", server.address())
        .env("AWS_ACCESS_KEY_ID", "key")
        .env("AWS_SECRET_ACCESS_KEY", "secret")
        .env("AWS_REGION", "us-east-1")
        .env("TILEDB_VFS_S3_CONNECT_MAX_TRIES", "2");
    command
}

/// Formats the output, the messages and the exit status.
pub(crate) fn told(output: &Output) -> String {
    format!(
        "{}{}exit status {}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
        output.status.code().unwrap()
    )
}

/// Runs a verb and returns its output, messages and exit status.
pub(crate) fn says(server: &Server, arguments: &str) -> String {
    told(&beside(server, arguments).output().unwrap())
}

/// Runs a verb that must succeed and returns its output.
pub(crate) fn stdout(server: &Server, arguments: &str) -> String {
    let output = beside(server, arguments).output().unwrap();
    assert!(output.status.success(), "{arguments}: {}", told(&output));
    String::from_utf8(output.stdout).unwrap()
}

/// Keys of all objects in the bucket.
pub(crate) fn keys(server: &Server) -> Vec<String> {
    let objects = server.bucket.objects.lock().unwrap();
    objects.keys().cloned().collect()
}

/// Starts a server that contains a golden array as `a` and handles requests with `deed`.
pub(crate) fn with_array(deed: impl Fn(&Request, usize) -> Does + Send + Sync + 'static) -> Server {
    let server = Server::start(deed);
    put_folder(&server, &fixtures().join("v22_tour/array"), "a");
    server
}

/// Uploads a folder recursively into the bucket.
pub(crate) fn put_folder(server: &Server, folder: &Path, key: &str) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let key = format!("{key}/{}", entry.file_name().to_str().unwrap());
        if entry.file_type().unwrap().is_dir() {
            put_folder(server, &entry.path(), &key);
        } else {
            server
                .bucket
                .put(&key, &std::fs::read(entry.path()).unwrap());
        }
    }
}
