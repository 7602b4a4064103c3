//! `cargo xtask bench [--quick ..]` runs the suite ([`suite`]), with TileDB and tdb in turn. `cargo xtask bench
//! questions | stores | sql | PART OF A NAME` measures whole runs of the program ([`questions`]), arrays in an object
//! store ([`stores`]), and SQL ([`sql`]); `cargo xtask bench clients` TileDB-Py over either library ([`clients`]).
//!
//! The scripts with which TileDB creates the arrays and answers are in `xtask/bench`. Each figure is the median of
//! several runs.

mod built;
mod clients;
mod questions;
mod sql;
mod stores;
mod suite;
mod timed;

use std::error::Error;
use std::path::PathBuf;
use std::process::Command;

use serde_json::{Map, Value};

use crate::commands::output;
use crate::outcome::Outcome;
use crate::workshop::{JUDGE, Workshop};
use crate::workspace::root;

/// Number of runs of each reader, alternating.
const RUNS: usize = 5;

pub(crate) fn run(arguments: &[String]) -> Outcome {
    if arguments
        .first()
        .is_none_or(|first| first.starts_with("--"))
    {
        return suite::run(arguments);
    }
    let wanted = arguments.first().map_or("", String::as_str);
    if wanted == "clients" {
        return clients::run(arguments.get(1).map_or("", String::as_str));
    }
    let workshop = Workshop::open()?;
    let tiledb = format!("tiledb=={}", JUDGE.0);
    // The newest version that this release of TileDB supports.
    let packages = ["numpy", "pandas<3", "duckdb", &tiledb];
    output(
        Command::new(workshop.python())
            .args(["-m", "pip", "install", "--quiet"])
            .args(packages),
    )?;
    let folder = workshop.scratch().join("bench");
    let judge = |script: &'static str| -> Result<Judge, Box<dyn Error>> {
        Ok(Judge {
            library: workshop.library(JUDGE.0, JUDGE.1)?.display().to_string(),
            folder: folder.clone(),
            python: workshop.python().display().to_string(),
            script,
        })
    };
    judge("questions.py")?.questions(wanted)?;
    judge("stores.py")?.stores(&workshop, wanted)?;
    judge("sql.py")?.sql(wanted)
}

/// A script with which TileDB creates arrays and is measured.
struct Judge {
    library: String,
    folder: PathBuf,
    python: String,
    script: &'static str,
}

impl Judge {
    fn tiledb(&self, arguments: &[&str]) -> Result<String, Box<dyn Error>> {
        output(&mut self.command(arguments))
    }

    /// Returns the command that runs the script with these arguments.
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.python);
        command
            .arg("-B")
            .arg(root().join("xtask/bench").join(self.script))
            .arg(&self.library);
        command
            .arg(root().join("fixtures/recipes"))
            .arg(&self.folder)
            .args(arguments);
        command
    }

    /// Returns the workloads of `part` whose name contains `wanted`, or all of them if `wanted` is the part, after
    /// their arrays have been created.
    fn workloads(&self, part: &str, wanted: &str) -> Result<Vec<(String, Value)>, Box<dyn Error>> {
        let list: Map<String, Value> = serde_json::from_str(&self.tiledb(&["list"])?)?;
        let list: Vec<_> = list
            .into_iter()
            .filter(|(name, _)| wanted == part || name.contains(wanted))
            .collect();
        if !list.is_empty() {
            self.tiledb(&["make"])?;
        }
        Ok(list)
    }
}

fn text<'a>(workload: &'a Value, key: &str) -> &'a str {
    let text = workload.get(key).and_then(Value::as_str);
    text.unwrap_or_default()
}
