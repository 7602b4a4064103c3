//! Folders with more names than the memory budget allows.

use std::sync::Arc;

use bytes::Bytes;
use tdb_array::{Array, ErrorKind, Location, OpenOptions};
use tdb_store::{MemoryStore, Store};
use tdb_tile::Limits;

#[test]
fn names_beyond_the_budget_are_an_error_that_says_so() {
    let store = MemoryStore::new();
    for number in 0..20_000 {
        let key = format!("__commits/a_name_of_no_fragment_{number}");
        store.put(&key, Bytes::new()).unwrap();
    }
    let location = Location::new(Arc::new(store), "").with_limits(Limits::with_budget(1 << 20));
    let error = Array::open_location(&location, OpenOptions::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Memory, "{error}");
    assert!(error.to_string().contains("memory"), "{error}");
    assert_eq!(
        location.limits().budget.used(),
        0,
        "what was taken is given back"
    );
}
