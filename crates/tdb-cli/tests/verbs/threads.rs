//! Fewer threads than were asked for.

use std::process::{Command, Output};

use super::common::{run, stdout, tdb};

const READ: &str = "read v22_tour/array";
const DENSE: &str = "read v15_dense_basics/array";

fn said(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A verb in a process that can start no thread: its stack would not fit into memory.
#[cfg(target_os = "linux")]
fn alone(arguments: &str) -> Output {
    let mut command = tdb(arguments);
    command.env("RUST_MIN_STACK", (1_u64 << 46).to_string());
    command.output().expect("it runs")
}

#[cfg(target_os = "linux")]
#[test]
fn without_threads_the_work_is_done_all_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("tour.csv");
    std::fs::write(&file, stdout(READ)).expect("a file");
    let (file, array) = (file.display(), folder.path().join("array"));
    let array = array.display();
    let told = "the system started none of 8 threads, so one did all the work";
    for (threads, warning) in [("1", ""), ("8", told)] {
        let check = |output: &Output| match warning {
            "" => assert!(!said(output).contains("warning:"), "{output:?}"),
            warning => assert!(said(output).contains(warning), "{output:?}"),
        };
        let read = alone(&format!("{READ} --threads {threads}"));
        assert_eq!(String::from_utf8_lossy(&read.stdout), stdout(READ));
        check(&read);
        let dense = alone(&format!("{DENSE} --threads {threads}"));
        assert_eq!(String::from_utf8_lossy(&dense.stdout), stdout(DENSE));
        check(&dense);
        let import =
            format!("import {file} {array}-{threads} --dim station,hour --duplicates keep");
        check(&alone(&format!("{import} --threads {threads}")));
        let write = format!("write {array}-{threads} {file} --threads {threads}");
        check(&alone(&write));
        let merge = format!("consolidate {array}-{threads} --threads {threads}");
        check(&alone(&merge));
        assert_eq!(
            stdout(&format!("read {array}-{threads} --order row"))
                .lines()
                .count(),
            stdout(READ).lines().count() * 2 - 1
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn as_many_threads_work_as_can_be_started() {
    let program = env!("CARGO_BIN_EXE_tdb");
    let line = format!("ulimit -v 4000000 && exec {program} {READ} --threads 8 --profile");
    let mut command = Command::new("sh");
    command
        .args(["-c", &line])
        .current_dir(super::common::fixtures())
        .env("RUST_MIN_STACK", (1_u64 << 30).to_string());
    let output = command.output().expect("it runs");
    let said = said(&output);
    assert!(
        said.contains("warning: the system started no more than "),
        "{said}"
    );
    assert!(said.contains(" of 8 threads\n"), "{said}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), stdout(READ));
}

#[test]
fn a_number_of_threads_that_no_machine_has_is_capped() {
    let output = run(&format!("{READ} --threads 100000 --profile"));
    let said = said(&output);
    assert!(
        said.contains(
            "warning: 100000 threads were asked for, and 1024 are the most that are started"
        ),
        "{said}"
    );
    assert!(said.contains("\nthreads "), "{said}");
}
