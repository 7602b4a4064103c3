//! Sorted rows, and which of them are equal.

use std::cell::Cell;
use std::ops::Range;

use tdb_tile::Bug;

use crate::Row;
use crate::threads::{self, CELLS_PER_TASK};

/// Sorted rows, and which of them are equal.
#[derive(Debug, Default)]
pub struct SortedRows {
    rows: Vec<Row>,
    /// For each row, whether it is equal to the one before it; `None` if no two rows are equal.
    repeats: Option<Vec<bool>>,
}

impl SortedRows {
    /// Creates from sorted rows and, for each, whether it is equal to the one before it.
    pub(crate) fn new(rows: Vec<Row>, repeats: Vec<bool>) -> Result<Self, Bug> {
        if rows.len() != repeats.len() {
            return Err(Bug::new("rows of which it is not known which are equal"));
        }
        let repeats = repeats.contains(&true).then_some(repeats);
        Ok(Self { rows, repeats })
    }

    /// Creates a list from sorted rows, all different.
    pub(crate) fn distinct(rows: Vec<Row>) -> Self {
        Self {
            rows,
            repeats: None,
        }
    }

    /// Returns the rows and, for each, whether it is equal to the one before it.
    pub(crate) fn into_parts(self) -> (Vec<Row>, Vec<bool>) {
        let Self { rows, repeats } = self;
        let repeats = repeats.unwrap_or_else(|| vec![false; rows.len()]);
        (rows, repeats)
    }

    /// The rows.
    #[must_use]
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Returns the rows, without a copy.
    #[must_use]
    pub fn into_rows(self) -> Vec<Row> {
        self.rows
    }

    /// Whether no two rows are equal.
    #[must_use]
    pub fn are_distinct(&self) -> bool {
        self.repeats.is_none()
    }

    /// Iterates over pairs of a row and the equal row before it.
    pub fn repeated(&self) -> impl Iterator<Item = (Row, Row)> + '_ {
        let pairs = self.rows.iter().skip(1).zip(&self.rows);
        let repeats = self.repeats.iter().flatten().skip(1);
        let repeated = pairs.zip(repeats).filter(|(_, repeats)| **repeats);
        repeated.map(|((row, before), _)| (*row, *before))
    }

    /// Removes the first `count` rows, none of which may be equal to a later one.
    pub fn skip(&mut self, count: usize) {
        self.rows.drain(..count.min(self.rows.len()));
        if let Some(repeats) = &mut self.repeats {
            repeats.drain(..count.min(repeats.len()));
        }
    }

    /// Keeps the first `count` rows and returns the others.
    pub fn split_off(&mut self, count: usize) -> Vec<Row> {
        if let Some(repeats) = &mut self.repeats {
            repeats.truncate(count);
        }
        self.rows.split_off(count.min(self.rows.len()))
    }

    /// Reorders equal rows: calls `order` for each run of two or more.
    ///
    /// # Errors
    /// The first error of `order`.
    pub fn order_equal<E>(
        &mut self,
        mut order: impl FnMut(&mut [Row]) -> Result<(), E>,
    ) -> Result<(), E> {
        let repeats = self.repeats.as_deref().unwrap_or(&[]);
        for run in equal_runs(repeats) {
            // The flags and the rows have the same length.
            if let Some(rows) = self.rows.get_mut(run) {
                order(rows)?;
            }
        }
        Ok(())
    }

    /// Returns the greatest number of rows, up to `most`, after which no equal rows are separated. If the first run of
    /// equal rows is longer than `most`, returns its end.
    #[must_use]
    pub fn end_near(&self, most: usize) -> usize {
        let all = self.rows.len();
        let is_end = |place: &usize| {
            let repeats = self.repeats.as_ref().and_then(|all| all.get(*place));
            *place >= all || !repeats.is_some_and(|repeats| *repeats)
        };
        let before = (1..=most.min(all)).rev().find(is_end);
        before.unwrap_or_else(|| (1..all).find(is_end).unwrap_or(all))
    }

    /// Keeps the first row of each run of equal rows.
    #[must_use]
    pub fn firsts(mut self) -> Vec<Row> {
        let mut repeats = self.repeats.iter().flatten();
        self.rows
            .retain(|_| repeats.next().is_none_or(|repeats| !*repeats));
        self.rows
    }

    /// Keeps the newest row of each run of equal rows.
    ///
    /// `newer(a, b)` returns whether row `a` supersedes row `b`, which precedes it.
    ///
    /// # Errors
    /// The first error of `newer`.
    #[expect(
        clippy::arithmetic_side_effects,
        reason = "they are numbers of rows of parts of one list"
    )]
    pub fn newest<E: Send>(
        self,
        newer: impl Fn(Row, Row) -> Result<bool, E> + Send + Sync,
    ) -> Result<Vec<Row>, E> {
        let Self { mut rows, repeats } = self;
        let Some(mut repeats) = repeats else {
            return Ok(rows);
        };
        let kept = threads::map(parts(&mut rows, &mut repeats), |(rows, repeats)| {
            let all = rows.len();
            Ok((all, keep_newest(rows, repeats, &newer)?))
        })?;
        let (mut start, mut end) = (0_usize, 0_usize);
        for (all, kept) in kept {
            rows.copy_within(start..start + kept, end);
            start += all;
            end += kept;
        }
        rows.truncate(end);
        Ok(rows)
    }
}

/// Records for each item but the first whether it is equal to the one before it.
pub(crate) fn mark_repeats<T: Copy>(
    items: &[T],
    repeats: &mut [bool],
    are_equal: impl Fn(T, T) -> bool,
) {
    let pairs = items.iter().zip(items.iter().skip(1));
    for (repeats, (a, b)) in repeats.iter_mut().skip(1).zip(pairs) {
        *repeats = are_equal(*a, *b);
    }
}

