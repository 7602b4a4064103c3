//! Fragments that are merged: whatever is read stays what it was.

#![expect(clippy::unwrap_used, reason = "helpers of tests, which may fail so")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use proptest::prelude::*;
use tdb_array::{
    Array, ArrayError, ChangeOptions, CountedNames, ErrorKind, OpenOptions, TimeWindow,
};
use tdb_consolidate::{
    History, MergeOptions, MergePlan, Mode, Place, Source, StepPolicy, VacuumOptions, plan_merge,
    plan_vacuum,
};
use tdb_fragment::{ConditionOp, ConditionValue};
use tdb_query::{
    Batch, Column, QueryError, ReadOptions, ResultOrder, Session, SessionOptions, WriteOptions,
};
use tdb_schema::{ArraySchema, ArrayType, Attribute, CellOrder, CellValNum, Dimension};
use tdb_store::{FaultyStore, MemoryStore, Store, copy_tree};
use tdb_tile::{Datatype, Range};

/// What happens to an array.
#[derive(Clone, Debug)]
enum Event {
    /// Cells, by two coordinates and a value; in dense arrays the box between the first two.
    Write(Vec<(i32, i32, Option<i32>)>),
    /// Cells with values above this go.
    Delete(i32),
    /// A new attribute.
    Grow,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Dense,
    Sparse,
    Duplicates,
    Hilbert,
    Text,
}

/// A new source of names at each call.
fn names() -> Arc<CountedNames> {
    static FIRST: AtomicU64 = AtomicU64::new(1);
    let first = FIRST.fetch_add(1 << 32, Ordering::Relaxed);
    Arc::new(CountedNames::new(5000, first))
}

fn change(time: u64) -> ChangeOptions {
    ChangeOptions {
        names: names(),
        ..ChangeOptions::at(time)
    }
}

fn schema(kind: Kind) -> ArraySchema {
    let y = Dimension::numbers("y", Datatype::Int32, (0_i32, 9), 4);
    let x = match kind {
        Kind::Text => Dimension::strings("x"),
        _ => Dimension::numbers("x", Datatype::Int32, (0_i32, 9), 3),
    };
    let array_type = match kind {
        Kind::Dense => ArrayType::Dense,
        _ => ArrayType::Sparse,
    };
    let mut a = Attribute::new("a", Datatype::Int32);
    a.nullable = true;
    let text = Attribute::new("s", Datatype::StringUtf8).with_cell_val_num(CellValNum::Var);
    let mut schema = ArraySchema::new(array_type, vec![y, x], vec![a, text]);
    schema.capacity = 3;
    schema.allows_duplicates = kind == Kind::Duplicates;
    if kind == Kind::Hilbert {
        schema.cell_order = CellOrder::Hilbert;
    }
    schema
}

fn create(kind: Kind) -> MemoryStore {
    let store = MemoryStore::new();
    Array::create(&store, "", &schema(kind), &[], &change(1)).unwrap();
    store
}

fn shared(store: &MemoryStore) -> Arc<dyn Store> {
    Arc::new(store.clone())
}

fn open(store: &Arc<dyn Store>, options: OpenOptions) -> Result<Array, ArrayError> {
    Array::open(Arc::clone(store), "", options)
}

fn now(store: &MemoryStore) -> Array {
    open(&shared(store), OpenOptions::default()).unwrap()
}

fn column(name: &str, values: Vec<u8>, nulls: Option<Vec<bool>>) -> Column {
    let validity = nulls.map(|nulls| {
        let bits = nulls.chunks(8).map(|nulls| {
            let bits = nulls.iter().enumerate();
            bits.fold(0_u8, |byte, (bit, null)| byte | u8::from(!null) << bit)
        });
        let bits: Vec<u8> = bits.collect();
        Bytes::from(bits)
    });
    Column {
        name: name.to_owned(),
        datatype: Datatype::Int32,
        cell_val_num: CellValNum::Fixed(1),
        nullable: validity.is_some(),
        values: values.into(),
        offsets: None,
        validity,
        enumeration: None,
    }
}

