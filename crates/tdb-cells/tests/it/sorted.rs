//! Sorting rows by numbers, compared with a sort by comparison.
#![expect(
    clippy::indexing_slicing,
    reason = "helpers of tests, which may fail so"
)]

use proptest::prelude::*;
use tdb_cells::{Keys, Numbers, Row, SortedRows, threads};
use tdb_tile::Bug;

use crate::support::{cases, first, places, row, rows, session};

/// Numbers that are often equal, close together, far apart, or in runs.
fn numbers() -> impl Strategy<Value = Vec<u128>> {
    let few = prop::collection::vec(0_u128..5, 0..60);
    let near = (any::<u128>(), prop::collection::vec(0_u128..300, 0..200));
    let near = near.prop_map(|(base, more)| more.iter().map(|m| base.saturating_add(*m)).collect());
    let far = prop::collection::vec(
        prop_oneof![any::<u128>(), 0_u128..2, Just(u128::MAX)],
        0..200,
    );
    // More numbers with equal leading bits than are sorted by comparison.
    let shared = (any::<u64>(), prop::collection::vec(0_u128..40, 66..200));
    let shared = shared.prop_map(|(top, low)| {
        let number = |low: &u128| u128::from(top) << 64 | low;
        low.iter().map(number).chain([0, u128::MAX]).collect()
    });
    prop_oneof![few, near, far, shared]
}

/// Keys of these numbers, whole or only their last 64 bits, and the numbers themselves.
fn keys(numbers: &[u128], is_wide: bool) -> (Keys<'static>, Vec<u128>) {
    if is_wide {
        return (
            Keys::exact(Numbers::Wide(numbers.to_vec())),
            numbers.to_vec(),
        );
    }
    let low = |number: &u128| u64::try_from(number % (1 << 64)).expect("64 bits");
    let narrow: Vec<u64> = numbers.iter().map(low).collect();
    let model = narrow.iter().map(|number| u128::from(*number)).collect();
    (Keys::exact(Numbers::Narrow(narrow)), model)
}

/// The expected rows in sorted order, as runs of equal rows in their original order.
fn model_runs(numbers: &[u128], listed: &[usize]) -> Vec<Vec<usize>> {
    let mut model = listed.to_vec();
    model.sort_by(|a, b| numbers[*a].cmp(&numbers[*b]));
    let runs = model.chunk_by(|a, b| numbers[*a] == numbers[*b]);
    runs.map(<[usize]>::to_vec).collect()
}

/// Sorts every `step`-th of these numbers; returns the result and the expected runs.
fn sorted(numbers: &[u128], is_wide: bool, step: usize) -> (SortedRows, Vec<Vec<usize>>) {
    let (keys, numbers) = keys(numbers, is_wide);
    let listed: Vec<usize> = (0..numbers.len()).step_by(step).collect();
    let sorted = if step == 1 {
        keys.sorted(first(numbers.len()))
    } else {
        keys.sorted(&rows(&listed)[..])
    };
    let sorted = sorted.expect("a number for each row");
    (sorted, model_runs(&numbers, &listed))
}

