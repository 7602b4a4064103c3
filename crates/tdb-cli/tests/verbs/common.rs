//! Runs the program.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The folder of the golden arrays.
pub(crate) fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

/// The program with arguments divided by spaces, started where the golden arrays are.
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

/// What a verb prints that must succeed.
pub(crate) fn stdout(arguments: &str) -> String {
    let output = run(arguments);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{arguments}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}

/// What a verb prints, without the parts of names that each making of the fixtures changes.
pub(crate) fn shown(arguments: &str) -> String {
    repeatable(&stdout(arguments))
}

/// The text with every run of 32 hexadecimal digits, as names of fragments and schemas have
/// them, replaced by the same.
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

/// Exit status, what is printed, and what is said, of a verb that goes wrong.
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

/// Copies a folder with all that is in it.
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
