//! tdb's side of the benchmark suite (`cargo xtask bench`), and measurements of the machine itself.
//!
//! `tdb-bench run LIST NAME THREADS FOLDER` runs the workload NAME of a list printed by `xtask/bench/suite/suite.py
//! list`, on arrays in FOLDER. `tdb-bench rates JOBS FOLDER` measures the rates from which limits are computed.
//! `tdb-bench parquet LIST NAME FILE` runs a workload's read on a Parquet file. Each command prints a line of JSON.
//!
//! A workload is run once to warm up and to take the checksums of its result, then three times against the clock, or
//! once if it takes longer than two seconds. All batches of a result are kept until the clock stops, and then dropped:
//! the next run reuses their memory, as TileDB reuses the buffers it is given.

#![warn(clippy::disallowed_methods)]

mod aggregates;
mod changes;
mod meter;
mod openings;
mod outcome;
mod parquet_files;
mod place;
mod rates;
mod reads;
mod sums;
mod workload;

use serde_json::Value;

use crate::outcome::Result;
use crate::workload::{Kind, Workload};

const USAGE: &str =
    "tdb-bench run LIST NAME THREADS FOLDER, rates JOBS FOLDER, or parquet LIST NAME FILE";

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let said: Value = match *words.as_slice() {
        ["run", list, name, threads, folder] => {
            let list: Value = serde_json::from_slice(&std::fs::read(list)?)?;
            let workload = Workload::find(&list, name, folder)?;
            let threads = threads.parse()?;
            match workload.kind {
                Kind::Read => reads::run(&workload, threads)?,
                Kind::Open | Kind::Schema | Kind::Metadata => openings::run(&workload)?,
                Kind::Aggregate => aggregates::run(&workload, threads)?,
                Kind::Write | Kind::Consolidate => changes::run(&workload, threads)?,
            }
        }
        ["parquet", list, name, file] => {
            let list: Value = serde_json::from_slice(&std::fs::read(list)?)?;
            parquet_files::run(&Workload::find(&list, name, "")?, file)?
        }
        ["rates", jobs, folder] => {
            let jobs: Value = serde_json::from_slice(&std::fs::read(jobs)?)?;
            rates::measure(&jobs, folder.as_ref())?
        }
        _ => return Err(USAGE.into()),
    };
    println!("{said}");
    Ok(())
}
