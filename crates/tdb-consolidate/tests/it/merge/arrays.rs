//! Arrays with a history, and the results of reading them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use tdb_array::{
    Array, ArrayError, ChangeOptions, CountedNames, Location, OpenOptions, TimeWindow,
};
use tdb_cells::{Batch, Column, Session, SessionOptions};
use tdb_consolidate::{
    MergeError, MergeOptions, MergePlan, Mode, VacuumOptions, plan_merge, plan_vacuum,
};
use tdb_fragment::{ConditionOp, ConditionValue};
use tdb_query::{ReadOptions, Reader, ResultOrder};
use tdb_schema::{ArraySchema, ArrayType, Attribute, CellOrder, CellValNum, Dimension};
use tdb_store::{MemoryStore, Store, copy_tree};
use tdb_tile::{Datatype, Range};
use tdb_write::{WriteOptions, Writer};

/// An event in the history of an array.
#[derive(Clone, Debug)]
pub(crate) enum Event {
    /// Writes cells, given as two coordinates and a value; in dense arrays, the box between the first two.
    Write(Vec<(i32, i32, Option<i32>)>),
    /// Deletes the cells with values above this one.
    Delete(i32),
    /// Adds an attribute.
    Grow,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Dense,
    Sparse,
    Duplicates,
    Hilbert,
    Text,
}

/// Returns a new source of names on each call.
pub(crate) fn names() -> Arc<CountedNames> {
    static FIRST: AtomicU64 = AtomicU64::new(1);
    let first = FIRST.fetch_add(1 << 32, Ordering::Relaxed);
    Arc::new(CountedNames::new(5000, first))
}

pub(crate) fn change(time: u64) -> ChangeOptions {
    ChangeOptions::at(time).names(names())
}

