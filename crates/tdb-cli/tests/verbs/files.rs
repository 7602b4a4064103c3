//! Files named on the command line: for the result, and as part of the request.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::common::{copy, failure, fixtures, repeatable, run, tdb, told};

/// Names in a folder.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

/// Creates an array with an unreadable attribute tile, in a temporary folder.
fn damaged() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let array = folder.path().join("array");
    copy(&fixtures().join("v22_tour/array"), &array);
    let fragments = fs::read_dir(array.join("__fragments")).unwrap().flatten();
    let fragment = fragments.map(|entry| entry.path()).max().unwrap();
    let file = fragment.join("a0.tdb");
    let mut bytes = fs::read(&file).unwrap();
    bytes.iter_mut().for_each(|byte| *byte ^= 0xff);
    fs::write(&file, bytes).unwrap();
    (folder, array)
}

#[test]
fn an_ending_that_no_format_has_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let array = fixtures().join("v22_tour/array");
    let refused = |name: &str| {
        let mut command = tdb("read");
        command.arg(&array).args(["-o", name]).current_dir(&folder);
        told(&command.output().unwrap())
    };
    insta::assert_snapshot!("ending", refused("x.xlsx"));
    for name in ["x.tsv", "x.csv.gz", "x.png", "x.2024", "x."] {
        let told = refused(name);
        assert!(told.ends_with("exit status 2"), "{name}: {told}");
        assert!(told.contains(": unknown extension ."), "{told}");
    }
    assert_eq!(names(folder.path()), [""; 0]);
    // Any extension is accepted if the format is given, or if there is only one format.
    let status = |arguments: &[&str]| {
        let mut command = tdb(arguments[0]);
        command
            .arg(&array)
            .args(&arguments[1..])
            .current_dir(&folder);
        command.output().unwrap().status.code()
    };
    assert_eq!(status(&["read", "--format", "csv", "-o", "x.tsv"]), Some(0));
    assert_eq!(status(&["read", "-o", "X.CSV"]), Some(0));
    assert_eq!(status(&["read", "-o", "plain"]), Some(0));
    assert_eq!(status(&["schema", "--json", "-o", "x.json"]), Some(0));
    assert_eq!(names(folder.path()), ["X.CSV", "plain", "x.json", "x.tsv"]);
}

#[test]
fn a_file_that_was_there_stays_if_the_work_fails() {
    let (folder, array) = damaged();
    for ending in ["csv", "txt", "jsonl", "arrow", "parquet"] {
        let name = format!("x.{ending}");
        let file = folder.path().join(&name);
        let read = || {
            let mut command = tdb("read");
            command.arg(&array).arg("-o").arg(&file);
            command.output().unwrap()
        };
        let output = read();
        assert_eq!(output.status.code(), Some(3), "{}", told(&output));
        assert_eq!(names(folder.path()), ["array"], "{ending}: nothing is left");
        fs::write(&file, "precious").unwrap();
        assert_eq!(read().status.code(), Some(3));
        assert_eq!(fs::read(&file).unwrap(), b"precious", "{ending}");
        assert_eq!(names(folder.path()), ["array", &name], "{ending}");
        fs::remove_file(&file).unwrap();
    }
}

#[test]
fn a_file_appears_when_it_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("x.csv");
    fs::write(&file, "precious").unwrap();
    let array = fixtures().join("v22_tour/array");
    let read = |file: &Path| {
        let mut command = tdb("read");
        command.arg(&array).arg("-o").arg(file);
        told(&command.output().unwrap())
    };
    assert_eq!(read(&file), "exit status 0");
    let all = run("read v22_tour/array --format csv").stdout;
    assert_eq!(fs::read(&file).unwrap(), all);
    assert_eq!(names(folder.path()), ["x.csv"]);
}

#[cfg(unix)]
#[test]
fn links_and_permissions_are_kept() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    let array = fixtures().join("v22_tour/array");
    let read = |name: &str| {
        let mut command = tdb("read");
        command.arg(&array).arg("-o").arg(place(name));
        told(&command.output().unwrap())
    };
    fs::write(place("there.csv"), "precious").unwrap();
    fs::set_permissions(place("there.csv"), fs::Permissions::from_mode(0o640)).unwrap();
    symlink("there.csv", place("link.csv")).unwrap();
    symlink("not-yet.csv", place("dangling.csv")).unwrap();
    assert_eq!(read("link.csv"), "exit status 0");
    assert_eq!(read("dangling.csv"), "exit status 0");
    assert!(place("link.csv").is_symlink() && place("dangling.csv").is_symlink());
    let mode = |name: &str| fs::metadata(place(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode("there.csv"), 0o640);
    fs::write(place("plain"), "").unwrap();
    assert_eq!(mode("not-yet.csv"), mode("plain"), "as any new file");
    assert_eq!(
        fs::metadata(place("there.csv")).unwrap().len(),
        fs::metadata(place("not-yet.csv")).unwrap().len()
    );
}

