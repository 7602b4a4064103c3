//! Comparison of aggregates with a simple model, over arrays of random cells.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use proptest::prelude::*;
use tdb_aggregate::{
    Aggregate, AggregateError, FieldSummary, Function, Outcome, aggregate, count_cells, histogram,
    summarize,
};
use tdb_array::{Array, ChangeOptions, Location, OpenOptions};
use tdb_cells::{Batch, Column, Session, SessionOptions};
use tdb_condition::Condition;
use tdb_query::ReadOptions;
use tdb_schema::{ArraySchema, ArrayType, Attribute, CellValNum, Dimension};
use tdb_store::MemoryStore;
use tdb_tile::{Datatype, Range};
use tdb_write::{WriteOptions, Writer};

/// A cell: its coordinate, its number or null, its float, its string.
type Cell = (u32, Option<i16>, f32, &'static str);

fn cells() -> impl Strategy<Value = Vec<Cell>> {
    let text = prop_oneof![Just(""), Just("a"), Just("ab"), Just("b")];
    let float = prop_oneof![any::<f32>(), Just(f32::NAN), Just(-0.0_f32), -9.0_f32..9.0];
    let cell = (any::<Option<i16>>(), float, text);
    prop::collection::btree_map(0_u32..200, cell, 0..60).prop_map(|cells| {
        let cells = cells.into_iter();
        cells.map(|(x, (n, f, t))| (x, n, f, t)).collect()
    })
}

fn array() -> Location {
    let number = Attribute {
        nullable: true,
        ..Attribute::new("n", Datatype::Int16)
    };
    let text = Attribute::new("t", Datatype::StringUtf8).with_cell_val_num(CellValNum::Var);
    let attributes = vec![number, Attribute::new("f", Datatype::Float32), text];
    let x = Dimension::numbers("x", Datatype::UInt32, (0_u32, 999), 50);
    let mut schema = ArraySchema::new(ArrayType::Sparse, vec![x], attributes);
    schema.capacity = 7;
    let location = Location::new(Arc::new(MemoryStore::new()), "a");
    Array::create(&location, &schema, &[], &ChangeOptions::default()).expect("created");
    location
}

fn write(location: &Location, cells: &[Cell], time: u64) {
    let array = Arc::new(Array::open_location(location, OpenOptions::default()).expect("opened"));
    let fixed = |name: &str, datatype, values: Vec<u8>| Column {
        name: name.to_owned(),
        datatype,
        cell_val_num: CellValNum::Fixed(1),
        nullable: name == "n",
        values: values.into(),
        offsets: None,
        validity: None,
        enumeration: None,
    };
    let bytes = |of: &dyn Fn(&Cell) -> Vec<u8>| cells.iter().flat_map(of).collect::<Vec<u8>>();
    let x = fixed("x", Datatype::UInt32, bytes(&|c| c.0.to_le_bytes().into()));
    let n = bytes(&|c| c.1.unwrap_or(77).to_le_bytes().into());
    let mut n = fixed("n", Datatype::Int16, n);
    let valid = cells.chunks(8).map(|eight| {
        let bits = eight.iter().zip(0_u8..);
        bits.fold(0_u8, |byte, (cell, bit)| {
            byte | u8::from(cell.1.is_some()) << bit
        })
    });
    let valid: Vec<u8> = valid.collect();
    n.validity = Some(valid.into());
    let f = fixed("f", Datatype::Float32, bytes(&|c| c.2.to_le_bytes().into()));
    let mut t = fixed("t", Datatype::StringUtf8, bytes(&|c| c.3.as_bytes().into()));
    t.cell_val_num = CellValNum::Var;
    let ends = cells.iter().scan(0_u64, |end, cell| {
        *end += cell.3.len() as u64;
        Some(*end)
    });
    let offsets: Vec<u64> = std::iter::once(0).chain(ends).collect();
    let offsets: Vec<u8> = offsets.iter().flat_map(|o| o.to_le_bytes()).collect();
    t.offsets = Some(offsets.into());
    let options = WriteOptions::default().timestamp(Some(time));
    let mut writer = Writer::open(&Session::default(), &array, &options).expect("begun");
    let batch = Batch {
        rows: cells.len(),
        columns: vec![x, n, f, t],
    };
    writer.push(&batch).expect("pushed");
    writer.finish().expect("written");
}

fn open(location: &Location) -> Arc<Array> {
    Arc::new(Array::open_location(location, OpenOptions::default()).expect("opened"))
}

/// Selects the cells that a read returns.
type Keep<'a> = &'a dyn Fn(&Cell) -> bool;

/// Returns all aggregates of the test for some cells.
fn model(cells: &[&Cell]) -> Vec<Outcome> {
    let numbers: Vec<i16> = cells.iter().filter_map(|cell| cell.1).collect();
    let sum: i64 = numbers.iter().map(|n| i64::from(*n)).sum();
    let of_number = |n: Option<&i16>| match n {
        Some(n) => Outcome::Value(Datatype::Int16, n.to_le_bytes().into()),
        None => Outcome::None,
    };
    let (signed, mean) = match numbers.len() {
        0 => (Outcome::None, Outcome::None),
        count => (
            Outcome::Signed(sum),
            Outcome::Float(sum as f64 / count as f64),
        ),
    };
    let floats = || cells.iter().map(|cell| cell.2).filter(|f| !f.is_nan());
    let of_float = |f: Option<f32>| match f {
        // Both zeros are equal: the result is +0.0, whichever came first.
        Some(f) => Outcome::Value(Datatype::Float32, (f + 0.0).to_le_bytes().into()),
        None => Outcome::None,
    };
    let least = floats().reduce(|a, b| if b < a { b } else { a });
    let most = floats().reduce(|a, b| if b > a { b } else { a });
    let texts = || cells.iter().map(|cell| cell.3);
    let of_text = |t: Option<&str>| match t {
        Some(t) => Outcome::Value(Datatype::StringUtf8, t.as_bytes().into()),
        None => Outcome::None,
    };
    vec![
        Outcome::Unsigned(cells.len() as u64),
        Outcome::Unsigned(numbers.len() as u64),
        Outcome::Unsigned((cells.len() - numbers.len()) as u64),
        signed,
        of_number(numbers.iter().min()),
        of_number(numbers.iter().max()),
        mean,
        of_float(least),
        of_float(most),
        of_text(texts().min()),
        of_text(texts().max()),
    ]
}

const ASKED: &str = "count(*), count(n), null_count(n), sum(n), min(n), max(n), mean(n), min(f), max(f), min(t), max(t)";

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn answers_are_those_of_a_naive_model(old in cells(), new in cells(), from in 0_u32..200) {
        let location = array();
        write(&location, &old, 1);
        write(&location, &new, 2);
        let mut all: BTreeMap<u32, &Cell> = old.iter().map(|cell| (cell.0, cell)).collect();
        all.extend(new.iter().map(|cell| (cell.0, cell)));
        let (array, session) = (open(&location), Session::default());
        let asked = Aggregate::parse_list(ASKED).expect("aggregates");
        let range = |options: ReadOptions| options
.ranges(vec![("x".to_owned(), Range::of(from, 300))]);
        // Small batches, so that groups continue from one to the next.
        let small = ReadOptions::default()
.batch_bytes(Some(64));
        let matching = ReadOptions::default()
.condition(Some(Condition::field("t").ge("ab")));
        let keeps: [(ReadOptions, Keep<'_>); 4] = [
            (ReadOptions::default(), &|_| true),
            (small, &|_| true),
            (range(ReadOptions::default()), &|cell| cell.0 >= from),
            (matching, &|cell| cell.3 >= "ab"),
        ];
        for (options, keep) in keeps {
            let kept: Vec<&Cell> = all.values().copied().filter(|cell| keep(cell)).collect();
            prop_assert_eq!(count_cells(&session, &array, &options).expect("counted"), kept.len() as u64);
            let table = aggregate(&session, &array, &options, &asked, &[]).expect("answered");
            prop_assert_eq!(&table.groups[0].values, &model(&kept));
            let found = histogram(&session, &array, &options, "n", 7).expect("counted");
            let value = |bytes: &[u8]| i16::from_le_bytes(bytes.try_into().expect("two bytes"));
            for bin in &found.bins {
                let (low, high) = (value(&bin.low), value(&bin.high));
                let within = |cell: &&&Cell| cell.1.is_some_and(|n| (low..=high).contains(&n));
                prop_assert_eq!(bin.cells, kept.iter().filter(within).count() as u64);
            }
            let all = found.bins.iter().map(|bin| bin.cells).sum::<u64>() + found.nulls;
            prop_assert!(found.bins.len() <= 7 && found.others == 0);
            prop_assert_eq!(all, kept.len() as u64);
            let table = aggregate(&session, &array, &options, &asked, &["t", "n"]).expect("answered");
            let mut groups: BTreeMap<(&str, bool, i16), Vec<&Cell>> = BTreeMap::new();
            for cell in kept {
                let key = (cell.3, cell.1.is_none(), cell.1.unwrap_or(0));
                groups.entry(key).or_default().push(cell);
            }
            prop_assert_eq!(table.groups.len(), groups.len());
            for (found, ((text, _, _), cells)) in table.groups.iter().zip(&groups) {
                prop_assert_eq!(found.key(0), Some(text.as_bytes()));
                let number = cells[0].1.map(|n| n.to_le_bytes().to_vec());
                prop_assert_eq!(found.key(1).map(<[u8]>::to_vec), number);
                prop_assert_eq!(&found.values, &model(cells));
            }
        }
    }
}

#[test]
fn questions_that_have_no_answer_are_refused() {
    let location = array();
    write(&location, &[(1, Some(3), 1.5, "x")], 1);
    let (array, session) = (open(&location), Session::default());
    let ask = |text: &str| {
        let asked = Aggregate::parse_list(text)?;
        let all = ReadOptions::default();
        aggregate(&session, &array, &all, &asked, &[]).map(|_| ())
    };
    let told = |text: &str| ask(text).expect_err("no answer").to_string();
    assert_eq!(
        told("sum(t)"),
        "sum(t): there is none of a field that holds string_utf8"
    );
    assert_eq!(told("sum(z)"), "there is no field \"z\"");
    assert!(told("sum n").starts_with("\"sum n\" is not an aggregate"));
    assert!(told("sum(*)").starts_with("\"sum(*)\" is not an aggregate"));
    assert!(ask("avg(\"n\"), count(*)").is_ok());
}

#[test]
fn more_groups_than_memory_holds_are_an_error() {
    let location = array();
    let cells: Vec<Cell> = (0..900).map(|x| (x, Some(1), 0.5, "")).collect();
    write(&location, &cells, 1);
    let session = |memory| Session::new(SessionOptions::default().memory(Some(memory)));
    let ask = |memory| {
        let all = ReadOptions::default();
        let asked = [Aggregate::of(Function::Sum, "n")];
        aggregate(&session(memory), &open(&location), &all, &asked, &["x"])
    };
    assert_eq!(ask(64 << 20).expect("answered").groups.len(), 900);
    let error = ask(400 << 10).expect_err("no room");
    assert!(matches!(error, AggregateError::Groups { .. }), "{error}");
    assert_eq!(error.kind(), tdb_tile::ErrorKind::Memory);
}

/// Returns a quartile of sorted numbers, interpolated between two of them.
fn quantile(sorted: &[f64], quarters: usize) -> f64 {
    let steps = (sorted.len() - 1) * quarters;
    let at = |place: usize| *sorted.get(place).expect("a number");
    let (low, high) = (at(steps / 4), at(steps.div_ceil(4)));
    if low == high {
        return low;
    }
    low + (high - low) * (steps % 4) as f64 / 4.0
}

fn is_near(found: f64, wanted: f64) -> bool {
    found == wanted || (found - wanted).abs() <= 1e-9 * wanted.abs().max(1.0)
}

/// True if the quartiles are those of these numbers; NaN is ignored.
fn are_quartiles(summary: &FieldSummary, numbers: &[f64]) -> bool {
    let mut sorted: Vec<f64> = numbers.iter().copied().filter(|n| !n.is_nan()).collect();
    sorted.sort_by(f64::total_cmp);
    match &summary.quartiles {
        None => sorted.is_empty(),
        Some(found) => found.iter().zip([1, 2, 3]).all(|(found, quarters)| {
            let Outcome::Float(found) = found else {
                return false;
            };
            is_near(*found, quantile(&sorted, quarters))
        }),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn summaries_are_those_of_a_naive_model(cells in cells()) {
        let location = array();
        write(&location, &cells, 1);
        let (array, session) = (open(&location), Session::default());
        let small = ReadOptions::default()
.batch_bytes(Some(64));
        let told = summarize(&session, &array, &small, &["n", "f", "t"]).expect("summaries");
        let [n, f, t] = &told[..] else { panic!("{told:?}") };
        let numbers: Vec<f64> = cells.iter().filter_map(|cell| cell.1).map(f64::from).collect();
        prop_assert_eq!(n.count, numbers.len() as u64);
        prop_assert_eq!(n.nulls, (cells.len() - numbers.len()) as u64);
        let different: BTreeSet<i16> = cells.iter().filter_map(|cell| cell.1).collect();
        prop_assert_eq!((n.distinct, n.is_distinct_exact), (different.len() as u64, true));
        prop_assert!(are_quartiles(n, &numbers) && n.are_quartiles_exact, "{n:?}");
        let mean = numbers.iter().sum::<f64>() / numbers.len() as f64;
        let squares: f64 = numbers.iter().map(|number| (number - mean).powi(2)).sum();
        match n.deviation {
            None => prop_assert!(numbers.len() < 2),
            Some(found) => {
                let wanted = (squares / (numbers.len() - 1) as f64).sqrt();
                prop_assert!(is_near(found, wanted), "{found} for {wanted}");
            }
        }
        let floats: Vec<f64> = cells.iter().map(|cell| cell.2.into()).collect();
        prop_assert!(are_quartiles(f, &floats), "{f:?}");
        let same = |f: f32| if f.is_nan() { f32::NAN } else { f + 0.0 };
        let bits: BTreeSet<u32> = cells.iter().map(|cell| same(cell.2).to_bits()).collect();
        prop_assert_eq!(f.distinct, bits.len() as u64);
        let texts: BTreeSet<&str> = cells.iter().map(|cell| cell.3).collect();
        prop_assert_eq!(t.distinct, texts.len() as u64);
        prop_assert!(t.quartiles.is_none() && t.deviation.is_none() && t.mean == Outcome::None);
        // Plain aggregates return the same.
        let wanted = [Function::Count, Function::Min, Function::Max, Function::Mean];
        let wanted = wanted.map(|function| Aggregate::of(function, "n"));
        let same = aggregate(&session, &array, &small, &wanted, &[]).expect("aggregates");
        let found = vec![Outcome::Unsigned(n.count), n.min.clone(), n.max.clone(), n.mean.clone()];
        prop_assert_eq!(same.groups.first().map(|group| &group.values), Some(&found));
    }
}
