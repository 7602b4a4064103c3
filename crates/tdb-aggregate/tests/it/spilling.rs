//! Groups that do not fit in memory and go to the temporary folder return the same results.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::Arc;

use proptest::prelude::*;
use tdb_aggregate::{Aggregate, AggregateError, Group, Outcome, Table, aggregate, grouped};
use tdb_array::{Array, ChangeOptions, Location, OpenOptions};
use tdb_cells::{Batch, Column, Session, SessionOptions, SpillFolder};
use tdb_query::ReadOptions;
use tdb_schema::{
    ArraySchema, ArrayType, Attribute, CellValNum, Dimension, Enumeration, EnumerationRef,
};
use tdb_store::{FaultyStore, MemoryStore, Store};
use tdb_tile::{Datatype, ErrorKind};
use tdb_write::{WriteOptions, Writer};

/// A cell: a number or null, a double, a pair, the index of a label, a string or null; and the values to sum.
#[derive(Clone, Debug)]
struct Cell {
    number: Option<i32>,
    double: f64,
    pair: [i16; 2],
    label: i8,
    text: Option<String>,
    value: i64,
    float: f32,
}

/// A string and a number, each after whether it is null.
type TextAndNumber<'a> = (bool, Option<&'a str>, bool, Option<i32>);

const LABELS: [&str; 5] = ["b", "a", "e", "", "d"];

fn cell() -> impl Strategy<Value = Cell> {
    let double = prop_oneof![
        (-30_i8..30).prop_map(f64::from),
        prop::sample::select(vec![
            0_u64,
            1 << 63,
            0x7ff8_0000_0000_0000,
            0xfff8_0000_0000_0123
        ])
        .prop_map(f64::from_bits),
    ];
    let text = prop::option::weighted(0.9, "[a-c]{0,3}").prop_map(|text| {
        // The strings differ in a few letters at the end; the rest only takes memory.
        text.map(|text| format!("{}{text}", "x".repeat(200)))
    });
    (
        prop::option::weighted(0.9, -40_i32..40),
        double,
        [-3_i16..3, -3_i16..3],
        -1_i8..6,
        text,
        -1_000_000_i64..1_000_000,
        // Sums of these are exact in any order.
        (-99_i16..99).prop_map(f32::from),
    )
        .prop_map(|(number, double, pair, label, text, value, float)| Cell {
            number,
            double,
            pair,
            label,
            text,
            value,
            float,
        })
}

fn array() -> Location {
    let nullable = |name: &str, datatype| Attribute {
        nullable: true,
        ..Attribute::new(name, datatype)
    };
    let (utf8, var) = (Datatype::StringUtf8, CellValNum::Var);
    let labels = Enumeration::from_values("levels", "__0_0", utf8, var, false, LABELS);
    let attributes = vec![
        nullable("number", Datatype::Int32),
        Attribute::new("double", Datatype::Float64),
        Attribute::new("pair", Datatype::Int16).with_cell_val_num(CellValNum::Fixed(2)),
        Attribute {
            enumeration: Some("levels".to_owned()),
            ..Attribute::new("label", Datatype::Int8)
        },
        nullable("text", utf8).with_cell_val_num(var),
        Attribute::new("value", Datatype::Int64),
        Attribute::new("float", Datatype::Float32),
    ];
    let x = Dimension::numbers("x", Datatype::UInt32, (0_u32, 999_999), 1000);
    let mut schema = ArraySchema::new(ArrayType::Sparse, vec![x], attributes);
    schema.capacity = 50;
    schema.enumerations.push(EnumerationRef {
        name: "levels".to_owned(),
        file: "__0_0".to_owned(),
    });
    let location = Location::new(Arc::new(MemoryStore::new()), "a");
    let labels = [labels.expect("labels")];
    Array::create(&location, &schema, &labels, &ChangeOptions::default()).expect("created");
    location
}

