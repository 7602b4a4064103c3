//! Groups by floats, including NaN, and values that are equal although their bits differ.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::Arc;

use proptest::prelude::*;
use tdb_aggregate::{Aggregate, Table, aggregate, summarize};
use tdb_array::{Array, ChangeOptions, Location, OpenOptions};
use tdb_cells::{Batch, Column, Session, SessionOptions};
use tdb_query::ReadOptions;
use tdb_schema::{
    ArraySchema, ArrayType, Attribute, CellValNum, Dimension, Enumeration, EnumerationRef,
};
use tdb_store::MemoryStore;
use tdb_tile::Datatype;
use tdb_write::{WriteOptions, Writer};

/// A cell: a double, a float or null, two doubles, any number of floats.
#[derive(Clone, Debug)]
struct Cell {
    double: f64,
    float: Option<f32>,
    pair: [f64; 2],
    list: Vec<f32>,
}

fn doubles() -> impl Strategy<Value = f64> {
    let bits = vec![
        0,
        1 << 63,
        0x7ff8_0000_0000_0000,
        0xfff8_0000_0000_0000,
        0x7ff8_0000_0000_0123,
        0x7ff0_0000_0000_0001,
        0xffff_ffff_ffff_ffff,
        f64::INFINITY.to_bits(),
        f64::NEG_INFINITY.to_bits(),
        1,
        1 << 63 | 1,
        1_f64.to_bits(),
        (-1_f64).to_bits(),
    ];
    let odd = prop::sample::select(bits).prop_map(f64::from_bits);
    prop_oneof![5 => odd, 1 => any::<u64>().prop_map(f64::from_bits), 1 => -3.0_f64..3.0]
}

fn floats() -> impl Strategy<Value = f32> {
    let bits = vec![
        0,
        1 << 31,
        0x7fc0_0000,
        0xffc0_0000,
        0x7f80_0001,
        0xffff_ffff,
        f32::INFINITY.to_bits(),
        1,
        1 << 31 | 1,
        2_f32.to_bits(),
    ];
    let odd = prop::sample::select(bits).prop_map(f32::from_bits);
    prop_oneof![5 => odd, 1 => any::<u32>().prop_map(f32::from_bits)]
}

/// Cells, and the same cells in another order.
fn cells() -> impl Strategy<Value = (Vec<Cell>, Vec<Cell>)> {
    let cell = (
        doubles(),
        prop::option::of(floats()),
        [doubles(), doubles()],
        prop::collection::vec(floats(), 0..3),
    );
    let cell = cell.prop_map(|(double, float, pair, list)| Cell {
        double,
        float,
        pair,
        list,
    });
    let cells = prop::collection::vec(cell, 1..120);
    cells.prop_flat_map(|cells| (Just(cells.clone()), Just(cells).prop_shuffle()))
}

fn array() -> Location {
    let float = Attribute {
        nullable: true,
        ..Attribute::new("float", Datatype::Float32)
    };
    let attributes = vec![
        Attribute::new("double", Datatype::Float64),
        float,
        Attribute::new("pair", Datatype::Float64).with_cell_val_num(CellValNum::Fixed(2)),
        Attribute::new("list", Datatype::Float32).with_cell_val_num(CellValNum::Var),
    ];
    let x = Dimension::numbers("x", Datatype::UInt32, (0_u32, 999), 50);
    let mut schema = ArraySchema::new(ArrayType::Sparse, vec![x], attributes);
    schema.capacity = 7;
    let location = Location::new(Arc::new(MemoryStore::new()), "a");
    Array::create(&location, &schema, &[], &ChangeOptions::default()).expect("created");
    location
}

fn column(name: &str, datatype: Datatype, cell_val_num: CellValNum, values: Vec<u8>) -> Column {
    Column {
        name: name.to_owned(),
        datatype,
        cell_val_num,
        nullable: false,
        values: values.into(),
        offsets: None,
        validity: None,
        enumeration: None,
    }
}

fn open(location: &Location) -> Arc<Array> {
    Arc::new(Array::open_location(location, OpenOptions::default()).expect("opened"))
}

fn write(location: &Location, rows: usize, columns: Vec<Column>) {
    let options = WriteOptions::default();
    let mut writer = Writer::open(&Session::default(), &open(location), &options).expect("begun");
    writer.push(&Batch { rows, columns }).expect("pushed");
    writer.finish().expect("written");
}

