//! Merges change no result, whatever the history of the array.

use proptest::prelude::*;
use tdb_array::{ErrorKind, TimeWindow};
use tdb_consolidate::{History, StepPolicy};

use crate::merge::arrays::*;

fn events() -> impl Strategy<Value = Vec<Event>> {
    let cell = (0..10, 0..10, prop::option::weighted(0.8, 0..50));
    let write = prop::collection::vec(cell, 2..12).prop_map(Event::Write);
    let event = prop_oneof![
        6 => write,
        2 => (0..50).prop_map(Event::Delete),
        1 => Just(Event::Grow),
    ];
    prop::collection::vec(event, 2..8)
}

fn kinds() -> impl Strategy<Value = Kind> {
    prop_oneof![
        Just(Kind::Dense),
        Just(Kind::Sparse),
        Just(Kind::Duplicates),
        Just(Kind::Hilbert),
        Just(Kind::Text),
    ]
}

fn policies() -> impl Strategy<Value = StepPolicy> {
    let any = (2..4_u32, 2..4_u32, 1..4_u32, 0.0..0.5, 0.5..4.0);
    let any = any.prop_map(|(min, more, steps, size_ratio, amplification)| StepPolicy {
        steps,
        min_fragments: min,
        max_fragments: min + more,
        size_ratio,
        amplification,
    });
    prop_oneof![Just(StepPolicy::default()), any]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn merging_and_vacuum_change_no_answer_at_any_time(
        kind in kinds(), events in events(), policy in policies(), tiny in any::<bool>(), size in prop::option::of(200..2000_u64),
    ) {
        let (store, times) = lived(kind, &events);
        let before = seen(&store, &times);
        let options = options()
.policy(policy)
.max_fragment_bytes(size);
        let memory = tiny.then_some(200_000);
        let plan = merge(&shared(&store), &options, memory).unwrap();
        prop_assert_eq!(&seen(&store, &times), &before);
        // A second merge: of what was left, and of the results.
        let again = options
.names(names())
.policy(StepPolicy::default());
        let last = merge(&shared(&store), &again, memory).unwrap();
        prop_assert_eq!(&seen(&store, &times), &before);
        vacuum(&store);
        // Earlier states of dense arrays are gone then, as in TileDB.
        let kept: Vec<u64> = match kind {
            Kind::Dense => {
                let ends = plan.steps.iter().chain(&last.steps).map(|step| step.times.1);
                let end = ends.max().unwrap_or(0);
                times.iter().copied().filter(|time| *time >= end).collect()
            }
            _ => times.clone(),
        };
        let of_kept = |all: &[(TimeWindow, Vec<String>)]| -> Vec<(TimeWindow, Vec<String>)> {
            let is_kept = |window: &TimeWindow| kept.contains(&window.at) && (kind != Kind::Dense || window.since == 0);
            all.iter().filter(|(window, _)| is_kept(window)).cloned().collect()
        };
        prop_assert_eq!(of_kept(&seen(&store, &times)), of_kept(&before));
    }

    #[test]
    fn what_drops_the_past_keeps_the_present(kind in kinds(), events in events(), purges in any::<bool>()) {
        let (store, times) = lived(kind, &events);
        let end = *times.last().unwrap();
        let before = seen(&store, &[end]);
        let history = if purges { History::WithoutDeleted } else { History::Dropped };
        let options = options()
.history(history);
        match merge(&shared(&store), &options, None) {
            Ok(_) => {}
            // Deletes need the times of cells.
            Err(error) => {
                prop_assert_eq!(error.kind(), ErrorKind::Invalid);
                prop_assert!(!purges && events.iter().any(|e| matches!(e, Event::Delete(_))));
            }
        }
        prop_assert_eq!(&seen(&store, &[end])[..3], &before[..3]);
        vacuum(&store);
        prop_assert_eq!(&seen(&store, &[end])[..3], &before[..3]);
    }
}
