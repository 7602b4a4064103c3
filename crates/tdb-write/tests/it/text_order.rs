//! Strings have another order in the cells of an array than in the bounds of tiles, so the bounds do not prove that
//! one fragment follows another.
#![expect(clippy::unwrap_used, reason = "helpers of tests, which may fail so")]

use std::sync::Arc;

use bytes::Bytes;
use tdb_array::{Array, ChangeOptions, Location, OpenOptions};
use tdb_cells::{Batch, Column, Session};
use tdb_query::{ReadOptions, Reader, ResultOrder};
use tdb_schema::{ArraySchema, ArrayType, Attribute, CellValNum, Dimension};
use tdb_store::{MemoryStore, Store};
use tdb_tile::Datatype;
use tdb_write::{WriteOptions, Writer};

fn open(store: &MemoryStore) -> Arc<Array> {
    let store: Arc<dyn Store> = Arc::new(store.clone());
    Arc::new(Array::open(store, "", OpenOptions::default()).unwrap())
}

fn column(name: &str, datatype: Datatype, values: Vec<u8>, offsets: Option<Vec<u64>>) -> Column {
    let offsets = offsets.map(|all| all.into_iter().flat_map(u64::to_le_bytes).collect());
    Column {
        name: name.to_owned(),
        datatype,
        cell_val_num: match &offsets {
            Some(_) => CellValNum::Var,
            None => CellValNum::Fixed(1),
        },
        nullable: false,
        values: Bytes::from(values),
        offsets: offsets.map(|bytes: Vec<u8>| Bytes::from(bytes)),
        validity: None,
        enumeration: None,
    }
}

fn write(store: &MemoryStore, time: u64, cells: &[(&[u8], i32)]) {
    let mut ends = vec![0_u64];
    let mut text = Vec::new();
    for (key, _) in cells {
        text.extend_from_slice(key);
        ends.push(text.len() as u64);
    }
    let numbers = cells.iter().flat_map(|(_, number)| number.to_le_bytes());
    let batch = Batch {
        rows: cells.len(),
        columns: vec![
            column("s", Datatype::StringAscii, text, Some(ends)),
            column("a", Datatype::Int32, numbers.collect(), None),
        ],
    };
    let options = WriteOptions::default().timestamp(Some(time));
    let mut writer = Writer::open(&Session::default(), &open(store), &options).unwrap();
    writer.push(&batch).unwrap();
    writer.finish().unwrap();
}

/// An empty array with a string dimension; tiles have this number of cells.
fn array(capacity: u64) -> MemoryStore {
    let dimensions = vec![Dimension::strings("s")];
    let attributes = vec![Attribute::new("a", Datatype::Int32)];
    let mut schema = ArraySchema::new(ArrayType::Sparse, dimensions, attributes);
    schema.capacity = capacity;
    let store = MemoryStore::new();
    Array::create(
        &Location::new(Arc::new(store.clone()), ""),
        &schema,
        &[],
        &ChangeOptions::default(),
    )
    .unwrap();
    store
}

#[test]
fn many_texts_of_any_length_are_put_in_order() {
    // As many cells per tile as are located at a time, one more, and several times as many.
    for capacity in [1024, 1025, 4000] {
        let text = |place: usize| format!("{:04}{}", place, "x".repeat(place % 45)).into_bytes();
        let texts: Vec<Vec<u8>> = (0..5000).map(|place| text(place * 37 % 5000)).collect();
        let numbers = (0..5000).map(|place| place * 37 % 5000);
        let cells: Vec<(&[u8], i32)> = texts.iter().map(Vec::as_slice).zip(numbers).collect();
        let store = array(capacity);
        write(&store, 10, &cells);
        let (mut found, mut numbers) = (Vec::new(), Vec::new());
        let options = ReadOptions::default();
        for batch in Reader::open(&Session::default(), &open(&store), &options).unwrap() {
            let batch = batch.unwrap();
            let column = batch.column("s").unwrap();
            found.extend((0..batch.rows).map(|row| column.cell(row).unwrap().to_vec()));
            numbers.extend(batch.column("a").unwrap().numbers::<i32>().unwrap());
        }
        assert_eq!(numbers, (0..5000).collect::<Vec<i32>>());
        assert_eq!(found, (0..5000).map(text).collect::<Vec<_>>());
    }
}

#[test]
fn text_beyond_ascii_is_merged_in_batches_of_any_size() {
    let store = array(2);
    let high = "\u{e9}".as_bytes();
    write(&store, 10, &[(high, 1), (b"a", 2), (b"c", 3)]);
    write(&store, 20, &[(high, 4), (b"d", 5)]);
    for order in [ResultOrder::Global, ResultOrder::RowMajor] {
        let read = |batch_bytes| {
            let options = ReadOptions::default()
                .order(Some(order))
                .batch_bytes(Some(batch_bytes));
            let mut found = Vec::new();
            for batch in Reader::open(&Session::default(), &open(&store), &options).unwrap() {
                let batch = batch.unwrap();
                found.extend(batch.column("a").unwrap().numbers::<i32>().unwrap());
            }
            found
        };
        let expected = match order {
            // In the global order of cells, bytes are signed.
            ResultOrder::Global => [4, 2, 3, 5],
            _ => [2, 3, 5, 4],
        };
        assert_eq!(read(1 << 20), expected, "{order:?}");
        assert_eq!(read(1), expected, "{order:?}");
    }
}