fn column(name: &str, datatype: Datatype, values: impl Iterator<Item = u8>) -> Column {
    Column {
        name: name.to_owned(),
        datatype,
        cell_val_num: CellValNum::Fixed(1),
        nullable: false,
        values: values.collect::<Vec<u8>>().into(),
        offsets: None,
        validity: None,
        enumeration: None,
    }
}

fn bits(flags: impl Iterator<Item = bool>) -> bytes::Bytes {
    let flags: Vec<bool> = flags.collect();
    let byte = |eight: &[bool]| {
        let bits = eight.iter().zip(0_u8..);
        bits.fold(0_u8, |byte, (flag, bit)| byte | u8::from(*flag) << bit)
    };
    flags.chunks(8).map(byte).collect::<Vec<u8>>().into()
}

fn written(cells: &[Cell]) -> Arc<Array> {
    let location = array();
    let open =
        || Arc::new(Array::open_location(&location, OpenOptions::default()).expect("opened"));
    let places = (0_u32..).take(cells.len()).flat_map(u32::to_le_bytes);
    let each = || cells.iter();
    let numbers = each().flat_map(|c| c.number.unwrap_or(7).to_le_bytes());
    let mut number = column("number", Datatype::Int32, numbers);
    (number.nullable, number.validity) = (true, Some(bits(each().map(|c| c.number.is_some()))));
    let double = each().flat_map(|c| c.double.to_le_bytes());
    let pairs = each().flat_map(|c| c.pair).flat_map(i16::to_le_bytes);
    let mut pair = column("pair", Datatype::Int16, pairs);
    pair.cell_val_num = CellValNum::Fixed(2);
    let label = each().flat_map(|c| c.label.to_le_bytes());
    let texts = || each().map(|c| c.text.as_deref().unwrap_or("").as_bytes());
    let mut text = column("text", Datatype::StringUtf8, texts().flatten().copied());
    let mut ends = vec![0_u64];
    ends.extend(texts().scan(0_u64, |end, text| {
        *end += text.len() as u64;
        Some(*end)
    }));
    (text.nullable, text.cell_val_num) = (true, CellValNum::Var);
    text.offsets = Some(ends.into_iter().flat_map(u64::to_le_bytes).collect());
    text.validity = Some(bits(each().map(|c| c.text.is_some())));
    let columns = vec![
        column("x", Datatype::UInt32, places),
        number,
        column("double", Datatype::Float64, double),
        pair,
        column("label", Datatype::Int8, label),
        text,
        column(
            "value",
            Datatype::Int64,
            each().flat_map(|c| c.value.to_le_bytes()),
        ),
        column(
            "float",
            Datatype::Float32,
            each().flat_map(|c| c.float.to_le_bytes()),
        ),
    ];
    let options = WriteOptions::default();
    let mut writer = Writer::open(&Session::default(), &open(), &options).expect("begun");
    let batch = Batch {
        rows: cells.len(),
        columns,
    };
    writer.push(&batch).expect("pushed");
    writer.finish().expect("written");
    open()
}

/// Creates a session with `memory` bytes, whose temporary folder is in `store`.
fn session(memory: u64, store: &Arc<impl Store + 'static>) -> Session {
    Session::new(
        SessionOptions::default()
            .memory(Some(memory))
            .threads(NonZeroUsize::new(2))
            .spill(Some(SpillFolder::of_store(
                "temp",
                Arc::clone(store) as Arc<dyn Store>,
            ))),
    )
}

const ASKED: &str = "count(*), count(number), null_count(text), sum(value), min(value), max(number), mean(value), \
                     sum(float), mean(float), min(double), max(double), min(text), max(text), count(label)";

fn asked(text: &str) -> Vec<Aggregate> {
    Aggregate::parse_list(text).expect("aggregates")
}

/// Formats groups with `Debug`, so that NaN equals itself.
fn shown(groups: &[Group]) -> Vec<String> {
    groups.iter().map(|group| format!("{group:?}")).collect()
}

/// Small batches, so that groups continue from one to the next.
fn small() -> ReadOptions {
    ReadOptions::default().batch_bytes(Some(4 << 10))
}

