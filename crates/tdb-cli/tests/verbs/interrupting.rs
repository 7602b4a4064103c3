//! Ctrl-C.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use crate::common::{copy, fixtures, run, stdout, tdb};

fn spawned(arguments: &str) -> Child {
    let mut command = tdb(arguments);
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
    command.stderr(Stdio::piped()).spawn().unwrap()
}

/// Sends Ctrl-C and waits for the program to end.
fn interrupted(child: Child) -> Output {
    ended_by("-INT", child)
}

/// Sends a signal and waits for the program to end.
fn ended_by(signal: &str, child: Child) -> Output {
    let pressed = Command::new("kill")
        .args([signal, &child.id().to_string()])
        .status();
    assert!(pressed.unwrap().success());
    let mut child = child;
    // Standard input stays open, so that the program does not end because of it.
    let input = child.stdin.take();
    let output = child.wait_with_output().unwrap();
    drop(input);
    output
}

#[test]
fn what_waits_for_its_input_ends() {
    let folder = tempfile::tempdir().unwrap();
    let array = folder.path().join("array");
    copy(&fixtures().join("v22_tour/array"), &array);
    let mut child = spawned(&format!("write {} - --format csv", array.display()));
    let rows = b"station,hour,temperature,pressure,sky,remark\nBGN,2024-05-01,1,2,snow,x\n";
    child.stdin.as_mut().unwrap().write_all(rows).unwrap();
    thread::sleep(Duration::from_millis(500));
    let output = interrupted(child);
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        (told.trim(), output.status.code()),
        ("interrupted: no change is left half done", Some(130))
    );
    assert_eq!(stdout(&format!("count {}", array.display())), "80\n");
}

/// While the file is read, the store is not accessed.
#[test]
fn an_import_notices_while_it_looks_through_its_file() {
    for signal in ["-INT", "-TERM"] {
        let folder = tempfile::tempdir().unwrap();
        let (file, array) = (folder.path().join("cells.csv"), folder.path().join("array"));
        let mut rows = "id,value\n".to_owned();
        for row in 0..3_000_000 {
            writeln!(rows, "{row},{}", row % 977).unwrap();
        }
        fs::write(&file, rows).unwrap();
        let arguments = format!("import {} {}", file.display(), array.display());
        let child = spawned(&format!("{arguments} --threads 1"));
        thread::sleep(Duration::from_millis(300));
        let output = ended_by(signal, child);
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(
            told.ends_with("interrupted: no change is left half done\n"),
            "{told}"
        );
        assert_eq!(output.status.code(), Some(130), "{told}");
        let left = fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(left, 1, "only the file is there");
    }
}

#[test]
fn an_import_takes_its_array_back() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("interrupted");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let (file, array) = (folder.join("cells.csv"), folder.join("array"));
    let mut rows = "id,value\n".to_owned();
    for row in 0..2_000_000 {
        writeln!(rows, "{row},{}", row % 977).unwrap();
    }
    fs::write(&file, rows).unwrap();
    let mut child = spawned(&format!(
        "import {} {} --threads 1",
        file.display(),
        array.display()
    ));
    // The array is begun before the second pass over the cells.
    while !array.join("__tdb_unfinished").exists() {
        assert_eq!(child.try_wait().unwrap(), None, "the import has ended");
        thread::sleep(Duration::from_millis(1));
    }
    let output = interrupted(child);
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(
        told.ends_with("interrupted: no change is left half done\n"),
        "{told}"
    );
    assert_eq!(output.status.code(), Some(130), "{told}");
    assert!(!array.exists(), "something is there");
    let again = run(&format!("ls {}", folder.display()));
    assert!(
        !String::from_utf8(again.stdout).unwrap().contains("array"),
        "the array is there"
    );
    fs::remove_dir_all(&folder).unwrap();
}

/// Spilled data is removed from the temporary folder.
#[test]
fn groups_and_sorted_cells_leave_nothing_in_the_temporary_folder() {
    let folder = tempfile::tempdir().unwrap();
    let (file, array) = (folder.path().join("cells.csv"), folder.path().join("array"));
    let mut rows = "id,value\n".to_owned();
    for row in 0..1_000_000_u64 {
        writeln!(rows, "{row},{}", row * 7919 % 1_000_003).unwrap();
    }
    fs::write(&file, rows).unwrap();
    let (file, array) = (file.display(), array.display());
    stdout(&format!("import {file} {array} --key id"));
    let temp = folder.path().join("temp");
    fs::create_dir(&temp).unwrap();
    let little = format!("--memory 4MB --threads 1 --temp {}", temp.display());
    for question in [
        format!("agg {array} sum(id) --by value -o {array}.csv"),
        format!("distinct {array} value -o {array}.csv"),
        format!("read {array} --sort value -o {array}.csv"),
    ] {
        let child = spawned(&format!("{question} {little}"));
        let kept = || fs::read_dir(&temp).unwrap().count();
        while kept() < 3 {
            thread::sleep(Duration::from_millis(1));
        }
        let output = interrupted(child);
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(130), "{question}: {told}");
        assert_eq!((told.trim(), kept()), ("interrupted", 0), "{question}");
        assert!(!folder.path().join("array.csv").exists(), "{question}");
    }
}
