//! Requests for more cells of a dense domain than may be walked over.

use proptest::prelude::*;
use tdb::{Attribute, Datatype, Dimension, Schema, narrow_walk};

/// Number of cells in the domain.
const DOMAIN: i64 = 1_000;

/// Maximum number of cells to walk over.
const MOST: u64 = 100;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever was written and requested, the narrowed request has the requested cells between the first and the last
    /// written one.
    #[test]
    fn what_is_left_of_a_large_request_is_what_lies_in_the_non_empty_domain(
        writes in prop::collection::vec((0..DOMAIN - 20, 1_i64..20), 1..4),
        asked in prop::option::of((0..DOMAIN, 0..DOMAIN)),
        least in prop::option::of(0..DOMAIN),
    ) {
        let folder = tempfile::tempdir().expect("a folder");
        let uri = folder.path().join("a").display().to_string();
        let x = Dimension::new("x", Datatype::Int64).domain(0..=DOMAIN - 1).tile(10);
        let schema = Schema::dense()
            .dimension(x)
            .attribute(Attribute::new("v", Datatype::Int64))
            .build()
            .expect("a schema");
        let array = tdb::create(&uri, &schema).expect("created");
        for (first, cells) in &writes {
            let last = first + cells - 1;
            let write = array.reopen().expect("there").write().range("x", *first..=last);
            let values: Vec<i64> = (*first..=last).collect();
            write.column("v", values).commit().expect("written");
        }
        let array = array.reopen().expect("there");
        let mut read = array.read();
        if let Some((one, other)) = asked {
            read = read.range("x", one.min(other)..=one.max(other));
        }
        if let Some(least) = least {
            read = read.condition(format!("x >= {least}"));
        }
        let all = read.clone().to_vec::<i64>("x").expect("all of it");
        let first = writes.iter().map(|(first, _)| *first).min().expect("a write");
        let last = writes.iter().map(|(first, cells)| first + cells - 1).max().expect("a write");
        let mut options = read.options().expect("a request");
        let narrowed = narrow_walk(array.engine(), &mut options, MOST, false).expect("it is worth it");
        let left = array.read().with_options(options).to_vec::<i64>("x").expect("the rest");
        let within = || all.iter().copied().filter(|x| (first..=last).contains(x));
        // Without a range, a condition also narrows the cells to walk over.
        let walked = match (asked, least) {
            (Some((one, other)), _) => one.abs_diff(other) + 1,
            (None, Some(least)) => least.abs_diff(DOMAIN),
            (None, None) => DOMAIN.unsigned_abs(),
        };
        match narrowed {
            Some(_) => {
                prop_assert!(walked > MOST);
                prop_assert_eq!(left, within().collect::<Vec<i64>>());
            }
            None => {
                prop_assert!(walked <= MOST || within().count() == all.len());
                prop_assert_eq!(left, all);
            }
        }
    }
}