fn places(rows: usize) -> Column {
    let places = (0_u32..).take(rows).flat_map(u32::to_le_bytes).collect();
    column("x", Datatype::UInt32, CellValNum::Fixed(1), places)
}

/// Creates an array of these cells in the given order.
fn written(cells: &[Cell]) -> Arc<Array> {
    let location = array();
    let one = CellValNum::Fixed(1);
    let bytes = |of: &dyn Fn(&Cell) -> Vec<u8>| cells.iter().flat_map(of).collect::<Vec<u8>>();
    let double = bytes(&|cell| cell.double.to_le_bytes().into());
    let float = bytes(&|cell| cell.float.unwrap_or(7.0).to_le_bytes().into());
    let mut float = column("float", Datatype::Float32, one, float);
    let valid = cells.chunks(8).map(|eight| {
        let bits = eight.iter().zip(0_u8..);
        bits.fold(0_u8, |byte, (cell, bit)| {
            byte | u8::from(cell.float.is_some()) << bit
        })
    });
    float.nullable = true;
    float.validity = Some(valid.collect::<Vec<u8>>().into());
    let pair = bytes(&|cell| cell.pair.iter().flat_map(|v| v.to_le_bytes()).collect());
    let list = bytes(&|cell| cell.list.iter().flat_map(|v| v.to_le_bytes()).collect());
    let mut list = column("list", Datatype::Float32, CellValNum::Var, list);
    let mut offsets = vec![0_u64];
    for cell in cells {
        offsets.push(offsets.last().expect("one") + 4 * cell.list.len() as u64);
    }
    list.offsets = Some(
        offsets
            .iter()
            .flat_map(|o| o.to_le_bytes())
            .collect::<Vec<u8>>()
            .into(),
    );
    let columns = vec![
        places(cells.len()),
        column("double", Datatype::Float64, one, double),
        float,
        column("pair", Datatype::Float64, CellValNum::Fixed(2), pair),
        list,
    ];
    write(&location, cells.len(), columns);
    open(&location)
}

/// A sort key: null or not, numbers in the order of groups, and their bytes. Null comes last.
type Key = (bool, Vec<u64>, Vec<u8>);

/// Maps equal numbers to the same position, and NaN after all numbers.
fn place(value: f64) -> u64 {
    if value.is_nan() {
        return u64::MAX;
    }
    let bits = (value + 0.0).to_bits();
    if bits >> 63 == 1 {
        !bits
    } else {
        bits | 1 << 63
    }
}

fn of_doubles(values: &[f64]) -> Key {
    let told = values
        .iter()
        .map(|v| if v.is_nan() { f64::NAN } else { v + 0.0 });
    let bytes = told.flat_map(f64::to_le_bytes).collect();
    (false, values.iter().map(|v| place(*v)).collect(), bytes)
}

fn of_floats(values: &[f32]) -> Key {
    let told = values
        .iter()
        .map(|v| if v.is_nan() { f32::NAN } else { v + 0.0 });
    let bytes = told.flat_map(f32::to_le_bytes).collect();
    let places = values.iter().map(|v| place(f64::from(*v)));
    (false, places.collect(), bytes)
}

fn key(cell: &Cell, field: &str) -> Key {
    match field {
        "double" => of_doubles(&[cell.double]),
        "float" => match cell.float {
            Some(value) => of_floats(&[value]),
            None => (true, Vec::new(), Vec::new()),
        },
        "pair" => of_doubles(&cell.pair),
        _ => of_floats(&cell.list),
    }
}

/// The keys of groups, with their number of cells.
type Groups = Vec<(Vec<Option<Vec<u8>>>, u64)>;

fn model(cells: &[Cell], by: &[&str]) -> Groups {
    let mut groups: BTreeMap<Vec<Key>, u64> = BTreeMap::new();
    for cell in cells {
        let keys = by.iter().map(|field| key(cell, field)).collect();
        *groups.entry(keys).or_default() += 1;
    }
    let told = groups.into_iter().map(|(keys, cells)| {
        let keys = keys.into_iter();
        let keys = keys.map(|(is_null, _, bytes)| (!is_null).then_some(bytes));
        (keys.collect(), cells)
    });
    told.collect()
}

