//! The memory that a read holds per fragment is counted. The peak of the process is measured, so this file has only
//! one test.
#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

#[path = "it/support/mod.rs"]
mod support;

use std::sync::Arc;

use support::Golden;
use tdb_array::{Array, ErrorKind, Location, OpenOptions};
use tdb_cells::{Session, SessionOptions};
use tdb_query::{ReadOptions, Reader};
use tdb_store::{MemoryStore, Store};

/// Number of copies of each fragment.
const COPIES: u64 = 3_000;

/// Allowed uncounted bytes per fragment of a read, on top of a quarter of the counted ones: overhead of the
/// allocator.
const UNCOUNTED: u64 = 1_500;

/// Returns the peak memory of this process since the last call, and its current memory, in bytes.
fn memory() -> (u64, u64) {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let of = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        let number = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
        number.unwrap() << 10
    };
    let found = (of("VmHWM:"), of("VmRSS:"));
    std::fs::write("/proc/self/clear_refs", "5").unwrap();
    found
}

/// Returns a golden array with many copies of its fragments, each under another UUID.
fn copied(golden: &Golden) -> (MemoryStore, u64) {
    let store = golden.store();
    let mut fragments = 0;
    for (key, bytes) in &golden.objects {
        let mut parts = key.split('/');
        let folder = parts.next().unwrap();
        let (true, Some(name)) = (["__fragments", "__commits"].contains(&folder), parts.next())
        else {
            continue;
        };
        let uuid = name.split('_').rfind(|part| part.len() >= 32).unwrap();
        let uuid = uuid.get(..32).unwrap();
        fragments += u64::from(folder == "__commits");
        for copy in 0..COPIES {
            let other = key.replace(uuid, &format!("{copy:08x}{}", uuid.get(8..).unwrap()));
            store.put(&other, bytes.clone()).unwrap();
        }
    }
    (store, fragments * COPIES)
}

#[test]
fn what_a_read_holds_of_fragments_counts() {
    for name in ["v22_sparse_dups", "v22_dense_basics"] {
        let (store, fragments) = copied(&Golden::named(name));
        let store: Arc<dyn Store> = Arc::new(store);
        let session = |memory| Session::new(SessionOptions::default().memory(Some(memory)));
        let open = |session: &Session| {
            let location = Location::new(Arc::clone(&store), "");
            let location = location.with_limits(session.limits().clone());
            Arc::new(Array::open_location(&location, OpenOptions::default()).unwrap())
        };
        let plenty = session(1 << 30);
        let array = open(&plenty);
        let opened = plenty.limits().budget.used();
        let reader = Reader::open(&plenty, &array, &ReadOptions::default()).unwrap();
        let counted = plenty.limits().budget.used() - opened;
        drop((reader, array));
        // Enough to open the array, and a quarter to twice of what the read keeps.
        let outcomes = [1, 2, 4, 6, 8].map(|quarters| {
            let allowed = counted * quarters / 4;
            let session = session(opened + allowed);
            let array = open(&session);
            let before = memory().1;
            let reader = Reader::open(&session, &array, &ReadOptions::default());
            let grown = memory().0.saturating_sub(before);
            assert!(
                grown <= allowed + allowed / 4 + fragments * UNCOUNTED,
                "{name}: {} bytes for each of {fragments} fragments, and {} were allowed",
                grown / fragments,
                allowed / fragments
            );
            reader.map(|_| ()).map_err(|error| error.kind())
        });
        let [least, .., most] = outcomes;
        assert_eq!((least, most), (Err(ErrorKind::Memory), Ok(())), "{name}");
    }
}
