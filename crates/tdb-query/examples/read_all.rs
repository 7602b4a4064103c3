//! Reads an array once and says what it cost: `read_all ARRAY [ATTRIBUTES] [ORDER] [DIM=LO..HI ...]`.
//!
//! Prints one line of JSON: cells, seconds by the clock and of the processor, and bytes of memory at the peak
//! over what the program had before. `cargo xtask bench` calls it; on systems other than Linux the last two are zero.
//! It keeps all batches; with `TDB_DROP` set, it drops each before the next.

mod measure;

use std::sync::Arc;

use measure::{Clock, interval};
use tdb_array::{Array, OpenOptions};
use tdb_cells::{Session, SessionOptions};
use tdb_query::{ReadOptions, Reader, ResultOrder};
use tdb_store::LocalStore;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments
        .next()
        .ok_or("read_all ARRAY [ATTRIBUTES] [ORDER] [DIM=LO..HI ...]")?;
    let attributes = arguments.next().unwrap_or_default();
    let order = arguments.next().unwrap_or_default();
    let threads = std::env::var("TDB_THREADS")
        .ok()
        .and_then(|n| n.parse().ok());

    let clock = Clock::start();
    let session = Session::new(SessionOptions {
        threads,
        memory: Some(8 << 30),
        ..SessionOptions::default()
    });
    let store = Arc::new(LocalStore::open(&path)?);
    let array = Arc::new(Array::open(store, "", OpenOptions::default())?);
    let mut options = ReadOptions {
        dimensions: array.schema().is_dense().then(Vec::new),
        order: Some(match order.as_str() {
            "row" => ResultOrder::RowMajor,
            "col" => ResultOrder::ColumnMajor,
            "any" => ResultOrder::Unordered,
            _ => ResultOrder::Global,
        }),
        ..ReadOptions::default()
    };
    if !attributes.is_empty() && attributes != "*" {
        options.attributes = Some(attributes.split(',').map(str::to_owned).collect());
    }
    let ranges = arguments.map(|text| interval(array.schema(), &text));
    options.ranges = ranges.collect::<Result<_, _>>()?;
    let mut cells = 0;
    let is_kept = std::env::var_os("TDB_DROP").is_none();
    let mut batches = Vec::new();
    for batch in Reader::open(&session, &array, &options)? {
        let batch = batch?;
        cells += batch.rows;
        batches.extend(is_kept.then_some(batch));
    }
    clock.say(cells as u64);
    Ok(())
}
