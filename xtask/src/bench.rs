//! `cargo xtask bench`: whole arrays read by tdb and by TileDB 2.30, one thread each, page cache warm.
//!
//! TileDB writes the arrays (`xtask/bench/bench.py`) and reads them through its C interface into memory that was
//! touched before; tdb reads them with the example `read_all` of tdb-query. Each figure is the median of the runs.

use std::error::Error;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::Outcome;
use crate::fixtures::{Workshop, output};
use crate::interop::JUDGE;
use crate::workspace::{cargo, root};

/// Runs of each reader, in turn.
const RUNS: usize = 5;

pub(crate) fn run(arguments: &[String]) -> Outcome {
    let wanted = arguments.first().map_or("", String::as_str);
    let workshop = Workshop::open()?;
    output(Command::new(workshop.python()).args(["-m", "pip", "install", "--quiet", "numpy"]))?;
    let bench = Bench {
        library: workshop.library(JUDGE.0, JUDGE.1)?.display().to_string(),
        folder: workshop.scratch().join("bench").display().to_string(),
        python: workshop.python().display().to_string(),
    };
    bench.tiledb(&["make"])?;
    let program = example()?;
    let list: Value = serde_json::from_str(&bench.tiledb(&["list"])?)?;
    println!(
        "| read | TileDB cpu s | tdb cpu s | ratio | TileDB peak MB | tdb peak MB |\n|---|--:|--:|--:|--:|--:|"
    );
    for (name, workload) in list.as_object().into_iter().flatten() {
        if name.contains(wanted) {
            bench.compare(&program, name, workload)?;
        }
    }
    Ok(())
}

struct Bench {
    library: String,
    folder: String,
    python: String,
}

/// What one reader said of one run.
#[derive(Clone, Copy, Default)]
struct Figures {
    cells: u64,
    cpu: f64,
    peak: f64,
}

impl Bench {
    fn tiledb(&self, arguments: &[&str]) -> Result<String, Box<dyn Error>> {
        let mut command = Command::new(&self.python);
        command
            .arg("-B")
            .arg(root().join("xtask/bench/bench.py"))
            .arg(&self.library);
        command
            .arg(root().join("fixtures/recipes"))
            .arg(&self.folder)
            .args(arguments);
        output(&mut command)
    }

    fn compare(&self, program: &str, name: &str, workload: &Value) -> Outcome {
        let text = |key: &str| {
            workload
                .get(key)
                .and_then(Value::as_str)
                .unwrap_or_default()
        };
        let array = Path::new(&self.folder).join(text("array"));
        let ranges = workload
            .get("ranges")
            .and_then(Value::as_object)
            .into_iter()
            .flatten();
        let ranges = ranges.map(|(dimension, ends)| {
            let end = |i: usize| ends.get(i).map(ToString::to_string).unwrap_or_default();
            format!("{dimension}={}..{}", end(0), end(1))
        });
        let ranges: Vec<String> = ranges.collect();
        let (mut theirs, mut ours) = (Vec::new(), Vec::new());
        for _ in 0..RUNS {
            theirs.push(figures(&self.tiledb(&["read", name])?)?);
            let mut tdb = Command::new(program);
            tdb.env("TDB_THREADS", "1")
                .arg(&array)
                .args(["*", text("order")])
                .args(&ranges);
            ours.push(figures(&output(&mut tdb)?)?);
        }
        let (theirs, ours) = (median(&theirs), median(&ours));
        if theirs.cells != ours.cells {
            return Err(format!(
                "{name}: {} cells, TileDB reads {}",
                ours.cells, theirs.cells
            )
            .into());
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
}

fn example() -> Result<String, Box<dyn Error>> {
    let mut build = cargo();
    build.args([
        "build",
        "--quiet",
        "--release",
        "--package",
        "tdb-query",
        "--example",
        "read_all",
    ]);
    let built = output(build.args(["--message-format", "json-render-diagnostics"]))?;
    let messages = built
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut executables =
        messages.filter_map(|message| Some(message.get("executable")?.as_str()?.to_owned()));
    Ok(executables.next_back().ok_or("cargo built no example")?)
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
