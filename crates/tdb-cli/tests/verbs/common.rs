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

/// Exit status, what is printed, and what is said, of a verb that goes wrong.
pub(crate) fn failure(arguments: &str) -> String {
    told(&run(arguments))
}

pub(crate) fn told(output: &Output) -> String {
    format!(
        "{}{}exit status {}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
        output.status.code().unwrap()
    )
}
