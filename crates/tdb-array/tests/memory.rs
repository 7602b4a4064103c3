//! The memory that opening an array takes. It measures the peak of the process, so this file has only one test.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "helpers of tests, which may fail so")]

use std::fmt::Write as _;
use std::sync::Arc;

use tdb_array::{Array, ErrorKind, OpenOptions, TimestampedName};
use tdb_filters::seal_generic_tile;
use tdb_schema::{ArraySchema, ArrayType, Attribute, Dimension};
use tdb_store::{MemoryStore, Store};
use tdb_tile::Datatype;

/// Number of names in the list.
const NAMES: u64 = 300_000;

/// Maximum bytes per name for opening, including those of the list.
const EACH: u64 = 100;

/// Maximum bytes for everything else: schemas, and a batch of reads.
const OTHER: u64 = 2 << 20;

/// Returns the peak of the process's memory since the last call, and the present value, in bytes.
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

/// An array with a schema, and a list of commits whose fragments do not exist.
fn array(list: &str) -> MemoryStore {
    let dimension = Dimension::numbers("x", Datatype::Int32, (1, 100), 10);
    let attribute = Attribute::new("a", Datatype::Int32);
    let schema = ArraySchema::new(ArrayType::Sparse, vec![dimension], vec![attribute]);
    let tile = seal_generic_tile(&schema.encode().unwrap(), schema.version, None).unwrap();
    let name = TimestampedName::unversioned(1, 1, 0).unwrap();
    let store = MemoryStore::new();
    store.put(&format!("__schema/{name}"), tile.into()).unwrap();
    let key = format!("__commits/__1_1_{:032x}_22.con", 1);
    store.put(&key, list.to_owned().into()).unwrap();
    store
}

#[test]
fn a_list_of_commits_takes_at_most_a_hundred_bytes_a_name() {
    let mixed = |n: u64| n.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let increasing: fn(u64) -> u64 = |n| 1_700_000_000_000 + n;
    let equal: fn(u64) -> u64 = |_| 7;
    // Looking up fragments of equal times takes longer, so there are fewer of them.
    for (time, names) in [(increasing, NAMES), (equal, NAMES / 3)] {
        let mut list = String::new();
        for n in 0..names {
            let (t, id) = (time(n), mixed(n));
            writeln!(list, "__commits/__{t}_{t}_{id:032x}_22.wrt").unwrap();
        }
        let store: Arc<dyn Store> = Arc::new(array(&list));
        // The first fragment in time is damaged, which ends opening at once.
        let first = format!("__fragments/__{0}_{0}_{1:032x}_22", time(0), mixed(0));
        let key = format!("{first}/__fragment_metadata.tdb");
        store.put(&key, "junk".into()).unwrap();
        let size = list.len() as u64;
        drop(list);
        let before = memory().1;
        let opened = Array::open(store, "", OpenOptions::default());
        let grown = memory().0.saturating_sub(before);
        let kind = opened.unwrap_err().kind();
        assert!(
            matches!(kind, ErrorKind::Corrupt | ErrorKind::NotFound),
            "{kind:?}"
        );
        let most = names * EACH + OTHER;
        assert!(
            size + grown <= most,
            "{} bytes a name",
            (size + grown) / names
        );
    }
}
