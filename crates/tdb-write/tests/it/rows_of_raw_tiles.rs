//! An unfiltered dense array, read in bands by several threads: each stored byte is read once, whatever the number of
//! threads, if a row of tiles fits in memory.
#![expect(clippy::unwrap_used, reason = "helpers of tests, which may fail so")]

use std::num::NonZeroUsize;
use std::sync::Arc;

use bytes::Bytes;
use tdb_array::{Array, ChangeOptions, Location, OpenOptions};
use tdb_cells::{Batch, Column, Session, SessionOptions};
use tdb_filters::FilterList;
use tdb_query::{ReadOptions, Reader, ResultOrder};
use tdb_schema::{ArraySchema, ArrayType, Attribute, CellValNum, Dimension};
use tdb_store::MemoryStore;
use tdb_tile::Datatype;
use tdb_write::{WriteOptions, WriteOrder, Writer};

/// Number of cells along each of two dimensions.
const SIDE: u64 = 1_024;

/// Tile extent along each dimension; a tile has half a MiB, so several chunks.
const TILE: u64 = 256;

fn session(threads: usize, memory: u64) -> Session {
    Session::new(
        SessionOptions::default()
            .threads(NonZeroUsize::new(threads))
            .memory(Some(memory)),
    )
}

/// An array of 8 MiB with the numbers from 0 on, in row-major order.
fn array(store: &MemoryStore) -> Arc<Array> {
    let dimension =
        |name: &str| Dimension::numbers(name, Datatype::UInt64, (0_u64, SIDE - 1), TILE);
    let mut a = Attribute::new("a", Datatype::UInt64);
    a.filters = FilterList::default();
    let dimensions = vec![dimension("y"), dimension("x")];
    let schema = ArraySchema::new(ArrayType::Dense, dimensions, vec![a]);
    let location = Location::new(Arc::new(store.clone()), "");
    Array::create(&location, &schema, &[], &ChangeOptions::default()).unwrap();
    let open = || Arc::new(Array::open_location(&location, OpenOptions::default()).unwrap());
    let values: Bytes = (0..SIDE * SIDE).flat_map(u64::to_le_bytes).collect();
    let column = Column {
        name: "a".to_owned(),
        datatype: Datatype::UInt64,
        cell_val_num: CellValNum::Fixed(1),
        nullable: false,
        values,
        offsets: None,
        validity: None,
        enumeration: None,
    };
    let options = WriteOptions::default().order(Some(WriteOrder::RowMajor));
    let mut writer = Writer::open(&session(1, 1 << 30), &open(), &options).unwrap();
    let rows = usize::try_from(SIDE * SIDE).unwrap();
    let columns = vec![column];
    writer.push(&Batch { rows, columns }).unwrap();
    writer.finish().unwrap();
    open()
}

/// Number of bytes that a read of the whole array takes from the store.
fn bytes_read(store: &MemoryStore, array: &Arc<Array>, session: &Session, batch: u64) -> u64 {
    let options = ReadOptions::default()
        .batch_bytes(Some(batch))
        .dimensions(Some(Vec::new()))
        .order(Some(ResultOrder::RowMajor));
    store.take_counts();
    let mut next = 0;
    for batch in Reader::open(session, array, &options).unwrap() {
        for value in batch
            .unwrap()
            .column("a")
            .unwrap()
            .numbers::<u64>()
            .unwrap()
        {
            assert_eq!(value, next);
            next += 1;
        }
    }
    assert_eq!(next, SIDE * SIDE);
    store.take_counts().bytes
}

#[test]
fn a_raw_array_is_read_once_at_any_number_of_threads() {
    let store = MemoryStore::new();
    let array = array(&store);
    let row_of_tiles = SIDE * TILE * 8;
    // Sixteen tiles of eight chunks: each tile has the number of chunks, and each chunk has three sizes.
    let cells = SIDE * SIDE * 8;
    let stored = cells + 16 * (8 + 8 * 12);
    // The tile index is read once and then cached.
    bytes_read(&store, &array, &session(1, 1 << 30), 1 << 30);
    for threads in [1, 2, 4] {
        for batch in [1 << 30, row_of_tiles, row_of_tiles / 3, 1 << 16] {
            for memory in [1 << 30, 4 * row_of_tiles] {
                let bytes = bytes_read(&store, &array, &session(threads, memory), batch);
                let what = format!("{threads} threads, {memory} bytes, batches of {batch}");
                assert!((cells..=stored).contains(&bytes), "{what}: {bytes}");
            }
            // A row of tiles does not fit in memory, so chunks that two batches share are read twice.
            let tight = session(threads, 2 * row_of_tiles);
            let bytes = bytes_read(&store, &array, &tight, batch);
            let what = format!("{threads} threads, batches of {batch}");
            assert!(bytes < stored + stored / 2, "{what}: {bytes}");
        }
    }
}
