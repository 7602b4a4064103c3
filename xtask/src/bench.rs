//! `cargo xtask bench [--quick ..]`: the suite ([`suite`]). `cargo xtask bench reads | writes | questions | stores | PART OF A NAME`: whole
//! arrays read and written by tdb and by TileDB 2.30, one thread each, page cache warm; then questions put to the program
//! ([`questions`]), and arrays in an object store ([`stores`]).
//!
//! TileDB writes the arrays that are read (`xtask/bench/bench.py`) and reads them through its C interface into memory
//! that was touched before; tdb reads them with the example `read_all` of tdb-query. Writing is the other way round
//! (`xtask/bench/writes.py`, the example `write_all` of tdb-write): from the same raw files, in memory before the clock starts.
//! Consolidation and import are measured as the program. Each figure is the median of the runs.

mod questions;
mod stores;
mod suite;

use std::error::Error;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::{Map, Value};

use crate::fixtures::{Workshop, output};
use crate::interop::JUDGE;
use crate::outcome::Outcome;
use crate::workspace::{cargo, root};

/// Runs of each reader, in turn.
const RUNS: usize = 5;

pub(crate) fn run(arguments: &[String]) -> Outcome {
    if arguments
        .first()
        .is_none_or(|first| first.starts_with("--"))
    {
        return suite::run(arguments);
    }
    let wanted = arguments.first().map_or("", String::as_str);
    let workshop = Workshop::open()?;
    let tiledb = format!("tiledb=={}", JUDGE.0);
    // The newest that this release of TileDB takes.
    let packages = ["numpy", "pandas<3", "duckdb", &tiledb];
    output(
        Command::new(workshop.python())
            .args(["-m", "pip", "install", "--quiet"])
            .args(packages),
    )?;
    let folder = workshop.scratch().join("bench");
    let judge = |script: &'static str, folder: PathBuf| -> Result<Judge, Box<dyn Error>> {
        Ok(Judge {
            library: workshop.library(JUDGE.0, JUDGE.1)?.display().to_string(),
            folder,
            python: workshop.python().display().to_string(),
            script,
        })
    };
    println!(
        "| workload | TileDB cpu s | tdb cpu s | ratio | TileDB peak MB | tdb peak MB |\n|---|--:|--:|--:|--:|--:|"
    );
    let reads = judge("bench.py", folder.clone())?;
    let list = reads.workloads("reads", wanted)?;
    if !list.is_empty() {
        let program = built("--example", "read_all")?;
        for (name, workload) in list {
            reads.read(&program, &name, &workload)?;
        }
    }
    let writes = judge("writes.py", folder.join("cells"))?;
    let list = writes.workloads("writes", wanted)?;
    if !list.is_empty() {
        let programs = [built("--example", "write_all")?, built("--bin", "tdb")?];
        for (name, workload) in list {
            writes.write(&programs, &name, &workload)?;
        }
    }
    judge("questions.py", folder.clone())?.questions(wanted)?;
    judge("stores.py", folder)?.stores(&workshop, wanted)
}

/// One of the scripts by which TileDB makes arrays and is measured.
struct Judge {
    library: String,
    folder: PathBuf,
    python: String,
    script: &'static str,
}

/// What one engine said of one run.
#[derive(Clone, Copy, Default)]
struct Figures {
    cells: u64,
    cpu: f64,
    peak: f64,
}

impl Judge {
    fn tiledb(&self, arguments: &[&str]) -> Result<String, Box<dyn Error>> {
        output(&mut self.command(arguments))
    }

    /// The script, asked for something.
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

    /// Those workloads of `part` whose name contains `wanted`, or all if `wanted` is the part, once what they begin with
    /// is there.
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

    fn read(&self, program: &str, name: &str, workload: &Value) -> Outcome {
        let array = self.folder.join(text(workload, "array"));
        in_turns(
            name,
            || self.tiledb(&["read", name]),
            || {
                let mut tdb = Command::new(program);
                tdb.env("TDB_THREADS", "1")
                    .arg(&array)
                    .args(["*", text(workload, "order")])
                    .args(ranges(workload));
                output(&mut tdb)
            },
        )
    }