fn text(name: &str, datatype: Datatype, cells: Vec<String>) -> Column {
    let mut end = 0_u64;
    let mut offsets = end.to_le_bytes().to_vec();
    for cell in &cells {
        end += cell.len() as u64;
        offsets.extend(end.to_le_bytes());
    }
    Column {
        datatype,
        cell_val_num: CellValNum::Var,
        offsets: Some(offsets.into()),
        ..column(name, cells.concat().into_bytes(), None)
    }
}

fn numbers(values: impl Iterator<Item = i32>) -> Vec<u8> {
    values.flat_map(i32::to_le_bytes).collect()
}

/// Lets something happen to an array; what is not possible does not.
fn happen(store: &MemoryStore, kind: Kind, event: &Event, time: u64) {
    let array = Arc::new(now(store));
    match event {
        Event::Delete(above) => {
            let value = above.to_le_bytes().to_vec();
            let kept = ConditionValue::new("a", ConditionOp::LessOrEqual, value).unwrap();
            // Dense arrays refuse.
            let done = array.delete_cells(&kept.into(), &change(time));
            assert_eq!(done.is_ok(), kind != Kind::Dense);
        }
        Event::Grow => {
            let mut schema = ArraySchema::clone(array.newest_schema());
            let name = format!("n{time}");
            schema
                .attributes
                .push(Attribute::new(name, Datatype::Int32));
            array.evolve(&schema, &[], &change(time)).unwrap();
        }
        Event::Write(cells) => write(&array, kind, cells, time),
    }
}

fn write(array: &Arc<Array>, kind: Kind, cells: &[(i32, i32, Option<i32>)], time: u64) {
    let mut cells = cells.to_vec();
    let mut ranges = Vec::new();
    if kind == Kind::Dense {
        let [(a, b, value), (c, d, _), ..] = cells[..] else {
            return;
        };
        let (y, x) = ((a.min(c), a.max(c)), (b.min(d), b.max(d)));
        ranges.push(("y".to_owned(), Range::of(y.0, y.1)));
        ranges.push(("x".to_owned(), Range::of(x.0, x.1)));
        let all = (y.0..=y.1).flat_map(|i| (x.0..=x.1).map(move |j| (i, j)));
        cells = all
            .map(|(i, j)| (i, j, value.map(|value| value + i * 10 + j)))
            .collect();
    } else if kind != Kind::Duplicates {
        cells.sort_unstable();
        cells.dedup_by_key(|(y, x, _)| (*y, *x));
    }
    let nulls = cells.iter().map(|cell| cell.2.is_none()).collect();
    let mut columns = vec![
        column(
            "a",
            numbers(cells.iter().map(|c| c.2.unwrap_or(0))),
            Some(nulls),
        ),
        text(
            "s",
            Datatype::StringUtf8,
            cells.iter().map(|c| format!("{time}{:?}", c.2)).collect(),
        ),
    ];
    for attribute in array.newest_schema().attributes.iter().skip(2) {
        columns.push(column(
            &attribute.name,
            numbers(cells.iter().map(|c| c.0)),
            None,
        ));
    }
    if kind != Kind::Dense {
        columns.push(column("y", numbers(cells.iter().map(|c| c.0)), None));
        columns.push(match kind {
            Kind::Text => text(
                "x",
                Datatype::StringAscii,
                cells.iter().map(|c| "x".repeat(c.1 as usize % 4)).collect(),
            ),
            _ => column("x", numbers(cells.iter().map(|c| c.1)), None),
        });
    }
    let batch = Batch {
        rows: cells.len(),
        columns,
    };
    let options = WriteOptions {
        ranges,
        names: names(),
        duplicates: (!matches!(kind, Kind::Dense | Kind::Duplicates))
            .then_some(tdb_query::Duplicates::First),
        ..WriteOptions::at(time)
    };
    let session = session(None);
    let mut writer = session.write(array, &options).unwrap();
    writer.push(&batch).unwrap();
    writer.finish().unwrap();
}

