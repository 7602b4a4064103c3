//! Empty objects that consoles, rclone and others create as folder markers: they are copied and removed with their
//! folder, and a marker alone is not an object of interest.

use crate::common::{keys, says, stdout, with_array};
use crate::stub::{Does, Server};

const MARKERS: [&str; 5] = [
    "a/",
    "a/__schema/",
    "a/__fragments/",
    "a/__commits",
    "a/__meta/",
];

fn marked() -> Server {
    let server = with_array(|_, _| Does::Serves);
    for marker in MARKERS {
        server.bucket.put(marker, b"");
    }
    server
}

/// Starts a server with nothing but folder markers, as earlier versions left them.
fn only_markers() -> Server {
    let server = Server::good();
    for marker in ["a/", "a/__schema/", "a/__fragments/"] {
        server.bucket.put(marker, b"");
    }
    server
}

#[test]
fn an_array_is_removed_with_what_marks_its_folders() {
    let server = marked();
    server.bucket.put("ab/", b"");
    server.bucket.put("b", b"");
    stdout(&server, "rm s3://bucket/a");
    assert_eq!(keys(&server), ["ab/", "b"], "what lies beside it stays");
}

#[test]
fn an_array_is_moved_without_what_marks_its_folders() {
    let server = marked();
    let count = stdout(&server, "count s3://bucket/a");
    stdout(&server, "mv s3://bucket/a s3://bucket/b");
    assert!(keys(&server).iter().all(|key| key.starts_with("b/")));
    assert!(keys(&server).iter().all(|key| !key.ends_with('/')));
    assert!(!server.bucket.has("b/__commits"));
    assert_eq!(stdout(&server, "count s3://bucket/b"), count);
}

#[test]
fn an_array_is_copied_without_what_marks_its_folders() {
    let server = marked();
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("copy").display().to_string();
    let before = keys(&server);
    stdout(&server, &format!("cp s3://bucket/a {copy}"));
    assert_eq!(keys(&server), before);
    assert_eq!(
        stdout(&server, &format!("count {copy}")),
        stdout(&server, "count s3://bucket/a")
    );
    stdout(&server, &format!("compare s3://bucket/a {copy}"));
}

#[test]
fn what_marks_folders_is_no_array() {
    let server = only_markers();
    let listed = stdout(&server, "ls s3://bucket");
    assert!(!listed.contains("array"), "{listed}");
    for verb in ["info s3://bucket/a", "count s3://bucket/a"] {
        let said = says(&server, verb);
        assert!(said.contains("there is no array"), "{verb}: {said}");
    }
    let said = says(&server, "cp s3://bucket/a s3://bucket/c");
    assert!(
        said.ends_with("exit status 1") || said.contains("no array"),
        "{said}"
    );
    assert!(!keys(&server).iter().any(|key| key.starts_with("c/")));
    // Markers left by an earlier version are removed.
    says(&server, "rm s3://bucket/a");
    assert_eq!(keys(&server), [""; 0]);
}

#[test]
fn what_marks_folders_is_in_nobodys_way() {
    let csv = tempfile::NamedTempFile::with_suffix(".csv").unwrap();
    std::fs::write(csv.path(), "k,v\n1,1\n").unwrap();
    let csv = csv.path().display();
    for verb in [
        "cp v22_tour/array s3://bucket/a".to_owned(),
        format!("import {csv} s3://bucket/a --dim k"),
        "group create s3://bucket/a".to_owned(),
    ] {
        let server = only_markers();
        stdout(&server, &verb);
        assert!(stdout(&server, "ls s3://bucket").contains('a'), "{verb}");
        says(&server, "info s3://bucket/a");
    }
    // A marker without a slash, as for an empty Azure folder.
    let server = Server::good();
    server.bucket.put("a", b"");
    stdout(&server, "cp v22_tour/array s3://bucket/a");
    stdout(&server, "count s3://bucket/a");
    stdout(&server, "rm s3://bucket/a");
    assert_eq!(keys(&server), [""; 0]);
    // A non-empty object with this name prevents the copy.
    server.bucket.put("a", b"1");
    let said = says(&server, "cp v22_tour/array s3://bucket/a");
    assert!(said.contains("an object of this name already"), "{said}");
    assert_eq!(keys(&server), ["a"]);
}

#[test]
fn groups_go_with_what_marks_their_folders() {
    let server = with_array(|_, _| Does::Serves);
    stdout(&server, "group create s3://bucket/g");
    stdout(&server, "cp s3://bucket/a s3://bucket/g/a");
    stdout(&server, "group add s3://bucket/g s3://bucket/g/a --name a");
    for marker in ["g/", "g/__group/", "g/__meta/", "g/a/", "g/a/__schema/"] {
        server.bucket.put(marker, b"");
    }
    stdout(&server, "mv s3://bucket/g s3://bucket/h");
    let left = keys(&server);
    assert!(!left.iter().any(|key| key.starts_with("g/")), "{left:?}");
    assert!(!left.iter().any(|key| key.ends_with('/')), "{left:?}");
    stdout(&server, "rm s3://bucket/h");
    assert!(keys(&server).iter().all(|key| key.starts_with("a/")));
}
