//! Sources of names for new objects.

use std::collections::BTreeSet;
use std::sync::Arc;

use tdb_array::{ChangeOptions, CountedNames, NameSource, SystemNames, TimestampedName};
use tdb_tile::FormatVersion;

#[test]
fn names_of_one_time_sort_as_they_were_made() {
    let made: Vec<TimestampedName> = (0..1000)
        .map(|_| {
            SystemNames
                .versioned((5, 5), FormatVersion::WRITTEN)
                .unwrap()
        })
        .collect();
    assert!(made.is_sorted());
    let different: BTreeSet<&str> = made.iter().map(TimestampedName::as_str).collect();
    assert_eq!(different.len(), made.len());
    for name in &made {
        assert_eq!(&TimestampedName::parse(name.as_str()).unwrap(), name);
    }
}

#[test]
fn threads_share_one_count() {
    let ids = |()| {
        (0..100)
            .map(|_| SystemNames.id().unwrap() >> 64)
            .collect::<Vec<_>>()
    };
    let threads: Vec<_> = (0..4)
        .map(|_| std::thread::spawn(move || ids(())))
        .collect();
    let counts: Vec<u128> = threads
        .into_iter()
        .flat_map(|t| t.join().unwrap())
        .collect();
    let different: BTreeSet<u128> = counts.iter().copied().collect();
    assert_eq!(different.len(), counts.len());
}

#[test]
fn names_count_from_the_clock() {
    let clock = || {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        since.unwrap().as_nanos()
    };
    let (before, count) = (clock(), SystemNames.id().unwrap() >> 64);
    // Other tests may have counted ahead of a clock with larger steps.
    assert!(before <= count && count < clock() + 1_000_000);
}

#[test]
fn the_lower_bits_are_random() {
    let low = |_| SystemNames.id().unwrap() & ((1 << 64) - 1);
    let different: BTreeSet<u128> = (0..100).map(low).collect();
    assert_eq!(different.len(), 100);
}

#[test]
fn counted_names_come_again() {
    let make = || {
        let names = CountedNames::new(9, 0);
        names.set_now(12);
        let now = names.now();
        let fragment = names.versioned((now, now), FormatVersion::WRITTEN).unwrap();
        [
            fragment.to_string(),
            names.unversioned((1, now)).unwrap().to_string(),
            names.enumeration().unwrap(),
        ]
    };
    assert_eq!(make(), make());
    insta::assert_snapshot!(make().join("\n"), @"
    __12_12_00000000000000000000000000000000_22
    __1_12_00000000000000000000000000000001
    __00000000000000000000000000000002_0
    ");
    let error = CountedNames::default().unversioned((2, 1)).unwrap_err();
    assert_eq!(error.kind(), tdb_array::ErrorKind::Invalid);
}

#[test]
fn a_change_without_time_is_now() {
    let names = Arc::new(CountedNames::new(77, 0));
    let options = ChangeOptions::default().names(names);
    assert_eq!((options.time(), ChangeOptions::at(3).time()), (77, 3));
    // A day in this century.
    let now = SystemNames.now();
    assert!((1_600_000_000_000..4_200_000_000_000).contains(&now));
}
