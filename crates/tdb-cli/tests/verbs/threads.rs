//! Fewer threads than requested.

#[cfg(target_os = "linux")]
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use super::common::{run, stdout, tdb};

const READ: &str = "read v22_tour/array";
const DENSE: &str = "read v15_dense_basics/array";

fn said(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Runs a verb in a process that cannot start threads, since their stacks would not fit into memory.
#[cfg(target_os = "linux")]
fn alone(arguments: &str) -> Output {
    let mut command = tdb(arguments);
    command.env("RUST_MIN_STACK", (1_u64 << 46).to_string());
    command.output().expect("it runs")
}

/// Writes a file with enough cells to make starting threads worthwhile.
#[cfg(target_os = "linux")]
fn many_cells(folder: &Path) -> PathBuf {
    let rows: Vec<String> = (0..40_000).map(|k| format!("{k},{}", k * 3)).collect();
    let file = folder.join("many.csv");
    std::fs::write(&file, format!("k,v\n{}\n", rows.join("\n"))).expect("a file");
    file
}

#[cfg(target_os = "linux")]
#[test]
fn without_threads_the_work_is_done_all_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = many_cells(folder.path());
    let cells = std::fs::read_to_string(&file).expect("the file");
    let file = file.display();
    let told = "the system could not start any of 8 threads, so a single one did all the work";
    for (threads, warning) in [("1", ""), ("8", told)] {
        let done = |line: &str| {
            let output = alone(&format!("{line} --threads {threads}"));
            match warning {
                "" => assert!(!said(&output).contains("warning:"), "{line}: {output:?}"),
                warning => assert!(said(&output).contains(warning), "{line}: {output:?}"),
            }
            String::from_utf8_lossy(&output.stdout).into_owned()
        };
        for kind in ["sparse", "dense"] {
            let array = folder.path().join(format!("{kind}-{threads}"));
            let array = array.display();
            done(&format!("import {file} {array} --dim k --{kind}"));
            assert_eq!(done(&format!("read {array}")), cells);
            done(&format!("write {array} {file}"));
            done(&format!("consolidate {array}"));
            assert_eq!(stdout(&format!("read {array} --order row")), cells);
        }
    }
}

/// Servers are accessed from separate threads.
#[cfg(target_os = "linux")]
#[test]
fn an_object_store_without_threads_is_an_error_and_no_panic() {
    let output = alone("info s3://bucket/array");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{errors}");
    assert!(errors.contains("no thread can be started"), "{errors}");
    assert!(
        errors.contains("hint: two more threads are needed to wait for servers"),
        "{errors}"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn no_threads_are_started_for_little_work() {
    for line in [READ, DENSE] {
        let read = alone(&format!("{line} --threads 8"));
        assert!(!said(&read).contains("warning:"), "{read:?}");
        assert_eq!(String::from_utf8_lossy(&read.stdout), stdout(line));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn as_many_threads_work_as_can_be_started() {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, array) = (many_cells(folder.path()), folder.path().join("array"));
    let (file, array) = (file.display(), array.display());
    stdout(&format!("import {file} {array} --dim k"));
    let program = env!("CARGO_BIN_EXE_tdb");
    let line = format!("ulimit -v 4000000 && exec {program} read {array} --threads 8 --profile");
    let mut command = Command::new("sh");
    command
        .args(["-c", &line])
        .env("RUST_MIN_STACK", (1_u64 << 30).to_string());
    let output = command.output().expect("it runs");
    let said = said(&output);
    assert!(said.contains("warning: the system started only "), "{said}");
    assert!(said.contains(" of 8 threads\n"), "{said}");
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        stdout(&format!("read {array}"))
    );
}

#[test]
fn a_number_of_threads_that_no_machine_has_is_capped() {
    let output = run(&format!("{READ} --threads 100000 --profile"));
    let said = said(&output);
    assert!(
        said.contains("warning: 100000 threads were requested, but at most 1024 are started"),
        "{said}"
    );
    assert!(said.contains("\nthreads "), "{said}");
}