fn session(memory: Option<u64>) -> Session {
    Session::new(SessionOptions {
        threads: std::num::NonZeroUsize::new(1),
        memory,
        ..SessionOptions::default()
    })
}

/// What is read at a time, in an order: a text for each cell. Cells with the same coordinates come in any order.
fn rows(store: &MemoryStore, window: TimeWindow, order: ResultOrder) -> Vec<String> {
    let options = OpenOptions {
        window,
        ..OpenOptions::default()
    };
    let array = Arc::new(open(&shared(store), options).unwrap());
    let options = ReadOptions {
        order: Some(order),
        ..ReadOptions::default()
    };
    let mut rows = Vec::new();
    for batch in session(None).read(&array, &options).unwrap() {
        let batch = batch.unwrap();
        for row in 0..batch.rows {
            let cell = |column: &Column| match column.is_valid(row) {
                true => format!("{}={:?}", column.name, column.cell(row).unwrap()),
                false => format!("{}=null", column.name),
            };
            rows.push(batch.columns.iter().map(cell).collect::<Vec<_>>().join(" "));
        }
    }
    if array.schema().allows_duplicates {
        rows.sort();
    }
    rows
}

/// All that is seen within these times, in all orders.
fn seen(store: &MemoryStore, times: &[u64]) -> Vec<(TimeWindow, Vec<String>)> {
    let mut all = Vec::new();
    for &at in times {
        for since in [0, at / 2] {
            let window = TimeWindow { since, at };
            for order in [
                ResultOrder::RowMajor,
                ResultOrder::ColumnMajor,
                ResultOrder::Global,
            ] {
                all.push((window, rows(store, window, order)));
            }
        }
    }
    all
}

fn options() -> MergeOptions {
    MergeOptions {
        names: names(),
        ..MergeOptions::default()
    }
}

fn merge(
    store: &Arc<dyn Store>,
    options: &MergeOptions,
    memory: Option<u64>,
) -> Result<MergePlan, QueryError> {
    let array = open(store, OpenOptions::default())?;
    let plan = plan_merge(&array, options)?;
    plan.merge(&session(memory), &array, options)?;
    Ok(plan)
}

fn at_once() -> VacuumOptions {
    VacuumOptions {
        grace: Duration::ZERO,
        change: change(6000),
        ..VacuumOptions::default()
    }
}

fn vacuum(store: &MemoryStore) {
    let array = now(store);
    let place = Place::of_array(&array);
    let options = at_once();
    let plan = plan_vacuum(&place, Mode::Fragments, &options).unwrap();
    plan.vacuum(&place, &options).unwrap();
}

fn copy(store: &MemoryStore) -> MemoryStore {
    let copy = MemoryStore::new();
    copy_tree(store, "", &copy, "").unwrap();
    copy
}

/// An array to which these events happened, and their times.
fn lived(kind: Kind, events: &[Event]) -> (MemoryStore, Vec<u64>) {
    let store = create(kind);
    let mut times = vec![5];
    for (index, event) in events.iter().enumerate() {
        let time = 10 * (index as u64 + 1);
        happen(&store, kind, event, time);
        times.extend([time, time + 5]);
    }
    (store, times)
}

fn fragments(store: &MemoryStore) -> usize {
    now(store).fragments().len()
}

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
        let options = MergeOptions { policy, max_fragment_bytes: size.filter(|_| kind != Kind::Dense), ..options() };
        let memory = tiny.then_some(200_000);
        let plan = merge(&shared(&store), &options, memory).unwrap();
        prop_assert_eq!(&seen(&store, &times), &before);
        // Again: what is left, and what was merged.
        let again = MergeOptions { names: names(), policy: StepPolicy::default(), ..options };
        let last = merge(&shared(&store), &again, memory).unwrap();
        prop_assert_eq!(&seen(&store, &times), &before);
        vacuum(&store);
        // What dense arrays were before is gone then, as with TileDB.
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
        let options = MergeOptions { history, ..options() };
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

