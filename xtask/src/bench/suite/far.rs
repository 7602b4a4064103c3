//! `cargo xtask bench --far`: opening arrays of many fragments in a slow object store, and reading a box of them, with
//! and without consolidated metadata (`xtask/bench/suite/far.py`).
//!
//! The program of tdb is measured as a whole; for TileDB only opening and reading are measured, with the library
//! loaded. Times are wall clock seconds.

use std::error::Error;
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::engines::install_packages;
use super::options::Options;
use super::results::{Results, commits};
use crate::bench::built::built;
use crate::commands::output;
use crate::interop_stores::{make_bucket, moto};
use crate::outcome::Outcome;
use crate::proxy::Proxy;
use crate::server::Settings;
use crate::workshop::{JUDGE, Workshop};
use crate::workspace::root;

/// Delay of each answer of the server.
const DELAY: Duration = Duration::from_millis(30);

/// Number of runs of each engine; the fastest counts, which excludes random delays.
const RUNS: usize = 3;

/// Seconds beyond which a single run suffices.
const LONG: f64 = 10.0;

/// Text above the table.
const HOW: &str = "\
# Performance in a store that answers 30 ms late

An S3 server on the same machine, behind a proxy that waits; seconds by the clock, the fastest of three runs (one, where it takes over ten
seconds), and requests. Of tdb the program is measured whole, of TileDB opening and reading alone. To open is `tdb info`, which
opens all fragments, as TileDB does, reads the metadata, too, and tells what it found. The box is 1 % of
the domain; each fragment has ten cells anywhere. Metadata is consolidated by TileDB: commits and fragment metadata.

| what | metadata | fragments | TileDB s | tdb s | TileDB / tdb | TileDB requests | tdb requests |
|---|---|--:|--:|--:|--:|--:|--:|
";

/// The script, TileDB's library and the folder of the arrays.
struct Script {
    python: PathBuf,
    library: PathBuf,
    folder: PathBuf,
}

/// Measures the selected rows, and adds them to the results.
pub(super) fn run(options: &Options, results: &mut Results) -> Outcome {
    let workshop = Workshop::open()?;
    install_packages(&workshop)?;
    let script = Script {
        python: workshop.python().to_owned(),
        library: workshop.library(JUDGE.0, JUDGE.1)?,
        folder: workshop.scratch().join("bench"),
    };
    fs::create_dir_all(script.folder.join("full"))?;
    let program = built("--bin", "tdb")?;
    let mut list: Map<String, Value> =
        serde_json::from_str(&output(&mut script.command(&["list"]))?)?;
    list.retain(|name, _| options.wants(name));
    output(&mut script.command(&["make"]))?;
    let (server, settings) = moto(&workshop, &script.folder)?;
    upload((&workshop, &script), &program, &list, &settings)?;
    let counting = Proxy::start(server.port, Duration::ZERO)?;
    let late = Proxy::start(server.port, DELAY)?;
    let [counted, late] = [counting.port, late.port].map(|port| behind(port, &settings));
    for (name, workload) in &list {
        let arguments = workload.get("arguments").and_then(Value::as_array);
        let arguments = arguments.into_iter().flatten().filter_map(Value::as_str);
        let ours: Vec<&str> = ["run", &program].into_iter().chain(arguments).collect();
        let theirs = ["ask", name];
        let mut row = workload.as_object().cloned().ok_or("no workload")?;
        for (engine, asked) in [("tiledb", &theirs[..]), ("tdb", &ours[..])] {
            counting.take();
            script.seconds(asked, &counted)?;
            let requests = counting.take().len();
            let wall = script.fastest(asked, &late)?;
            row.insert(engine.into(), json!({ "wall": wall, "requests": requests }));
        }
        println!("  {name}: {:?} {:?}", row.get("tiledb"), row.get("tdb"));
        results.note_far(name, row)?;
        results.save()?;
    }
    write_page(results)
}

