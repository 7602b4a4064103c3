//! Arbitrary fragments and policies: the plan names existing fragments, each at most once, and merging changes no
//! result.
#![no_main]
#[allow(dead_code, reason = "the tests need more of it")]
#[path = "../../tests/it/merge/arrays.rs"]
mod arrays;
#[path = "../src/choices.rs"]
mod choices;

use std::collections::BTreeSet;

use arbitrary::{Result, Unstructured};
use arrays::{Event, Kind, fragment_names, lived, merge, options, plan, seen, shared};
use libfuzzer_sys::fuzz_target;
use tdb_array::TimeWindow;
use tdb_consolidate::Source;

fuzz_target!(|data: &[u8]| {
    let _ = run(&mut Unstructured::new(data));
});

fn run(u: &mut Unstructured<'_>) -> Result<()> {
    let kind = choices::kind(u)?;
    let count = u.int_in_range(2..=6)?;
    let events = (0..count).map(|_| choices::event(u, kind));
    let events: Vec<Event> = events.collect::<Result<_>>()?;
    let (store, times) = lived(kind, &events);
    let names = fragment_names(&store);
    let mut options = options()
        .policy(choices::policy(u)?)
        .max_fragment_bytes(choices::size(u)?)
        .since(u.int_in_range(0..=60)?)
        .until(Some(u.int_in_range(0..=80)?));
    if u.ratio(1, 4)? {
        let chosen: Vec<bool> = names.iter().map(|_| u.arbitrary()).collect::<Result<_>>()?;
        let chosen = names.iter().zip(chosen).filter(|(_, chosen)| *chosen);
        options.fragments = Some(chosen.map(|(name, _)| name.clone()).collect());
    }
    let Ok(planned) = plan(&store, &options) else {
        return Ok(());
    };
    let mut taken = BTreeSet::new();
    for (number, step) in planned.steps.iter().enumerate() {
        assert!(step.sources.len() > 1 && step.times.0 <= step.times.1);
        for source in &step.sources {
            match source {
                Source::Fragment(name) => {
                    assert!(names.iter().any(|known| known == name.as_str()));
                    assert!(taken.insert(name.to_string()));
                }
                Source::Step(earlier) => assert!(*earlier < number),
            }
        }
    }
    let last = match kind {
        // A merge of a dense array keeps only the present state.
        Kind::Dense => vec![times.last().copied().unwrap_or(0) + 100],
        _ => times,
    };
    let before = seen(&store, &last);
    merge(&shared(&store), &options, None).expect("it was planned");
    let is_told = |window: &TimeWindow| kind != Kind::Dense || window.since == 0;
    let after = seen(&store, &last);
    for (before, after) in before.iter().zip(&after) {
        assert!(
            !is_told(&before.0) || before == after,
            "{before:?} {after:?}"
        );
    }
    Ok(())
}
