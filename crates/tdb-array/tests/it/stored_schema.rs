//! Reading schemas without their arrays.

use std::sync::Arc;

use crate::support::{key_of, open, unpack};
use tdb_array::{ArrayError, ErrorKind, Location, OpenOptions, StoredSchema, Warning};
use tdb_store::{MemoryStore, Store};

const NOW: u64 = u64::MAX - 1;

fn stored(store: &MemoryStore, at: u64) -> Result<StoredSchema, ArrayError> {
    let location = Location::new(Arc::new(store.clone()), "");
    StoredSchema::open(&location, OpenOptions::at(at))
}

#[test]
fn it_is_the_schema_that_the_open_array_shows_at_any_time() {
    for name in [
        "v3_sparse_basics",
        "v5_sparse_basics",
        "v9_sparse_dups",
        "v11_sparse_dups",
        "v12_sparse_dups",
        "v22_tour",
        "evolved",
    ] {
        let store = unpack(name);
        for at in [5, 10, 15, 20, 24, 33, 45, NOW] {
            let array = open(&store, 0, at).unwrap();
            let alone = stored(&store, at).unwrap();
            assert_eq!(alone.schema(), array.schema(), "{name} at {at}");
        }
    }
}

#[test]
fn one_folder_is_listed_and_one_object_read() {
    for name in ["v12_sparse_dups", "v3_sparse_basics", "evolved"] {
        let store = unpack(name);
        stored(&store, NOW).unwrap();
        let counts = store.take_counts();
        assert_eq!(
            (counts.lists, counts.reads, counts.sizes),
            (1, 1, 0),
            "{name}"
        );
    }
}

#[test]
fn it_tells_when_it_came_if_that_was_later() {
    let store = unpack("evolved");
    assert_eq!(stored(&store, NOW).unwrap().came_later(), None);
    let array = open(&store, 0, NOW).unwrap();
    let first = array.directory().schemas()[0]
        .name
        .as_ref()
        .unwrap()
        .start();
    let alone = stored(&store, first - 1).unwrap();
    assert_eq!(alone.came_later(), Some(first));
}

#[test]
fn enumerations_are_read_by_name() {
    let alone = stored(&unpack("evolved"), NOW).unwrap();
    let fruit = alone.enumeration("fruit").unwrap();
    assert_eq!(fruit.iter().collect::<Vec<_>>(), [&b"apple"[..], b"pear"]);
    let error = alone.enumeration("stone").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
}

#[test]
fn where_no_array_is_that_is_told() {
    let error = stored(&MemoryStore::new(), NOW).unwrap_err();
    let opened = open(&MemoryStore::new(), 0, NOW).unwrap_err();
    assert!(matches!(error, ArrayError::NoSuch { .. }));
    assert_eq!(error.to_string(), opened.to_string());
}

#[test]
fn one_that_was_never_finished_is_an_error_unless_it_is_to_be_passed_over() {
    let store = unpack("v12_sparse_dups");
    let name = key_of(&store, "__schema/", "");
    let torn = "__schema/__900_900_0123456789abcdef0123456789abcdef";
    store.put(torn, "".into()).unwrap();
    assert!(
        stored(&store, NOW)
            .unwrap_err()
            .to_string()
            .starts_with(torn)
    );
    let location = Location::new(Arc::new(store.clone()), "");
    let options = OpenOptions::default().tolerate_torn(true);
    let alone = StoredSchema::open(&location, options).unwrap();
    let whole = tdb_store::read_whole(&store, &name, 1 << 20).unwrap();
    assert!(!whole.is_empty());
    assert!(matches!(alone.warnings(), [Warning::Torn { key }] if key == torn));
}

#[test]
fn a_strange_name_among_the_schemas_is_an_error_as_when_the_array_is_opened() {
    let store = unpack("v12_sparse_dups");
    store.put("__schema/__strange", "".into()).unwrap();
    let error = stored(&store, NOW).unwrap_err();
    let opened = open(&store, 0, NOW).unwrap_err();
    assert_eq!(error.to_string(), opened.to_string());
}
