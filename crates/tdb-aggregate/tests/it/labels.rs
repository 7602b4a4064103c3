//! Aggregates and groups of enumerated attributes: an index without a label is null, and labels may be ordered.

use std::sync::Arc;

use proptest::prelude::*;
use tdb_aggregate::{Aggregate, Function, Outcome, aggregate, summarize};
use tdb_array::{Array, ChangeOptions, Location, OpenOptions};
use tdb_cells::{Batch, Column, Session};
use tdb_query::ReadOptions;
use tdb_schema::{
    ArraySchema, ArrayType, Attribute, CellValNum, Dimension, Enumeration, EnumerationRef,
};
use tdb_store::MemoryStore;
use tdb_tile::Datatype;
use tdb_write::{WriteOptions, Writer};

const LABELS: [&str; 3] = ["low", "mid", "high"];

fn column(name: &str, datatype: Datatype, values: Vec<u8>) -> Column {
    Column {
        name: name.to_owned(),
        datatype,
        cell_val_num: CellValNum::Fixed(1),
        nullable: false,
        values: values.into(),
        offsets: None,
        validity: None,
        enumeration: None,
    }
}

/// Creates an array of these indexes in small tiles, with ordered or unordered labels.
fn written(indexes: &[i16], ordered: bool, array_type: ArrayType) -> Arc<Array> {
    let (text, var) = (Datatype::StringUtf8, CellValNum::Var);
    let labels = Enumeration::from_values("levels", "__0_0", text, var, ordered, LABELS);
    let attribute = Attribute {
        enumeration: Some("levels".to_owned()),
        ..Attribute::new("e", Datatype::Int16)
    };
    let last = u32::try_from(indexes.len()).expect("few") - 1;
    let x = Dimension::numbers("x", Datatype::UInt32, (0_u32, last), last.clamp(1, 4));
    let mut schema = ArraySchema::new(array_type, vec![x], vec![attribute]);
    schema.capacity = 3;
    schema.enumerations.push(EnumerationRef {
        name: "levels".to_owned(),
        file: "__0_0".to_owned(),
    });
    let location = Location::new(Arc::new(MemoryStore::new()), "a");
    let labels = [labels.expect("labels")];
    Array::create(&location, &schema, &labels, &ChangeOptions::default()).expect("created");
    let open =
        || Arc::new(Array::open_location(&location, OpenOptions::default()).expect("opened"));
    let places = (0..=last).flat_map(u32::to_le_bytes).collect();
    let cells = indexes.iter().flat_map(|i| i.to_le_bytes()).collect();
    let mut columns = vec![column("e", Datatype::Int16, cells)];
    if array_type == ArrayType::Sparse {
        columns.push(column("x", Datatype::UInt32, places));
    }
    let options = WriteOptions::default();
    let mut writer = Writer::open(&Session::default(), &open(), &options).expect("begun");
    let rows = indexes.len();
    writer.push(&Batch { rows, columns }).expect("pushed");
    writer.finish().expect("written");
    open()
}

fn label(index: i16) -> Option<&'static str> {
    LABELS.get(usize::try_from(index).ok()?).copied()
}

fn outcome(label: Option<&str>) -> Outcome {
    label.map_or(Outcome::None, |label| {
        Outcome::Value(Datatype::StringUtf8, label.as_bytes().to_vec())
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn aggregates_of_labels_are_those_of_a_naive_model(
        indexes in prop::collection::vec(-2..5_i16, 1..20),
        is_dense in any::<bool>(),
    ) {
        let array_type = if is_dense { ArrayType::Dense } else { ArrayType::Sparse };
        let array = written(&indexes, true, array_type);
        let (session, all) = (Session::default(), ReadOptions::default());
        let wanted = [Function::Count, Function::NullCount, Function::Min, Function::Max];
        let wanted = wanted.map(|function| Aggregate::of(function, "e"));
        let table = aggregate(&session, &array, &all, &wanted, &[]).expect("told");
        let known: Vec<i16> = indexes.iter().copied().filter(|i| label(*i).is_some()).collect();
        let count = |cells: usize| Outcome::Unsigned(cells as u64);
        let (least, greatest) = (known.iter().min(), known.iter().max());
        let model = vec![
            count(known.len()),
            count(indexes.len() - known.len()),
            outcome(least.and_then(|i| label(*i))),
            outcome(greatest.and_then(|i| label(*i))),
        ];
        prop_assert_eq!(&table.groups[0].values, &model);
        // A single aggregate may be determined by statistics alone.
        for (aggregate_of, value) in wanted.iter().zip(&model) {
            let one = std::slice::from_ref(aggregate_of);
            let table = aggregate(&session, &array, &all, one, &[]).expect("told");
            prop_assert_eq!(&table.groups[0].values[0], value);
        }
        let summary = summarize(&session, &array, &all, &["e"]).expect("told").remove(0);
        let mut distinct = known.clone();
        distinct.sort_unstable();
        distinct.dedup();
        prop_assert_eq!(summary.count, known.len() as u64);
        prop_assert_eq!(summary.nulls, (indexes.len() - known.len()) as u64);
        prop_assert_eq!(summary.distinct, distinct.len() as u64);
        prop_assert_eq!((summary.min, summary.max), (model[2].clone(), model[3].clone()));
    }
}

#[test]
fn groups_of_labels_come_by_their_order_if_they_have_one() {
    let told = |ordered| {
        let array = written(&[2, 0, -1, 1, 2], ordered, ArrayType::Sparse);
        let (session, all) = (Session::default(), ReadOptions::default());
        let table = aggregate(&session, &array, &all, &[], &["e"]).expect("groups");
        let keys = table.groups.iter().map(|group| {
            let key = group
                .key(0)
                .map(|key| String::from_utf8_lossy(key).into_owned());
            key.unwrap_or_else(|| "null".to_owned())
        });
        keys.collect::<Vec<String>>()
    };
    assert_eq!(told(true), ["low", "mid", "high", "null"]);
    assert_eq!(told(false), ["high", "low", "mid", "null"]);
}

#[test]
fn labels_without_an_order_have_no_least_one() {
    let array = written(&[0, 1], false, ArrayType::Sparse);
    let wanted = [Aggregate::of(Function::Min, "e")];
    let (session, all) = (Session::default(), ReadOptions::default());
    let error = aggregate(&session, &array, &all, &wanted, &[]).expect_err("none");
    assert_eq!(
        error.to_string(),
        "min(e): the values of the field are labels of an enumeration"
    );
}
