//! Random histories of arrays with merges and vacuums in between: a read of the past returns the old state or reports
//! that it is lost, and operations that write the past back refuse lost states.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use tdb::{
    Array, Attribute, Datatype, DeleteOptions, Dimension, LostContent, RestoreOptions, Schema,
    compare,
};
use tdb_array::{ChangeOptions, MetadataRecord, MetadataValue, NameSource, SystemNames};
use tdb_consolidate::{
    History, MergeOptions, VacuumOptions, consolidate_array_metadata, plan_merge,
};
use tdb_store::LocalStore;
use tempfile::TempDir;

const CELLS: i32 = 6;

/// A change or a maintenance operation.
#[derive(Clone, Debug)]
enum Step {
    /// Writes the cells between these positions, inclusive.
    Write(i32, i32),
    /// Deletes cells with at most this value.
    Delete(i64),
    Key(u8),
    Merge(History),
    MergeMetadata,
    Vacuum,
}

fn step() -> impl Strategy<Value = Step> {
    let history = prop_oneof![
        4 => Just(History::Kept),
        1 => Just(History::WithoutDeleted),
        2 => Just(History::Dropped),
    ];
    prop_oneof![
        5 => (0..CELLS, 0..CELLS).prop_map(|(a, b)| Step::Write(a.min(b), a.max(b))),
        2 => (0..6_i64).prop_map(Step::Delete),
        1 => (0..3_u8).prop_map(Step::Key),
        3 => history.prop_map(Step::Merge),
        1 => Just(Step::MergeMetadata),
        4 => Just(Step::Vacuum),
    ]
}

/// The cells and metadata keys at one time.
#[derive(Clone, Debug, Default, PartialEq)]
struct Moment {
    cells: BTreeMap<i32, i64>,
    keys: BTreeMap<String, i64>,
}

struct Life {
    _folder: TempDir,
    uri: String,
    dense: bool,
    now: Moment,
    /// State of the array from each time on.
    past: BTreeMap<u64, Moment>,
    time: u64,
    begin: u64,
}

/// Time before the first change.
const BEGIN: u64 = 1_000_000_000_000;

