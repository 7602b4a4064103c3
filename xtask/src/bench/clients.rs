//! `cargo xtask bench clients [PART OF A NAME]`: workloads over TileDB-Py, with TileDB's library and with tdb's
//! (`xtask/bench/clients.py`).
//!
//! Two processes that differ in the library alone, which are TileDB-Py's environments of `cargo xtask clients`, run each
//! workload in turn. Both must read the same.

use std::error::Error;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::Value;

use super::timed::{middle, seconds};
use crate::capi;
use crate::clients::environment::{self, Environment};
use crate::commands::output;
use crate::outcome::Outcome;
use crate::workspace::root;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Number of runs with each library, alternating.
const RUNS: usize = 5;

/// Measures the workloads whose name contains `wanted`, and prints a row for each.
pub(super) fn run(wanted: &str) -> Outcome {
    let original = Environment::original()?;
    original.prove()?;
    let ours = Environment::with_tdb(&capi::released()?)?;
    ours.prove()?;
    let folder = environment::scratch()?.join("bench");
    let list = output(script(&original, &folder).arg("list"))?;
    output(script(&original, &folder).arg("make"))?;
    let mut engines = [
        Engine::start(&original, &folder)?,
        Engine::start(&ours, &folder)?,
    ];
    println!(
        "\n| over TileDB-Py | TileDB wall s | tdb wall s | ratio | TileDB cpu s | tdb cpu s | ratio |\n|---|--:|--:|--:|--:|--:|--:|"
    );
    for name in list.lines().filter(|name| name.contains(wanted)) {
        workload(&mut engines, name)?;
    }
    Ok(())
}

fn script(environment: &Environment, folder: &Path) -> Command {
    let mut script = Command::new(environment.python());
    script.args(["-B", "-W", "ignore"]);
    script
        .arg(root().join("xtask/bench/clients.py"))
        .arg(folder);
    script
}

fn workload(engines: &mut [Engine; 2], name: &str) -> Outcome {
    let mut runs = [Vec::new(), Vec::new()];
    for _ in 0..RUNS {
        let mut digests = Vec::new();
        for (engine, runs) in engines.iter_mut().zip(&mut runs) {
            let line = engine.run(name)?;
            runs.push(seconds(&line)?);
            digests.push(digest(&line)?);
        }
        if digests.windows(2).any(|pair| pair.first() != pair.last()) {
            return Err(format!("{name}: the libraries read different things").into());
        }
    }
    let [Some(tiledb), Some(tdb)] = runs.map(|runs| middle(&runs)) else {
        return Err("no run".into());
    };
    println!(
        "| {name} | {:.4} | {:.4} | {:.2} | {:.4} | {:.4} | {:.2} |",
        tiledb.wall,
        tdb.wall,
        tdb.wall / tiledb.wall,
        tiledb.cpu,
        tdb.cpu,
        tdb.cpu / tiledb.cpu
    );
    Ok(())
}

fn digest(line: &str) -> Result<String> {
    let said: Value = serde_json::from_str(line.trim())?;
    let digest = said.get("digest").and_then(Value::as_str);
    Ok(digest.ok_or("a run without a digest")?.to_owned())
}

/// A process that runs workloads with one of the libraries.
struct Engine {
    python: PathBuf,
    process: Child,
    asked: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Engine {
    fn start(environment: &Environment, folder: &Path) -> Result<Self> {
        let mut command = script(environment, folder);
        command
            .arg("answer")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut process = command.spawn()?;
        let asked = process.stdin.take().ok_or("no standard input")?;
        let answers = process.stdout.take().ok_or("no standard output")?;
        Ok(Self {
            python: environment.python(),
            process,
            asked,
            answers: BufReader::new(answers),
        })
    }

    fn run(&mut self, name: &str) -> Result<String> {
        writeln!(self.asked, "{name}")?;
        self.asked.flush()?;
        let mut line = String::new();
        if self.answers.read_line(&mut line)? == 0 {
            return Err(format!("{}: ended in {name}", self.python.display()).into());
        }
        Ok(line)
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}
