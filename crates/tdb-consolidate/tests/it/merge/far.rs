//! The requests of a merge to a far store: tiles that are copied are fetched together.

use std::sync::Arc;

use bytes::Bytes;
use tdb_array::{Array, Location, OpenOptions};
use tdb_cells::Batch;
use tdb_consolidate::{MergeError, plan_merge};
use tdb_schema::{ArraySchema, ArrayType, Attribute, CellValNum, Dimension};
use tdb_store::{
    Distance, Listing, MemoryStore, ObjectWriter, Page, Piece, Read, Store, StoreError, read_whole,
};
use tdb_tile::{Datatype, Range};
use tdb_write::{WriteOptions, Writer};

use crate::merge::arrays::*;

/// A store in memory that reports to be far.
#[derive(Debug)]
struct FarStore(MemoryStore);

impl Store for FarStore {
    fn distance(&self) -> Distance {
        Distance::Far { gap: 1 << 20 }
    }
    fn list(&self, prefix: &str, page: Option<&Page>) -> Result<Listing, StoreError> {
        self.0.list(prefix, page)
    }
    fn size(&self, key: &str) -> Result<u64, StoreError> {
        self.0.size(key)
    }
    fn read(&self, reads: &[Read]) -> Vec<Result<Piece, StoreError>> {
        self.0.read(reads)
    }
    fn read_into(&self, key: &str, offset: u64, into: &mut [u8]) -> Result<(), StoreError> {
        self.0.read_into(key, offset, into)
    }
    fn create(&self, key: &str) -> Result<Box<dyn ObjectWriter>, StoreError> {
        self.0.create(key)
    }
    fn settle(&self, prefix: &str) -> Result<(), StoreError> {
        self.0.settle(prefix)
    }
    fn remove_many(&self, keys: &[&str]) -> Vec<Result<(), StoreError>> {
        self.0.remove_many(keys)
    }
}

/// Number of cells of a tile, and of tiles of a fragment.
const CELLS: i32 = 10;
const TILES: i32 = 200;

/// An array of two fragments of full tiles, with a nullable attribute and one of text.
fn two_fragments(array_type: ArrayType) -> MemoryStore {
    let y = Dimension::numbers("y", Datatype::Int32, (0_i32, 2 * TILES - 1), 1);
    let x = Dimension::numbers("x", Datatype::Int32, (0_i32, CELLS - 1), CELLS);
    let mut a = Attribute::new("a", Datatype::Int32);
    a.nullable = true;
    let text_of = Attribute::new("s", Datatype::StringUtf8).with_cell_val_num(CellValNum::Var);
    let mut schema = ArraySchema::new(array_type, vec![y, x], vec![a, text_of]);
    schema.capacity = 10;
    let store = MemoryStore::new();
    let location = Location::new(shared(&store), "");
    Array::create(&location, &schema, &[], &change(1)).unwrap();
    for (rows, time) in [(0..TILES, 10), (TILES..2 * TILES, 20)] {
        let cells = || {
            let rows = rows.clone();
            rows.flat_map(|y| (0..CELLS).map(move |x| (y, x)))
        };
        let nulls = cells().map(|(y, x)| (y + x) % 7 == 0).collect();
        let mut columns = vec![
            column("a", numbers(cells().map(|(y, x)| y * x)), Some(nulls)),
            text(
                "s",
                Datatype::StringUtf8,
                cells().map(|(y, x)| format!("{y}/{x}")).collect(),
            ),
        ];
        let mut ranges = Vec::new();
        if array_type == ArrayType::Dense {
            ranges.push(("y".to_owned(), Range::of(rows.start, rows.end - 1)));
        } else {
            columns.push(column("y", numbers(cells().map(|cell| cell.0)), None));
            columns.push(column("x", numbers(cells().map(|cell| cell.1)), None));
        }
        let batch = Batch {
            rows: cells().count(),
            columns,
        };
        let options = WriteOptions::at(time).ranges(ranges).names(names());
        let mut writer = Writer::open(&session(None), &Arc::new(now(&store)), &options).unwrap();
        writer.push(&batch).unwrap();
        writer.finish().unwrap();
    }
    store
}

/// Merges all fragments of a store; returns the number of copied tiles.
fn merged(store: Arc<dyn Store>, memory: Option<u64>) -> Result<u64, MergeError> {
    let array = open(&store, OpenOptions::default())?;
    let plan = plan_merge(&array, &options())?;
    let session = session(memory);
    plan.merge(&session, &array, &options())?;
    Ok(session.profile().tiles_copied)
}

fn far(store: &MemoryStore) -> Arc<dyn Store> {
    Arc::new(FarStore(store.clone()))
}

/// All tiles of both fragments.
const ALL: u64 = 400;

#[test]
fn tiles_that_are_copied_are_fetched_together() {
    // Before that, each file of each tile was a request and a wait of its own, and so was its size: 4826 of a sparse
    // array, 3201 of a dense one.
    for (array_type, waits, ranges) in [(ArrayType::Sparse, 18, 47), (ArrayType::Dense, 3, 11)] {
        let store = two_fragments(array_type);
        let before = seen(&store, &[25]);
        let array = open(&far(&store), OpenOptions::default()).unwrap();
        let plan = plan_merge(&array, &options()).unwrap();
        let session = session(None);
        store.take_counts();
        plan.merge(&session, &array, &options()).unwrap();
        let counts = store.take_counts();
        assert_eq!(session.profile().tiles_copied, ALL);
        assert_eq!(
            (counts.sizes, counts.batches, counts.reads),
            (0, waits, ranges),
            "{array_type:?}"
        );
        assert_eq!(seen(&store, &[25]), before);
    }
}

#[test]
fn without_memory_for_all_tiles_they_are_fetched_alone() {
    for array_type in [ArrayType::Sparse, ArrayType::Dense] {
        let store = two_fragments(array_type);
        let before = seen(&store, &[25]);
        let least = (10..24)
            .map(|power| 1 << power)
            .find(|memory| merged(far(&copy(&store)), Some(*memory)).is_ok());
        let copied = copy(&store);
        copied.take_counts();
        assert_eq!(merged(far(&copied), least).unwrap(), ALL);
        assert!(copied.take_counts().sizes > 0, "{array_type:?} {least:?}");
        assert_eq!(seen(&copied, &[25]), before);
    }
}

#[test]
fn a_damaged_tile_is_named_as_in_a_near_store() {
    for array_type in [ArrayType::Sparse, ArrayType::Dense] {
        let store = two_fragments(array_type);
        let file = format!("{}/a1_var.tdb", now(&store).fragments()[1].prefix);
        let bytes = read_whole(&store, &file, 1 << 20).unwrap();
        for damaged in [
            bytes.slice(..bytes.len() - 1),
            Bytes::from(vec![0xff; bytes.len()]),
        ] {
            store.overwrite(&file, damaged);
            let near = merged(shared(&copy(&store)), None).unwrap_err();
            let far = merged(far(&copy(&store)), None).unwrap_err();
            assert_eq!(far.to_string(), near.to_string());
            assert!(far.to_string().contains("a1_var.tdb"), "{far}");
        }
    }
}
