//! Rates of the steps of which limits consist, in bytes or operations per second on one core, and the gain from a
//! second thread.
//!
//! Each rate is the best of several passes, so other load on the machine matters little.

mod codecs;
mod files;
mod frames;
mod loops;
mod memory;
mod pace;
mod sorting;
mod two_threads;

use std::path::Path;

use serde_json::{Value, json};

use self::pace::Rates;
use crate::outcome::Result;

/// Measures the rates that `jobs` requests: those of the machine, if `machine` is set, and decoding and encoding of
/// stored data.
pub(crate) fn measure(jobs: &Value, folder: &Path) -> Result<Value> {
    let mut rates = Rates::new();
    if jobs.get("machine").and_then(Value::as_bool) == Some(true) {
        memory::measure(&mut rates)?;
        loops::measure(&mut rates)?;
        sorting::measure(&mut rates)?;
        files::measure(&mut rates, folder)?;
        codecs::digests(&mut rates)?;
        two_threads::measure(&mut rates)?;
    }
    let stored = jobs
        .get("stored")
        .and_then(Value::as_array)
        .map_or(&[][..], Vec::as_slice);
    for job in stored {
        codecs::of_stored(job, &mut rates)?;
    }
    two_threads::of_stored(stored, &mut rates)?;
    Ok(json!({ "rates": rates }))
}
