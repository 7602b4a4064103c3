//! Checks the numbers of `docs/scale.md` for small arrays, and the cells that are read.

use std::sync::Arc;

use tdb_array::{Array, Location, OpenOptions};
use tdb_cells::Session;
use tdb_query::{ReadOptions, Reader};
use tdb_tile::{Limits, Range};

use crate::requests::vast::{Plan, Upkeep, VastStore};

/// Returns the options for a box in one space tile.
fn the_box() -> ReadOptions {
    ReadOptions::default().ranges(vec![
        ("row".into(), Range::of(100_i64, 199)),
        ("column".into(), Range::of(5100_i64, 5199)),
    ])
}

/// Returns the waits and requests for opening the array and for reading the box, as text.
fn counts(writes: u64, upkeep: Upkeep) -> String {
    let store = Arc::new(VastStore::new(Plan { writes, upkeep }));
    let array = Arc::new(Array::open(store.clone(), "", OpenOptions::default()).unwrap());
    let opened = store.take();
    let options = the_box();
    let mut cells = 0;
    for batch in Reader::open(&Session::default(), &array, &options).unwrap() {
        let batch = batch.unwrap();
        // The sixth tile in either layout: tile 5 of the only fragment, or the only tile of fragment 5.
        let value: i32 = (5 * 7919 + 100 * 1000 + 100) % 1000;
        let first = batch.columns.last().unwrap().cell(0);
        assert_eq!(first, Some(&value.to_le_bytes()[..]));
        cells += batch.rows;
    }
    assert_eq!(cells, 10_000);
    let read = store.take();
    format!(
        "{writes} {upkeep:?}: {} {} | {} {}\n",
        opened.waits, opened.requests, read.waits, read.requests
    )
}

#[test]
fn open_takes_as_many_waits_and_requests_as_the_page_on_scale_says() {
    let mut table = String::from("open: waits requests | read: waits requests\n");
    for upkeep in [
        Upkeep::Nothing,
        Upkeep::Commits,
        Upkeep::Footers,
        Upkeep::Fragments(100),
    ] {
        for writes in [100, 10_000] {
            table += &counts(writes, upkeep);
        }
    }
    insta::assert_snapshot!(table);
}

/// Bytes read around a footer are kept up to 32 MiB, and independently of the footer. The fragments count in
/// addition, as `docs/scale.md` states.
#[test]
fn footers_do_not_keep_what_was_read_around_them() {
    let store = VastStore::new(Plan {
        writes: 10_000,
        upkeep: Upkeep::Nothing,
    });
    let limits = Limits::with_budget(1 << 30);
    let location = Location::new(Arc::new(store), "").with_limits(limits.clone());
    let array = Array::open_location(&location, OpenOptions::default()).unwrap();
    assert_eq!(array.fragments().len(), 10_000);
    let used = limits.budget.used();
    let of_fragments = used.saturating_sub(32 << 20);
    let expected = 10_000 * 3_000..10_000 * 4_000;
    assert!(expected.contains(&of_fragments), "{used} bytes");
}
