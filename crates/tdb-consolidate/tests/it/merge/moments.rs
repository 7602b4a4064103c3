//! Opening arrays while others write, merge and vacuum: the array must be seen as of one moment.

#![expect(
    clippy::cast_possible_truncation,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "helpers of tests, which may fail so"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tdb_array::{Array, OpenOptions};
use tdb_consolidate::{Mode, consolidate_commits, plan_vacuum};
use tdb_store::Store;

use crate::merge::arrays::{
    Event, Kind, at_once, change, create, happen, merge, open, options, write,
};
use crate::merge::changing::{Changing, Recorder, States};

/// An action on the array while it is being opened.
#[derive(Clone, Copy, Debug)]
enum Act {
    Write,
    Merge,
    Commits,
    Vacuum(Mode),
}

use Act::{Commits, Merge, Vacuum, Write};
const FRAGMENTS: Act = Vacuum(Mode::Fragments);
const LISTS: Act = Vacuum(Mode::Commits);

/// All states of an array, and the writes that each fragment contains. The first three writes exist in all states.
struct History {
    states: Vec<BTreeMap<String, bytes::Bytes>>,
    /// The writes in each fragment, by its name.
    writes: BTreeMap<String, BTreeSet<usize>>,
    /// The number of acknowledged writes in each state.
    acknowledged: Vec<usize>,
    /// True if a write in two fragments is read twice.
    shows_twice: bool,
}

fn history(kind: Kind, acts: &[Act]) -> History {
    let memory = create(kind);
    for time in 1..=3 {
        let cell = (time, time, Some(time));
        happen(
            &memory,
            kind,
            &Event::Write(vec![cell; 2]),
            10 * time as u64,
        );
    }
    let recorder = Arc::new(Recorder::new(memory));
    let store: Arc<dyn Store> = recorder.clone();
    let mut writes = BTreeMap::new();
    let mut done = 3;
    let mut acknowledged = vec![done];
    note(&store, &mut writes, done);
    for act in acts {
        let array = Arc::new(open(&store, OpenOptions::default()).unwrap());
        match act {
            Act::Write => {
                done += 1;
                let cell = (done as i32, done as i32, Some(1));
                write(&array, kind, &[cell; 2], 10 * done as u64);
            }
            Act::Merge => drop(merge(&store, &options(), None).unwrap()),
            Act::Commits => drop(consolidate_commits(&array, &change(7000)).unwrap()),
            Act::Vacuum(mode) => {
                let place = array.location();
                let plan = plan_vacuum(place, *mode, &at_once()).unwrap();
                plan.vacuum(place, &at_once()).unwrap();
            }
        }
        note(&store, &mut writes, done);
        // The last change of a write is its commit.
        let before = *acknowledged.last().unwrap();
        acknowledged.resize(recorder.len() - 1, before);
        acknowledged.resize(recorder.len(), done);
    }
    History {
        states: recorder.states(),
        writes,
        acknowledged,
        shows_twice: kind == Kind::Duplicates,
    }
}

/// Records which writes the new fragments contain: those that no known fragment contains, shared out evenly (one each,
/// or all in one after a merge).
fn note(store: &Arc<dyn Store>, writes: &mut BTreeMap<String, BTreeSet<usize>>, done: usize) {
    let array = open(store, OpenOptions::default()).unwrap();
    let names = array.fragments().iter().map(|f| f.name.to_string());
    let (known, new): (Vec<_>, Vec<_>) = names.partition(|name| writes.contains_key(name));
    let held: BTreeSet<usize> = known
        .iter()
        .flat_map(|name| &writes[name])
        .copied()
        .collect();
    let mut left: Vec<usize> = (1..=done).filter(|write| !held.contains(write)).collect();
    let share = left.len() / new.len().max(1);
    for name in new {
        let rest = left.split_off(share);
        writes.insert(name, left.into_iter().collect());
        left = rest;
    }
    assert!(left.is_empty(), "{left:?}");
}

impl History {
    /// Opens the array while it goes through the states of the schedule.
    fn check(&self, states: &Arc<States>, schedule: Vec<(usize, usize)>) -> usize {
        let store = Arc::new(Changing::new(states, schedule.clone()));
        let opened = Array::open(store.clone(), "", OpenOptions::default());
        let about = format!("{schedule:?}");
        let array = opened.unwrap_or_else(|error| panic!("{about}: {error}"));
        let names = array.fragments().iter().map(|f| f.name.to_string());
        let mut seen: Vec<usize> = names.flat_map(|name| self.writes[&name].clone()).collect();
        seen.sort_unstable();
        if !self.shows_twice {
            seen.dedup();
        }
        let first = schedule[0].1;
        let (begun, ended) = (self.acknowledged[first], self.acknowledged[store.now()]);
        let wanted: Vec<usize> = (1..=seen.len()).collect();
        assert_eq!(seen, wanted, "{about}: twice, or not at all");
        assert!((begun..=ended).contains(&seen.len()), "{about}: {seen:?}");
        store.events()
    }

    fn states(&self, seed: u64) -> Arc<States> {
        Arc::new(States::new(self.states.clone(), seed))
    }

    /// Changes from any state to any later one, between any two names and reads during an open; the seed determines
    /// the order of listed names.
    fn check_all_jumps(&self, seed: u64) {
        let states = self.states(seed);
        let count = self.states.len();
        for first in 0..count {
            self.check(&states, vec![(0, first)]);
            for last in first + 1..count {
                let mut event = 1;
                // An open that ends earlier has no such event.
                while self.check(&states, vec![(0, first), (event, last)]) > event {
                    event += 1;
                }
            }
        }
    }

    /// Changes through several states, at events chosen by a seed.
    fn check_some_walks(&self, seed: u64, count: usize) {
        let states = self.states(seed);
        let mut random = Random(seed);
        for _ in 0..count {
            let mut schedule = vec![(0, random.below(self.states.len()))];
            for _ in 0..random.below(6) {
                let (event, state) = *schedule.last().unwrap();
                let left = self.states.len() - state;
                let next = state + random.below(left.min(8));
                schedule.push((event + random.below(40), next));
            }
            self.check(&states, schedule);
        }
    }
}

/// Pseudo-random numbers from a seed (a linear congruential generator).
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = self.0.wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end.max(1)
    }
}

#[test]
fn an_array_is_seen_at_one_moment_while_fragments_are_merged_and_vacuumed() {
    for kind in [Kind::Sparse, Kind::Duplicates] {
        let history = history(kind, &[Merge, FRAGMENTS]);
        (0..4).for_each(|seed| history.check_all_jumps(seed));
    }
}

#[test]
fn an_array_is_seen_at_one_moment_while_commits_are_merged_and_vacuumed() {
    let history = history(Kind::Sparse, &[Commits, LISTS, Write]);
    (0..4).for_each(|seed| history.check_all_jumps(seed));
}

#[test]
fn an_array_is_seen_at_one_moment_while_what_stands_in_lists_is_merged_and_vacuumed() {
    let acts = [Commits, LISTS, Merge, FRAGMENTS, Write, Commits, LISTS];
    let history = history(Kind::Duplicates, &acts);
    history.check_all_jumps(3);
}

#[test]
fn an_array_is_seen_at_one_moment_whatever_goes_on() {
    let acts = [
        Write, Commits, Merge, Write, FRAGMENTS, LISTS, Write, Merge, FRAGMENTS, Commits, LISTS,
    ];
    for kind in [Kind::Sparse, Kind::Duplicates, Kind::Dense] {
        let history = history(kind, &acts);
        (1..=10).for_each(|seed| history.check_some_walks(seed, 200));
    }
}
