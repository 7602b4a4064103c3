//! The benchmark suite:
//! `cargo xtask bench [--quick] [--only PART[,PART]] [--rounds N] [--threads 1,2] [--write] [--page] [--far]`.
//!
//! The workloads are in `xtask/bench/suite/workloads.py`. In each round, TileDB (`suite.py`, through its C interface)
//! and tdb (`tdb-bench`) run each workload in turn, in a process each, on the same arrays, which TileDB has created
//! once. The rates from which limits are computed are measured in the same rounds. Results are kept in
//! `target/fixtures/bench/results.json`, where runs of parts, and rounds of the same programs on the same machine,
//! accumulate. `docs/performance.md` is written from there after a whole run, with `--write`, or with `--page` alone,
//! which also writes `docs/performance-far.md`.

mod engines;
mod far;
mod goals;
mod growth;
mod machine;
mod options;
mod page;
mod picture;
mod results;
mod tables;

use std::fs;

use serde_json::{Map, Value};

use self::engines::Engines;
use self::options::Options;
use self::results::Results;
use crate::outcome::Outcome;
use crate::workspace::root;

pub(super) fn run(arguments: &[String]) -> Outcome {
    let options = Options::parse(arguments)?;
    if options.page {
        let results = Results::load(&results::file()?, options.scale())?;
        far::write_page(&results)?;
        return write_page(&results);
    }
    if options.far {
        let mut results = Results::load(&results::file()?, options.scale())?;
        return far::run(&options, &mut results);
    }
    let engines = Engines::open(&options)?;
    let mut results = Results::load(&results::file()?, options.scale())?;
    let list = engines.list()?;
    let names: Vec<&str> = list
        .keys()
        .map(String::as_str)
        .filter(|name| options.wants(name))
        .collect();
    if names.is_empty() {
        return Err("no workload has such a name".into());
    }
    engines.make(&names)?;
    let needs = engines.limits(&names)?;
    let others = engines.others(&names)?;
    // Failures are reported at once; the other workloads continue and keep their results.
    let mut failed: Vec<&str> = Vec::new();
    for round in 0..options.rounds {
        println!("round {} of {}", round.saturating_add(1), options.rounds);
        results.note_rates(&engines.rates(&needs)?)?;
        for name in &names {
            let workload = list.get(*name).ok_or("no workload")?;
            // Workloads that grow are compared with themselves, and take long, so one round suffices.
            if failed.contains(name) || (round > 0 && is_growing(workload)) {
                continue;
            }
            let others = others.get(*name).and_then(Value::as_array);
            let others = others.into_iter().flatten().filter_map(Value::as_str);
            let done = one(&engines, &options, name, workload, &mut results)
                .and_then(|cells| beside(&engines, name, others, &cells, &mut results));
            if let Err(error) = done {
                eprintln!("error: {error}");
                failed.push(name);
                continue;
            }
            // Saved after each workload, so that an interrupted run keeps its results.
            results.finish(&list, &needs, &[*name])?;
            results.save()?;
        }
    }
    println!("{}", tables::plain(&results, &names));
    if !failed.is_empty() {
        return Err(format!("these went wrong: {}", failed.join(", ")).into());
    }
    if options.writes_page() {
        write_page(&results)?;
    }
    Ok(())
}

/// Has other engines run a workload, whose result must have `cells` cells.
fn beside<'a>(
    engines: &Engines,
    name: &str,
    others: impl Iterator<Item = &'a str>,
    cells: &Value,
    results: &mut Results,
) -> Outcome {
    for engine in others {
        let theirs = engines.by_other(name, engine)?;
        if theirs.get("cells") != Some(cells) {
            return Err(format!("{name}: {engine} finds other cells than {cells}").into());
        }
        results.note_other(name, engine, theirs)?;
    }
    Ok(())
}

/// Runs a workload with both engines and each number of threads, and compares their results. Returns the number of
/// cells.
fn one(
    engines: &Engines,
    options: &Options,
    name: &str,
    workload: &Value,
    results: &mut Results,
) -> Result<Value, Box<dyn std::error::Error>> {
    let mut cells = Value::Null;
    let threads = if is_growing(workload) {
        &[1][..]
    } else {
        &options.threads[..]
    };
    for threads in threads {
        let theirs = engines.tiledb(name, *threads)?;
        let ours = engines.tdb(name, *threads)?;
        same(name, &theirs, &ours)?;
        cells = ours.get("cells").cloned().ok_or("no cells")?;
        println!("  {}", tables::line(name, *threads, &theirs, &ours));
        results.note(name, *threads, theirs, ours)?;
    }
    let kind = workload.get("kind").and_then(Value::as_str);
    if matches!(kind, Some("write" | "consolidate")) && !results.is_checked(name) {
        let [theirs, ours] = engines.check(name)?;
        same(name, &theirs, &ours)?;
        results.note_checked(name);
    }
    Ok(cells)
}

fn is_growing(workload: &Value) -> bool {
    let family = workload.get("family").and_then(Value::as_str);
    family == Some(results::GROWING)
}

/// Fails if the engines found different cells.
fn same(name: &str, theirs: &Value, ours: &Value) -> Outcome {
    let cells = |said: &Value| said.get("cells").and_then(Value::as_u64);
    if cells(theirs) != cells(ours) || cells(theirs).is_none() {
        return Err(format!(
            "{name}: {:?} cells, TileDB {:?}",
            cells(ours),
            cells(theirs)
        )
        .into());
    }
    let none = Map::new();
    let sums = |said| Value::as_object(said).unwrap_or(&none);
    let [theirs, ours] = [theirs, ours].map(|said| said.get("sums").map_or(&none, sums));
    if let Some(column) = theirs.keys().chain(ours.keys()).find(|column| {
        let both = theirs.get(*column).zip(ours.get(*column));
        !both.is_some_and(|(theirs, ours)| are_same(theirs, ours))
    }) {
        let [theirs, ours] = [theirs, ours].map(|sums| sums.get(column));
        return Err(format!("{name}: column {column}: {ours:?}, TileDB {theirs:?}").into());
    }
    Ok(())
}

/// True if two values are equal or, for sums of floats, almost equal, since such sums depend slightly on the order of
/// their terms.
fn are_same(theirs: &Value, ours: &Value) -> bool {
    match (theirs.as_f64(), ours.as_f64()) {
        (Some(theirs), Some(ours)) => (theirs - ours).abs() <= 1e-9 * theirs.abs().max(1.0),
        _ => theirs == ours,
    }
}

fn write_page(results: &Results) -> Outcome {
    let reasons = root().join("xtask/bench/suite/reasons.json");
    let reasons: Map<String, Value> = serde_json::from_str(&fs::read_to_string(reasons)?)?;
    let docs = root().join("docs");
    fs::write(docs.join("performance.svg"), picture::picture(results)?)?;
    fs::write(docs.join("performance.md"), page::page(results, &reasons)?)?;
    println!("wrote docs/performance.md and docs/performance.svg");
    Ok(())
}
