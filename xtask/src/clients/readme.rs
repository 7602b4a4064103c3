//! The README's section for Python: its commands, and the program with what it prints.

use std::error::Error;
use std::fs;
use std::process::Command;

use crate::commands::output;
use crate::outcome::Outcome;
use crate::workspace::root;

/// The heading of the section.
const HEADING: &str = "## In Python";

/// The folders that the commands make.
const MADE: [&str; 2] = ["target/python", "target/tiledb"];

/// Runs the section's commands and its program, and compares what that prints. The library is built as it was for the
/// other clients, without optimizing: that takes minutes.
pub(super) fn check() -> Outcome {
    let page = fs::read_to_string(root().join("README.md"))?;
    let section = section(&page).ok_or_else(|| format!("README.md has no section `{HEADING}`"))?;
    let block = |language| block(section, language);
    for command in block("sh")?.lines() {
        let mut shell = Command::new("sh");
        shell.current_dir(root()).arg("-ec");
        output(shell.arg(command.replace(" --release", "")))?;
    }
    let mut python = Command::new(root().join("target/python/bin/python"));
    let printed = output(python.current_dir(root()).args(["-c", block("python")?]))?;
    for made in MADE {
        fs::remove_dir_all(root().join(made))?;
    }
    if lines(&printed).eq(lines(block("text")?)) {
        println!("   the README's program in Python prints what is shown");
        return Ok(());
    }
    Err(format!("README.md, {HEADING}: the program prints\n{printed}").into())
}

/// Returns the lines without the blanks at their ends, which editors remove.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.trim_end().lines().map(str::trim_end)
}

/// Returns the text below the heading, up to the next one.
fn section(page: &str) -> Option<&str> {
    let (_, section) = page.split_once(&format!("\n{HEADING}\n"))?;
    section.split("\n## ").next()
}

/// Returns the first block of a language.
fn block<'a>(section: &'a str, language: &str) -> Result<&'a str, Box<dyn Error>> {
    let start = format!("```{language}\n");
    let block = section.split_once(&start).map(|(_, rest)| rest);
    let block = block.and_then(|rest| rest.split("```").next());
    block.ok_or_else(|| format!("README.md, {HEADING}: no block of `{language}`").into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_those_of_the_section() {
        let page = "# a\n```sh\nno\n```\n## In Python\nIt:\n```sh\none\ntwo\n```\n```text\nout\n```\n\n## In SQL\n```python\nno\n```\n";
        let section = section(page).unwrap();
        assert_eq!(block(section, "sh").unwrap(), "one\ntwo\n");
        assert_eq!(block(section, "text").unwrap(), "out\n");
        assert!(block(section, "python").is_err());
    }
}