fn all(
    session: &Session,
    array: &Arc<Array>,
    text: &str,
    by: &[&str],
) -> Result<(Vec<Group>, bool), AggregateError> {
    let groups = grouped(session, array, &small(), &asked(text), by)?;
    let are_spilled = groups.are_spilled();
    Ok((groups.collect::<Result<_, _>>()?, are_spilled))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn groups_come_to_the_same_in_the_temporary_folder(cells in prop::collection::vec(cell(), 1500..2500)) {
        let (array, store) = (written(&cells), Arc::new(MemoryStore::new()));
        let (tiny, large) = (session(400 << 10, &store), Session::default());
        let by_each: [&[&str]; 8] = [
            &["number", "label"],
            &["double", "number"],
            &["pair", "number"],
            &["label", "pair", "number"],
            &["text", "label"],
            &["value"],
            &["text", "pair", "double"],
            &["x"],
        ];
        for by in by_each {
            let (found, are_spilled) = all(&tiny, &array, ASKED, by).expect("answered");
            prop_assert!(are_spilled, "{by:?}: {} groups", found.len());
            let Table { groups, .. } = aggregate(&large, &array, &small(), &asked(ASKED), by).expect("answered");
            prop_assert_eq!(shown(&found), shown(&groups), "{:?}", by);
            prop_assert_eq!(store.keys(), Vec::<String>::new());
            // Without aggregates: the distinct combinations of values.
            let (found, _) = all(&tiny, &array, "count(*)", by).expect("answered");
            let keys = |groups: &[Group]| -> Vec<_> {
                let key = |group: &Group| -> Vec<_> {
                    (0..by.len()).map(|field| group.key(field).map(<[u8]>::to_vec)).collect()
                };
                groups.iter().map(|group| (key(group), group.cells)).collect()
            };
            prop_assert_eq!(keys(&found), keys(&groups));
        }
    }

    #[test]
    fn spilled_groups_are_those_of_a_naive_model(cells in prop::collection::vec(cell(), 1500..2500)) {
        let (array, store) = (written(&cells), Arc::new(MemoryStore::new()));
        let text = "sum(value), min(value), max(text), mean(float)";
        let (found, are_spilled) = all(&session(400 << 10, &store), &array, text, &["text", "number"]).expect("answered");
        prop_assert!(are_spilled);
        // Null comes last.
        let mut model: BTreeMap<TextAndNumber<'_>, Vec<&Cell>> = BTreeMap::new();
        for cell in &cells {
            let text = cell.text.as_deref();
            model.entry((text.is_none(), text, cell.number.is_none(), cell.number)).or_default().push(cell);
        }
        prop_assert_eq!(found.len(), model.len());
        for (group, ((_, text, _, number), cells)) in found.iter().zip(model) {
            prop_assert_eq!(group.key(0), text.map(str::as_bytes));
            prop_assert_eq!(group.key(1).map(<[u8]>::to_vec), number.map(|n| n.to_le_bytes().to_vec()));
            let least = cells.iter().map(|c| c.value).min().expect("a cell");
            let floats: f64 = cells.iter().map(|c| f64::from(c.float)).sum();
            prop_assert_eq!(group.cells, cells.len() as u64);
            prop_assert_eq!(&group.values, &vec![
                Outcome::Signed(cells.iter().map(|c| c.value).sum()),
                Outcome::Value(Datatype::Int64, least.to_le_bytes().to_vec()),
                text.map_or(Outcome::None, |t| Outcome::Value(Datatype::StringUtf8, t.as_bytes().to_vec())),
                Outcome::Float(floats / cells.len() as f64),
            ]);
        }
    }
}

/// Returns cells in which each number occurs twice, far apart.
fn pairs_of(count: i32) -> Vec<Cell> {
    let cell = |number: i32| Cell {
        number: Some(number),
        double: f64::from(number) * 0.1,
        pair: [0; 2],
        label: 0,
        text: Some(String::new()),
        value: i64::from(number),
        float: 0.1,
    };
    // Scattered, so that each run has groups from the whole range.
    let scattered = (0..count).map(|n| n.wrapping_mul(7919).rem_euclid(count));
    scattered.clone().chain(scattered).map(cell).collect()
}

