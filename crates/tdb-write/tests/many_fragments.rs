//! Many small fragments that do not overlap, read in small batches; `figures` shows how the time grows with them.
#![expect(clippy::unwrap_used, reason = "helpers of tests, which may fail so")]

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use tdb_array::{Array, ChangeOptions, Location, OpenOptions};
use tdb_cells::{Batch, Column, Session, SessionOptions};
use tdb_filters::FilterList;
use tdb_query::{ReadOptions, Reader, ResultOrder};
use tdb_schema::{ArraySchema, ArrayType, Attribute, CellValNum, Dimension};
use tdb_store::MemoryStore;
use tdb_tile::Datatype;
use tdb_write::{WriteOptions, Writer};

const CELLS: usize = 4;

/// A sparse array of so many fragments, one behind the other.
fn array(fragments: u64, allows_duplicates: bool) -> Arc<Array> {
    let d = Dimension::numbers("d", Datatype::UInt64, (0_u64, 1 << 40), 1 << 20);
    let mut a = Attribute::new("a", Datatype::UInt64);
    a.filters = FilterList::default();
    let mut schema = ArraySchema::new(ArrayType::Sparse, vec![d], vec![a]);
    schema.coords_filters = FilterList::default();
    schema.allows_duplicates = allows_duplicates;
    let location = Location::new(Arc::new(MemoryStore::new()), "");
    Array::create(&location, &schema, &[], &ChangeOptions::default()).unwrap();
    let open = || Arc::new(Array::open_location(&location, OpenOptions::default()).unwrap());
    let (empty, session) = (open(), session(1 << 30));
    for fragment in 0..fragments {
        // Written in another order than that of their cells.
        let place = fragment * 7919 % fragments;
        let numbers = (place * CELLS as u64..).take(CELLS);
        let values: Bytes = numbers.flat_map(u64::to_le_bytes).collect();
        let column = |name: &str| Column {
            name: name.to_owned(),
            datatype: Datatype::UInt64,
            cell_val_num: CellValNum::Fixed(1),
            nullable: false,
            values: values.clone(),
            offsets: None,
            validity: None,
            enumeration: None,
        };
        let batch = Batch {
            rows: CELLS,
            columns: vec![column("d"), column("a")],
        };
        let options = WriteOptions {
            timestamp: Some(1 + fragment),
            ..WriteOptions::default()
        };
        let mut writer = Writer::open(&session, &empty, &options).unwrap();
        writer.push(&batch).unwrap();
        writer.finish().unwrap();
    }
    open()
}

fn session(memory: u64) -> Session {
    Session::new(SessionOptions {
        threads: NonZeroUsize::new(1),
        memory: Some(memory),
        ..SessionOptions::default()
    })
}

/// How long it takes to read all of it once it is planned, in batches of a few cells.
fn time(array: &Arc<Array>, order: ResultOrder, memory: u64) -> Duration {
    let options = ReadOptions {
        order: Some(order),
        batch_bytes: Some(2_000),
        ..ReadOptions::default()
    };
    let mut reader = Reader::open(&session(memory), array, &options).unwrap();
    let started = Instant::now();
    let (mut cells, mut batches) = (Vec::new(), 0);
    for batch in &mut reader {
        let batch = batch.unwrap();
        cells.extend(batch.column("d").unwrap().numbers::<u64>().unwrap());
        batches += 1;
    }
    let taken = started.elapsed();
    let fragments = array.fragments().len();
    eprintln!("{fragments} fragments, {order:?}, {memory} bytes: {batches} batches, {taken:?}");
    if order == ResultOrder::Unordered {
        cells.sort_unstable();
    }
    assert!(cells.into_iter().eq(0..(fragments * CELLS) as u64));
    taken
}

#[test]
fn all_cells_of_many_fragments_come_in_every_order_and_in_small_batches() {
    const FRAGMENTS: u64 = 1_000;
    let (unique, repeated) = (array(FRAGMENTS, false), array(FRAGMENTS, true));
    for (array, order, memory) in [
        (&unique, ResultOrder::Global, 1 << 20),
        (&unique, ResultOrder::RowMajor, 1 << 20),
        // In slabs.
        (&unique, ResultOrder::RowMajor, 450),
        (&repeated, ResultOrder::Unordered, 1 << 20),
    ] {
        time(array, order, FRAGMENTS * memory);
    }
}

#[test]
#[ignore = "prints figures"]
fn figures() {
    for count in [1_000, 2_000, 6_000, 10_000, 20_000, 40_000] {
        let one = array(count, false);
        time(&one, ResultOrder::Global, 1 << 30);
        time(&one, ResultOrder::RowMajor, 1 << 30);
        // So little memory that it is read in slabs.
        time(&one, ResultOrder::RowMajor, count * 450);
        time(&array(count, true), ResultOrder::Unordered, 1 << 30);
    }
}
