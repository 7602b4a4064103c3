//! Each tile is fetched once, whatever the number of threads.
#![expect(
    clippy::unwrap_used,
    clippy::panic_in_result_fn,
    reason = "a test, which may fail so"
)]
#![allow(
    unfulfilled_lint_expectations,
    reason = "not each build has all of them"
)]

use std::num::NonZeroUsize;
use std::sync::Arc;

use bytes::Bytes;
use tdb_array::{Array, ChangeOptions, Location, OpenOptions};
use tdb_cells::{Batch, Column, Session, SessionOptions};
use tdb_filters::{FilterList, FilterRecord};
use tdb_query::{ReadOptions, Reader, ResultOrder};
use tdb_schema::{ArraySchema, ArrayType, Attribute, CellValNum, Dimension};
use tdb_store::{Counts, MemoryStore, Store};
use tdb_tile::{Datatype, Range};
use tdb_write::{WriteOptions, WriteOrder, Writer};

const SIDE: i32 = 512;

/// A dense array of 1 MiB, in tiles of this extent.
fn image(extent: i32, filters: FilterList) -> MemoryStore {
    let dimensions =
        ["y", "x"].map(|name| Dimension::numbers(name, Datatype::Int32, (1_i32, SIDE), extent));
    let mut attribute = Attribute::new("a", Datatype::Int32);
    attribute.filters = filters;
    let schema = ArraySchema::new(ArrayType::Dense, dimensions.into(), vec![attribute]);
    let store = MemoryStore::new();
    Array::create(
        &Location::new(Arc::new(store.clone()), ""),
        &schema,
        &[],
        &ChangeOptions::default(),
    )
    .unwrap();
    let array = Arc::new(open(&store));
    let cells = usize::try_from(SIDE * SIDE).unwrap();
    let values: Vec<u8> = (0..SIDE * SIDE).flat_map(i32::to_le_bytes).collect();
    let options = WriteOptions::default().order(Some(WriteOrder::RowMajor));
    let mut writer = Writer::open(&Session::default(), &array, &options).unwrap();
    let column = Column {
        name: "a".to_owned(),
        datatype: Datatype::Int32,
        cell_val_num: CellValNum::Fixed(1),
        nullable: false,
        values: Bytes::from(values),
        offsets: None,
        validity: None,
        enumeration: None,
    };
    writer
        .push(&Batch {
            rows: cells,
            columns: vec![column],
        })
        .unwrap();
    writer.finish().unwrap();
    store
}

fn open(store: &MemoryStore) -> Array {
    let store: Arc<dyn Store> = Arc::new(store.clone());
    Array::open(store, "", OpenOptions::default()).unwrap()
}

/// The requests of reads of the whole array, with several numbers of threads and in several orders.
fn reads(store: &MemoryStore) -> Vec<(String, Counts)> {
    let array = Arc::new(open(store));
    let mut all = Vec::new();
    for (threads, order) in [
        (1, ResultOrder::RowMajor),
        (2, ResultOrder::RowMajor),
        (4, ResultOrder::RowMajor),
        (4, ResultOrder::Global),
        (2, ResultOrder::ColumnMajor),
    ] {
        let session = Session::new(SessionOptions::default().threads(NonZeroUsize::new(threads)));
        let options = ReadOptions::default().order(Some(order));
        store.take_counts();
        let reader = Reader::open(&session, &array, &options).unwrap();
        let cells: usize = reader.map(|batch| batch.unwrap().rows).sum();
        assert_eq!(i32::try_from(cells).unwrap(), SIDE * SIDE);
        all.push((format!("{threads} threads, {order:?}"), store.take_counts()));
    }
    all
}

#[test]
fn filtered_tiles_of_a_dense_array_are_fetched_once_at_any_number_of_threads() {
    // One tile; tiles that several threads share; rows of tiles.
    for extent in [SIDE, 200, 64] {
        let byteshuffle = FilterRecord::new(9, Vec::new());
        let store = image(extent, FilterList::new(vec![byteshuffle]));
        let tiles = u64::try_from((SIDE + extent - 1) / extent).unwrap();
        for (what, counts) in reads(&store) {
            assert_eq!(counts.reads, tiles * tiles, "extent {extent}, {what}");
        }
    }
}

