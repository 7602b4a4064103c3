//! The memory of dropped batches is reused for later ones.
#![expect(clippy::unwrap_used, reason = "helpers of tests, which may fail so")]

use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::sync::Arc;

use bytes::Bytes;
use tdb_array::{Array, ChangeOptions, Location, OpenOptions};
use tdb_cells::{Batch, Session, SessionOptions};
use tdb_query::{ReadOptions, Reader};
use tdb_schema::{ArraySchema, ArrayType, Attribute, Dimension};
use tdb_store::MemoryStore;
use tdb_tile::Datatype;

const CELLS: i64 = 1 << 20;

/// Returns a dense array without fragments: each cell has coordinates and the fill value.
fn array() -> Arc<Array> {
    let last = CELLS - 1;
    let dimension = Dimension::numbers("d", Datatype::Int64, (0_i64, last), 1 << 16);
    let attribute = Attribute::new("a", Datatype::Int32);
    let schema = ArraySchema::new(ArrayType::Dense, vec![dimension], vec![attribute]);
    let location = Location::new(Arc::new(MemoryStore::new()), "");
    Array::create(&location, &schema, &[], &ChangeOptions::default()).unwrap();
    Arc::new(Array::open_location(&location, OpenOptions::default()).unwrap())
}

fn session(threads: usize, memory: u64) -> Session {
    Session::new(
        SessionOptions::default()
            .threads(NonZeroUsize::new(threads))
            .memory(Some(memory)),
    )
}

/// Returns a reader with batches of 3 MiB.
fn reader(session: &Session, array: &Arc<Array>) -> Reader {
    let options = ReadOptions::default()
        .batch_bytes(Some(3 << 20))
        .dimensions(Some(vec!["d".to_owned()]));
    Reader::open(session, array, &options).unwrap()
}

/// Checks the cells of a batch, and returns the address of each column.
fn places(batch: &Batch, first: i64) -> Vec<usize> {
    let d: Vec<i64> = batch.column("d").unwrap().numbers().unwrap().collect();
    assert!(d.iter().copied().eq((first..).take(batch.rows)));
    let mut a = batch.column("a").unwrap().numbers::<i32>().unwrap();
    assert!(a.all(|value| value == i32::MIN));
    let columns = batch.columns.iter();
    columns.map(|c| c.values.as_ptr().addr()).collect()
}

/// Returns the number of distinct addresses of columns, and the number of columns.
fn read(session: &Session, array: &Arc<Array>) -> (usize, usize) {
    let (mut found, mut columns, mut first) = (HashSet::new(), 0, 0);
    for batch in reader(session, array) {
        let batch = batch.unwrap();
        let places = places(&batch, first);
        columns += places.len();
        found.extend(places);
        first += i64::try_from(batch.rows).unwrap();
    }
    assert_eq!(first, CELLS);
    (found.len(), columns)
}

#[test]
fn the_next_batch_takes_the_memory_of_the_one_that_was_dropped() {
    let array = array();
    for threads in [1, 2] {
        let session = session(threads, 1 << 30);
        let (places, columns) = read(&session, &array);
        assert!(columns > 6, "{columns} columns");
        assert_eq!(places, 2);
        // So does the next read.
        assert_eq!(read(&session, &array), (2, columns));
    }
}

#[test]
fn what_is_still_shared_is_not_taken() {
    let array = array();
    let session = session(1, 1 << 30);
    let mut reader = reader(&session, &array);
    let first = reader.next().unwrap().unwrap();
    let rows = first.rows;
    let d = first.column("d").unwrap().clone();
    let kept: Bytes = d.values.slice(8..16);
    let at = d.values.as_ptr().addr();
    drop((first, d));
    let second = reader.next().unwrap().unwrap();
    assert!(!places(&second, i64::try_from(rows).unwrap()).contains(&at));
    assert_eq!(kept[..], 1_i64.to_le_bytes());
}

#[test]
fn cells_outlive_the_reader_and_the_session() {
    let array = array();
    let session = session(2, 1 << 30);
    let batch = reader(&session, &array).next().unwrap().unwrap();
    drop(session);
    places(&batch, 0);
}

#[test]
fn a_read_that_fits_the_memory_does_so_with_what_is_kept() {
    let array = array();
    let memory = 16 << 20;
    let session = session(1, memory);
    for _ in 0..3 {
        read(&session, &array);
        // Kept memory is not counted as in use.
        assert_eq!(session.limits().budget.used(), 0);
        let all = session.limits().budget.take(memory);
        assert!(all.is_ok());
    }
}

#[test]
fn two_readers_on_two_threads_take_from_each_other() {
    let array = array();
    let session = session(2, 1 << 30);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                for _ in 0..3 {
                    read(&session, &array);
                }
            });
        }
    });
}