impl Life {
    fn new(dense: bool, begin: u64) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let uri = folder.path().join("array").display().to_string();
        let schema = if dense {
            Schema::dense()
        } else {
            Schema::sparse()
        };
        let schema = schema
            .dimension(
                Dimension::new("x", Datatype::Int32)
                    .domain(0..=CELLS - 1)
                    .tile(2),
            )
            .attribute(Attribute::new("a", Datatype::Int64));
        let store = Arc::new(LocalStore::open(folder.path()).expect("a folder"));
        let schema = schema.build().expect("a schema");
        let location = tdb_array::Location::new(store, "array");
        tdb_array::Array::create(&location, &schema, &[], &ChangeOptions::at(begin))
            .expect("created");
        Self {
            _folder: folder,
            uri,
            dense,
            now: Moment::default(),
            past: BTreeMap::new(),
            time: begin,
            begin,
        }
    }

    fn array(&self) -> Array {
        tdb::open(&self.uri).expect("opened")
    }

    fn perform(&mut self, step: &Step) {
        self.time += 10;
        let (array, time) = (self.array(), self.time);
        match step {
            Step::Write(from, to) => {
                let value = i64::try_from(time - self.begin).expect("few") / 10;
                let x: Vec<i32> = (*from..=*to).collect();
                let write = array.write().column("x", x.clone());
                let write = write.column("a", vec![value; x.len()]);
                write.at(time).commit().expect("written");
                self.now.cells.extend(x.into_iter().map(|x| (x, value)));
            }
            Step::Delete(most) if !self.dense => {
                let condition = array.read().condition(format!("a <= {most}").as_str());
                let condition = condition.options().expect("a condition").condition;
                let options = DeleteOptions::default().change(ChangeOptions::at(time));
                let condition = condition.expect("a condition");
                // A fragment that does not store the times of its cells may prevent the delete.
                if array.delete_with(&condition, &options).is_ok() {
                    self.now.cells.retain(|_, value| *value > *most);
                }
            }
            Step::Delete(_) => {}
            Step::Key(key) => {
                let key = format!("k{key}");
                let value = i64::try_from(time - self.begin).expect("few");
                let bytes = value.to_le_bytes().to_vec();
                let value_of = MetadataValue::try_new(Datatype::Int64, bytes).expect("a value");
                let record = MetadataRecord {
                    key: key.clone(),
                    value: Some(value_of),
                };
                let put = array
                    .engine()
                    .put_metadata(vec![record], &ChangeOptions::at(time));
                put.expect("put");
                self.now.keys.insert(key, value);
            }
            Step::Merge(history) => {
                let options = MergeOptions::default().history(*history);
                // Deletes may prevent the merge.
                if let Ok(plan) = plan_merge(array.engine(), &options) {
                    let session = array.context().shared_session();
                    plan.merge(session, array.engine(), &options)
                        .expect("merged");
                }
            }
            Step::MergeMetadata => {
                let merged = consolidate_array_metadata(array.engine(), &ChangeOptions::default());
                merged.expect("merged");
            }
            Step::Vacuum => {
                let options = VacuumOptions::default().grace(Duration::ZERO);
                array.vacuum_with(&options).expect("vacuumed");
            }
        }
        self.past.insert(time, self.now.clone());
    }

    /// Returns what an array shows: for a dense one, the cells that are not fill values.
    fn shown(&self, array: &Array) -> Moment {
        let mut cells = BTreeMap::new();
        let x: Vec<i32> = array.read().to_vec("x").expect("read");
        let a: Vec<i64> = array.read().to_vec("a").expect("read");
        let all = x.into_iter().zip(a);
        cells.extend(all.filter(|(_, a)| !self.dense || *a != i64::MIN));
        let metadata = array.metadata().expect("read");
        let keys = metadata.iter().map(|(key, value)| {
            let bytes = value.bytes[..].try_into().expect("8 bytes");
            (key.to_owned(), i64::from_le_bytes(bytes))
        });
        Moment {
            cells,
            keys: keys.collect(),
        }
    }

    /// Checks the state at all past times, and returns the number of times at which it is lost.
    fn check_past(&self) -> usize {
        let mut lost = 0;
        for (time, moment) in &self.past {
            let context = self.array().context().clone();
            let then = context
                .open_at(&self.uri, tdb::Time(*time))
                .expect("opened");
            let gaps = then.gaps().expect("known");
            let seen = self.shown(&then);
            let of_cells = gaps.iter().any(|gap| gap.what != LostContent::Metadata);
            let of_metadata = gaps.iter().any(|gap| gap.what == LostContent::Metadata);
            assert!(
                of_cells || seen.cells == moment.cells,
                "cells of {time} and no gap: {gaps:?}"
            );
            assert!(
                of_metadata || seen.keys == moment.keys,
                "keys of {time} and no gap: {gaps:?}"
            );
            let is_certain = gaps.iter().any(|gap| gap.is_certain());
            let options = RestoreOptions::default().dry_run(true);
            let restored = self.array().restore_with(tdb::Time(*time), &options);
            assert_eq!(
                restored.is_err(),
                !gaps.is_empty(),
                "{restored:?}: {gaps:?}"
            );
            let compared = compare(then.read(), self.array().read());
            assert_eq!(compared.is_err(), is_certain, "{gaps:?}");
            let all = self.array().engine().all_gaps().expect("known");
            for gap in &gaps {
                let mut wider = all.iter().filter(|all| all.what == gap.what);
                assert!(
                    wider.any(|all| all.start <= *time && *time <= all.end),
                    "{gap} of {all:?}"
                );
            }
            lost += usize::from(seen != *moment);
        }
        lost
    }
}

#[test]
fn what_can_no_longer_be_read_of_the_past_is_told_and_never_restored() {
    let mut runner = TestRunner::new_with_rng(
        Config {
            cases: 48,
            failure_persistence: None,
            ..Config::default()
        },
        proptest::test_runner::TestRng::deterministic_rng(
            proptest::test_runner::RngAlgorithm::ChaCha,
        ),
    );
    let lost = std::cell::Cell::new(0);
    let lives = (any::<bool>(), prop::collection::vec(step(), 4..18));
    let run = runner.run(&lives, |(dense, steps)| {
        let mut life = Life::new(dense, BEGIN);
        life.perform(&Step::Write(0, CELLS - 1));
        for step in &steps {
            life.perform(step);
        }
        assert_eq!(life.shown(&life.array()), life.now, "what there is now");
        lost.set(lost.get() + life.check_past());
        Ok(())
    });
    run.expect("all lives");
    assert!(
        lost.get() > 10,
        "{} moments were lost: too few to see anything",
        lost.get()
    );
}