fn told(table: &Table) -> Groups {
    let groups = table.groups.iter().map(|group| {
        let keys = (0..table.by.len()).map(|field| group.key(field).map(<[u8]>::to_vec));
        (keys.collect(), group.cells)
    });
    groups.collect()
}

fn session(threads: usize) -> Session {
    Session::new(SessionOptions::default().threads(NonZeroUsize::new(threads)))
}

const BY: [&[&str]; 6] = [
    &["double"],
    &["float"],
    &["pair"],
    &["list"],
    &["float", "double"],
    &["list", "pair"],
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn groups_of_floats_are_the_same_in_whatever_order_cells_come((cells, others) in cells()) {
        let (array, other) = (written(&cells), written(&others));
        let small = ReadOptions::default()
.batch_bytes(Some(64));
        for by in BY {
            let wanted = model(&cells, by);
            for (array, threads) in [(&array, 1), (&array, 2), (&other, 1), (&other, 2)] {
                for options in [&small, &ReadOptions::default()] {
                    let table = aggregate(&session(threads), array, options, &[Aggregate::count()], by);
                    prop_assert_eq!(&told(&table.expect("groups")), &wanted);
                }
            }
        }
    }

    #[test]
    fn distinct_floats_are_counted_as_they_are_grouped((cells, _) in cells()) {
        let array = written(&cells);
        let fields = ["double", "float", "pair", "list"];
        let found = summarize(&session(1), &array, &ReadOptions::default(), &fields).expect("told");
        for (summary, field) in found.iter().zip(fields) {
            let groups = model(&cells, &[field]);
            let values = groups.iter().filter(|(key, _)| key.iter().all(Option::is_some));
            prop_assert_eq!(summary.distinct, values.count() as u64, "{}", field);
        }
    }
}

/// Creates an array whose cells are indexes of labels, some of which are equal.
fn of_labels(indexes: &[i16]) -> Arc<Array> {
    let labels: Vec<[u8; 8]> = [-0.0, 1.0, f64::NAN, 0.0, -f64::NAN, -1.0]
        .map(f64::to_le_bytes)
        .to_vec();
    let one = CellValNum::Fixed(1);
    let labels =
        Enumeration::from_values("labels", "__0_0", Datatype::Float64, one, false, &labels);
    let attribute = Attribute {
        enumeration: Some("labels".to_owned()),
        ..Attribute::new("e", Datatype::Int16)
    };
    let x = Dimension::numbers("x", Datatype::UInt32, (0_u32, 999), 50);
    let mut schema = ArraySchema::new(ArrayType::Sparse, vec![x], vec![attribute]);
    schema.enumerations.push(EnumerationRef {
        name: "labels".to_owned(),
        file: "__0_0".to_owned(),
    });
    let location = Location::new(Arc::new(MemoryStore::new()), "a");
    let labels = [labels.expect("labels")];
    Array::create(&location, &schema, &labels, &ChangeOptions::default()).expect("created");
    let bytes = indexes.iter().flat_map(|i| i.to_le_bytes()).collect();
    let cells = column("e", Datatype::Int16, one, bytes);
    write(&location, indexes.len(), vec![places(indexes.len()), cells]);
    open(&location)
}

#[test]
fn labels_that_are_equal_floats_are_one_group() {
    let (array, all) = (of_labels(&[0, 1, 2, 3, 4, 5, 3]), ReadOptions::default());
    let table = aggregate(&session(1), &array, &all, &[], &["e"]).expect("groups");
    let wanted = [(-1.0, 1), (0.0, 3), (1.0, 1), (f64::NAN, 2)];
    let wanted = wanted.map(|(value, cells)| (vec![Some(value.to_le_bytes().to_vec())], cells));
    assert_eq!(told(&table), wanted);
    let summary = summarize(&session(1), &array, &all, &["e"]).expect("told");
    assert_eq!(summary.first().map(|summary| summary.distinct), Some(4));
}

#[test]
fn indexes_without_a_label_are_one_group_with_null() {
    let array = of_labels(&[6, -1, 1, 99]);
    let table = aggregate(&session(1), &array, &ReadOptions::default(), &[], &["e"]);
    let one = vec![Some(1_f64.to_le_bytes().to_vec())];
    assert_eq!(told(&table.expect("groups")), [(one, 1), (vec![None], 3)]);
}
