//! Checking that pages and tests named by the documents exist.

use std::collections::BTreeSet;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use crate::outcome::Outcome;
use crate::workspace::root;

/// Checks that all named pages exist, and that each difference has its test.
pub(crate) fn check() -> Outcome {
    let findings = findings()?;
    if findings.is_empty() {
        Ok(())
    } else {
        Err(findings.join("\n").into())
    }
}

fn findings() -> Result<Vec<String>, Box<dyn Error>> {
    let mut files = Vec::new();
    for folder in ["crates", "docs", "xtask/src"] {
        collect(&root().join(folder), &mut files)?;
    }
    files.extend(["README.md", "CONTRIBUTING.md"].map(|name| root().join(name)));
    let mut findings = BTreeSet::new();
    let mut tests = BTreeSet::new();
    for file in &files {
        let text = fs::read_to_string(file)?;
        let name = file.strip_prefix(root()).unwrap_or(file).display();
        for page in pages(&text) {
            if !root().join(page).is_file() {
                findings.insert(format!("{name} points to {page}, which is not there"));
            }
        }
        if file.extension().is_some_and(|extension| extension == "rs") {
            tests.extend(test_functions(&text).map(str::to_owned));
        }
    }
    let differences = fs::read_to_string(root().join("docs/differences.md"))?;
    for (question, names) in tests_of(&differences) {
        let missing = names
            .iter()
            .filter(|name| !tests.contains(**name) && !is_there(name));
        findings.extend(
            missing.map(|name| format!("docs/differences.md: no test {name}, for: {question}")),
        );
        if names.is_empty() {
            findings.insert(format!("docs/differences.md: no test for: {question}"));
        }
    }
    Ok(findings.into_iter().collect())
}

/// Collects the sources and documents in a folder, except build output.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            if !path.ends_with("target") && !path.ends_with("corpus") {
                collect(&path, files)?;
            }
        } else if path
            .extension()
            .is_some_and(|extension| extension == "rs" || extension == "md")
        {
            files.push(path);
        }
    }
    Ok(())
}

/// True if a name is that of a file or of a golden array.
fn is_there(name: &str) -> bool {
    let places = [root(), root().join("fixtures")];
    places.iter().any(|place| place.join(name).exists())
}

/// Returns the names of the test functions in a source, including those in `proptest!`.
fn test_functions(source: &str) -> impl Iterator<Item = &str> {
    let mut is_marked = false;
    source.lines().filter_map(move |line| {
        let line = line.trim_start();
        is_marked |= line.starts_with("#[test]");
        let is_between = line.is_empty() || line.starts_with("#[") || line.starts_with("//");
        let name = line
            .trim_start_matches("#[test] ")
            .strip_prefix("fn ")
            .and_then(|rest| rest.split(|c| !is_part_of_name(c)).next())
            .filter(|_| is_marked);
        is_marked &= is_between;
        name
    })
}

fn is_part_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns the pages in `docs/` that a text names; names with a pattern are skipped.
fn pages(text: &str) -> impl Iterator<Item = &str> {
    let is_part_of_path = |c: char| is_part_of_name(c) || matches!(c, '/' | '-' | '.');
    text.split(move |c| !is_part_of_path(c))
        .filter(|word| word.starts_with("docs/") && word.ends_with(".md"))
}

/// Returns the rows of the tables: the question, and the names in the last column. "the same" means those of the row
/// above.
fn tests_of(differences: &str) -> Vec<(&str, Vec<&str>)> {
    let mut rows: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in differences.lines() {
        let Some(row) = line
            .strip_prefix('|')
            .and_then(|row| row.trim_end().strip_suffix('|'))
        else {
            continue;
        };
        let (Some(question), Some(tests)) = (row.split(" | ").next(), row.rsplit(" | ").next())
        else {
            continue;
        };
        if question.starts_with("---") || tests.trim() == "test" {
            continue;
        }
        let names: Vec<&str> = match (tests.trim(), rows.last()) {
            ("the same", Some((_, names))) => names.clone(),
            (tests, _) => tests.split('`').skip(1).step_by(2).collect(),
        };
        rows.push((question.trim(), names));
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_the_tests_of_their_last_column() {
        let table = "| question | a | test |\n|---|---|---|\n| one `x | y` | b | `t1`, `t2` |\n| two | b | the same |\n| three | b | none |\n";
        assert_eq!(
            tests_of(table),
            [
                ("one `x", vec!["t1", "t2"]),
                ("two", vec!["t1", "t2"]),
                ("three", vec![])
            ]
        );
    }

    #[test]
    fn only_functions_that_are_marked_are_tests() {
        let source = "fn helper() {}\n#[test]\nfn one() {\n    fn inner() {}\n}\n\n\
            #[test] fn two() {}\nproptest! {\n    #[test]\n    // why\n    #[cfg(unix)]\n    \
            fn three(n in 0..9) {}\n}\nconst FOUR: &str = \"three\";\n#[test]\nstruct No;\nfn five() {}\n";
        assert_eq!(
            test_functions(source).collect::<Vec<_>>(),
            ["one", "two", "three"]
        );
    }

    #[test]
    fn pages_are_found_in_comments_and_links() {
        let text = "see `docs/architecture.md`, (docs/differences.md) and docs/decisions/NNN.txt";
        assert_eq!(
            pages(text).collect::<Vec<_>>(),
            ["docs/architecture.md", "docs/differences.md"]
        );
    }
}
