//! Deletes test what fragments contain, whatever became of the schema since.
#![expect(clippy::unwrap_used, reason = "helpers of tests, which may fail so")]

use std::sync::Arc;

use crate::support::Golden;
use bytes::Bytes;
use tdb_array::{Array, OpenOptions, TimestampedName};
use tdb_cells::Session;
use tdb_filters::seal_generic_tile;
use tdb_query::{ReadOptions, Reader, ResultOrder};
use tdb_schema::{ArraySchema, Attribute};
use tdb_store::{MemoryStore, Store};
use tdb_tile::Datatype;

/// Array with deletes that test `a`, among others.
const NAME: &str = "v22_deletes";

/// Time after all deletes.
const LATER: u64 = 1000;

/// TileDB fails to open these ("Field doesn't exist", "value size mismatch").
#[test]
fn deletes_count_when_their_attribute_is_gone_or_another() {
    let golden = Golden::named(NAME);
    let before = cells(&Arc::new(golden.store()));
    let without_deletes = cells_at(&Arc::new(golden.store()), 124);
    assert_ne!(before, without_deletes);

    let gone = evolved(&golden, |schema| {
        schema.attributes.retain(|a| a.name != "a")
    });
    assert_eq!(cells(&gone), before);

    let another = evolved(&golden, |schema| {
        schema.attributes.retain(|a| a.name != "a");
        schema.attributes.push(Attribute::new("a", Datatype::Int64));
    });
    assert_eq!(cells(&another), before);
}

/// Returns the array with a newer schema.
fn evolved(golden: &Golden, change: impl FnOnce(&mut ArraySchema)) -> Arc<MemoryStore> {
    let store = Arc::new(golden.store());
    let array = Array::open(store.clone(), "", OpenOptions::default()).unwrap();
    let mut schema = ArraySchema::clone(array.schema());
    change(&mut schema);
    let tile = seal_generic_tile(&schema.encode().unwrap(), schema.version, None).unwrap();
    let name = TimestampedName::unversioned(LATER, LATER, 1).unwrap();
    store.put(&format!("__schema/{name}"), tile.into()).unwrap();
    store
}

fn cells(store: &Arc<MemoryStore>) -> Vec<Bytes> {
    cells_at(store, u64::MAX)
}

/// Reads coordinates and two attributes of all cells.
fn cells_at(store: &Arc<MemoryStore>, at: u64) -> Vec<Bytes> {
    let array = Arc::new(Array::open(store.clone(), "", OpenOptions::at(at)).unwrap());
    let options = ReadOptions::default()
        .attributes(Some(vec!["f".into(), "n".into()]))
        .order(Some(ResultOrder::RowMajor));
    let batches = Reader::open(&Session::default(), &array, &options).unwrap();
    let columns = batches.flat_map(|batch| batch.unwrap().columns);
    columns.map(|column| column.values).collect()
}
