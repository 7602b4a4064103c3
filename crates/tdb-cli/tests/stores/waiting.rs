//! Counts how often the program waits for a single request on a slow store.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use crate::common::{bare, keys, put_folder, stdout, told};
use crate::stub::{Does, Server};

const FRAGMENTS: usize = 30;

/// Starts a slow server that counts the requests during which no other request was running.
fn late() -> (Server, Arc<AtomicUsize>) {
    let (arrived, under_way) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let alone = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&alone);
    let server = Server::start(move |_, _| {
        let is_only = under_way.fetch_add(1, Ordering::SeqCst) == 0;
        let number = arrived.fetch_add(1, Ordering::SeqCst) + 1;
        thread::sleep(Duration::from_millis(20));
        under_way.fetch_sub(1, Ordering::SeqCst);
        if is_only && arrived.load(Ordering::SeqCst) == number {
            counted.fetch_add(1, Ordering::SeqCst);
        }
        Does::Serves
    });
    (server, alone)
}

fn run(arguments: &str) {
    let output = bare(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments}: {}", told(&output));
}

/// Creates an array with many fragments.
fn array(folder: &Path) -> String {
    let array = folder.join("array").display().to_string();
    let csv = folder.join("cells.csv");
    for number in 0..FRAGMENTS {
        std::fs::write(&csv, format!("k,v\n{number},{number}\n")).unwrap();
        let how = if number == 0 {
            "--dim k --domain k=0..999"
        } else {
            "--append"
        };
        run(&format!("import {} {array} {how}", csv.display()));
    }
    array
}

#[test]
fn verify_and_vacuum_ask_for_many_things_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let local = array(folder.path());
    let (server, alone) = late();
    put_folder(&server, Path::new(&local), "a");
    let waits = |verb: &str| {
        let (before, asked) = (alone.load(Ordering::SeqCst), server.asked().len());
        stdout(&server, verb);
        let asked = server.asked().len() - asked;
        (alone.load(Ordering::SeqCst) - before, asked)
    };
    let (alone, asked) = waits("verify s3://bucket/a");
    assert!(alone < FRAGMENTS, "{alone} of {asked}");
    stdout(&server, "consolidate s3://bucket/a");
    let (alone, asked) = waits("vacuum s3://bucket/a --grace 0s");
    assert!(alone < FRAGMENTS, "{alone} of {asked}");
    assert!(asked < 6 * FRAGMENTS, "{asked} requests");
    let left = keys(&server);
    let fragments = left
        .iter()
        .filter(|key| key.ends_with("__fragment_metadata.tdb"));
    assert_eq!(fragments.count(), 1, "{left:?}");
    assert_eq!(
        stdout(&server, "count s3://bucket/a").trim(),
        FRAGMENTS.to_string()
    );
}

/// A server that answers late, and tells how many answers were waited for one after the other: each request comes one later
/// than the last of those that were answered when it came.
fn counting_waits() -> (Server, Arc<AtomicUsize>) {
    let waits = Arc::new(AtomicUsize::new(0));
    let answered = Arc::clone(&waits);
    let server = Server::start(move |_, _| {
        let number = answered.load(Ordering::SeqCst) + 1;
        thread::sleep(Duration::from_millis(250));
        answered.fetch_max(number, Ordering::SeqCst);
        Does::Serves
    });
    (server, waits)
}

#[test]
fn an_array_is_opened_with_two_waits_and_a_box_is_read_with_one() {
    let folder = tempfile::tempdir().unwrap();
    let local = array(folder.path());
    let (server, waits) = counting_waits();
    put_folder(&server, Path::new(&local), "a");
    let of = |verb: &str| {
        let before = waits.load(Ordering::SeqCst);
        stdout(&server, verb);
        waits.load(Ordering::SeqCst) - before
    };
    // The metadata are looked for, too.
    assert_eq!(of("info s3://bucket/a"), 3);
    assert_eq!(of("read s3://bucket/a --range k=3..19"), 3);
    assert_eq!(of("read s3://bucket/a --where v>7"), 3);
}
