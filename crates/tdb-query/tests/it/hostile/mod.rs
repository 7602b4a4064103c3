//! Arrays made to do harm, one test for each kind: opening and reading them must end soon, with a typed error.
//!
//! Each begins as a golden array and is damaged at a specific spot: within generic tiles, which are sealed again, in
//! footers, data tiles and lists, or by something other than a file in the file system.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "a test fails by panicking"
)]

mod commits;
mod encryption;
mod fragments;
mod groups;
mod metadata;
mod names;
mod schemas;
#[cfg(unix)]
mod system;
mod tiles;

use std::time::{Duration, Instant};

use crate::support::Golden;
use tdb_store::MemoryStore;

/// Time limit of a read, however busy the machine is; most take milliseconds.
const PATIENCE: Duration = Duration::from_secs(30);

/// Damages an array by `harm` and reads it; returns the kind and the text of the error.
fn refusal(name: &str, harm: impl FnOnce(&Golden, &MemoryStore)) -> String {
    let golden = Golden::named(name);
    let store = golden.store();
    harm(&golden, &store);
    refusal_of(&golden, &store)
}

fn refusal_of(golden: &Golden, store: &MemoryStore) -> String {
    let begun = Instant::now();
    let refusal = crate::support::read(golden, store).unwrap_err();
    assert!(begun.elapsed() < PATIENCE, "{refusal}");
    refusal.to_string()
}

/// Damages an array by `harm`, which must do no harm, and returns the number of cells read.
fn cells(name: &str, harm: impl FnOnce(&Golden, &MemoryStore)) -> u64 {
    let golden = Golden::named(name);
    let store = golden.store();
    harm(&golden, &store);
    crate::support::read(&golden, &store).unwrap_or_else(|refusal| panic!("{refusal}"))
}
