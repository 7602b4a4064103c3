//! Sorts loaded cells.

use std::cmp::Ordering;

use tdb_tile::Bug;

use crate::sort::{self, Compare, PARALLEL};
use crate::sorted::{SortedRows, mark_repeats};
use crate::{Row, RowList, threads};

/// Numbers that sort like the cells, one for each row of a table.
pub enum Numbers {
    /// Numbers of up to 64 bits.
    Narrow(Vec<u64>),
    /// Numbers of up to 128 bits.
    Wide(Vec<u128>),
}

/// Sort keys for the rows of a table: numbers and, where these are equal or missing, a comparison of the cells.
pub struct Keys<'a> {
    numbers: Option<Numbers>,
    compare: Option<Compare<'a>>,
}

impl<'a> Keys<'a> {
    /// Creates keys from numbers that determine the order completely.
    pub fn exact(numbers: Numbers) -> Self {
        Self {
            numbers: Some(numbers),
            compare: None,
        }
    }

    /// Creates keys from optional numbers and a comparison of cells that decides where numbers are equal.
    pub(crate) fn compared(numbers: Option<Numbers>, compare: Compare<'a>) -> Self {
        Self {
            numbers,
            compare: Some(compare),
        }
    }

    /// Compares two rows.
    pub fn compare(&self, a: Row, b: Row) -> Ordering {
        let (i, j) = (a.index(), b.index());
        let by_number = match &self.numbers {
            Some(Numbers::Narrow(keys)) => keys.get(i).cmp(&keys.get(j)),
            Some(Numbers::Wide(keys)) => keys.get(i).cmp(&keys.get(j)),
            None => Ordering::Equal,
        };
        by_number.then_with(|| {
            self.compare
                .as_ref()
                .map_or(Ordering::Equal, |compare| compare(a, b))
        })
    }

    /// Returns `None` if the rows are not sorted; else whether no two of them are equal.
    pub fn order(&self, rows: impl Iterator<Item = Row> + Clone) -> Option<bool> {
        match (&self.numbers, &self.compare) {
            (Some(Numbers::Narrow(keys)), None) => {
                order_of(rows.map(|row| keys.get(row.index())), Ord::cmp)
            }
            (Some(Numbers::Wide(keys)), None) => {
                order_of(rows.map(|row| keys.get(row.index())), Ord::cmp)
            }
            _ => order_of(rows, |a, b| self.compare(*a, *b)),
        }
    }

    /// Sorts rows, which must ascend; equal rows keep their order.
    ///
    /// # Errors
    /// A row has no key.
    pub fn sorted(self, rows: impl RowList) -> Result<SortedRows, Bug> {
        match self.order(rows.rows()) {
            Some(true) => return Ok(SortedRows::distinct(rows.rows().collect())),
            Some(false) => return self.mark(rows.rows().collect()),
            None => {}
        }
        match self.numbers {
            Some(Numbers::Narrow(keys)) => sort::by_numbers(keys, self.compare.as_ref(), rows),
            Some(Numbers::Wide(keys)) => sort::by_numbers(keys, self.compare.as_ref(), rows),
            None => {
                let mut rows: Vec<Row> = rows.rows().collect();
                if rows.len() < PARALLEL {
                    rows.sort_by(|&a, &b| self.compare(a, b));
                } else {
                    threads::sort_by(&mut rows, |&a, &b| self.compare(a, b));
                }
                self.mark(rows)
            }
        }
    }

    /// Marks which of these rows, which are sorted, are equal to the one before.
    fn mark(&self, rows: Vec<Row>) -> Result<SortedRows, Bug> {
        let mut repeats = vec![false; rows.len()];
        mark_repeats(&rows, &mut repeats, |a, b| self.compare(a, b).is_eq());
        SortedRows::new(rows, repeats)
    }
}

