//! Rows of a table, and where they begin and end.

use std::ops::Range;

use tdb_tile::LimitError;

/// A row of a table: the cell of each field at this place.
///
/// It has 32 bits, since a sorted result keeps one for each cell: a table has at most 2^32 - 1 rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Row(u32);

impl Row {
    /// The row behind the first `index` ones.
    ///
    /// # Errors
    /// More rows than can be numbered.
    pub fn new(index: usize) -> Result<Self, LimitError> {
        number(index).map(Self)
    }

    /// A row below an end that was counted with 32 bits.
    #[expect(clippy::cast_possible_truncation, reason = "the end has 32 bits")]
    pub(crate) fn within(index: usize) -> Self {
        Self(index as u32)
    }

    /// A row out of the bits that its index was put into.
    #[expect(clippy::cast_possible_truncation, reason = "they were of 32 bits")]
    pub(crate) fn packed(bits: u64) -> Self {
        Self(bits as u32)
    }

    /// How many rows stand before it.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Rows that stand one behind the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RowRange {
    start: u32,
    end: u32,
}

impl RowRange {
    /// The first `count` rows.
    ///
    /// # Errors
    /// More rows than can be numbered.
    pub fn first(count: usize) -> Result<Self, LimitError> {
        Self::default().next(count)
    }

    /// The `count` rows behind these.
    ///
    /// # Errors
    /// More rows than can be numbered.
    pub fn next(self, count: usize) -> Result<Self, LimitError> {
        Ok(Self {
            start: self.end,
            end: number(self.end().saturating_add(count))?,
        })
    }

    /// These rows and those up to the end of `last`, which stands behind them.
    #[must_use]
    pub fn until(self, last: Self) -> Self {
        Self {
            start: self.start,
            end: last.end.max(self.end),
        }
    }

    /// How many rows stand before them.
    #[must_use]
    pub fn start(self) -> usize {
        self.start as usize
    }

    /// How many rows stand before the first one behind them.
    #[must_use]
    pub fn end(self) -> usize {
        self.end as usize
    }

    /// How many there are.
    #[must_use]
    pub fn len(self) -> usize {
        self.indices().len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// Their places in a column.
    #[must_use]
    pub fn indices(self) -> Range<usize> {
        self.start()..self.end()
    }

    /// One after the other.
    pub fn iter(self) -> impl DoubleEndedIterator<Item = Row> + ExactSizeIterator + Clone {
        self.indices().map(Row::within)
    }

    /// The last of them.
    #[must_use]
    pub fn last(self) -> Option<Row> {
        self.iter().next_back()
    }
}

/// Rows in ascending order: those of a range, or those of a list.
pub trait RowList: Copy + Send + Sync {
    /// How many there are.
    fn count(self) -> usize;

    /// One after the other.
    fn rows(self) -> impl Iterator<Item = Row> + Clone;

    /// Whether they are known to be all of so many rows.
    fn are_all(self, rows: usize) -> bool;

    /// The same in parts of so many, the last of which may have fewer; of one at least.
    fn parts(self, most: usize) -> Vec<Self>;
}

impl RowList for RowRange {
    fn count(self) -> usize {
        self.len()
    }

    fn rows(self) -> impl Iterator<Item = Row> + Clone {
        self.iter()
    }

    fn are_all(self, rows: usize) -> bool {
        self.indices() == (0..rows)
    }

    fn parts(self, most: usize) -> Vec<Self> {
        // A range has no more rows than can be numbered.
        let most = u32::try_from(most).unwrap_or(u32::MAX);
        let starts = (self.start..self.end).step_by(most.max(1) as usize);
        let parts = starts.map(|start| Self {
            start,
            end: start.saturating_add(most.max(1)).min(self.end),
        });
        parts.collect()
    }
}

impl RowList for &[Row] {
    fn count(self) -> usize {
        self.len()
    }

    fn rows(self) -> impl Iterator<Item = Row> + Clone {
        self.iter().copied()
    }

    fn are_all(self, _: usize) -> bool {
        false
    }

    fn parts(self, most: usize) -> Vec<Self> {
        self.chunks(most.max(1)).collect()
    }
}

fn number(rows: usize) -> Result<u32, LimitError> {
    u32::try_from(rows).map_err(|_| LimitError {
        what: "cells that are decoded together",
        setting: "rows of a table",
        asked: rows as u64,
        allowed: u64::from(u32::MAX),
    })
}