proptest! {
    #![proptest_config(cases(150))]

    #[test]
    fn rows_stand_in_the_order_of_their_numbers(numbers in numbers(), is_wide: bool, step in 1_usize..4) {
        let (sorted, runs) = sorted(&numbers, is_wide, step);
        prop_assert_eq!(places(sorted.rows()), runs.concat());
        prop_assert_eq!(sorted.are_distinct(), runs.iter().all(|run| run.len() == 1));
        let repeated = runs.iter().flat_map(|run| run.windows(2).map(|pair| (pair[1], pair[0])));
        let found = sorted.repeated().map(|(row, before)| (row.index(), before.index()));
        prop_assert!(found.eq(repeated));
        let firsts: Vec<usize> = runs.iter().map(|run| run[0]).collect();
        prop_assert_eq!(places(&sorted.firsts()), firsts);
    }

    #[test]
    fn keys_compare_as_numbers_and_see_what_stands_in_order(numbers in numbers(), is_wide: bool) {
        let (keys, numbers) = keys(&numbers, is_wide);
        let all: Vec<usize> = (0..numbers.len()).collect();
        for (a, b) in all.iter().zip(all.iter().rev()) {
            let found = keys.compare(row(*a), row(*b));
            prop_assert_eq!(found, numbers[*a].cmp(&numbers[*b]));
        }
        let is_sorted = numbers.is_sorted();
        let is_strict = numbers.windows(2).all(|pair| pair[0] < pair[1]);
        prop_assert_eq!(keys.order(first(numbers.len()).iter()), is_sorted.then_some(is_strict));
        let runs = model_runs(&numbers, &all);
        let is_distinct = runs.len() == numbers.len();
        prop_assert_eq!(keys.order(rows(&runs.concat()).into_iter()), Some(is_distinct));
    }

    #[test]
    fn equal_rows_keep_the_newest(numbers in numbers(), times in prop::collection::vec(0_u8..4, 250)) {
        let (sorted, runs) = sorted(&numbers, true, 1);
        // The first row with the latest time: a row supersedes only older ones.
        let newest = |run: &Vec<usize>| {
            let latest = run.iter().map(|row| times[*row]).max();
            run.iter().copied().find(|row| Some(times[*row]) == latest)
        };
        let model: Vec<usize> = runs.iter().filter_map(newest).collect();
        let newer = |a: Row, b: Row| Ok::<_, Bug>(times[a.index()] > times[b.index()]);
        prop_assert_eq!(places(&sorted.newest(newer).unwrap()), model);
    }

    #[test]
    fn rows_are_cut_between_those_that_are_equal(numbers in numbers(), most in 0_usize..70) {
        let (mut sorted, runs) = sorted(&numbers, false, 1);
        let ends: Vec<usize> = runs.iter().scan(0, |end, run| { *end += run.len(); Some(*end) }).collect();
        let last_within = ends.iter().rev().find(|end| **end <= most).copied();
        let end = last_within.or(ends.first().copied()).unwrap_or(0);
        prop_assert_eq!(sorted.end_near(most), end);
        let all = runs.concat();
        prop_assert_eq!(places(&sorted.split_off(end)), &all[end..]);
        prop_assert_eq!(places(sorted.rows()), &all[..end]);
        // The remaining rows still know which of them are equal.
        let begun = ends.first().copied().unwrap_or(0).min(end);
        sorted.skip(begun);
        prop_assert_eq!(places(sorted.rows()), &all[begun..end]);
        let firsts = runs.iter().zip(&ends).filter(|(_, run_end)| (begun + 1..=end).contains(*run_end));
        let firsts: Vec<usize> = firsts.map(|(run, _)| run[0]).collect();
        prop_assert_eq!(places(&sorted.firsts()), firsts);
    }

    #[test]
    fn equal_rows_are_put_in_another_order_run_by_run(numbers in numbers()) {
        let (mut sorted, mut runs) = sorted(&numbers, false, 1);
        let mut seen = Vec::new();
        sorted.order_equal(|rows| {
            seen.push(places(rows));
            rows.reverse();
            Ok::<_, Bug>(())
        }).unwrap();
        let equal: Vec<Vec<usize>> = runs.iter().filter(|run| run.len() > 1).cloned().collect();
        prop_assert_eq!(seen, equal);
        runs.iter_mut().for_each(|run| run.reverse());
        prop_assert_eq!(places(&sorted.into_rows()), runs.concat());
    }
}

/// Scatters numbers.
fn scattered(number: u64) -> u64 {
    number.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(31)
}

#[test]
fn many_rows_are_sorted_on_all_threads() {
    let many = 100_003_u64;
    let kinds: [fn(u64) -> u128; 4] = [
        |i| scattered(i).into(),
        |i| (scattered(i) % 500).into(),
        // Sorted runs, one after the other.
        |i| (i % 9_000 * 3).into(),
        // So far apart that only their leading bits are sorted at first.
        |i| u128::from(scattered(i) % 3_000) << 100 | u128::from(i % 7),
    ];
    for kind in kinds {
        let numbers: Vec<u128> = (0..many).map(kind).collect();
        let all: Vec<usize> = (0..numbers.len()).collect();
        let runs = model_runs(&numbers, &all);
        let keys = Keys::exact(Numbers::Wide(numbers));
        let sorted = session(2)
            .install(|| keys.sorted(first(all.len())))
            .unwrap();
        assert_eq!(sorted.repeated().count(), all.len() - runs.len());
        assert!(places(sorted.rows()) == runs.concat());
    }
}

#[test]
fn many_numbers_and_items_are_sorted_on_all_threads() {
    let mut numbers: Vec<u64> = (0..80_000).map(|i| scattered(i) % 60_000).collect();
    let mut items: Vec<(u64, usize)> = numbers.iter().map(|n| n % 100).zip(0..).collect();
    let (mut model, mut stable) = (numbers.clone(), items.clone());
    model.sort_unstable();
    stable.sort_by_key(|(number, _)| *number);
    session(3).install(|| threads::sort(&mut numbers)).unwrap();
    session(2).install(|| threads::sort_by(&mut items, |a, b| a.0.cmp(&b.0)));
    assert!(numbers == model && items == stable);
}

#[test]
fn a_row_without_a_number_is_refused() {
    for is_wide in [false, true] {
        let keys = keys(&[3, 1, 2], is_wide).0;
        let error = keys.sorted(&rows(&[0, 1, 3])[..]).unwrap_err();
        assert_eq!(error.what, "a row that is sorted has no key");
    }
}

#[test]
fn what_goes_wrong_among_equal_rows_is_told() {
    let numbers = [2, 1, 2, 1];
    let (mut equal, _) = sorted(&numbers, false, 1);
    assert_eq!(equal.order_equal(|_| Err("order")), Err("order"));
    assert_eq!(equal.newest(|_, _| Err("newest")), Err("newest"));
    let (distinct, _) = sorted(&numbers[..2], false, 1);
    let kept = distinct.newest(|_, _| Err("nobody is asked"));
    assert_eq!(kept.map(|rows| places(&rows)), Ok(vec![1, 0]));
}