/// Returns `None` if the items are not sorted; else whether no two of them are equal.
fn order_of<T>(
    mut things: impl Iterator<Item = T>,
    compare: impl Fn(&T, &T) -> Ordering,
) -> Option<bool> {
    let mut are_distinct = true;
    let Some(mut last) = things.next() else {
        return Some(true);
    };
    for next in things {
        match compare(&last, &next) {
            Ordering::Less => {}
            Ordering::Equal => are_distinct = false,
            Ordering::Greater => return None,
        }
        last = next;
    }
    Some(are_distinct)
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use proptest::prelude::*;

    use super::*;
    use crate::{RowRange, Session, SessionOptions};

    fn places(rows: &[Row]) -> Vec<usize> {
        rows.iter().map(|row| row.index()).collect()
    }

    fn first(count: usize) -> RowRange {
        RowRange::first(count).unwrap()
    }

    #[test]
    fn equal_rows_stay_in_order_and_the_newest_is_kept() {
        let keys = || Keys::exact(Numbers::Narrow(vec![5, 3, 5, 1, 3]));
        let sorted = keys().sorted(first(5)).unwrap();
        assert_eq!(places(sorted.rows()), [3, 1, 4, 0, 2]);
        let repeated = sorted
            .repeated()
            .map(|(row, before)| (row.index(), before.index()));
        assert_eq!(repeated.collect::<Vec<_>>(), [(4, 1), (2, 0)]);
        let newest = sorted.newest(|a, b| Ok::<_, Bug>(a > b)).unwrap();
        assert_eq!(places(&newest), [3, 4, 2]);
        assert!(keys().sorted(&[1, 0, 5].map(Row::within)[..]).is_err());
        assert_eq!(places(keys().sorted(first(1)).unwrap().rows()), [0]);
        let keys = keys();
        assert_eq!(keys.order(first(2).iter()), None);
        assert_eq!(
            keys.order([3, 1, 4, 0].map(Row::within).into_iter()),
            Some(false)
        );
        assert_eq!(
            keys.order([3, 1, 0].map(Row::within).into_iter()),
            Some(true)
        );
    }

    fn model_repeats(rows: &[Row], equal: impl Fn(Row, Row) -> bool) -> Option<Vec<bool>> {
        let pairs = rows.windows(2).map(|pair| equal(pair[0], pair[1]));
        let repeats: Vec<bool> = std::iter::once(false).chain(pairs).collect();
        repeats.contains(&true).then_some(repeats)
    }

    /// Numbers that are close together, far apart, and in runs.
    fn numbers() -> impl Strategy<Value = Vec<u128>> {
        let few = prop::collection::vec(0_u128..8, 0..40);
        let near = (any::<u128>(), prop::collection::vec(any::<u16>(), 0..300));
        let near = near.prop_map(|(base, more)| {
            more.iter()
                .map(|m| base.saturating_add(u128::from(*m)))
                .collect()
        });
        let far = prop::collection::vec(
            prop_oneof![any::<u128>(), 0_u128..3, Just(u128::MAX)],
            0..300,
        );
        let runs = prop::collection::vec((any::<u64>(), 1_usize..90), 1..8).prop_map(|runs| {
            let run =
                |(from, len): (u64, usize)| (0..len as u128).map(move |i| u128::from(from) + i * 3);
            runs.into_iter().flat_map(run).collect()
        });
        let shared =
            (any::<u128>(), prop::collection::vec(0_u128..1000, 70..300)).prop_map(|(top, low)| {
                low.iter()
                    .map(|low| (top & !0xffff_ffff) | low)
                    .chain([0, u128::MAX])
                    .collect()
            });
        prop_oneof![few, near, far, runs, shared]
    }

    proptest! {
        #[test]
        fn rows_are_sorted_as_by_comparing(numbers in numbers(), step in 1_usize..4, by_cell in any::<bool>()) {
            let halves: Vec<u64> = numbers.iter().map(|n| u64::try_from(*n % (1 << 64)).unwrap()).collect();
            // Where numbers are equal, the cells decide.
            let cell = |row: Row| (row.index() * 7919) % 5;
            for is_wide in [false, true] {
                let keys = if is_wide { Numbers::Wide(numbers.clone()) } else { Numbers::Narrow(halves.clone()) };
                let keys = if by_cell {
                    Keys::compared(Some(keys), Box::new(move |a, b| cell(a).cmp(&cell(b))))
                } else {
                    Keys::exact(keys)
                };
                let rows: Vec<Row> = first(numbers.len()).iter().step_by(step).collect();
                let mut model = rows.clone();
                model.sort_by(|&a, &b| keys.compare(a, b));
                let repeats = model_repeats(&model, |a, b| keys.compare(a, b).is_eq());
                prop_assert_eq!(keys.order(model.iter().copied()), Some(repeats.is_none()));
                // All rows at once can be sorted in the memory of their numbers.
                let sorted = if step == 1 { keys.sorted(first(rows.len())) } else { keys.sorted(&rows[..]) };
                let sorted = sorted.unwrap();
                prop_assert_eq!(sorted.are_distinct(), repeats.is_none());
                let (sorted, found) = sorted.into_parts();
                prop_assert_eq!(places(&sorted), places(&model));
                prop_assert_eq!(found, repeats.unwrap_or_else(|| vec![false; model.len()]));
            }
        }
    }

    fn two_threads() -> Session {
        Session::new(SessionOptions {
            threads: NonZeroUsize::new(2),
            ..SessionOptions::default()
        })
    }

    #[test]
    fn many_rows_are_sorted_as_few_are() {
        let many = 3 * PARALLEL;
        let scattered = |i: usize| (i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let cases: [Vec<u64>; 3] = [
            (0..many).map(scattered).collect(),
            (0..many).map(|i| scattered(i) % 1000).collect(),
            (0..many).map(|i| (i % (many / 4)) as u64 * 5).collect(),
        ];
        for numbers in cases {
            let mut model: Vec<Row> = first(many).iter().collect();
            model.sort_by_key(|&row| numbers[row.index()]);
            let equal = |a: Row, b: Row| numbers[a.index()] == numbers[b.index()];
            let repeats = model_repeats(&model, equal);
            // If numbers are far apart, the first pass sorts by their leading bits only.
            let far = |number: &u64| u128::from(*number) << 40;
            for wide in [false, true] {
                let keys = if wide {
                    Numbers::Wide(numbers.iter().map(far).collect())
                } else {
                    Numbers::Narrow(numbers.clone())
                };
                let sorted = two_threads().install(|| Keys::exact(keys).sorted(first(many)));
                let (sorted, found) = sorted.unwrap().into_parts();
                assert_eq!(places(&sorted), places(&model));
                assert!(found == repeats.clone().unwrap_or_else(|| vec![false; many]));
            }
        }
    }
}
