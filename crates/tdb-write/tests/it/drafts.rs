//! Fragments of an array that is being made.

use std::sync::Arc;

use bytes::Bytes;
use tdb_array::{Array, ChangeOptions, Draft, Location, OpenOptions, Work};
use tdb_cells::{Batch, Session, SessionOptions};
use tdb_schema::{ArraySchema, ArrayType, Attribute, Dimension};
use tdb_store::{MemoryStore, Store};
use tdb_tile::Datatype;
use tdb_write::Writer;

use crate::write::{at, column};

#[test]
fn an_uncommitted_fragment_goes_although_its_name_begins_a_committed_one() {
    let x = Dimension::numbers("x", Datatype::Int32, (1, 100), 10);
    let value = Attribute::new("v", Datatype::Int32);
    let schema = ArraySchema::new(ArrayType::Sparse, vec![x], vec![value]);
    let store = MemoryStore::new();
    let location = Location::new(Arc::new(store.clone()), "a");
    let options = ChangeOptions::at(5);
    let draft = Draft::begin(&location, Work::Rewrite, b"", &schema, &[], &options).unwrap();
    let array = Array::open_location(draft.location(), OpenOptions::default()).unwrap();
    let array = Arc::new(array);
    let session = Session::new(SessionOptions::default());
    let mut writer = Writer::open(&session, &array, &at(7)).unwrap();
    let cells = vec![Some(7_i32.to_le_bytes().to_vec())];
    let columns = ["x", "v"].map(|name| column(array.schema(), name, &cells));
    writer
        .push(&Batch {
            rows: 1,
            columns: columns.to_vec(),
        })
        .unwrap();
    let name = writer.finish().unwrap().remove(0).to_string();
    // Format 22 and format 2: the names differ by the last digit.
    let shorter = name.strip_suffix('2').unwrap();
    let remains = format!("a/__fragments/{shorter}/a0.tdb");
    store.put(&remains, Bytes::from_static(b"cells")).unwrap();
    let files = |folder: &str| {
        let folder = format!("a/__fragments/{folder}");
        store.list_recursive(&folder).unwrap().len()
    };
    let committed = files(&name);
    draft.remove_uncommitted().unwrap();
    assert_eq!((files(shorter), files(&name)), (0, committed));
    assert!(committed > 0);
}