#[test]
fn many_runs_are_merged_in_passes() {
    let (count, store) = (30_011, Arc::new(MemoryStore::new()));
    let array = written(&pairs_of(count));
    let (found, are_spilled) = all(
        &session(400 << 10, &store),
        &array,
        "count(*), sum(value)",
        &["number"],
    )
    .expect("answered");
    assert!(are_spilled);
    let creates = store.counts().creates;
    assert!(creates > 200, "{creates} runs");
    assert_eq!(found.len(), usize::try_from(count).expect("positive"));
    for (group, number) in found.iter().zip(0..) {
        assert_eq!(group.key(0), Some(&i32::to_le_bytes(number)[..]));
        let wanted = [Outcome::Unsigned(2), Outcome::Signed(2 * i64::from(number))];
        assert_eq!(group.values, wanted);
    }
    assert_eq!(store.keys(), Vec::<String>::new());
}

#[test]
fn sums_of_floats_are_the_same_each_time() {
    let store = Arc::new(MemoryStore::new());
    let array = written(&pairs_of(3000));
    let sums = || {
        let tiny = session(500 << 10, &store);
        let (found, are_spilled) =
            all(&tiny, &array, "sum(double)", &["number"]).expect("answered");
        assert!(are_spilled);
        shown(&found)
    };
    let first = sums();
    for _ in 0..5 {
        assert_eq!(sums(), first);
    }
}

#[test]
fn an_answer_that_nobody_reads_to_its_end_leaves_nothing() {
    let store = Arc::new(MemoryStore::new());
    let array = written(&pairs_of(3000));
    let groups = grouped(
        &session(400 << 10, &store),
        &array,
        &small(),
        &asked("count(*)"),
        &["number"],
    );
    let mut groups = groups.expect("answered");
    assert!(groups.next().expect("a group").is_ok() && groups.are_spilled());
    assert!(!store.keys().is_empty());
    drop(groups);
    assert_eq!(store.keys(), Vec::<String>::new());
}

#[test]
fn a_table_of_more_groups_than_memory_holds_is_an_error() {
    let store = Arc::new(MemoryStore::new());
    let array = written(&pairs_of(9000));
    let tiny = session(400 << 10, &store);
    let error =
        aggregate(&tiny, &array, &small(), &asked("count(*)"), &["number"]).expect_err("no room");
    assert!(matches!(error, AggregateError::Groups { .. }), "{error}");
    assert_eq!(store.keys(), Vec::<String>::new());
}

#[test]
fn sums_that_do_not_fit_are_errors_in_the_temporary_folder_too() {
    let store = Arc::new(MemoryStore::new());
    let mut cells = pairs_of(3000);
    for cell in cells.iter_mut().filter(|cell| cell.number == Some(77)) {
        cell.value = i64::MAX;
    }
    let array = written(&cells);
    let told = |session: &Session| {
        let error = all(session, &array, "sum(value)", &["number"]).expect_err("no sum");
        error.to_string()
    };
    let wanted = "sum(value): 18446744073709551614 does not fit into 64 bits";
    assert_eq!(told(&session(400 << 10, &store)), wanted);
    assert_eq!(told(&Session::default()), wanted);
    // Sums of two runs that overflow separately may fit together.
    for (place, cell) in cells
        .iter_mut()
        .filter(|cell| cell.number == Some(77))
        .enumerate()
    {
        cell.value = if place == 0 { i64::MAX } else { i64::MIN };
    }
    let (found, _) = all(
        &session(400 << 10, &store),
        &written(&cells),
        "sum(value)",
        &["number"],
    )
    .expect("it fits");
    assert_eq!(
        found.get(77).map(|group| &group.values[..]),
        Some(&[Outcome::Signed(-1)][..])
    );
}

