//! What `--help` says can be done.

use std::path::Path;
use std::process::{Command, Output};

use crate::common::{fixtures, stdout};

/// The lines of a help text that are commands.
fn examples(help: &str) -> impl Iterator<Item = &str> {
    let (_, examples) = help.split_once("Example").unwrap_or_default();
    examples
        .lines()
        .filter_map(|line| line.strip_prefix("  tdb "))
}

/// Runs an example from the root of the repository; what it makes goes to a folder.
fn run_example(example: &str, folder: &Path) -> Output {
    let example = example.replace("target/", &format!("{}/", folder.display()));
    let output = Command::new("sh")
        .arg("-c")
        .arg(format!("{} {example}", env!("CARGO_BIN_EXE_tdb")))
        .current_dir(fixtures().join(".."))
        .output();
    output.expect("it runs")
}

#[test]
fn every_verb_shows_examples_that_work() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut run = 0;
    for verb in [
        "",
        "info",
        "schema",
        "ls",
        "tree",
        "read",
        "fragments",
        "meta ls",
        "meta get",
        "group ls",
        "dump",
        "filters",
    ] {
        let help = stdout(&format!("{verb} --help"));
        let mut all = examples(&help).peekable();
        assert!(all.peek().is_some(), "{verb} has no example: {help}");
        for example in all {
            let output = run_example(example, folder.path());
            assert!(
                output.status.success() && output.stderr.is_empty(),
                "{example}: {output:?}"
            );
            let file = folder.path().join("bk.parquet");
            assert!(
                !output.stdout.is_empty() || file.exists(),
                "{example} says nothing"
            );
            run += 1;
        }
    }
    assert!(run > 12, "{run} examples");
}

/// Every verb.
const VERBS: [&str; 29] = [
    "",
    "info",
    "schema",
    "ls",
    "tree",
    "read",
    "fragments",
    "meta",
    "meta ls",
    "meta get",
    "meta set",
    "meta rm",
    "group",
    "group ls",
    "group create",
    "group add",
    "group rm",
    "dump",
    "filters",
    "create",
    "write",
    "import",
    "delete",
    "evolve",
    "consolidate",
    "vacuum",
    "clean",
    "cp",
    "mv",
];

#[test]
fn no_line_of_a_help_is_broken_early() {
    for verb in VERBS.into_iter().chain(["rm"]) {
        let help = stdout(&format!("{verb} --help"));
        let (_, after) = help.split_once("Example").unwrap_or_default();
        let lines: Vec<&str> = after.lines().collect();
        for pair in lines.windows(2) {
            let [first, second] = pair else { continue };
            let is_text = |line: &str| !line.is_empty() && !line.starts_with([' ', '{', ':', 's']);
            if is_text(first) && is_text(second) {
                let word = second.split(' ').next().unwrap_or_default();
                let fits = first.chars().count() + 1 + word.chars().count() < 100;
                assert!(!fits, "{verb}: broken behind {first:?}: {help}");
            }
        }
    }
}

#[test]
fn examples_of_changes_work_one_after_the_other() {
    let folder = tempfile::tempdir().expect("a folder");
    for verb in [
        "create",
        "write",
        "import",
        "meta set",
        "meta rm",
        "delete",
        "evolve",
        "consolidate",
        "vacuum",
        "clean",
        "cp",
        "mv",
        "rm",
        "group create",
        "group add",
        "group rm",
    ] {
        let help = stdout(&format!("{verb} --help"));
        let mut all = examples(&help).peekable();
        assert!(all.peek().is_some(), "{verb} has no example: {help}");
        for example in all {
            let output = run_example(example, folder.path());
            assert!(output.status.success(), "{example}: {output:?}");
        }
    }
}