#[cfg(unix)]
#[test]
fn a_pipe_and_a_device_are_written_directly() {
    let all = run("read v22_tour/array --format csv").stdout;
    let output = run("read v22_tour/array -o /dev/stdout");
    assert_eq!(output.stdout, all);
    assert_eq!(
        told(&run("read v22_tour/array -o /dev/null")),
        "exit status 0"
    );
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
    // Earlier content of a file stays if the output is appended to it.
    let folder = tempfile::tempdir().unwrap();
    let script = format!(
        "{{ echo first; {} read v22_tour/array -o /dev/stdout; }} > \"$0\"",
        env!("CARGO_BIN_EXE_tdb")
    );
    let file = folder.path().join("x");
    let mut shell = Command::new("sh");
    shell
        .args(["-c", &script])
        .arg(&file)
        .current_dir(fixtures());
    assert!(shell.status().unwrap().success());
    let expected = [b"first\n", &all[..]].concat();
    assert_eq!(fs::read(&file).unwrap(), expected);

    let pipe = folder.path().join("pipe");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let mut command = tdb("read v22_tour/array --format csv -o");
    let mut child = command.arg(&pipe).spawn().unwrap();
    let mut found = Vec::new();
    fs::File::open(&pipe)
        .unwrap()
        .read_to_end(&mut found)
        .unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(found, all);
    assert_eq!(names(folder.path()), ["pipe", "x"]);
}

/// The system kills the program in the middle of a result that exceeds the file size limit.
#[cfg(target_os = "linux")]
#[test]
fn a_program_that_is_killed_leaves_no_stump() {
    use std::os::unix::process::ExitStatusExt;

    let folder = tempfile::tempdir().unwrap();
    let array = fixtures().join("v22_tour/array");
    for ending in ["csv", "txt", "jsonl", "arrow", "parquet"] {
        let file = folder.path().join(format!("x.{ending}"));
        let killed = || {
            let script = "ulimit -c 0; ulimit -f 1; exec \"$@\"";
            let mut shell = Command::new("sh");
            shell.args(["-c", script, "sh", env!("CARGO_BIN_EXE_tdb"), "read"]);
            shell.arg(&array).arg("-o").arg(&file);
            let status = shell.status().unwrap();
            assert!(status.signal().is_some(), "{ending}: {status}");
        };
        killed();
        assert!(!file.exists(), "{ending}");
        fs::write(&file, "precious").unwrap();
        killed();
        assert_eq!(fs::read(&file).unwrap(), b"precious", "{ending}");
    }
}

#[test]
fn a_folder_that_is_missing_is_named() {
    insta::assert_snapshot!(
        "no_folder",
        failure("read v22_tour/array -o /nowhere/at/all.csv")
    );
    insta::assert_snapshot!("is_folder", failure("read v22_tour/array -o v22_tour"));
    insta::assert_snapshot!(
        "info_no_folder",
        failure("info v22_tour/array -o /nowhere/all")
    );
}

/// Runs the program with endless standard input.
#[cfg(target_os = "linux")]
fn endless(arguments: &str) -> String {
    let mut command = tdb(arguments);
    let mut child = (command.stdin(Stdio::piped()).stdout(Stdio::piped()))
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = child.stdin.take().unwrap();
    // Ends as soon as the pipe is closed.
    let writer = std::thread::spawn(move || while pipe.write_all(&[b' '; 4096]).is_ok() {});
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    repeatable(&told(&output))
}

#[cfg(target_os = "linux")]
#[test]
fn a_key_is_not_read_beyond_its_end() {
    for file in ["/dev/zero", "/dev/stdin"] {
        let told = endless(&format!("info v22_tour/array --key-file {file}"));
        let wanted =
            format!("error: key file {file}: an encryption key is 32 bytes long\nexit status 2");
        assert_eq!(told, wanted);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn files_of_a_request_have_a_limit() {
    let folder = tempfile::tempdir().unwrap();
    let array = folder.path().join("array");
    copy(&fixtures().join("v22_tour/array"), &array);
    let array = array.display();
    insta::assert_snapshot!(
        "request_limit",
        endless("create nowhere --schema /dev/zero")
    );
    for file in ["/dev/zero", "/dev/stdin"] {
        for verb in [
            "create nowhere --schema {}".to_owned(),
            "read v22_tour/array --range-file {}".to_owned(),
            format!("evolve {array} --add-attr @{{}}"),
            format!("evolve {array} --current-domain @{{}}"),
        ] {
            let verb = verb.replace("{}", file);
            let told = endless(&verb);
            assert!(told.ends_with("exit status 4"), "{verb}: {told}");
            assert!(
                told.contains(file) && told.contains("64.0 MiB"),
                "{verb}: {told}"
            );
        }
    }
}
