//! Several processes use one array concurrently: every write is visible completely or not at all, and none is lost.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Number of writers, of writes per writer, and of cells per write.
const WRITERS: usize = 3;
const WRITES: usize = 6;
const CELLS: usize = 40;

fn tdb(arguments: &[&str], folder: &Path) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_tdb"));
    let output = program.args(arguments).current_dir(folder).output();
    output.expect("it runs")
}

fn done(arguments: &[&str], folder: &Path) -> String {
    let output = tdb(arguments, folder);
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).expect("text")
}

/// A running writer; dropping it decrements the count, also after a failure.
struct AtWork<'a>(&'a AtomicUsize);

impl Drop for AtWork<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Number of cells of each write.
fn cells(folder: &Path) -> BTreeMap<String, usize> {
    let mut found = BTreeMap::new();
    for line in done(
        &[
            "read",
            "array",
            "--attrs",
            "write",
            "--no-dims",
            "--format",
            "csv",
        ],
        folder,
    )
    .lines()
    .skip(1)
    {
        *found.entry(line.to_owned()).or_default() += 1;
    }
    found
}

#[test]
fn writers_readers_and_consolidation_at_once_lose_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let schema = r#"{"type": "sparse", "capacity": 16,
        "dimensions": [{"name": "place", "datatype": "int64", "domain": [0, 99999], "extent": 100}],
        "attributes": [{"name": "write", "datatype": "int32"}]}"#;
    std::fs::write(folder.join("schema.json"), schema).expect("a schema");
    done(&["create", "array", "--schema", "schema.json"], folder);
    for write in 0..WRITERS * WRITES {
        let rows = (0..CELLS).map(|cell| format!("{},{write}\n", cell * 1000 + write));
        let csv = format!("place,write\n{}", rows.collect::<String>());
        std::fs::write(folder.join(format!("{write}.csv")), csv).expect("a file");
    }
    let writing = AtomicUsize::new(WRITERS);
    thread::scope(|scope| {
        for writer in 0..WRITERS {
            let at_work = AtWork(&writing);
            scope.spawn(move || {
                for write in 0..WRITES {
                    let file = format!("{}.csv", write * WRITERS + writer);
                    done(&["write", "array", &file], folder);
                }
                drop(at_work);
            });
        }
        scope.spawn(|| {
            while writing.load(Ordering::Relaxed) > 0 {
                done(&["consolidate", "array"], folder);
                done(&["consolidate", "array", "--mode", "commits"], folder);
                done(&["vacuum", "array"], folder);
            }
        });
        while writing.load(Ordering::Relaxed) > 0 {
            for (write, seen) in cells(folder) {
                assert_eq!(seen, CELLS, "write {write} is seen in part");
            }
        }
    });
    let found = cells(folder);
    assert_eq!(found.len(), WRITERS * WRITES);
    assert!(found.values().all(|seen| *seen == CELLS), "{found:?}");
    done(&["consolidate", "array"], folder);
    done(&["vacuum", "array", "--grace", "0s"], folder);
    assert_eq!(cells(folder), found);
}

/// Number of rounds in which two processes write with the same timestamp.
const ROUNDS: usize = 40;

#[test]
fn of_two_processes_that_write_at_one_time_the_later_one_counts() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let schema = r#"{"type": "sparse",
        "dimensions": [{"name": "x", "datatype": "int32", "domain": [1, 9], "extent": 9}],
        "attributes": [{"name": "a", "datatype": "int32"}]}"#;
    std::fs::write(folder.join("schema.json"), schema).expect("a file");
    for round in 0..ROUNDS {
        let array = format!("array{round}");
        done(
            &["create", &array, "--schema", "schema.json", "--at", "1"],
            folder,
        );
        for value in ["1", "2"] {
            std::fs::write(folder.join("cells.csv"), format!("x,a\n5,{value}\n")).expect("a file");
            done(&["write", &array, "cells.csv", "--at", "100"], folder);
        }
        let read = done(&["read", &array, "--format", "csv"], folder);
        assert_eq!(read, "x,a\n5,2\n", "round {round}");
    }
}

#[test]
fn what_tells_of_an_array_looks_again_where_a_vacuum_takes_its_fragments_away() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let schema = r#"{"type": "sparse", "capacity": 16,
        "dimensions": [{"name": "place", "datatype": "int64", "domain": [0, 99999], "extent": 100}],
        "attributes": [{"name": "write", "datatype": "int32"}]}"#;
    std::fs::write(folder.join("schema.json"), schema).expect("a schema");
    std::fs::write(folder.join("cells.csv"), "place,write\n1,1\n2,2\n").expect("a file");
    done(&["create", "array", "--schema", "schema.json"], folder);
    let write = || done(&["write", "array", "cells.csv"], folder);
    write();
    let at_work = AtomicUsize::new(1);
    let looked = thread::scope(|scope| {
        scope.spawn(|| {
            let _at_work = AtWork(&at_work);
            for _ in 0..20 {
                write();
                write();
                done(&["consolidate", "array"], folder);
                done(&["vacuum", "array", "--grace", "0s"], folder);
            }
        });
        let mut looked = 0;
        while at_work.load(Ordering::Relaxed) > 0 {
            for verb in ["info", "layout", "fragments", "stats"] {
                done(&[verb, "array"], folder);
                looked += 1;
            }
        }
        looked
    });
    assert!(looked >= 8, "{looked}");
}
