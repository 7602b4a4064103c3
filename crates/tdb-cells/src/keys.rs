//! Puts loaded cells in order, and picks the newest of those with equal coordinates.

use std::cmp::Ordering;

use tdb_tile::Bug;

use crate::sort::{self, Compare, PARALLEL, Sorted};
use crate::{Row, threads};

/// Numbers that compare as cells do, one for each row of a table.
pub enum Numbers {
    /// Of up to 64 bits.
    Narrow(Vec<u64>),
    /// Of up to 128 bits.
    Wide(Vec<u128>),
}

/// What the rows of a table are ordered by: numbers, and where those are equal or missing, the cells themselves.
pub struct Keys<'a> {
    numbers: Option<Numbers>,
    compare: Option<Compare<'a>>,
}

impl<'a> Keys<'a> {
    /// Numbers that say it all.
    pub fn exact(numbers: Numbers) -> Self {
        Self {
            numbers: Some(numbers),
            compare: None,
        }
    }

    /// Numbers, if there are any, that leave open which of equal ones comes first.
    pub fn compared(numbers: Option<Numbers>, compare: Compare<'a>) -> Self {
        Self {
            numbers,
            compare: Some(compare),
        }
    }

    /// How two rows compare.
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

    /// Whether rows stand in order already, and if they do, whether no two of them are equal.
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

    /// Sorts rows, which come in ascending order; equal ones stay in the order they came in.
    ///
    /// # Errors
    /// A row without a key.
    pub fn sorted(&self, rows: impl ExactSizeIterator<Item = Row> + Clone) -> Result<Sorted, Bug> {
        if let Some(are_distinct) = self.order(rows.clone()) {
            return Ok(Sorted {
                rows: rows.collect(),
                are_distinct,
            });
        }
        match &self.numbers {
            Some(Numbers::Narrow(keys)) => sort::by_numbers(keys, self.compare.as_ref(), rows),
            Some(Numbers::Wide(keys)) => sort::by_numbers(keys, self.compare.as_ref(), rows),
            None => {
                let mut rows: Vec<Row> = rows.collect();
                if rows.len() < PARALLEL {
                    rows.sort_by(|&a, &b| self.compare(a, b));
                } else {
                    threads::sort_by(&mut rows, |&a, &b| self.compare(a, b));
                }
                let mut pairs = rows.iter().zip(rows.iter().skip(1));
                let are_distinct = pairs.all(|(&a, &b)| self.compare(a, b).is_ne());
                Ok(Sorted { rows, are_distinct })
            }
        }
    }
}

/// Whether things stand in order; if they do, whether no two are equal.
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

/// Keeps, of sorted rows that are equal, the one that `newer` puts first.
///
/// `newer(a, b)` tells whether row `a` supersedes row `b`, which came before it.
///
/// # Errors
/// What `newer` finds; the rows mean nothing then.
pub fn keep_newest<E>(
    keys: &Keys<'_>,
    rows: &mut Vec<Row>,
    newer: impl Fn(Row, Row) -> Result<bool, E>,
) -> Result<(), E> {
    let mut failed = None;
    rows.dedup_by(|row, kept| {
        if keys.compare(*row, *kept).is_ne() {
            return false;
        }
        match newer(*row, *kept) {
            Ok(true) => *kept = *row,
            Ok(false) => {}
            Err(error) => failed = Some(error),
        }
        true
    });
    failed.map_or(Ok(()), Err)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn places(rows: &[Row]) -> Vec<usize> {
        rows.iter().map(|row| row.index()).collect()
    }

    fn first(count: usize) -> impl ExactSizeIterator<Item = Row> + Clone {
        (0..count).map(Row::within)
    }

    #[test]
    fn equal_rows_stay_in_order_and_the_newest_is_kept() {
        let keys = Keys::exact(Numbers::Narrow(vec![5, 3, 5, 1, 3]));
        let mut sorted = keys.sorted(first(5)).unwrap();
        assert_eq!(places(&sorted.rows), [3, 1, 4, 0, 2]);
        assert!(!sorted.are_distinct);
        keep_newest(&keys, &mut sorted.rows, |a, b| Ok::<_, Bug>(a > b)).unwrap();
        assert_eq!(places(&sorted.rows), [3, 4, 2]);
        assert!(keys.sorted([1, 0, 5].map(Row::within).into_iter()).is_err());
        assert_eq!(places(&keys.sorted(first(1)).unwrap().rows), [0]);
        assert_eq!(keys.order(first(2)), None);
        assert_eq!(
            keys.order([3, 1, 4, 0].map(Row::within).into_iter()),
            Some(false)
        );
        assert_eq!(
            keys.order([3, 1, 0].map(Row::within).into_iter()),
            Some(true)
        );
    }

    /// Numbers that are near each other, far from each other, and in runs.
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
            // What numbers leave open, the cells say.
            let cell = |row: Row| (row.index() * 7919) % 5;
            for is_wide in [false, true] {
                let keys = if is_wide { Numbers::Wide(numbers.clone()) } else { Numbers::Narrow(halves.clone()) };
                let keys = if by_cell {
                    Keys::compared(Some(keys), Box::new(move |a, b| cell(a).cmp(&cell(b))))
                } else {
                    Keys::exact(keys)
                };
                let rows: Vec<Row> = first(numbers.len()).step_by(step).collect();
                let mut model = rows.clone();
                model.sort_by(|&a, &b| keys.compare(a, b));
                let sorted = keys.sorted(rows.iter().copied()).unwrap();
                prop_assert_eq!(places(&sorted.rows), places(&model));
                let are_distinct = model.windows(2).all(|pair| keys.compare(pair[0], pair[1]).is_ne());
                prop_assert_eq!(sorted.are_distinct, are_distinct);
                prop_assert_eq!(keys.order(model.iter().copied()), Some(are_distinct));
            }
        }
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
        for keys in cases {
            let mut model: Vec<usize> = (0..many).collect();
            model.sort_by_key(|&row| keys[row]);
            let sorted = Keys::exact(Numbers::Narrow(keys))
                .sorted(first(many))
                .unwrap();
            assert_eq!(places(&sorted.rows), model);
        }
    }
}
