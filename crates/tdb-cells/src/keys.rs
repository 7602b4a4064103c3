//! Puts loaded cells in order, and picks the newest of those with equal coordinates.

use std::cmp::Ordering;

use crate::threads;

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
pub type Compare<'a> = Box<dyn Fn(u32, u32) -> Ordering + Send + Sync + 'a>;

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
    pub fn compare(&self, a: u32, b: u32) -> Ordering {
        let (i, j) = (a as usize, b as usize);
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
    pub fn are_sorted(&self, rows: &[u32]) -> bool {
        rows.is_sorted_by(|&a, &b| self.compare(a, b).is_le())
    }

    /// Sorts rows; equal ones stay in the order they came in.
    pub fn sort(&self, rows: &mut [u32]) {
        if self.are_sorted(rows) {
            return;
        }
        match &self.numbers {
            Some(Numbers::Narrow(keys)) => sort_by_keys(keys, self.compare.as_ref(), rows),
            Some(Numbers::Wide(keys)) => sort_by_keys(keys, self.compare.as_ref(), rows),
            None if rows.len() < PARALLEL => rows.sort_by(|&a, &b| self.compare(a, b)),
            None => threads::sort_by(rows, |&a, &b| self.compare(a, b)),
        }
    }
}

/// Key and row side by side, so that most comparisons touch no other memory.
fn sort_by_keys<K: Copy + Ord + Send + Sync + Default>(
    keys: &[K],
    ties: Option<&Compare<'_>>,
    rows: &mut [u32],
) {
    let key = |&row: &u32| (keys.get(row as usize).copied().unwrap_or_default(), row);
    let mut pairs: Vec<(K, u32)> = rows.iter().map(key).collect();
    // Rows come in ascending order, so that comparing them last keeps equal cells in place
    // without the memory that a stable sort takes.
    let compare = |a: &(K, u32), b: &(K, u32)| {
        let by_cell = || ties.map_or(Ordering::Equal, |compare| compare(a.1, b.1));
        a.0.cmp(&b.0).then_with(by_cell).then(a.1.cmp(&b.1))
    };
    if pairs.len() < PARALLEL {
        pairs.sort_unstable_by(compare);
    } else {
        threads::sort_unstable_by(&mut pairs, compare);
    }
    for (place, (_, row)) in rows.iter_mut().zip(pairs) {
        *place = row;
    }
}

/// Keeps, of sorted rows that are equal, the one that `newer` puts first.
///
/// `newer(a, b)` tells whether row `a` supersedes row `b`, which came before it.
pub fn keep_newest(keys: &Keys<'_>, rows: &mut Vec<u32>, newer: impl Fn(u32, u32) -> bool) {
    rows.dedup_by(|row, kept| {
        if keys.compare(*row, *kept).is_ne() {
            return false;
        }
        if newer(*row, *kept) {
            *kept = *row;
        }
        true
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_rows_stay_in_order_and_the_newest_is_kept() {
        let keys = Keys::exact(Numbers::Narrow(vec![5, 3, 5, 1, 3]));
        let mut rows = vec![0, 1, 2, 3, 4];
        keys.sort(&mut rows);
        assert_eq!(rows, [3, 1, 4, 0, 2]);
        keep_newest(&keys, &mut rows, |a, b| a > b);
        assert_eq!(rows, [3, 4, 2]);
    }
}
