//! Arbitrary sequences of writes, deletes, new attributes, merges, vacuums and lists of commits: reads return the same
//! as from an array with only the writes, deletes and new attributes.
#![no_main]
#[allow(dead_code, reason = "the tests need more of it")]
#[path = "../../tests/it/merge/arrays.rs"]
mod arrays;
#[path = "../src/choices.rs"]
mod choices;

use arbitrary::{Result, Unstructured};
use arrays::{Kind, change, create, happen, merge, now, options, seen, shared, vacuum};
use libfuzzer_sys::fuzz_target;
use tdb_consolidate::{consolidate_commits, consolidate_fragment_metadata};
use tdb_store::MemoryStore;

fuzz_target!(|data: &[u8]| {
    let _ = run(&mut Unstructured::new(data));
});

fn run(u: &mut Unstructured<'_>) -> Result<()> {
    let kind = choices::kind(u)?;
    let (store, model) = (create(kind), create(kind));
    // Times from which on reads must be unchanged: earlier states of a dense array are gone after a merge and a
    // vacuum.
    let (mut times, mut merged, mut kept) = (vec![5], 0, 0);
    for turn in 1..=u.int_in_range(2..=8)? {
        let time = 10 * turn;
        if u.ratio(3, 5)? {
            let event = choices::event(u, kind)?;
            happen(&store, kind, &event, time);
            happen(&model, kind, &event, time);
            times.extend([time, time + 5]);
        } else {
            tidy(u, &store, time, (&mut merged, &mut kept))?;
        }
    }
    let compared: Vec<u64> = match kind {
        Kind::Dense => times.into_iter().filter(|time| *time >= kept).collect(),
        _ => times,
    };
    let (found, expected) = (seen(&store, &compared), seen(&model, &compared));
    for (found, expected) in found.iter().zip(&expected) {
        let is_told = kind != Kind::Dense || found.0.since == 0;
        assert!(!is_told || found == expected, "{found:?} {expected:?}");
    }
    Ok(())
}

/// Performs an operation that changes no result. `merged` is the last time of merged fragments, `kept` that of
/// vacuumed ones.
fn tidy(
    u: &mut Unstructured<'_>,
    store: &MemoryStore,
    time: u64,
    (merged, kept): (&mut u64, &mut u64),
) -> Result<()> {
    match u.int_in_range(0..=4)? {
        0 | 1 => {
            let options = options()
                .policy(choices::policy(u)?)
                .max_fragment_bytes(choices::size(u)?);
            let plan = merge(&shared(store), &options, None).expect("a merge");
            let ends = plan.steps.iter().map(|step| step.times.1);
            *merged = ends.max().unwrap_or(0).max(*merged);
        }
        2 => {
            vacuum(store);
            *kept = *merged;
        }
        3 => drop(consolidate_commits(&now(store), &change(time)).expect("a list")),
        _ => drop(consolidate_fragment_metadata(&now(store), &change(time)).expect("footers")),
    }
    Ok(())
}
