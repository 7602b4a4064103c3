//! Arrays made to do harm, one test for each kind: opening and reading them ends soon, in a typed error.
//!
//! Each begins as a golden array and is damaged where it hurts: within generic tiles, which are sealed again, in
//! footers, data tiles and lists, or by what lies in the file system in place of a file.

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

/// No reading takes so long, however busy the machine is; most take milliseconds.
const PATIENCE: Duration = Duration::from_secs(30);

/// What reading an array ends with, after `harm` was done to it: the kind of the error, and the error.
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

/// How many cells are read after `harm` was done to an array, which does not matter.
fn cells(name: &str, harm: impl FnOnce(&Golden, &MemoryStore)) -> u64 {
    let golden = Golden::named(name);
    let store = golden.store();
    harm(&golden, &store);
    crate::support::read(&golden, &store).unwrap_or_else(|refusal| panic!("{refusal}"))
}
