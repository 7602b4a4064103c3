//! Rows of a table and ranges of them.

use std::ops::Range;

use tdb_tile::LimitError;

/// Number of a row in a table; a row holds one cell of each field.
///
/// It has 32 bits because a sorted result keeps one for each cell. A table has at most 2^32 - 1 rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Row(u32);

impl Row {
    /// Creates a row from its index.
    ///
    /// # Errors
    /// The index does not fit into 32 bits.
    pub fn new(index: usize) -> Result<Self, LimitError> {
        number(index).map(Self)
    }

    /// Creates a row from an index below an end that is known to fit into 32 bits.
    #[expect(clippy::cast_possible_truncation, reason = "the end has 32 bits")]
    pub(crate) fn within(index: usize) -> Self {
        Self(index as u32)
    }

    /// Creates a row from bits that its index was packed into.
    #[expect(clippy::cast_possible_truncation, reason = "they were of 32 bits")]
    pub(crate) fn packed(bits: u64) -> Self {
        Self(bits as u32)
    }

    /// The index of the row, from 0.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A range of consecutive rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RowRange {
    start: u32,
    end: u32,
}

impl RowRange {
    /// The first `count` rows.
    ///
    /// # Errors
    /// There are more rows than can be numbered.
    pub fn first(count: usize) -> Result<Self, LimitError> {
        Self::default().next(count)
    }

    /// The `count` rows after this range.
    ///
    /// # Errors
    /// There are more rows than can be numbered.
    pub fn next(self, count: usize) -> Result<Self, LimitError> {
        Ok(Self {
            start: self.end,
            end: number(self.end().saturating_add(count))?,
        })
    }

    /// Extends the range to the end of `last`, which must follow it.
    #[must_use]
    pub fn until(self, last: Self) -> Self {
        Self {
            start: self.start,
            end: last.end.max(self.end),
        }
    }

    /// Index of the first row.
    #[must_use]
    pub fn start(self) -> usize {
        self.start as usize
    }

    /// Index after the last row.
    #[must_use]
    pub fn end(self) -> usize {
        self.end as usize
    }

    /// Number of rows.
    #[must_use]
    pub fn len(self) -> usize {
        self.indices().len()
    }

    /// Whether the range is empty.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// The indexes of the rows in a column.
    #[must_use]
    pub fn indices(self) -> Range<usize> {
        self.start()..self.end()
    }

    /// Iterates over the rows.
    pub fn iter(self) -> impl DoubleEndedIterator<Item = Row> + ExactSizeIterator + Clone {
        self.indices().map(Row::within)
    }

    /// The last row; `None` if the range is empty.
    #[must_use]
    pub fn last(self) -> Option<Row> {
        self.iter().next_back()
    }
}

/// A list of rows in ascending order: a range or a slice.
pub trait RowList: Copy + Send + Sync {
    /// Number of rows.
    fn count(self) -> usize;

    /// Iterates over the rows.
    fn rows(self) -> impl Iterator<Item = Row> + Clone;

    /// Whether the list is known to be all rows from 0 to `rows`.
    fn are_all(self, rows: usize) -> bool;

    /// Splits the list into parts of `most` rows, of which the last may have fewer; 0 counts as 1.
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
        // A range never has more than `u32::MAX` rows.
        let most = u32::try_from(most).unwrap_or(u32::MAX);
        let starts = (self.start..self.end).step_by(most.max(1) as usize);
        let ends = starts.clone().skip(1).chain([self.end]);
        let parts = starts.zip(ends).map(|(start, end)| Self { start, end });
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
