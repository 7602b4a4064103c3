//! Makes batches of decoded cells: drops deleted cells and those that fail the condition, and gathers columns.

use tdb_cells::{Batch, CellTable, scaled};
use tdb_tile::{Bug, Grant};

use super::deletes::apply_deletes;
use super::read::{SparseRead, SparseStep};
use super::ready::{Ready, Selected};
use super::rows::Rows;
use crate::QueryError;
use crate::options::Versions;

impl SparseRead {
    /// Chooses cells by what decides, and wants the other fields of those tiles alone that have any of them.
    pub(super) fn select(&self, table: &mut CellTable) -> Result<Selected, QueryError> {
        let session = &self.session;
        session.install(|| {
            let (plan, array) = (&self.plan, &self.array);
            let mut rows = plan.select(table)?;
            // Where cells are merged, one that is left out hides older ones all the same.
            let is_final =
                !plan.sorts && plan.request.versions == Versions::Current && self.tally.is_none();
            if is_final {
                apply_deletes(session, array, plan, table, &mut rows)?;
                plan.apply_condition(table, &mut rows)?;
                want(table, &rows);
            } else if plan.request.condition.is_some() {
                let mut kept = rows.clone();
                plan.apply_condition(table, &mut kept)?;
                want(table, &kept);
            } else {
                want(table, &rows);
            }
            Ok(Selected { rows, is_final })
        })
    }

    /// Leaves out what is deleted or fails the condition, and makes columns of the rest, or of the first of it.
    pub(super) fn finish(
        &mut self,
        mut table: CellTable,
        mut rows: Rows,
        is_final: bool,
    ) -> Result<Option<SparseStep>, QueryError> {
        let session = self.session.clone();
        let batch = session.install(|| {
            if !is_final {
                apply_deletes(&session, &self.array, &self.plan, &mut table, &mut rows)?;
                if let Some(tally) = &mut self.tally {
                    tally.add(&self.plan, &self.array, &table, &rows)?;
                    return Ok(None);
                }
                self.plan.apply_condition(&table, &mut rows)?;
            }
            match rows {
                Some(rows) if rows.len() > self.rows_of_a_batch(&table) => {
                    self.ready = Some(Ready {
                        table,
                        rows,
                        given: 0,
                    });
                    Ok(None)
                }
                Some(rows) => {
                    let part = self.share_of(&table, rows.len())?;
                    self.held.push(part);
                    self.plan.columns(&mut table, Some(&rows)).map(Some)
                }
                None => {
                    // The table's columns become those of the result.
                    self.held.extend(table.take_held());
                    self.plan.columns(&mut table, None).map(Some)
                }
            }
        });
        Ok(batch?.map(SparseStep::Batch))
    }

    /// More of the cells that are in memory.
    pub(super) fn next_ready(&mut self) -> Result<Option<Batch>, QueryError> {
        let Some(mut ready) = self.ready.take() else {
            return Ok(None);
        };
        let most = self.rows_of_a_batch(&ready.table);
        let end = ready.given.saturating_add(most).min(ready.rows.len());
        let rows = ready.rows.get(ready.given..end);
        let rows = rows.ok_or_else(|| Bug::new("more cells were given out than there are"))?;
        self.held.push(self.share_of(&ready.table, rows.len())?);
        let columns = || self.plan.columns_of(&ready.table, rows);
        let batch = self.session.install(columns)?;
        ready.given = end;
        self.ready = (end < ready.rows.len()).then_some(ready);
        Ok(Some(batch))
    }

    /// Cells of the result to give out at a time.
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
        // More than memory can address are more than the table has.
        usize::try_from(rows).map_or(all, |rows| rows.max(1))
    }

    /// Memory for so many of a table's rows, once more.
    fn share_of(&self, table: &CellTable, rows: usize) -> Result<Grant, QueryError> {
        let part = scaled(table.bytes_held(), rows as u64, table.rows().len() as u64);
        Ok(self.session.limits().budget.take(part)?)
    }
}

/// Wants those tiles that have any of these rows, which come in the order of the table; all of them without.
fn want(table: &mut CellTable, rows: &Rows) {
    let Some(rows) = rows else { return };
    let mut rest = &rows[..];
    for tile in table.segments.iter_mut().flat_map(|s| &mut s.tiles) {
        let own = rest.partition_point(|row| row.index() < tile.rows.end());
        tile.wanted = own > 0;
        (_, rest) = rest.split_at(own);
    }
}