fn three_writes() -> Vec<Event> {
    let cells = |value: i32| -> Vec<(i32, i32, Option<i32>)> {
        (0..10)
            .map(|i| (i, (i * value) % 10, Some(value + i)))
            .collect()
    };
    vec![
        Event::Write(cells(1)),
        Event::Write(cells(3)),
        Event::Delete(8),
        Event::Write(cells(7)),
        Event::Grow,
        Event::Write(vec![(0, 0, None), (3, 3, Some(40))]),
    ]
}

#[test]
fn stopped_anywhere_it_leaves_what_was_and_goes_on() {
    for kind in [
        Kind::Dense,
        Kind::Sparse,
        Kind::Duplicates,
        Kind::Hilbert,
        Kind::Text,
    ] {
        let mut events = three_writes();
        events.retain(|event| kind != Kind::Dense || !matches!(event, Event::Delete(_)));
        let (store, _) = lived(kind, &events);
        let times = [25, 65];
        let before = seen(&store, &times);
        for operation in 0.. {
            let store = copy(&store);
            let stopping: Arc<dyn Store> =
                Arc::new(FaultyStore::stopping_at(store.clone(), operation));
            let done = merge(&stopping, &options(), None).is_ok();
            assert_eq!(seen(&store, &times), before, "stopped at {operation}");
            let left = fragments(&store);
            merge(&shared(&store), &options(), None).unwrap();
            assert_eq!(
                seen(&store, &times),
                before,
                "begun again after {operation}"
            );
            assert_eq!(fragments(&store), 1);
            let ends = |ending: &str| {
                let keys = store.keys().into_iter();
                keys.filter(|key| key.ends_with(ending)).count()
            };
            assert_eq!(ends(".vac"), 1, "stopped at {operation}");
            // Stopped before the commit, the early list stands for what never came.
            let place = now(&store);
            let debris = tdb_consolidate::debris(&place, &at_once()).unwrap();
            debris.vacuum(&Place::of_array(&place), &at_once()).unwrap();
            assert_eq!(ends(".replaces"), 0, "stopped at {operation}");
            assert_eq!(seen(&store, &times), before);
            if done {
                assert_eq!(left, 1);
                break;
            }
        }
    }
}

#[test]
fn merged_fragments_say_what_they_hold() {
    let (store, _) = lived(Kind::Sparse, &three_writes());
    merge(&shared(&store), &options(), None).unwrap();
    let array = now(&store);
    let [fragment] = array.fragments() else {
        panic!("one fragment")
    };
    assert_eq!(fragment.timestamps(), (10, 60));
    let extra = fragment.metadata.extra_fields;
    assert!(extra.timestamps && extra.deletes);
    assert_eq!(
        fragment.processed_conditions(),
        [array.deletes()[0].marker.clone()]
    );
    // Twelve of ten, ten, ten and two cells have coordinates that others have, too; all are kept.
    assert_eq!(fragment.metadata.cell_count(), 32);
    assert_eq!(array.replaced().len(), 4);
    let list = store
        .keys()
        .into_iter()
        .find(|key| key.ends_with(".vac"))
        .unwrap();
    assert_eq!(list, format!("__commits/{}.vac", fragment.name));
    let lines = tdb_store::read_whole(&store, &list, 1 << 20).unwrap();
    let lines = String::from_utf8(lines.to_vec()).unwrap();
    assert!(
        lines
            .lines()
            .all(|line| line.starts_with("/__fragments/__"))
    );
}

#[test]
fn fragments_of_a_size_come_together() {
    let (store, times) = lived(Kind::Duplicates, &three_writes());
    let before = seen(&store, &times);
    let options = MergeOptions {
        max_fragment_bytes: Some(600),
        ..options()
    };
    merge(&shared(&store), &options, None).unwrap();
    assert!(fragments(&store) > 2);
    assert_eq!(seen(&store, &times), before);
    vacuum(&store);
    assert_eq!(seen(&store, &times), before);
}

fn plan(store: &MemoryStore, options: &MergeOptions) -> Result<MergePlan, ArrayError> {
    plan_merge(&now(store), options)
}

