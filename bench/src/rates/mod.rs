//! What the machine takes for the steps of which the limits are made up: bytes, or times, in a second, on one core.
//!
//! Each is the best of some passes: what it is at most, whatever else the machine does at the time.

mod codecs;
mod files;
mod frames;
mod loops;
mod memory;
mod sorting;

use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::Path;

use serde_json::{Value, json};

use crate::Result;
use crate::meter::processor_time;

/// Passes of each, of which the best counts.
const PASSES: usize = 5;

/// Rates by name.
pub(crate) type Rates = BTreeMap<String, f64>;

/// Measures what `jobs` says: the machine, if `machine` is set, and how stored data is decoded and encoded again.
pub(crate) fn measure(jobs: &Value, folder: &Path) -> Result<Value> {
    let mut rates = Rates::new();
    if jobs.get("machine").and_then(Value::as_bool) == Some(true) {
        memory::measure(&mut rates)?;
        loops::measure(&mut rates)?;
        sorting::measure(&mut rates)?;
        files::measure(&mut rates, folder)?;
        codecs::digests(&mut rates)?;
    }
    let stored = jobs.get("stored").and_then(Value::as_array);
    for job in stored.into_iter().flatten() {
        codecs::of_stored(job, &mut rates)?;
    }
    Ok(json!({ "rates": rates }))
}

/// How much of `amount` is done in a second of the processor, at best. Short work is done again within a pass.
pub(crate) fn rate<T>(amount: usize, mut work: impl FnMut() -> Result<T>) -> Result<f64> {
    let mut best = f64::INFINITY;
    for _ in 0..PASSES {
        let before = processor_time();
        let mut times = 0_u32;
        let seconds = loop {
            black_box(work()?);
            times += 1;
            let seconds = processor_time() - before;
            if seconds > 0.02 {
                break seconds / f64::from(times);
            }
        };
        best = best.min(seconds);
    }
    Ok(amount as f64 / best)
}