/// Without maintenance, nothing is ever lost.
#[test]
fn a_life_without_upkeep_has_no_gaps() {
    for dense in [false, true] {
        let mut life = Life::new(dense, BEGIN);
        for step in [
            Step::Write(0, 3),
            Step::Key(1),
            Step::Write(2, 5),
            Step::Delete(1),
            Step::Key(2),
        ] {
            life.perform(&step);
        }
        assert_eq!(life.check_past(), 0);
        assert_eq!(life.array().engine().all_gaps().expect("known"), []);
    }
}

#[test]
fn values_of_a_dropped_attribute_are_merged_only_if_that_is_asked_for() {
    // The schema is written now, and cells slightly later.
    let now = SystemNames.now();
    let mut life = Life::new(false, now);
    std::thread::sleep(Duration::from_millis(60));
    life.perform(&Step::Write(0, 3));
    life.perform(&Step::Write(2, 5));
    let mut evolution = life.array().evolve().expect("begun");
    evolution
        .add_attribute(&Attribute::new("b", Datatype::Int8))
        .expect("added");
    evolution.drop_attribute("a").expect("dropped");
    evolution.at(tdb::Time(now + 50));
    evolution.commit().expect("stored");
    let array = life.array();
    let mut options = MergeOptions::default();
    let plan = plan_merge(array.engine(), &options).expect("a plan");
    assert!(plan.steps.is_empty(), "{plan}");
    insta::assert_snapshot!(plan.notes.join("\n"));
    let past = tdb::Time(now + 20);
    let gaps = || {
        let context = array.context().clone();
        let then = context.open_at(&life.uri, past).expect("opened");
        then.gaps().expect("known")
    };
    assert_eq!(gaps(), []);
    options.forget_dropped = true;
    let plan = plan_merge(array.engine(), &options).expect("a plan");
    plan.merge(array.context().shared_session(), array.engine(), &options)
        .expect("merged");
    assert_eq!(
        gaps().into_iter().map(|gap| gap.what).collect::<Vec<_>>(),
        [LostContent::Attribute("a".to_owned())]
    );
    life.array().restore(past).expect_err("it is gone");
}

/// Copies a folder.
fn copy(from: &std::path::Path, to: &std::path::Path) {
    std::fs::create_dir_all(to).expect("made");
    for entry in std::fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let place = to.join(entry.file_name());
        if entry.file_type().expect("a type").is_dir() {
            copy(&entry.path(), &place);
        } else {
            std::fs::copy(entry.path(), place).expect("copied");
        }
    }
}

#[test]
fn a_removal_of_what_came_later_is_stopped_in_a_state_that_there_was() {
    use tdb_consolidate::{Plan, consolidate_commits};
    for merges_commits in [false, true] {
        let mut life = Life::new(false, BEGIN);
        let steps = [
            Step::Write(0, 5),
            Step::Key(1),
            Step::Write(1, 2),
            Step::Delete(1),
            Step::Write(3, 4),
            Step::Key(2),
            Step::Delete(3),
            Step::Key(1),
            Step::Write(0, 1),
        ];
        for (number, step) in steps.iter().enumerate() {
            life.perform(step);
            if merges_commits && number == 6 {
                let merged = consolidate_commits(life.array().engine(), &ChangeOptions::default());
                merged.expect("merged");
            }
        }
        let to = BEGIN + 20;
        let options = VacuumOptions::default();
        let plan = life
            .array()
            .plan_removal_after(tdb::Time(to), &options)
            .expect("a plan");
        assert!(plan.steps.len() > 6, "{plan}");
        for done in 0..=plan.steps.len() {
            let folder = tempfile::tempdir().expect("a folder");
            let uri = folder.path().join("array");
            copy(std::path::Path::new(&life.uri), &uri);
            let array = tdb::open(&uri.display().to_string()).expect("opened");
            let part = Plan {
                steps: plan.steps[..done].to_vec(),
                ..Plan::default()
            };
            part.vacuum(array.engine().location(), &options)
                .expect("done");
            let seen = life.shown(&array.reopen().expect("opened"));
            let mut since = life.past.range(to..);
            assert!(
                since.any(|(_, moment)| *moment == seen),
                "after {done} steps of {plan}: {seen:?}"
            );
            if done == plan.steps.len() {
                assert_eq!(seen, life.past[&to]);
            }
        }
    }
}