fn dense_boxes(boxes: &[[(i32, i32); 2]]) -> MemoryStore {
    let write =
        |[a, b]: &[(i32, i32); 2]| Event::Write(vec![(a.0, b.0, Some(1)), (a.1, b.1, Some(1))]);
    let events: Vec<Event> = boxes.iter().map(write).collect();
    lived(Kind::Dense, &events).0
}

#[test]
fn dense_fragments_that_would_cover_others_stay_apart() {
    // A large old one, and two corners on top of it.
    let store = dense_boxes(&[[(0, 9), (0, 9)], [(0, 1), (0, 1)], [(8, 9), (8, 9)]]);
    let array = now(&store);
    let names: Vec<String> = array
        .fragments()
        .iter()
        .map(|f| f.name.to_string())
        .collect();
    let of = |names: &[String]| MergeOptions {
        fragments: Some(names.to_vec()),
        ..options()
    };
    let error = plan(&store, &of(&names[1..])).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert!(error.to_string().contains(&names[0]), "{error}");
    // The first and the last, with one between them that does not meet the box: neither is that allowed here.
    assert!(plan(&store, &of(&[names[0].clone(), names[2].clone()])).is_err());
    assert_eq!(plan(&store, &of(&names)).unwrap().steps.len(), 1);
    let unknown = plan(&store, &of(&["__1_1_x".to_owned(), names[0].clone()]));
    assert_eq!(unknown.unwrap_err().kind(), ErrorKind::Invalid);
}

#[test]
fn a_box_that_is_mostly_empty_is_not_filled() {
    let store = dense_boxes(&[[(0, 0), (0, 0)], [(9, 9), (9, 9)]]);
    let whole = plan(&store, &options()).unwrap();
    assert!(whole.is_empty());
    assert_eq!(whole.notes.len(), 1, "{whole}");
    let generous = StepPolicy {
        amplification: 100.0,
        ..StepPolicy::default()
    };
    let options = MergeOptions {
        policy: generous,
        ..options()
    };
    assert_eq!(plan(&store, &options).unwrap().steps.len(), 1);
}

#[test]
fn steps_go_on_with_what_they_made() {
    let cells = |i: i32| Event::Write(vec![(i, 0, Some(i)), (i, 1, Some(i))]);
    let (store, times) = lived(Kind::Sparse, &[cells(1), cells(2), cells(3), cells(4)]);
    let before = seen(&store, &times);
    let pairs = MergeOptions {
        policy: StepPolicy {
            max_fragments: 2,
            ..StepPolicy::default()
        },
        ..options()
    };
    let planned = plan(&store, &pairs).unwrap();
    assert_eq!(planned.steps.len(), 3);
    assert_eq!(planned.steps[2].sources, [Source::Step(0), Source::Step(1)]);
    merge(&shared(&store), &pairs, None).unwrap();
    assert_eq!((fragments(&store), seen(&store, &times)), (1, before));
    let within = MergeOptions {
        window: TimeWindow { since: 20, at: 39 },
        ..options()
    };
    let (store, _) = lived(Kind::Sparse, &[cells(1), cells(2), cells(3), cells(4)]);
    let planned = plan(&store, &within).unwrap();
    assert_eq!((planned.steps.len(), planned.steps[0].times), (1, (20, 30)));
}

#[test]
fn policies_that_mean_nothing_are_refused() {
    let store = create(Kind::Sparse);
    let default = StepPolicy::default;
    for policy in [
        StepPolicy {
            min_fragments: 3,
            max_fragments: 2,
            ..default()
        },
        StepPolicy {
            size_ratio: 1.5,
            ..default()
        },
        StepPolicy {
            amplification: f64::NAN,
            ..default()
        },
    ] {
        let options = MergeOptions {
            policy,
            ..options()
        };
        assert_eq!(
            plan(&store, &options).unwrap_err().kind(),
            ErrorKind::Invalid
        );
    }
}

fn line(x: i32, value: i32) -> Event {
    Event::Write((0..4).map(|y| (y, x, Some(value))).collect())
}