    /// Each engine writes into arrays that are made anew for each run.
    fn write(&self, programs: &[String; 2], name: &str, workload: &Value) -> Outcome {
        let [write_all, tdb] = programs;
        let array = self.folder.join("array");
        let path = array.display().to_string();
        let anew = || -> Outcome {
            if array.exists() {
                fs::remove_dir_all(&array)?;
            }
            self.tiledb(&["new", name, &path])?;
            Ok(())
        };
        in_turns(
            name,
            || {
                anew()?;
                self.tiledb(&["write", name, &path])
            },
            || {
                anew()?;
                let one_thread = ["--threads", "1", "--quiet"];
                let cells = match workload.get("cells").and_then(Value::as_str) {
                    None => {
                        return self.tiledb(
                            &[&["run", tdb, "consolidate", &path], &one_thread[..]].concat(),
                        );
                    }
                    Some(file) if file.ends_with(".csv") => {
                        let file = self.folder.join(file).display().to_string();
                        let import = ["run", tdb, "import", &file, &path, "--dim", "id"];
                        return self.tiledb(&[&import[..], &one_thread].concat());
                    }
                    Some(cells) => cells,
                };
                let mut write = Command::new(write_all);
                write
                    .env("TDB_THREADS", "1")
                    .arg(&array)
                    .arg(self.folder.join(cells))
                    .arg(text(workload, "order"))
                    .args(ranges(workload));
                output(&mut write)
            },
        )?;
        fs::remove_dir_all(&array)?;
        Ok(())
    }
}

/// Runs both engines by turns and prints their medians.
fn in_turns(
    name: &str,
    theirs: impl Fn() -> Result<String, Box<dyn Error>>,
    ours: impl Fn() -> Result<String, Box<dyn Error>>,
) -> Outcome {
    let (mut all_theirs, mut all_ours) = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        all_theirs.push(figures(&theirs()?)?);
        all_ours.push(figures(&ours()?)?);
    }
    let (theirs, ours) = (median(&all_theirs), median(&all_ours));
    if theirs.cells != ours.cells {
        return Err(format!("{name}: {} cells, TileDB {}", ours.cells, theirs.cells).into());
    }
    println!(
        "| {name} | {:.3} | {:.3} | {:.2} | {:.0} | {:.0} |",
        theirs.cpu,
        ours.cpu,
        ours.cpu / theirs.cpu,
        theirs.peak / 1e6,
        ours.peak / 1e6
    );
    Ok(())
}

fn text<'a>(workload: &'a Value, key: &str) -> &'a str {
    let text = workload.get(key).and_then(Value::as_str);
    text.unwrap_or_default()
}

/// The intervals of a workload, as the examples take them.
fn ranges(workload: &Value) -> Vec<String> {
    let ranges = workload.get("ranges").and_then(Value::as_object);
    let ranges = ranges.into_iter().flatten().map(|(dimension, ends)| {
        let end = |i: usize| ends.get(i).map(ToString::to_string).unwrap_or_default();
        format!("{dimension}={}..{}", end(0), end(1))
    });
    ranges.collect()
}

/// Builds a program for measuring and says where it is.
fn built(kind: &str, name: &str) -> Result<String, Box<dyn Error>> {
    let package = if name == "write_all" {
        "tdb-write"
    } else if name == "tdb-bench" {
        name
    } else if name == "tdb" {
        "tdb-cli"
    } else {
        "tdb-query"
    };
    let mut build = cargo();
    build.args([
        "build",
        "--quiet",
        "--release",
        "--package",
        package,
        kind,
        name,
    ]);
    let built = output(build.args(["--message-format", "json-render-diagnostics"]))?;
    let messages = built
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut executables =
        messages.filter_map(|message| Some(message.get("executable")?.as_str()?.to_owned()));
    Ok(executables.next_back().ok_or("cargo built nothing")?)
}

fn figures(line: &str) -> Result<Figures, Box<dyn Error>> {
    let said: Value = serde_json::from_str(line.trim())?;
    let number = |key: &str| {
        said.get(key)
            .and_then(Value::as_f64)
            .ok_or("a reader that says too little")
    };
    let cells = said
        .get("cells")
        .and_then(Value::as_u64)
        .ok_or("a reader that counts no cells")?;
    Ok(Figures {
        cells,
        cpu: number("cpu")?,
        peak: number("peak")?,
    })
}

fn median(runs: &[Figures]) -> Figures {
    let middle = |of: fn(&Figures) -> f64| {
        let mut sorted: Vec<f64> = runs.iter().map(of).collect();
        sorted.sort_by(f64::total_cmp);
        sorted.get(sorted.len() / 2).copied().unwrap_or_default()
    };
    Figures {
        cells: runs.first().map_or(0, |run| run.cells),
        cpu: middle(|run| run.cpu),
        peak: middle(|run| run.peak),
    }
}