/// Splits rows and their flags into one part per task, without separating equal rows.
#[expect(
    clippy::arithmetic_side_effects,
    reason = "there are fewer than 2^32 rows"
)]
pub(crate) fn parts<'a>(
    mut rows: &'a mut [Row],
    mut repeats: &'a mut [bool],
) -> Vec<(&'a mut [Row], &'a mut [bool])> {
    let mut parts = Vec::new();
    while !repeats.is_empty() {
        let more = repeats
            .iter()
            .skip(CELLS_PER_TASK)
            .take_while(|repeats| **repeats)
            .count();
        let end = (CELLS_PER_TASK + more).min(repeats.len());
        // Rows and flags have the same length.
        parts.extend(rows.split_off_mut(..end).zip(repeats.split_off_mut(..end)));
    }
    parts
}

/// Returns the runs of two or more equal rows, as ranges of places.
#[expect(
    clippy::arithmetic_side_effects,
    reason = "they are places in one list, from 1 on"
)]
pub(crate) fn equal_runs(repeats: &[bool]) -> impl Iterator<Item = Range<usize>> + '_ {
    // No row comes before the first one, so it repeats none.
    let mut at = 1_usize;
    std::iter::from_fn(move || {
        let (_, rest) = repeats.split_at_checked(at)?;
        let first = rest.iter().position(|repeats| *repeats)?;
        let len = rest.iter().skip(first).take_while(|repeats| **repeats);
        let start = at + first;
        at = start + len.count();
        Some(start - 1..at)
    })
}

/// Moves the newest row of each run of equal rows to the front; returns how many rows that are.
#[expect(
    clippy::arithmetic_side_effects,
    reason = "no more places are left than there are"
)]
fn keep_newest<E>(
    rows: &mut [Row],
    repeats: &[bool],
    newer: impl Fn(Row, Row) -> Result<bool, E>,
) -> Result<usize, E> {
    let rows = Cell::from_mut(rows).as_slice_of_cells();
    let mut places = rows.iter();
    let Some(mut place) = places.next() else {
        return Ok(0);
    };
    for (row, repeats) in rows.iter().zip(repeats).skip(1) {
        let row = row.get();
        if *repeats {
            if newer(row, place.get())? {
                place.set(row);
            }
        } else if let Some(next) = places.next() {
            next.set(row);
            place = next;
        }
    }
    Ok(rows.len() - places.len())
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use super::*;
    use crate::{RowRange, Session, SessionOptions};

    fn rows(count: usize) -> Vec<Row> {
        RowRange::first(count).unwrap().iter().collect()
    }

    fn places(rows: &[Row]) -> Vec<usize> {
        rows.iter().map(|row| row.index()).collect()
    }

    #[test]
    fn equal_rows_are_runs() {
        let flags = |text: &str| text.chars().map(|c| c == '=').collect::<Vec<bool>>();
        let sorted = |text| SortedRows::new(rows(9), flags(text)).unwrap();
        let runs = |text| -> Vec<Vec<usize>> {
            let (mut sorted, mut runs) = (sorted(text), Vec::new());
            let note = |run: &mut [Row]| {
                runs.push(places(run));
                Ok::<_, ()>(())
            };
            sorted.order_equal(note).unwrap();
            runs
        };
        assert!(runs(".........").is_empty() && sorted(".........").are_distinct());
        let found = runs(".==..=..=");
        assert_eq!(found, [&[0, 1, 2][..], &[4, 5], &[7, 8]]);
        assert_eq!(runs(".========"), [(0..9).collect::<Vec<_>>()]);
        let mut sorted = sorted(".==..=..=");
        let ends = [0, 1, 2, 3, 4, 5, 8, 9, 10].map(|most| sorted.end_near(most));
        assert_eq!(ends, [3, 3, 3, 3, 4, 4, 7, 9, 9]);
        sorted.skip(3);
        assert_eq!(places(&sorted.split_off(4)), [7, 8]);
        assert_eq!(places(sorted.rows()), [3, 4, 5, 6]);
        assert_eq!(sorted.repeated().count(), 1);
        assert_eq!(places(&sorted.firsts()), [3, 4, 6]);
        assert!(SortedRows::new(rows(2), flags(".")).is_err());
    }

    /// Tests runs of equal rows that cross the places where work is split among threads.
    #[test]
    fn the_newest_of_many_rows_are_kept() {
        let session = Session::new(SessionOptions {
            threads: NonZeroUsize::new(2),
            ..SessionOptions::default()
        });
        for (equal, many) in [
            (1, 3),
            (3, 3 * CELLS_PER_TASK + 1),
            (7, 2 * CELLS_PER_TASK),
            (2 * CELLS_PER_TASK, 5 * CELLS_PER_TASK),
        ] {
            let mut model = rows(many);
            model.dedup_by(|row, kept| {
                let is_equal = row.index() / equal == kept.index() / equal;
                if is_equal && row.index() % 5 == 2 {
                    *kept = *row;
                }
                is_equal
            });
            let repeats = (0..many).map(|i| i % equal != 0).collect();
            let sorted = SortedRows::new(rows(many), repeats).unwrap();
            let newer = |row: Row, _| Ok::<_, ()>(row.index() % 5 == 2);
            let kept = session.install(|| sorted.newest(newer));
            assert_eq!(places(&kept.unwrap()), places(&model), "{equal} of {many}");
        }
    }
}