pub(crate) fn schema(kind: Kind) -> ArraySchema {
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

pub(crate) fn create(kind: Kind) -> MemoryStore {
    let store = MemoryStore::new();
    Array::create(
        &Location::new(Arc::new(store.clone()), ""),
        &schema(kind),
        &[],
        &change(1),
    )
    .unwrap();
    store
}

pub(crate) fn shared(store: &MemoryStore) -> Arc<dyn Store> {
    Arc::new(store.clone())
}

pub(crate) fn open(store: &Arc<dyn Store>, options: OpenOptions) -> Result<Array, ArrayError> {
    Array::open(Arc::clone(store), "", options)
}

pub(crate) fn now(store: &MemoryStore) -> Array {
    open(&shared(store), OpenOptions::default()).unwrap()
}

pub(crate) fn column(name: &str, values: Vec<u8>, nulls: Option<Vec<bool>>) -> Column {
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

pub(crate) fn text(name: &str, datatype: Datatype, cells: Vec<String>) -> Column {
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

pub(crate) fn numbers(values: impl Iterator<Item = i32>) -> Vec<u8> {
    values.flat_map(i32::to_le_bytes).collect()
}

/// Applies an event to an array; events that the array does not support have no effect.
pub(crate) fn happen(store: &MemoryStore, kind: Kind, event: &Event, time: u64) {
    let array = Arc::new(now(store));
    match event {
        Event::Delete(above) => {
            let value = above.to_le_bytes().to_vec();
            let kept = ConditionValue::new("a", ConditionOp::LessOrEqual, value).unwrap();
            // Dense arrays refuse deletes.
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

pub(crate) fn write(array: &Arc<Array>, kind: Kind, cells: &[(i32, i32, Option<i32>)], time: u64) {
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
    let options = WriteOptions::at(time)
        .ranges(ranges)
        .names(names())
        .duplicates(
            (!matches!(kind, Kind::Dense | Kind::Duplicates))
                .then_some(tdb_write::Duplicates::First),
        );
    let session = session(None);
    let mut writer = Writer::open(&session, array, &options).unwrap();
    writer.push(&batch).unwrap();
    writer.finish().unwrap();
}

pub(crate) fn session(memory: Option<u64>) -> Session {
    Session::new(
        SessionOptions::default()
            .threads(std::num::NonZeroUsize::new(1))
            .memory(memory),
    )
}

/// Reads the cells in a time window, in a given order, each as text. Cells with the same coordinates are in any order.
pub(crate) fn rows(store: &MemoryStore, window: TimeWindow, order: ResultOrder) -> Vec<String> {
    let options = OpenOptions::default().window(window);
    let array = Arc::new(open(&shared(store), options).unwrap());
    let options = ReadOptions::default().order(Some(order));
    let mut rows = Vec::new();
    for batch in Reader::open(&session(None), &array, &options).unwrap() {
        let batch = batch.unwrap();
        for row in 0..batch.rows {
            let cell = |column: &Column| {
                if column.is_valid(row) {
                    format!("{}={:?}", column.name, column.cell(row).unwrap())
                } else {
                    format!("{}=null", column.name)
                }
            };
            rows.push(batch.columns.iter().map(cell).collect::<Vec<_>>().join(" "));
        }
    }
    if array.schema().allows_duplicates {
        rows.sort();
    }
    rows
}

/// Reads everything in all windows between these times, in all orders.
pub(crate) fn seen(store: &MemoryStore, times: &[u64]) -> Vec<(TimeWindow, Vec<String>)> {
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

pub(crate) fn options() -> MergeOptions {
    MergeOptions::default().names(names())
}

pub(crate) fn merge(
    store: &Arc<dyn Store>,
    options: &MergeOptions,
    memory: Option<u64>,
) -> Result<MergePlan, MergeError> {
    let array = open(store, OpenOptions::default())?;
    let plan = plan_merge(&array, options)?;
    plan.merge(&session(memory), &array, options)?;
    Ok(plan)
}

pub(crate) fn at_once() -> VacuumOptions {
    VacuumOptions::default()
        .grace(Duration::ZERO)
        .change(change(6000))
}

pub(crate) fn vacuum(store: &MemoryStore) {
    let array = now(store);
    let place = array.location();
    let options = at_once();
    let plan = plan_vacuum(place, Mode::Fragments, &options).unwrap();
    plan.vacuum(place, &options).unwrap();
}

pub(crate) fn copy(store: &MemoryStore) -> MemoryStore {
    let copy = MemoryStore::new();
    copy_tree(store, "", &copy, "").unwrap();
    copy
}

/// Creates an array with these events; returns it with the times of the events.
pub(crate) fn lived(kind: Kind, events: &[Event]) -> (MemoryStore, Vec<u64>) {
    let store = create(kind);
    let mut times = vec![5];
    for (index, event) in events.iter().enumerate() {
        let time = 10 * (index as u64 + 1);
        happen(&store, kind, event, time);
        times.extend([time, time + 5]);
    }
    (store, times)
}

pub(crate) fn fragments(store: &MemoryStore) -> usize {
    now(store).fragments().len()
}

pub(crate) fn three_writes() -> Vec<Event> {
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

pub(crate) fn plan(store: &MemoryStore, options: &MergeOptions) -> Result<MergePlan, ArrayError> {
    plan_merge(&now(store), options)
}

pub(crate) fn dense_boxes(boxes: &[[(i32, i32); 2]]) -> MemoryStore {
    let write =
        |[a, b]: &[(i32, i32); 2]| Event::Write(vec![(a.0, b.0, Some(1)), (a.1, b.1, Some(1))]);
    let events: Vec<Event> = boxes.iter().map(write).collect();
    lived(Kind::Dense, &events).0
}

pub(crate) fn line(x: i32, value: i32) -> Event {
    Event::Write((0..4).map(|y| (y, x, Some(value))).collect())
}

pub(crate) fn fragment_names(store: &MemoryStore) -> Vec<String> {
    let array = now(store);
    let names = array.fragments().iter().map(|f| f.name.to_string());
    names.collect()
}

pub(crate) fn of(names: &[&String]) -> MergeOptions {
    options().fragments(Some(names.iter().map(|name| (*name).clone()).collect()))
}
