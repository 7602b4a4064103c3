//! Cost of opening an array of up to 10^6 fragments and 10^12 cells in a far store, and of reading a box of it:
//! `cargo run --release -p tdb-query --example scale`; the tables of `docs/scale.md`.
//!
//! Each row is measured in its own process: `scale WRITES nothing|commits|footers|fragments|one [MEBIBYTES]`, where
//! the last is the limit of one tile of metadata. The time that the store needs to make its answers is not counted.
//! Processor time and memory are measured on Linux, and zero elsewhere.
#![expect(
    clippy::unwrap_used,
    clippy::cast_precision_loss,
    reason = "an example, and sizes that are written down"
)]

mod measure;
#[path = "../../tests/it/support/vast/mod.rs"]
mod vast;

use std::error::Error;
use std::process::Command;
use std::sync::Arc;

use measure::{peak_memory, processor_time};
use tdb_array::{Array, Location, OpenOptions};
use tdb_cells::Session;
use tdb_query::{ReadOptions, Reader};
use tdb_tile::{Limits, Range};
use vast::{Asked, Plan, Upkeep, VastStore};

/// Seconds between a request and its answer.
const DELAY: f64 = 0.03;

/// Bytes transferred per second.
const BANDWIDTH: f64 = 100e6;

/// Memory limit in bytes; the default of `tdb`.
const MEMORY: u64 = 1 << 30;

/// Rows of the table: number of writes, kind of upkeep, and the limit of a metadata tile in MiB.
const ROWS: [(&str, &str, &str); 15] = [
    ("100", "nothing", "256"),
    ("10000", "nothing", "256"),
    ("1000000", "nothing", "256"),
    ("100", "commits", "256"),
    ("10000", "commits", "256"),
    ("1000000", "commits", "256"),
    ("100", "footers", "256"),
    ("10000", "footers", "256"),
    ("100000", "footers", "256"),
    ("1000000", "footers", "256"),
    ("1000000", "footers", "4096"),
    ("100", "fragments", "256"),
    ("10000", "fragments", "256"),
    ("1000000", "fragments", "256"),
    ("1000000", "one", "256"),
];

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [writes, upkeep, rest @ ..] = &arguments[..] {
        let limit = rest.first().map_or(Ok(256), |text| text.parse())?;
        return row(writes.parse()?, upkeep, limit);
    }
    println!(
        "| writes | upkeep | fragments | step | waits | requests | bytes | from the store, s | processor, s | memory, MB |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for (writes, upkeep, limit) in ROWS {
        let mut row = Command::new(std::env::current_exe()?);
        row.args([writes, upkeep, limit]).status()?;
    }
    Ok(())
}

fn upkeep(name: &str) -> Result<Upkeep, Box<dyn Error>> {
    Ok(match name {
        "nothing" => Upkeep::Nothing,
        "commits" => Upkeep::Commits,
        "footers" => Upkeep::Footers,
        "fragments" => Upkeep::Fragments(100),
        "one" => Upkeep::Fragments(1000),
        _ => return Err("nothing, commits, footers, fragments or one".into()),
    })
}

/// Measures one row of the table.
fn row(writes: u64, name: &str, mebibytes: u64) -> Result<(), Box<dyn Error>> {
    let plan = Plan {
        writes,
        upkeep: upkeep(name)?,
    };
    let limits = Limits {
        metadata_tile: mebibytes << 20,
        ..Limits::with_budget(MEMORY)
    };
    let start = format!("| {writes} | {name} | {}", plan.fragments());
    let store = Arc::new(VastStore::new(plan));
    let location = Location::new(store.clone(), "").with_limits(limits);
    let meter = Meter::start(&store);
    let opened = Array::open_location(&location, OpenOptions::default());
    let cost = meter.stop(&store);
    let array = match opened {
        Ok(array) => Arc::new(array),
        Err(error) => {
            let why = error.source().map(ToString::to_string);
            println!(
                "{start} | open: {error}: {} | {cost}",
                why.unwrap_or_default()
            );
            return Ok(());
        }
    };
    println!("{start} | open | {cost}");
    let meter = Meter::start(&store);
    let mut cells = 0;
    for batch in Reader::open(&Session::default(), &array, &the_box())? {
        cells += batch?.rows;
    }
    let cost = meter.stop(&store);
    println!("{start} | read {cells} cells | {cost}");
    Ok(())
}

/// Returns the options for reading 100 x 100 cells in one space tile.
fn the_box() -> ReadOptions {
    ReadOptions::default().ranges(vec![
        ("row".into(), Range::of(100_i64, 199)),
        ("column".into(), Range::of(5100_i64, 5199)),
    ])
}

/// Resource use of the process at the start of a measurement.
struct Meter {
    memory: u64,
    processor: f64,
}

impl Meter {
    fn start(store: &VastStore) -> Self {
        store.take();
        // Resets the peak of the memory; only Linux supports this.
        drop(std::fs::write("/proc/self/clear_refs", "5"));
        Self {
            memory: peak_memory(),
            processor: processor_time(),
        }
    }

    /// Returns the measured columns of a row.
    fn stop(&self, store: &VastStore) -> String {
        let Asked {
            waits,
            requests,
            bytes,
            nanoseconds,
        } = store.take();
        let network = waits as f64 * DELAY + bytes as f64 / BANDWIDTH;
        let processor = processor_time() - self.processor - nanoseconds as f64 / 1e9;
        let memory = peak_memory().saturating_sub(self.memory) as f64 / 1e6;
        format!(
            "{waits} | {requests} | {bytes} | {network:.2} | {:.3} | {memory:.0} |",
            processor.max(0.0)
        )
    }
}
