//! Puts loaded cells in order, and picks the newest of those with equal coordinates.

use std::cmp::Ordering;

use tdb_tile::Bug;
use zerocopy::Unalign;

use crate::{Row, RowRange, threads};

/// Rows from which sorting is shared among threads.
const PARALLEL: usize = 1 << 15;

/// Numbers that compare as cells do, one for each row of a table.
pub enum Numbers {
    /// Of up to 64 bits.
    Narrow(Vec<u64>),
    /// Of up to 128 bits.
    Wide(Vec<u128>),
}

/// How two rows of equal numbers compare.
pub type Compare<'a> = Box<dyn Fn(Row, Row) -> Ordering + Send + Sync + 'a>;

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

    /// Whether rows stand in order already.
    pub fn are_sorted(&self, rows: &[Row]) -> bool {
        self.are_in_order(rows.iter().copied())
    }

    fn are_in_order(&self, rows: impl Iterator<Item = Row>) -> bool {
        rows.is_sorted_by(|&a, &b| self.compare(a, b).is_le())
    }

    /// Sorts rows; equal ones stay in the order they came in.
    ///
    /// # Errors
    /// A row without a key.
    pub fn sort(&self, rows: &mut Vec<Row>) -> Result<(), Bug> {
        if !self.are_sorted(rows) {
            *rows = self.in_order(rows.iter().copied())?;
        }
        Ok(())
    }

    /// As [`Keys::sort`], of rows that stand one behind the other: they need no memory beside what sorts them.
    ///
    /// # Errors
    /// A row without a key.
    pub fn sorted(&self, rows: RowRange) -> Result<Vec<Row>, Bug> {
        if self.are_in_order(rows.iter()) {
            return Ok(rows.iter().collect());
        }
        self.in_order(rows.iter())
    }

    fn in_order(&self, rows: impl ExactSizeIterator<Item = Row>) -> Result<Vec<Row>, Bug> {
        match &self.numbers {
            Some(Numbers::Narrow(keys)) => sort_by_keys(keys, self.compare.as_ref(), rows),
            Some(Numbers::Wide(keys)) => sort_by_keys(keys, self.compare.as_ref(), rows),
            None => {
                let mut rows: Vec<Row> = rows.collect();
                if rows.len() < PARALLEL {
                    rows.sort_by(|&a, &b| self.compare(a, b));
                } else {
                    threads::sort_by(&mut rows, |&a, &b| self.compare(a, b));
                }
                Ok(rows)
            }
        }
    }
}

/// A row and its key side by side, so that most comparisons touch no other memory. The key is not aligned, which would
/// make a pair larger by a third.
#[derive(Clone, Copy)]
struct Pair<K: Copy> {
    key: Unalign<K>,
    row: Row,
}

fn sort_by_keys<K: Copy + Ord + Send + Sync>(
    keys: &[K],
    ties: Option<&Compare<'_>>,
    rows: impl ExactSizeIterator<Item = Row>,
) -> Result<Vec<Row>, Bug> {
    let mut pairs = Vec::with_capacity(rows.len());
    for row in rows {
        let key = keys.get(row.index());
        let key = key.ok_or_else(|| Bug::new("a row that is sorted has no key"))?;
        let key = Unalign::new(*key);
        pairs.push(Pair { key, row });
    }
    // Rows come in ascending order, so that comparing them last keeps equal cells in place
    // without the memory that a stable sort takes.
    let compare = |a: &Pair<K>, b: &Pair<K>| {
        let by_cell = || ties.map_or(Ordering::Equal, |compare| compare(a.row, b.row));
        let by_key = a.key.get().cmp(&b.key.get());
        by_key.then_with(by_cell).then(a.row.cmp(&b.row))
    };
    if pairs.len() < PARALLEL {
        pairs.sort_unstable_by(compare);
    } else {
        threads::sort_unstable_by(&mut pairs, compare);
    }
    // They may take the place of the pairs, which is larger.
    let mut sorted: Vec<Row> = pairs.into_iter().map(|pair| pair.row).collect();
    sorted.shrink_to_fit();
    Ok(sorted)
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
    use super::*;

    #[test]
    fn equal_rows_stay_in_order_and_the_newest_is_kept() {
        let keys = Keys::exact(Numbers::Narrow(vec![5, 3, 5, 1, 3]));
        let mut rows: Vec<Row> = (0..5).map(Row::within).collect();
        keys.sort(&mut rows).unwrap();
        let places = |rows: &[Row]| -> Vec<usize> { rows.iter().map(|r| r.index()).collect() };
        assert_eq!(places(&rows), [3, 1, 4, 0, 2]);
        keep_newest(&keys, &mut rows, |a, b| Ok::<_, Bug>(a > b)).unwrap();
        assert_eq!(places(&rows), [3, 4, 2]);
        let mut unknown = vec![Row::within(1), Row::within(5), Row::within(0)];
        assert!(keys.sort(&mut unknown).is_err());
        let all = keys.sorted(RowRange::first(5).unwrap()).unwrap();
        assert_eq!(places(&all), [3, 1, 4, 0, 2]);
        let first = keys.sorted(RowRange::first(1).unwrap()).unwrap();
        assert_eq!(places(&first), [0]);
    }
}
