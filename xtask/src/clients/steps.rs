//! Programs over clients (`xtask/clients/soma.py`, `vectors.py`), run with TileDB's library and with tdb's. Each step must
//! give the same, and each library must read what the other one has stored.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::environment::{Clients, Environment, SOMA, VECTORS, scratch};
use crate::report::Tests;
use crate::side_by_side;

/// Seconds that one run may take.
const SECONDS: &str = "300";

/// Largest number of differences that are shown.
const SHOWN: usize = 5;

/// A program that prints what it does step by step: `PROGRAM make FOLDER` stores something in a folder, and
/// `PROGRAM read FOLDER` reads it.
pub(super) struct Program {
    client: &'static str,
    file: &'static str,
    clients: &'static Clients,
}

/// Experiments of tiledbsoma.
pub(super) const EXPERIMENTS: Program = Program {
    client: "tiledbsoma",
    file: "soma.py",
    clients: &SOMA,
};

/// Indexes of tiledb-vector-search.
pub(super) const INDEXES: Program = Program {
    client: "tiledb-vector-search",
    file: "vectors.py",
    clients: &VECTORS,
};

/// Runs a program with both libraries, and has both read what it stored. Returns the number of steps that are equal; a
/// difference is an error.
///
/// Fails with [`Missing`](crate::outcome::Missing) if its packages cannot be installed.
pub(super) fn compare(program: &Program, library: &Path) -> Result<Tests, Box<dyn Error>> {
    let ours = Environment::with_tdb(program.clients, library)?;
    ours.prove()?;
    let original = Environment::original(program.clients)?;
    let folder = scratch()?.join(program.file).with_extension("");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    let (of_original, of_ours) = (folder.join("original"), folder.join("tdb"));
    let run = |environment, verb, folder: &PathBuf| Run {
        file: program.file,
        environment,
        verb,
        folder: folder.clone(),
    };
    let mut differences = Differences::default();
    let made = all([
        run(&original, "make", &of_original),
        run(&ours, "make", &of_ours),
    ])?;
    differences.add("make", &made);
    let read = all([
        run(&original, "read", &of_original),
        run(&ours, "read", &of_original),
        run(&original, "read", &of_ours),
        run(&ours, "read", &of_ours),
    ])?;
    let what = [
        "read what TileDB wrote",
        "read what the other wrote",
        "read what tdb wrote",
    ];
    for (what, outputs) in what.iter().zip(read.windows(2)) {
        differences.add(what, outputs);
    }
    fs::remove_dir_all(folder)?;
    differences.close(program.client)
}

/// A run of the program.
struct Run<'a> {
    file: &'static str,
    environment: &'a Environment,
    verb: &'static str,
    folder: PathBuf,
}

impl Run<'_> {
    /// Returns what the program prints.
    fn output(&self) -> Result<String, String> {
        fs::create_dir_all(&self.folder).map_err(|error| error.to_string())?;
        let mut python = Command::new("timeout");
        python.args(["--kill-after", "10", SECONDS]);
        python.arg(self.environment.python()).arg("-B");
        python.arg(
            crate::workspace::root()
                .join("xtask/clients")
                .join(self.file),
        );
        python.arg(self.verb).arg(&self.folder);
        let done = python.output().map_err(|error| error.to_string())?;
        if done.status.success() {
            return String::from_utf8(done.stdout).map_err(|error| error.to_string());
        }
        let (out, err) = (
            String::from_utf8_lossy(&done.stdout),
            String::from_utf8_lossy(&done.stderr),
        );
        let step = out.rsplit("## ").next().unwrap_or("").lines().next();
        Err(format!(
            "{} {} {}: {} in step `{}`\n{err}",
            self.file,
            self.verb,
            self.folder.display(),
            done.status,
            step.unwrap_or("")
        ))
    }
}

/// Runs the program several times, two at once. Returns what it prints, in the order of the runs.
fn all<'a>(runs: impl IntoIterator<Item = Run<'a>>) -> Result<Vec<String>, Box<dyn Error>> {
    let runs = runs.into_iter().enumerate();
    let mut done = side_by_side::each(runs, 2, |(number, run)| (number, run.output()))?;
    done.sort_unstable_by_key(|(number, _)| *number);
    let mut printed = Vec::new();
    for (_, output) in done {
        printed.push(output?);
    }
    Ok(printed)
}

/// What differs between two outputs.
#[derive(Debug, Default)]
struct Differences {
    equal: u64,
    found: Vec<String>,
}

impl Differences {
    /// Compares two outputs step by step.
    fn add(&mut self, what: &str, outputs: &[String]) {
        let [one, other] = outputs else {
            self.found.push(format!("{what}: not two outputs"));
            return;
        };
        let (one, other) = (steps(one), steps(other));
        if one.len() != other.len() {
            let lengths = format!("{} and {} steps", one.len(), other.len());
            self.found.push(format!("{what}: {lengths}"));
        }
        for (one, other) in one.iter().zip(&other) {
            if one == other {
                self.equal += 1;
            } else {
                self.found.push(format!("{what}: {}", shown(one, other)));
            }
        }
    }

    fn close(self, client: &str) -> Result<Tests, Box<dyn Error>> {
        println!(
            "   {client}: {} steps equal, {} differ",
            self.equal,
            self.found.len()
        );
        if self.found.is_empty() {
            return Ok(Tests {
                passed: self.equal,
                ..Tests::default()
            });
        }
        let shown: Vec<String> = self.found.into_iter().take(SHOWN).collect();
        Err(shown.join("\n").into())
    }
}

/// Splits an output into its steps.
fn steps(output: &str) -> Vec<&str> {
    output.split("\n## ").collect()
}

/// Returns the name of a step, and the first line that differs.
fn shown(one: &str, other: &str) -> String {
    let name = one.lines().next().unwrap_or("");
    let mut lines = one.lines().zip(other.lines());
    let line = lines.find(|(one, other)| one != other);
    let (one, other) = line.unwrap_or(("", ""));
    format!("step `{name}`:\n  TileDB: {one}\n  tdb:    {other}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_shown_with_its_step() {
        let one = "# part\n## a\n1\n2\n## b\n3\n".to_owned();
        let other = "# part\n## a\n1\n3\n## b\n3\n".to_owned();
        let mut differences = Differences::default();
        differences.add("make", &[one.clone(), one.clone()]);
        assert!(differences.found.is_empty());
        assert_eq!(differences.equal, 3);
        differences.add("make", &[one, other]);
        assert_eq!(differences.equal, 5);
        assert_eq!(
            differences.found,
            ["make: step `a`:\n  TileDB: 2\n  tdb:    3"]
        );
        assert!(differences.close("client").is_err());
    }

    #[test]
    fn a_step_that_is_missing_is_a_difference() {
        let outputs = [
            "# part\n## a\n## b\n".to_owned(),
            "# part\n## a\n".to_owned(),
        ];
        let mut differences = Differences::default();
        differences.add("make", &outputs);
        assert!(differences.found[0].starts_with("make: 3 and 2 steps"));
    }
}