#[test]
fn one_very_long_text_is_a_group_like_others() {
    let store = Arc::new(MemoryStore::new());
    let mut cells = pairs_of(2000);
    for (place, cell) in (0..).zip(&mut cells) {
        cell.text = Some(format!("{:06}", place % 2000));
    }
    // Longer than the memory for all groups.
    let long = "y".repeat(600 << 10);
    for place in [10, 2500] {
        cells[place].text = Some(long.clone());
    }
    let array = written(&cells);
    let (found, are_spilled) =
        all(&session(2 << 20, &store), &array, "count(*)", &["text"]).expect("answered");
    assert!(are_spilled);
    assert_eq!(found.len(), 2001);
    let last = found.last().expect("a group");
    assert_eq!((last.key(0), last.cells), (Some(long.as_bytes()), 2));
    assert_eq!(store.keys(), Vec::<String>::new());
}

#[test]
fn each_failure_of_the_folder_names_it_and_leaves_nothing() {
    let array = written(&pairs_of(3000));
    let ask = |store: FaultyStore<MemoryStore>| {
        let store = Arc::new(store);
        let answer = all(&session(400 << 10, &store), &array, "count(*)", &["number"]);
        (answer.map(|(groups, _)| groups.len()), store)
    };
    let (answer, store) = ask(FaultyStore::failing_at(MemoryStore::new(), u64::MAX));
    assert_eq!(answer.expect("answered"), 3000);
    let operations = store.operations();
    assert!(operations > 40, "{operations}");
    let mut failures = 0;
    for operation in 0..operations {
        let (answer, store) = ask(FaultyStore::failing_at(MemoryStore::new(), operation));
        match answer {
            // Failure to remove an object is not an error, since the folder is temporary.
            Ok(groups) => assert_eq!(groups, 3000),
            Err(error) => {
                failures += 1;
                assert_eq!(error.kind(), ErrorKind::Store);
                assert!(
                    error.to_string().starts_with("the temporary folder temp: "),
                    "{error}"
                );
                assert!(error.hint().is_some_and(|hint| hint.contains("--temp")));
                // If `finish` fails, the object may or may not exist.
                assert!(
                    store.inner().keys().len() <= 1,
                    "{:?}",
                    store.inner().keys()
                );
            }
        }
    }
    assert!(failures > 20, "{failures}");
}

#[test]
fn a_folder_that_is_not_there_is_told_where_it_is_needed() {
    let array = written(&pairs_of(3000));
    let folder = std::env::temp_dir().join("tdb-no-such-folder");
    let with = |memory| {
        let session = Session::new(
            SessionOptions::default()
                .memory(Some(memory))
                .spill(Some(SpillFolder::local(&folder))),
        );
        all(&session, &array, "count(*)", &["number"]).map(|(groups, _)| groups.len())
    };
    assert_eq!(with(64 << 20).expect("in memory"), 3000);
    let error = with(400 << 10).expect_err("no folder");
    let wanted = format!("the temporary folder {}: not found", folder.display());
    assert_eq!(
        (error.to_string(), error.kind()),
        (wanted, ErrorKind::Store)
    );
}

#[test]
fn cancelling_ends_it_and_leaves_nothing() {
    let store = Arc::new(MemoryStore::new());
    let array = written(&pairs_of(9000));
    let tiny = session(400 << 10, &store);
    let mut groups =
        grouped(&tiny, &array, &small(), &asked("count(*)"), &["number"]).expect("answered");
    assert!(groups.next().is_some_and(|group| group.is_ok()));
    tiny.cancel();
    let error = groups.find_map(Result::err).expect("cancelled");
    assert_eq!(error.to_string(), "cancelled");
    assert!(groups.next().is_none());
    assert_eq!(store.keys(), Vec::<String>::new());
    let error = all(&tiny, &array, "count(*)", &["number"]).expect_err("cancelled");
    assert_eq!(error.to_string(), "cancelled");
    assert_eq!(store.keys(), Vec::<String>::new());
}
