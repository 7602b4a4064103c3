//! Runs the program.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Folder of the golden arrays.
pub(crate) fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

/// The program with space-separated arguments, run in the folder of the golden arrays.
pub(crate) fn tdb(arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tdb"));
    command
        .current_dir(fixtures())
        .env_remove("TDB_KEY_FILE")
        .env_remove("NO_COLOR")
        .args(arguments.split_whitespace());
    command
}

pub(crate) fn run(arguments: &str) -> Output {
    tdb(arguments).output().unwrap()
}

/// Runs a verb that must succeed and returns its output.
pub(crate) fn stdout(arguments: &str) -> String {
    let output = run(arguments);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{arguments}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}

/// Runs a verb and returns its output without the parts of names that change whenever the fixtures are generated.
pub(crate) fn shown(arguments: &str) -> String {
    repeatable(&stdout(arguments))
}

/// Replaces each run of 32 hexadecimal digits, as in names of fragments and schemas, by a constant.
pub(crate) fn repeatable(text: &str) -> String {
    let mut out = String::new();
    let mut digits = String::new();
    for c in text.chars().chain(['\n']) {
        if c.is_ascii_hexdigit() {
            digits.push(c);
            continue;
        }
        out.push_str(if digits.len() == 32 {
            "0123456789abcdef0123456789abcdef"
        } else {
            &digits
        });
        digits.clear();
        out.push(c);
    }
    out.pop();
    out
}

/// Runs a verb that fails. Returns its output, messages and exit status.
pub(crate) fn failure(arguments: &str) -> String {
    told(&run(arguments))
}

pub(crate) fn told(output: &Output) -> String {
    let text = format!(
        "{}{}exit status {}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
        output.status.code().unwrap()
    );
    repeatable(&text)
}

/// Copies a folder recursively.
pub(crate) fn copy(from: &std::path::Path, to: &std::path::Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().flatten() {
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &to);
        } else {
            std::fs::copy(entry.path(), to).unwrap();
        }
    }
}
