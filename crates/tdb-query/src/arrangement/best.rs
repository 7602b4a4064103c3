//! Keeping only the first or the last N cells of a sort order, without sorting all cells.
//!
//! As soon as N cells are kept, the worst of them is a threshold: a later cell that does not beat it can never be
//! among the N, so it is compared with the threshold and dropped. Up to 2 N cells plus a margin are kept between
//! sorts, so that sorting costs little per cell; each sort tightens the threshold.

#[cfg(test)]
mod tests;

use std::cmp::Ordering;

use tdb_cells::Batch;
use tdb_tile::{Bug, Exact};

use super::kept_cells::{KeptCells, SPARE, gather};
use super::prefix::for_each_prefix;
use super::sorting::{KeyColumns, SortKey, sort};
use crate::QueryError;

/// Which end of a sort order is kept, with the number of cells.
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

    /// True if a later cell that compares with the threshold as `order` has to be kept. Of equal cells, the later one
    /// sorts last.
    fn keeps(self, order: Ordering) -> bool {
        match self {
            Self::First(_) => order.is_lt(),
            Self::Last(_) => order.is_ge(),
        }
    }
}

/// Keeps the cells at one end of a sort order.
#[derive(Debug)]
pub(super) struct Best<'a> {
    keys: &'a [SortKey],
    end: End,
    /// The worst of the cells that the last narrowing kept, in a batch of its own; later cells that do not beat it are
    /// dropped. `None` before the first narrowing.
    threshold: Option<Batch>,
    /// Number of cells kept in addition to twice the wanted number before the rest is dropped.
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

    /// Adds a batch piece by piece, since the first cells set a threshold that excludes many others.
    pub(super) fn add(&mut self, kept: &mut KeptCells, batch: &Batch) -> Result<(), QueryError> {
        // A caller may want any number of cells; more than there are leave nothing to drop.
        let most = self
            .end
            .cells()
            .saturating_mul(2)
            .saturating_add(self.spare);
        let all = batch.rows.max(1);
        let step = usize::try_from(most).map_or(all, |most| most.clamp(1, all));
        for start in (0..batch.rows).step_by(step) {
            let end = batch.rows.min(start.exact_add(step)?);
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

    /// Returns the rows that may be among the wanted cells.
    fn chosen(
        &self,
        batch: &Batch,
        start: usize,
        end: usize,
    ) -> Result<Vec<(u32, u32)>, QueryError> {
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
            let order = prefix
                .cmp(&measure)
                .then_with(|| columns.compare(row, &limit, 0));
            if self.end.keeps(order) {
                chosen.push((0, row));
            }
        })?;
        Ok(chosen)
    }

    /// Drops all but the wanted cells, and makes the worst of them the threshold.
    pub(super) fn narrow(&mut self, kept: &mut KeptCells) -> Result<(), QueryError> {
        sort(kept, self.keys)?;
        let cells = self.end.cells();
        let (first, measure) = match self.end {
            End::First(_) => (0, cells.saturating_sub(1)),
            // Fewer cells than are wanted are all kept.
            End::Last(_) => (kept.rows().saturating_sub(cells), 0),
        };
        kept.narrow(first, cells)?;
        self.threshold = kept.cell(measure)?;
        Ok(())
    }
}
