//! The program reads its work from folders with plans.

use std::fs;
use std::process::Command;

/// Returns the output of the program, or its error output if it fails.
fn said(arguments: &[&str]) -> Result<String, String> {
    let output = Command::new(env!("CARGO_BIN_EXE_xtask-engine"))
        .args(arguments)
        .output();
    let output = output.expect("the program runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    if output.status.success() {
        Ok(text(&output.stdout))
    } else {
        Err(text(&output.stderr))
    }
}

#[test]
fn nothing_planned_is_nothing_done() {
    let folder = std::env::temp_dir().join(format!("xtask-engine-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let path = folder.to_str().expect("text");
    assert_eq!(said(&["write", path]).as_deref(), Ok("0\n"));
    assert_eq!(said(&["merge", path]).as_deref(), Ok("0\n"));
    fs::create_dir(folder.join("a")).expect("a folder");
    assert!(said(&["write", path]).is_err(), "no plan.json");
    fs::remove_dir_all(folder).expect("removed");
}

#[test]
fn other_words_are_refused() {
    assert!(said(&["read"]).expect_err("no such verb").contains("usage"));
}
