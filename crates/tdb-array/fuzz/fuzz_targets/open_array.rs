//! A whole array with one modified object: no panic, and no more memory than the budget.
//!
//! The first byte selects the object. If the second byte is even, the rest replaces the bytes of the object; otherwise
//! it becomes the payload of the object's generic tile, which is sealed correctly, so that the fuzzer gets past the
//! compression.
#![no_main]
use std::sync::{Arc, LazyLock};

use bytes::{Buf, Bytes};
use libfuzzer_sys::fuzz_target;
use tdb_array::{Array, Location, OpenOptions};
use tdb_filters::seal_generic_tile;
use tdb_store::{MemoryStore, Store};
use tdb_tile::{FormatVersion, Limits};

static OBJECTS: LazyLock<Vec<(String, Bytes)>> = LazyLock::new(|| {
    let mut bytes = Bytes::from_static(include_bytes!("../../tests/data/consolidated_sparse.pack"));
    let mut objects = Vec::new();
    while !bytes.is_empty() {
        let end = bytes
            .iter()
            .position(|byte| *byte == b'\n')
            .expect("a newline");
        let key = String::from_utf8(bytes.split_to(end).to_vec()).expect("a key");
        bytes.advance(1);
        let size = bytes.get_u64_le() as usize;
        objects.push((key, bytes.split_to(size)));
    }
    objects
});

fuzz_target!(|data: &[u8]| {
    let [which, how, rest @ ..] = data else {
        return;
    };
    let which = usize::from(*which) % OBJECTS.len();
    let store = MemoryStore::new();
    for (index, (key, bytes)) in OBJECTS.iter().enumerate() {
        let bytes = match (index == which, how % 2) {
            (false, _) => bytes.clone(),
            (true, 0) => Bytes::copy_from_slice(rest),
            (true, _) => seal_generic_tile(rest, FormatVersion::WRITTEN, None)
                .expect("sealed")
                .into(),
        };
        store.put(key, bytes).expect("a key of its own");
    }
    let place = Location::new(Arc::new(store), "").with_limits(Limits::with_budget(64 << 20));
    let Ok(array) = Array::open_location(&place, OpenOptions::default()) else {
        return;
    };
    let _ = array.metadata();
    let _ = array.non_empty_domain();
    for (fragment, _) in array.numbered_fragments() {
        let _ = array.rtree(fragment);
    }
});