/// From an unfiltered tile, each thread fetches only its own chunks.
#[test]
fn the_bytes_of_a_raw_dense_array_are_fetched_once_at_any_number_of_threads() {
    let store = image(SIDE, FilterList::default());
    let cells = u64::try_from(SIDE * SIDE * 4).unwrap();
    for (what, counts) in reads(&store) {
        let range = cells..=cells + cells / 100;
        assert!(
            range.contains(&counts.bytes),
            "{what}: {counts:?} of {cells}"
        );
    }
}

/// Forty disjoint fragments of a hundred cells each, in tiles of ten.
fn disjoint() -> MemoryStore {
    let dimensions = vec![Dimension::numbers(
        "x",
        Datatype::Int32,
        (1_i32, 10_000),
        100,
    )];
    let attribute = Attribute::new("a", Datatype::Int32);
    let mut schema = ArraySchema::new(ArrayType::Sparse, dimensions, vec![attribute]);
    schema.capacity = 10;
    let store = MemoryStore::new();
    Array::create(
        &Location::new(Arc::new(store.clone()), ""),
        &schema,
        &[],
        &ChangeOptions::default(),
    )
    .unwrap();
    for fragment in (0..40).rev() {
        let numbers = (1..=100).map(|cell| fragment * 100 + cell);
        let values: Vec<u8> = numbers.flat_map(i32::to_le_bytes).collect();
        let column = |name: &str| Column {
            name: name.to_owned(),
            datatype: Datatype::Int32,
            cell_val_num: CellValNum::Fixed(1),
            nullable: false,
            values: Bytes::from(values.clone()),
            offsets: None,
            validity: None,
            enumeration: None,
        };
        let array = Arc::new(open(&store));
        let options = WriteOptions::default();
        let mut writer = Writer::open(&Session::default(), &array, &options).unwrap();
        let (rows, columns) = (100, vec![column("x"), column("a")]);
        writer.push(&Batch { rows, columns }).unwrap();
        writer.finish().unwrap();
    }
    store
}

#[test]
fn fragments_one_behind_the_other_are_read_once_in_batches_of_the_size_asked_for() {
    let store = disjoint();
    let array = Arc::new(open(&store));
    // A cell takes 56 bytes while it is merged.
    for (batch_bytes, most) in [(1 << 20, 1), (56 * 1000, 8), (56 * 100, 80)] {
        let options = ReadOptions::default().batch_bytes(Some(batch_bytes));
        store.take_counts();
        let reader = Reader::open(&Session::default(), &array, &options).unwrap();
        let batches: Vec<Batch> = reader.map(Result::unwrap).collect();
        let cells = batches.iter().flat_map(|batch| {
            let cells = batch.column("x").unwrap().numbers::<i32>().unwrap();
            cells.collect::<Vec<i32>>()
        });
        assert!(cells.eq(1..=4000));
        assert!(batches.len() <= most, "{} batches", batches.len());
        assert_eq!(store.take_counts().reads, 40 * 10 * 2);
    }
}

#[test]
fn of_fragments_that_a_range_excludes_nothing_is_asked_for_beyond_their_footers() {
    let store = disjoint();
    // Fragment 7 is read in tiles 701..=710 and 711..=720, the other 39 not at all; metadata came with the footers.
    for order in [ResultOrder::Unordered, ResultOrder::RowMajor] {
        let array = Arc::new(open(&store));
        let options = ReadOptions::default()
            .order(Some(order))
            .ranges(vec![("x".to_owned(), Range::of(705_i32, 712))]);
        let session = Session::default();
        store.take_counts();
        let reader = Reader::open(&session, &array, &options).unwrap();
        let cells: usize = reader.map(|batch| batch.unwrap().rows).sum();
        assert_eq!(cells, 8);
        assert_eq!(store.take_counts().reads, 4, "{order:?}");
        assert_eq!(session.counters().profile().tiles_read, 4, "{order:?}");
    }
}
