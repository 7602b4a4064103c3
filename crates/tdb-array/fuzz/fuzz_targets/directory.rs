//! Arbitrary names, and arbitrary bytes as lists: no panic; every live object has a name in the input.
#![no_main]
use std::collections::BTreeSet;

use bytes::Bytes;
use libfuzzer_sys::fuzz_target;
use tdb_array::directory::ListingComparison;
use tdb_array::{Directory, Names, TimeWindow};
use tdb_tile::Limits;

// The input up to the first zero byte contains the names, one per line; the rest is the content of every list.
fuzz_target!(|data: &[u8]| {
    let end = data
        .iter()
        .position(|byte| *byte == 0)
        .unwrap_or(data.len());
    let (names, list) = data.split_at(end);
    let list = list.get(1..).unwrap_or_default();
    let names = names_of(names);
    for at in [1, 1000, u64::MAX - 1] {
        let Ok(directory) = Directory::from_names(&names, TimeWindow::until(at)) else {
            return;
        };
        let same = directory.clone().settled(&names, &names);
        assert!(matches!(same, Ok(ListingComparison::Same(same)) if same == directory));
        let later = names_of(list);
        if let Ok(ListingComparison::Grown(grown)) = directory.clone().settled(&names, &later) {
            assert!(grown.lists().eq(directory.lists()));
        }
        let list = Bytes::copy_from_slice(list);
        let lists = directory
            .lists()
            .map(|key| (key.to_owned(), list.clone()))
            .collect();
        let present: BTreeSet<String> = directory.probes().collect();
        for sparse in [false, true] {
            let live = directory.live(&lists, &present, sparse, &Limits::default());
            for entry in live
                .into_iter()
                .flat_map(|live| live.fragments.iter().collect::<Vec<_>>())
            {
                let entry = entry.unwrap();
                assert!(entry.name.start() <= at);
                assert!(!entry.key.contains(".."));
            }
        }
        let _ = directory.metadata().live(directory.window(), &lists);
    }
});

fn names_of(lines: &[u8]) -> Names {
    Names::of_objects(String::from_utf8_lossy(lines).lines())
}