/// Writes `docs/performance-far.md`, if something was measured.
pub(super) fn write_page(results: &Results) -> Outcome {
    if results.far().is_empty() {
        return Ok(());
    }
    fs::write(root().join("docs/performance-far.md"), page(results)?)?;
    println!("wrote docs/performance-far.md");
    Ok(())
}

/// Uploads each array to its bucket.
fn upload(
    (workshop, script): (&Workshop, &Script),
    program: &str,
    list: &Map<String, Value>,
    settings: &Settings,
) -> Outcome {
    let mut done: Vec<&str> = Vec::new();
    for workload in list.values() {
        let text = |key: &str| workload.get(key).and_then(Value::as_str);
        let (Some(array), Some(bucket), Some(uri)) = (text("array"), text("bucket"), text("uri"))
        else {
            return Err("a workload without its array".into());
        };
        if done.contains(&array) {
            continue;
        }
        make_bucket(workshop, bucket, settings)?;
        let mut copy = Command::new(program);
        copy.arg("cp")
            .arg(script.folder.join("full").join(array))
            .arg(uri);
        let copied = copy
            .envs(settings.iter().cloned())
            .stdout(Stdio::null())
            .status()?;
        if !copied.success() {
            return Err(format!("{array} could not be copied into the bucket").into());
        }
        done.push(array);
    }
    Ok(())
}

/// Returns the settings of a server, changed to another port.
fn behind(port: u16, settings: &Settings) -> Settings {
    let mut settings = settings.clone();
    for (key, value) in &mut settings {
        if key.ends_with("_ENDPOINT_OVERRIDE") {
            *value = format!("127.0.0.1:{port}");
        }
    }
    settings
}

impl Script {
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.python);
        command
            .arg("-B")
            .arg(root().join("xtask/bench/suite/far.py"))
            .arg(&self.library)
            .arg(root().join("fixtures/recipes"))
            .arg(&self.folder)
            .args(arguments);
        command
    }

    fn seconds(&self, arguments: &[&str], settings: &Settings) -> Result<f64, Box<dyn Error>> {
        let mut command = self.command(arguments);
        let line = output(command.envs(settings.iter().cloned()))?;
        let said: Value = serde_json::from_str(line.trim())?;
        let wall = said.get("wall").and_then(Value::as_f64);
        Ok(wall.ok_or("a run without seconds")?)
    }

    fn fastest(&self, arguments: &[&str], settings: &Settings) -> Result<f64, Box<dyn Error>> {
        let mut best = f64::INFINITY;
        for _ in 0..RUNS {
            let wall = self.seconds(arguments, settings)?;
            best = best.min(wall);
            if wall > LONG {
                break;
            }
        }
        Ok(best)
    }
}

/// Returns the text at `key` of a row.
fn text_of<'a>(row: &'a Value, key: &str) -> Result<&'a str, String> {
    let text = row.get(key).and_then(Value::as_str);
    text.ok_or_else(|| format!("a row without its {key}"))
}

/// Returns the text of `docs/performance-far.md` from the results so far.
fn page(results: &Results) -> Result<String, Box<dyn Error>> {
    let rows = results.far();
    let measured = rows.iter().map(|row| text_of(row, "commit"));
    let measured = measured.collect::<Result<Vec<_>, _>>()?;
    let (commits, machine) = (commits(measured.into_iter()), results.machine());
    let mut text =
        format!("Written by `cargo xtask bench --far` at commit {commits}. {machine}.\n\n{HOW}");
    for row in rows {
        let number = |path: &str| {
            let number = row.pointer(path).and_then(Value::as_f64);
            number.ok_or_else(|| format!("a row without {path}"))
        };
        let (theirs, ours) = (number("/tiledb/wall")?, number("/tdb/wall")?);
        writeln!(
            text,
            "| {} | {} | {} | {theirs:.2} | {ours:.2} | {:.2} | {} | {} |",
            text_of(row, "what")?,
            text_of(row, "metadata")?,
            number("/count")?,
            theirs / ours,
            number("/tiledb/requests")?,
            number("/tdb/requests")?
        )?;
    }
    Ok(text)
}
