//! Runs each verb against servers that misbehave: it either does all of its work, or reports the reason and leaves
//! the bucket unchanged.

use std::collections::BTreeMap;
use std::path::Path;

use crate::common::{bare, beside, keys, put_folder, told};
use crate::stub::{Answer, Does, Request, Server};

type Deed = fn(&Request, usize) -> Does;

/// Behaviours of servers, and whether verbs succeed with each.
const SERVERS: [(&str, Deed, bool); 9] = [
    ("is as it should be", |_, _| Does::Serves, true),
    (
        "takes no conditions",
        |one, _| match one.header("if-none-match") {
            Some(_) => Does::Says(Answer::error(501, "NotImplemented", "No.")),
            None => Does::Serves,
        },
        true,
    ),
    (
        "calls conditions bad",
        |one, _| match one.header("if-none-match") {
            Some(_) => Does::Says(Answer::error(400, "InvalidArgument", "No.")),
            None => Does::Serves,
        },
        true,
    ),
    (
        "fails after it stored",
        |one, before| match (&*one.method, before) {
            ("PUT", 0) => Does::ServesAndSays(Answer::error(500, "InternalError", "Oh.")),
            _ => Does::Serves,
        },
        true,
    ),
    (
        "has something in the way",
        |one, before| match (&*one.method, before) {
            ("PUT", 0) => Does::Says(Answer::error(409, "ConditionalRequestConflict", "Retry.")),
            _ => Does::Serves,
        },
        true,
    ),
    (
        "is busy at first",
        |_, before| match before {
            0 => Does::Says(Answer::error(503, "SlowDown", "Later.")),
            _ => Does::Serves,
        },
        true,
    ),
    (
        "hangs up on what it stored",
        |one, before| match (&*one.method, before) {
            ("PUT", 0) => Does::ServesUnheard,
            _ => Does::Serves,
        },
        true,
    ),
    (
        "answers with a page",
        |_, _| {
            let page = "<!DOCTYPE html><html><title>Sign in</title></html>";
            Does::Says(Answer::new(200, page).with("content-type", "text/html"))
        },
        false,
    ),
    (
        "refuses all",
        |_, _| Does::Says(Answer::error(403, "AccessDenied", "No.")),
        false,
    ),
];

/// Verbs to run; `{}` is a local folder with an array and a table.
const VERBS: [&str; 22] = [
    "ls s3://bucket",
    "tree s3://bucket",
    "info s3://bucket/a",
    "count s3://bucket/a",
    "read s3://bucket/a",
    "verify s3://bucket/a",
    "meta ls s3://bucket/a",
    "log s3://bucket/a",
    "cp s3://bucket/a s3://bucket/b",
    "cp {}/array s3://bucket/b",
    "cp s3://bucket/a {}/copy",
    "mv s3://bucket/a s3://bucket/b",
    "rm s3://bucket/a",
    "import {}/cells.csv s3://bucket/b --dim k",
    "import {}/cells.csv s3://bucket/a --append",
    "write s3://bucket/a {}/cells.csv",
    "meta set s3://bucket/a place here",
    "group create s3://bucket/g",
    "delete s3://bucket/a --where v=1",
    "consolidate s3://bucket/a",
    "vacuum s3://bucket/m --grace 0s",
    "evolve s3://bucket/a --drop-attr w",
];

/// Prepares an array with three fragments, an array with merged fragments, and a table.
fn prepare(folder: &Path) {
    let csv = folder.join("cells.csv");
    let array = folder.join("array").display().to_string();
    for number in 0..3 {
        std::fs::write(&csv, format!("k,v,w\n{number},{number},x\n")).unwrap();
        let how = if number == 0 {
            "--dim k --domain k=0..999"
        } else {
            "--append"
        };
        let import = format!("import {} {array} {how}", csv.display());
        let output = bare(&import).output().unwrap();
        assert!(output.status.success(), "{}", told(&output));
    }
    std::fs::write(&csv, "k,v,w\n7,7,y\n").unwrap();
    let merged = folder.join("merged").display().to_string();
    for verb in [
        format!("cp {array} {merged}"),
        format!("consolidate {merged}"),
    ] {
        let output = bare(&verb).output().unwrap();
        assert!(output.status.success(), "{}", told(&output));
    }
}

/// Counts the objects by kind, ignoring the numbers in their names.
fn kinds(server: &Server) -> BTreeMap<String, usize> {
    let mut kinds = BTreeMap::new();
    for key in keys(server) {
        let parts = key.split('/').map(|part| {
            let part = part.trim_end_matches(|c: char| c.is_ascii_digit() || c == '_');
            let is_number = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c) || c == '_';
            let name: String = part.chars().filter(|c| !is_number(*c)).collect();
            name
        });
        *kinds
            .entry(parts.collect::<Vec<_>>().join("/"))
            .or_insert(0) += 1;
    }
    kinds
}

/// Runs a verb. Returns its output, the server, and the bucket before the run.
fn run(folder: &Path, deed: Deed, verb: &str) -> (String, Server, BTreeMap<String, Vec<u8>>) {
    let server = Server::start(deed);
    put_folder(&server, &folder.join("array"), "a");
    put_folder(&server, &folder.join("merged"), "m");
    let before = server.bucket.objects.lock().unwrap().clone();
    let copy = folder.join("copy");
    // The copy exists only if this verb ran before.
    let _ = std::fs::remove_dir_all(copy);
    let verb = verb.replace("{}", &folder.display().to_string());
    let output = beside(&server, &verb).output().unwrap();
    (told(&output), server, before)
}

#[test]
fn each_verb_is_done_or_leaves_all_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    prepare(folder);
    for verb in VERBS {
        let mut good = None;
        for (what, deed, gets_through) in SERVERS {
            let (said, server, before) = run(folder, deed, verb);
            let is_done = said.ends_with("exit status 0");
            assert_eq!(
                is_done, gets_through,
                "{verb}, a server that {what}: {said}"
            );
            if is_done {
                let kinds = kinds(&server);
                let good = good.get_or_insert_with(|| kinds.clone());
                assert_eq!(&kinds, good, "{verb}, a server that {what}");
            } else {
                let after = server.bucket.objects.lock().unwrap().clone();
                assert!(before == after, "{verb}, a server that {what}: {said}");
                assert!(!folder.join("copy").exists(), "{verb}: {said}");
                assert!(said.contains("s3://bucket"), "{verb}: {said}");
            }
        }
    }
}
