//! The cells that a read returns do not depend on its order.
#![expect(clippy::unwrap_used, reason = "helpers of tests, which may fail so")]

use std::collections::BTreeMap;
use std::sync::Arc;

use tdb_array::{Array, ChangeOptions, Location, OpenOptions};
use tdb_cells::{Batch, Column, Session};
use tdb_condition::Condition;
use tdb_query::{ReadOptions, Reader, ResultOrder};
use tdb_schema::{ArraySchema, ArrayType, Attribute, CellValNum, Dimension};
use tdb_store::MemoryStore;
use tdb_tile::{Datatype, Limits, Range};
use tdb_write::{WriteOptions, Writer};

const ORDERS: [ResultOrder; 4] = [
    ResultOrder::RowMajor,
    ResultOrder::ColumnMajor,
    ResultOrder::Global,
    ResultOrder::Unordered,
];

/// Whether a cell matches a condition.
type Fits = fn(Option<i32>) -> bool;

fn location(array_type: ArrayType, nullable: bool) -> Location {
    let dimensions = ["x", "y"].map(|name| Dimension::numbers(name, Datatype::Int8, (0_i8, 8), 4));
    let n = Attribute {
        nullable,
        ..Attribute::new("n", Datatype::Int32)
    };
    let mut schema = ArraySchema::new(array_type, dimensions.to_vec(), vec![n]);
    schema.capacity = 3;
    let location = Location::new(Arc::new(MemoryStore::new()), "a");
    Array::create(&location, &schema, &[], &ChangeOptions::at(1)).unwrap();
    location
}

fn open(location: &Location) -> Arc<Array> {
    Arc::new(Array::open_location(location, OpenOptions::default()).unwrap())
}

fn column(name: &str, datatype: Datatype, values: Vec<u8>, valid: Option<Vec<bool>>) -> Column {
    let bits = valid.map(|valid| {
        let byte = |cells: &[bool]| {
            cells
                .iter()
                .rev()
                .fold(0, |byte, v| byte << 1 | u8::from(*v))
        };
        valid.chunks(8).map(byte).collect::<Vec<u8>>()
    });
    Column {
        name: name.to_owned(),
        datatype,
        cell_val_num: CellValNum::Fixed(1),
        nullable: bits.is_some(),
        values: values.into(),
        offsets: None,
        validity: bits.map(Into::into),
        enumeration: None,
    }
}

fn write(location: &Location, options: &WriteOptions, rows: usize, columns: Vec<Column>) {
    let mut writer = Writer::open(&Session::default(), &open(location), options).unwrap();
    writer.push(&Batch { rows, columns }).unwrap();
    writer.finish().unwrap();
}

/// The cells of a read with their coordinates; `None` is null.
fn cells(array: &Arc<Array>, options: &ReadOptions) -> Vec<((i8, i8), Option<i32>)> {
    let mut cells = Vec::new();
    for batch in Reader::open(&Session::default(), array, options).unwrap() {
        let batch = batch.unwrap();
        let places = |name: &str| batch.column(name).unwrap().numbers::<i8>().unwrap();
        let n = batch.column("n").unwrap();
        let values = n.numbers::<i32>().unwrap().enumerate();
        let values = values.map(|(row, value)| n.is_valid(row).then_some(value));
        cells.extend(places("x").zip(places("y")).zip(values));
    }
    cells
}

#[test]
fn null_tests_of_dense_arrays_hold_in_every_order() {
    let location = location(ArrayType::Dense, true);
    // Three overlapping writes, with some nulls.
    let boxes = [[(0, 8), (0, 8)], [(2, 5), (3, 6)], [(5, 8), (1, 4)]];
    for (time, [x, y]) in (1_u64..).zip(boxes) {
        let count = usize::try_from((x.1 - x.0 + 1) * (y.1 - y.0 + 1)).unwrap();
        let number =
            |cell: usize| i32::try_from(cell * 37 % 99).unwrap() + i32::try_from(time).unwrap();
        let valid = (0..count)
            .map(|cell| (cell * 7 + cell / 5) % 5 > 1)
            .collect();
        let values = (0..count)
            .flat_map(|cell| number(cell).to_le_bytes())
            .collect();
        let range = |ends: (i32, i32)| {
            Range::of(i8::try_from(ends.0).unwrap(), i8::try_from(ends.1).unwrap())
        };
        let options = WriteOptions::at(time * 100)
            .ranges(vec![("x".to_owned(), range(x)), ("y".to_owned(), range(y))]);
        write(
            &location,
            &options,
            count,
            vec![column("n", Datatype::Int32, values, Some(valid))],
        );
    }
    let array = open(&location);
    let ranges: [&[(&str, i8, i8)]; 3] = [
        &[],
        &[("x", 1, 2), ("x", 4, 7)],
        &[("y", 1, 2), ("y", 4, 5)],
    ];
    for ranges in ranges {
        for order in ORDERS {
            let of_ranges =
                |(name, lo, hi): &(&str, i8, i8)| ((*name).to_owned(), Range::of(*lo, *hi));
            let read = |condition: Option<Condition>| {
                let options = ReadOptions::default()
                    .ranges(ranges.iter().map(of_ranges).collect())
                    .order(Some(order).filter(|o| ranges.is_empty() || *o != ResultOrder::Global))
                    .condition(condition);
                cells(&array, &options)
            };
            let all = read(None);
            assert!(all.iter().any(|(_, n)| n.is_none()) && all.iter().any(|(_, n)| n.is_some()));
            let tests: [(&str, Fits); 3] = [
                ("n is null", |n| n.is_none()),
                ("n is not null", |n| n.is_some()),
                ("n > 50", |n| n > Some(50)),
            ];
            for (text, fits) in tests {
                let condition = Condition::parse(text, &Limits::default()).unwrap();
                let wanted: Vec<_> = all.iter().copied().filter(|(_, n)| fits(*n)).collect();
                assert_eq!(read(Some(condition)), wanted, "{text} {order:?} {ranges:?}");
            }
        }
    }
}

#[test]
fn cells_of_equal_integers_are_one_in_every_order() {
    let location = location(ArrayType::Sparse, false);
    let mut newest = BTreeMap::new();
    for time in 1..=3_i32 {
        let step = usize::try_from(time).unwrap();
        let places: Vec<(i8, i8)> = (0..9)
            .flat_map(|x| (0..9).map(move |y| (x, y)))
            .step_by(step)
            .collect();
        let of =
            |axis: fn(&(i8, i8)) -> i8| places.iter().map(|p| axis(p).to_le_bytes()[0]).collect();
        let values = places.iter().flat_map(|_| time.to_le_bytes()).collect();
        let columns = vec![
            column("x", Datatype::Int8, of(|p| p.0), None),
            column("y", Datatype::Int8, of(|p| p.1), None),
            column("n", Datatype::Int32, values, None),
        ];
        write(
            &location,
            &WriteOptions::at(u64::from(time.unsigned_abs()) * 100),
            places.len(),
            columns,
        );
        newest.extend(places.into_iter().map(|place| (place, Some(time))));
    }
    let array = open(&location);
    for order in ORDERS {
        let options = ReadOptions::default().order(Some(order));
        let found = cells(&array, &options);
        assert_eq!(found.len(), newest.len(), "{order:?}");
        assert_eq!(
            found.into_iter().collect::<BTreeMap<_, _>>(),
            newest,
            "{order:?}"
        );
    }
}
