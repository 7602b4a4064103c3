//! Makes batches of decoded cells: drops deleted cells and those that fail the condition, and gathers columns.

use tdb_cells::{Batch, CellTable};

use super::deletes::apply_deletes;
use super::read::{SparseRead, SparseStep};
use super::ready::{Ready, share_of};
use super::rows::Rows;
use crate::QueryError;

impl SparseRead {
    /// Drops cells that are deleted or fail the condition, and makes a batch of the rest, or of its first part.
    pub(super) fn finish(
        &mut self,
        mut table: CellTable,
        mut rows: Rows,
        is_final: bool,
    ) -> Result<Option<SparseStep>, QueryError> {
        let session = self.session.clone();
        let batch = session.install_for(table.bytes_held(), || {
            if !is_final {
                apply_deletes(&session, &self.array, &self.plan, &mut table, &mut rows)?;
                if let Some(tally) = &mut self.tally {
                    tally.add(&self.plan, &self.array, &table, &rows)?;
                    return Ok(None);
                }
                self.plan.apply_condition(&table, &mut rows)?;
            }
            // No table has more rows than fit in `usize`.
            if let (Some(rows), Ok(limit)) = (&mut rows, usize::try_from(self.plan.request.limit)) {
                rows.truncate(limit);
            }
            match rows {
                Some(rows) if rows.len() > self.rows_of_a_batch(&table) => {
                    let (most, plan) = (self.rows_of_a_batch(&table), &self.plan);
                    let budget = &session.limits().budget;
                    self.ready = Ready::new(plan, table, rows, most, budget)?;
                    Ok(None)
                }
                Some(rows) => {
                    let part = share_of(&table, rows.len());
                    self.held.push(session.limits().budget.take(part)?);
                    self.plan.columns(&mut table, Some(&rows)).map(Some)
                }
                None => {
                    // The columns of the table become those of the result.
                    self.held.extend(table.take_held());
                    self.plan.columns(&mut table, None).map(Some)
                }
            }
        });
        Ok(batch?.map(SparseStep::Batch))
    }

    /// True if no cells of the result are in memory, and cells are read in the order of the fragments.
    pub(super) fn is_between_batches(&self) -> bool {
        let has_none = self.ready.is_empty() && self.collected.parts.is_empty();
        has_none && self.slabs.is_none() && self.carried.is_none()
    }

    /// Returns the next batch of cells that are in memory; `None` if there are none.
    pub(super) fn next_ready(&mut self) -> Result<Option<Batch>, QueryError> {
        if self.ready.is_empty() {
            return Ok(None);
        }
        let (plan, ready, session) = (&self.plan, &mut self.ready, &self.session);
        let bytes = ready.bytes_of_next();
        let next = || ready.next(plan, &session.limits().budget);
        let Some((batch, held)) = session.install_for(bytes, next)? else {
            return Ok(None);
        };
        self.held.extend(held);
        Ok(Some(batch))
    }

    /// Returns the number of rows per batch.
    fn rows_of_a_batch(&self, table: &CellTable) -> usize {
        let all = table.rows().len();
        let per_row = table.bytes_held().checked_div(all as u64);
        let per_row = per_row.map_or(1, |bytes| bytes.max(1));
        let rows = self
            .plan
            .request
            .batch_bytes
            .checked_div(per_row)
            .unwrap_or(1);
        // More rows than fit in `usize` are more than the table has.
        usize::try_from(rows).map_or(all, |rows| rows.max(1))
    }
}
