//! The first or the last so many cells of an order: others are looked at, and not kept.

#[cfg(test)]
mod tests;

use std::cmp::Ordering;

use tdb_cells::Batch;
use tdb_tile::Bug;

use super::kept::{Kept, SPARE, gather};
use super::prefix::for_each_prefix;
use super::sorting::{KeyColumns, SortKey, sort};
use crate::Result;

/// Which end of an order is kept, and how many cells.
#[derive(Clone, Copy, Debug)]
pub(super) enum End {
    First(u64),
    Last(u64),
}

impl End {
    fn cells(self) -> u64 {
        match self {
            Self::First(cells) | Self::Last(cells) => cells,
        }
    }

    /// Whether a cell that comes later in the read, and compares so with the last one that is kept, is kept, too. Of equal cells
    /// the later one comes behind.
    fn keeps(self, order: Ordering) -> bool {
        match self {
            Self::First(_) => order.is_lt(),
            Self::Last(_) => order.is_ge(),
        }
    }
}

/// Keeps the cells of one end of an order.
#[derive(Debug)]
pub(super) struct Best<'a> {
    keys: &'a [SortKey],
    end: End,
    /// The cell that others are measured by, alone in its batch: one for which there are enough that come before it, or, at the
    /// other end, behind it.
    threshold: Option<Batch>,
    /// Cells that are kept more than twice those that are wanted before others are dropped.
    spare: u64,
}

impl<'a> Best<'a> {
    pub(super) fn new(keys: &'a [SortKey], end: End) -> Self {
        Self {
            keys,
            end,
            threshold: None,
            spare: SPARE,
        }
    }

    /// Looks at the cells of a batch, part by part: the first cells make it easy to leave others out.
    pub(super) fn add(&mut self, kept: &mut Kept, batch: &Batch) -> Result<()> {
        let most = self
            .end
            .cells()
            .saturating_mul(2)
            .saturating_add(self.spare);
        let step = usize::try_from(most).unwrap_or(batch.rows).max(1);
        for start in (0..batch.rows).step_by(step) {
            let end = start.saturating_add(step).min(batch.rows);
            let rows = self.chosen(batch, start, end)?;
            if let Some(chosen) = gather(std::slice::from_ref(batch), &rows)? {
                kept.add(chosen)?;
            }
            if kept.rows() > most {
                self.narrow(kept)?;
            }
        }
        Ok(())
    }

    /// The rows that may be among those that are wanted.
    fn chosen(&self, batch: &Batch, start: usize, end: usize) -> Result<Vec<(u32, u32)>> {
        let number =
            |row| u32::try_from(row).map_err(|_| Bug::new("more rows than can be numbered"));
        let rows = number(start)?..number(end)?;
        let Some(threshold) = &self.threshold else {
            return Ok(rows.map(|row| (0, row)).collect());
        };
        let limit = KeyColumns::of(threshold, self.keys)?;
        let columns = KeyColumns::of(batch, self.keys)?;
        let (Some((of_limit, _)), Some((column, descending))) = (limit.first(), columns.first())
        else {
            return Err(Bug::new("the best of cells without an order").into());
        };
        let mut measure = None;
        for_each_prefix(of_limit, descending, 0..1, |_, prefix| {
            measure = Some(prefix)
        })?;
        let measure = measure.ok_or_else(|| Bug::new("a threshold without a cell"))?;
        let mut chosen = Vec::new();
        for_each_prefix(column, descending, rows, |row, prefix| {
            let order = prefix.cmp(&measure);
            let order = order.then_with(|| columns.compare(row, &limit, 0));
            if self.end.keeps(order) {
                chosen.push((0, row));
            }
        })?;
        Ok(chosen)
    }

    /// Drops what is too much, and measures by what is left from here on.
    pub(super) fn narrow(&mut self, kept: &mut Kept) -> Result<()> {
        sort(kept, self.keys)?;
        let cells = self.end.cells();
        let (first, measure) = match self.end {
            End::First(_) => (0, cells.saturating_sub(1)),
            End::Last(_) => (kept.rows().saturating_sub(cells), 0),
        };
        kept.narrow(first, cells)?;
        self.threshold = kept.cell(measure)?;
        Ok(())
    }
}
