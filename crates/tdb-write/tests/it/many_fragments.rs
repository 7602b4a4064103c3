//! Reads of many small, disjoint fragments in small batches: the number of fragments and tiles examined for a batch
//! does not grow with the number of fragments. `figures` prints times.
#![expect(clippy::unwrap_used, reason = "helpers of tests, which may fail so")]

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use tdb_array::{Array, ChangeOptions, Location, OpenOptions};
use tdb_cells::{Batch, Column, Session, SessionOptions};
use tdb_filters::FilterList;
use tdb_query::{ReadOptions, Reader, ResultOrder};
use tdb_schema::{ArraySchema, ArrayType, Attribute, CellValNum, Dimension};
use tdb_store::{
    Distance, Listing, MemoryStore, ObjectWriter, Page, Piece, Read, Store, StoreError,
};
use tdb_tile::Datatype;
use tdb_write::{WriteOptions, Writer};

/// A far store, so that bytes of later batches are requested together with those of the next.
#[derive(Debug)]
struct Far(MemoryStore);

impl Store for Far {
    fn distance(&self) -> Distance {
        Distance::Far { gap: 0 }
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

/// A sparse array of disjoint fragments, in ascending order of their cells; `cells` is the number per fragment.
fn array(fragments: u64, cells: u64, allows_duplicates: bool) -> Arc<Array> {
    array_in(
        Arc::new(MemoryStore::new()),
        fragments,
        cells,
        allows_duplicates,
    )
}

fn array_in(
    store: Arc<dyn Store>,
    fragments: u64,
    cells: u64,
    allows_duplicates: bool,
) -> Arc<Array> {
    let d = Dimension::numbers("d", Datatype::UInt64, (0_u64, 1 << 40), 1 << 20);
    let mut a = Attribute::new("a", Datatype::UInt64);
    a.filters = FilterList::default();
    let mut schema = ArraySchema::new(ArrayType::Sparse, vec![d], vec![a]);
    schema.coords_filters = FilterList::default();
    schema.allows_duplicates = allows_duplicates;
    let location = Location::new(store, "");
    Array::create(&location, &schema, &[], &ChangeOptions::default()).unwrap();
    let open = || Arc::new(Array::open_location(&location, OpenOptions::default()).unwrap());
    let (empty, session) = (open(), session(1 << 30));
    for fragment in 0..fragments {
        // The fragments are written in another order than that of their cells.
        let place = fragment * 7919 % fragments;
        let numbers = place * cells..(place + 1) * cells;
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
            rows: usize::try_from(cells).unwrap(),
            columns: vec![column("d"), column("a")],
        };
        let options = WriteOptions::default().timestamp(Some(1 + fragment));
        let mut writer = Writer::open(&session, &empty, &options).unwrap();
        writer.push(&batch).unwrap();
        writer.finish().unwrap();
    }
    open()
}

fn session(memory: u64) -> Session {
    Session::new(
        SessionOptions::default()
            .threads(NonZeroUsize::new(1))
            .memory(Some(memory)),
    )
}

/// Fragments and tiles that a read examined to choose its tiles.
struct Visits {
    batches: u64,
    fragments: u64,
    tiles: u64,
}

/// Bytes of memory that a read takes per fragment, without lists of tiles.
const FRAGMENT_BYTES: u64 = 768;

/// Reads all `cells` in small batches, with `memory` bytes beside those for the fragments.
fn visits(array: &Arc<Array>, cells: u64, order: ResultOrder, memory: u64) -> Visits {
    let options = ReadOptions::default()
        .order(Some(order))
        .batch_bytes(Some(2_000));
    let stored = array.fragments().len();
    let session = session(memory + FRAGMENT_BYTES * stored as u64);
    let mut reader = Reader::open(&session, array, &options).unwrap();
    let started = Instant::now();
    let (mut found, mut batches) = (Vec::new(), 0);
    for batch in &mut reader {
        let batch = batch.unwrap();
        found.extend(batch.column("d").unwrap().numbers::<u64>().unwrap());
        batches += 1;
    }
    let (time, profile) = (started.elapsed(), session.profile());
    let (fragments, tiles) = (profile.fragments_visited, profile.tiles_visited);
    eprintln!(
        "{stored} fragments, {order:?}, {memory} bytes: {batches} batches, {time:?}, \
         {fragments} fragments and {tiles} tiles visited"
    );
    if order == ResultOrder::Unordered {
        found.sort_unstable();
    }
    assert!(found.into_iter().eq(0..cells));
    Visits {
        batches,
        fragments,
        tiles,
    }
}

/// Checks that a batch of 1,000 fragments takes as many visits as one of 100, in the same memory.
fn check(is_far: bool, order: ResultOrder, cells: u64, memory: u64) {
    let [few, many] = [100, 1_000].map(|fragments| {
        let memory_store = MemoryStore::new();
        let store: Arc<dyn Store> = if is_far {
            Arc::new(Far(memory_store))
        } else {
            Arc::new(memory_store)
        };
        let array = array_in(store, fragments, cells, order == ResultOrder::Unordered);
        visits(&array, fragments * cells, order, memory)
    });
    assert!(many.batches > few.batches * 9);
    for (few_visits, many_visits) in [(few.fragments, many.fragments), (few.tiles, many.tiles)] {
        assert!(few_visits > 0);
        // Allows 25 % for start and end, which weigh more in the shorter read; growth with the fragments would be
        // tenfold.
        assert!(many_visits * few.batches * 4 <= few_visits * many.batches * 5);
    }
}

#[test]
fn a_batch_in_stored_order_looks_at_as_many_of_1000_fragments_as_of_100() {
    check(false, ResultOrder::Global, 4, 1 << 30);
}

#[test]
fn a_batch_in_no_order_looks_at_as_many_of_1000_fragments_as_of_100() {
    check(false, ResultOrder::Unordered, 4, 1 << 30);
}

#[test]
fn prefetching_looks_at_as_many_of_1000_fragments_as_of_100() {
    for order in [ResultOrder::Global, ResultOrder::Unordered] {
        check(true, order, 4, 100_000);
    }
}

#[test]
fn a_slab_looks_at_as_many_tiles_of_1000_fragments_as_of_100() {
    check(false, ResultOrder::RowMajor, 64, 600_000);
}

#[test]
#[ignore = "prints figures"]
fn figures() {
    for fragments in [1_000, 2_000, 6_000, 10_000, 20_000, 40_000] {
        let [unique, repeated] = [false, true].map(|repeats| array(fragments, 4, repeats));
        for (array, order, memory) in [
            (&unique, ResultOrder::Global, 1 << 30),
            (&unique, ResultOrder::RowMajor, 1 << 30),
            // Little memory, so that this is read in slabs.
            (&unique, ResultOrder::RowMajor, fragments * 450),
            (&repeated, ResultOrder::Unordered, 1 << 30),
        ] {
            visits(array, fragments * 4, order, memory);
        }
    }
}