fn fragment_names(store: &MemoryStore) -> Vec<String> {
    let array = now(store);
    let names = array.fragments().iter().map(|f| f.name.to_string());
    names.collect()
}

fn of(names: &[&String]) -> MergeOptions {
    MergeOptions {
        fragments: Some(names.iter().map(|name| (*name).clone()).collect()),
        ..options()
    }
}

#[test]
fn a_box_is_judged_as_a_whole() {
    // Tiles side by side, the one in the middle last: the first two alone leave a hole.
    let tile = |x: i32| [(0, x), (3, x + 2)];
    let store = dense_boxes(&[tile(0), tile(6), tile(3)]);
    let exact = MergeOptions {
        policy: StepPolicy {
            amplification: 1.0,
            ..StepPolicy::default()
        },
        ..options()
    };
    let planned = plan(&store, &exact).unwrap();
    assert_eq!(
        (planned.steps.len(), planned.steps[0].sources.len()),
        (1, 3)
    );
}

#[test]
fn times_of_overlapping_fragments_are_joined() {
    let (store, times) = lived(Kind::Sparse, &[line(1, 1), line(1, 2), line(1, 3)]);
    let before = seen(&store, &times);
    let names = fragment_names(&store);
    // The first and the last, around the second: each cell has its time.
    merge(&shared(&store), &of(&[&names[0], &names[2]]), None).unwrap();
    assert_eq!(
        (fragments(&store), seen(&store, &times)),
        (2, before.clone())
    );
    let plan = merge(&shared(&store), &options(), None).unwrap();
    assert_eq!(plan.steps[0].times, (10, 30));
    assert_eq!((fragments(&store), seen(&store, &times)), (1, before));
}

#[test]
fn what_would_change_places_is_refused() {
    // Two writes of one millisecond, of the same cells: the later one counts.
    let store = create(Kind::Sparse);
    for (time, value) in [(10, 1), (10, 2), (20, 3)] {
        happen(&store, Kind::Sparse, &line(1, value), time);
    }
    let names = fragment_names(&store);
    let refused = plan(&store, &of(&[&names[1], &names[2]])).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Invalid);
    assert!(refused.to_string().contains(&names[0]), "{refused}");
    assert!(plan(&store, &of(&[&names[0], &names[1]])).is_ok());
    // Elsewhere they are in nobody's way.
    let store = create(Kind::Sparse);
    for (time, x) in [(10, 1), (10, 5), (20, 2)] {
        happen(&store, Kind::Sparse, &line(x, 1), time);
    }
    let names = fragment_names(&store);
    assert!(plan(&store, &of(&[&names[1], &names[2]])).is_ok());
    // Without times of their own, merged cells would be newer than those between.
    let dropped = MergeOptions {
        history: History::Dropped,
        ..of(&[&names[0], &names[2]])
    };
    assert!(plan(&store, &dropped).is_ok());
    let store = create(Kind::Sparse);
    for (time, value) in [(10, 1), (20, 2), (30, 3)] {
        happen(&store, Kind::Sparse, &line(1, value), time);
    }
    let names = fragment_names(&store);
    let dropped = MergeOptions {
        history: History::Dropped,
        ..of(&[&names[0], &names[2]])
    };
    assert!(plan(&store, &dropped).is_err());
}

#[test]
fn a_purge_outlives_the_attributes_that_deletes_ask_about() {
    let (store, _) = lived(
        Kind::Sparse,
        &[line(1, 1), line(2, 9), Event::Delete(5), line(3, 9)],
    );
    let mut schema = ArraySchema::clone(now(&store).newest_schema());
    schema.attributes.remove(0);
    now(&store).evolve(&schema, &[], &change(50)).unwrap();
    let before = seen(&store, &[60]);
    assert_eq!(before[0].1.len(), 8);
    let purge = MergeOptions {
        history: History::WithoutDeleted,
        ..options()
    };
    merge(&shared(&store), &purge, None).unwrap();
    vacuum(&store);
    let array = now(&store);
    assert_eq!(array.fragments()[0].metadata.cell_count(), 8);
    assert_eq!(seen(&store, &[60])[0], before[0]);
}
