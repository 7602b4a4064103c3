//! Makes batches of decoded cells: drops deleted cells and those that fail the condition, and gathers columns.

use std::num::NonZero;

use tdb_cells::{Batch, CellTable};
use tdb_tile::Grant;

use super::deletes::apply_deletes;
use super::planned_read::PlannedRead;
use super::rows::Rows;
use super::tally::Tally;
use super::waiting_cells::{Ready, share_of};
use crate::QueryError;

/// Cells of the result on their way to the caller.
#[derive(Debug, Default)]
pub(super) struct Output {
    /// Cells that are in memory and were not returned yet.
    pub(super) ready: Ready,
    /// Numbers of cells, if they are counted instead of returned.
    pub(super) tally: Option<Tally>,
    /// Grants for the batch that was returned last.
    held: Vec<Grant>,
}

impl Output {
    /// True if there are no cells to return.
    pub(super) fn is_empty(&self) -> bool {
        self.ready.is_empty()
    }

    /// Returns the memory of the batch that was returned last.
    pub(super) fn release(&mut self) {
        self.held.clear();
    }

    /// Returns the next batch of cells that are in memory; `None` if there are none.
    pub(super) fn next(&mut self, read: &PlannedRead) -> Result<Option<Batch>, QueryError> {
        if self.ready.is_empty() {
            return Ok(None);
        }
        let ready = &mut self.ready;
        let bytes = ready.bytes_of_next();
        let next = || ready.next(&read.plan, read.budget());
        let Some((batch, held)) = read.session.install_for(bytes, next)? else {
            return Ok(None);
        };
        self.held.extend(held);
        Ok(Some(batch))
    }

    /// Drops cells that are deleted or fail the condition, and makes a batch of the rest, or of its first part.
    pub(super) fn finish(
        &mut self,
        read: &PlannedRead,
        mut table: CellTable,
        mut rows: Rows,
    ) -> Result<Option<Batch>, QueryError> {
        let PlannedRead {
            session,
            array,
            plan,
            ..
        } = read;
        session.install_for(table.bytes_held(), || {
            apply_deletes(session, array, plan, &mut table, &mut rows)?;
            if let Some(tally) = &mut self.tally {
                tally.add(plan, array, &table, &rows)?;
                return Ok(None);
            }
            plan.apply_condition(&table, &mut rows)?;
            self.batch_of(read, table, rows)
        })
    }

    /// Like [`Output::finish`], for cells of which those that are deleted or fail the condition are already dropped.
    pub(super) fn finish_selected(
        &mut self,
        read: &PlannedRead,
        table: CellTable,
        rows: Rows,
    ) -> Result<Option<Batch>, QueryError> {
        let bytes = table.bytes_held();
        read.session
            .install_for(bytes, || self.batch_of(read, table, rows))
    }

    fn batch_of(
        &mut self,
        read: &PlannedRead,
        mut table: CellTable,
        mut rows: Rows,
    ) -> Result<Option<Batch>, QueryError> {
        let (plan, budget) = (&read.plan, read.budget());
        // No table has more rows than fit in `usize`.
        if let (Some(rows), Ok(limit)) = (&mut rows, usize::try_from(plan.request.limit)) {
            rows.truncate(limit);
        }
        let most = rows_of_a_batch(&table, plan.request.batch_bytes);
        match rows {
            Some(rows) if rows.len() > most => {
                self.ready = Ready::new(plan, table, rows, most, budget)?;
                Ok(None)
            }
            Some(rows) => {
                let part = share_of(&table, rows.len());
                self.held.push(budget.take(part)?);
                plan.columns(&mut table, Some(&rows)).map(Some)
            }
            None => {
                // The columns of the table become those of the result.
                self.held.extend(table.take_held());
                plan.columns(&mut table, None).map(Some)
            }
        }
    }
}

/// Returns the number of rows of a table that make a batch.
fn rows_of_a_batch(table: &CellTable, batch_bytes: u64) -> usize {
    let all = table.rows().len();
    let bytes_per_row = table.bytes_held().checked_div(all as u64);
    let rows = batch_bytes
        / bytes_per_row
            .and_then(NonZero::new)
            .unwrap_or(NonZero::<u64>::MIN);
    // More rows than fit in `usize` are more than the table has.
    usize::try_from(rows).map_or(all, |rows| rows.max(1))
}
