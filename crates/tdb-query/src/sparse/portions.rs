//! Few cells of many tiles: they are taken out of the tiles a portion at a time, and given out together.

use tdb_cells::{Batch, CellTable, Row};
use tdb_schema::FieldKind;

use super::collected::Collected;
use super::read::SparseRead;
use super::ready::share_of;
use crate::QueryError;

/// What tiles weigh that a thread takes cells out of together. That of all threads fits their caches, and is enough to share
/// among them.
const PORTION: u64 = 2 << 20;

/// Of the tiles of a batch, no more than one part in so many is a portion.
const PORTIONS: u64 = 4;

/// Of the bytes that a batch may have, one part in so many is worth a batch of its own.
const WORTH: u64 = 32;

impl SparseRead {
    /// Loads no more tiles together than it takes to keep the threads at work, where cells are taken out of them: for bytes
    /// that come without a wait.
    pub(crate) fn load_in_portions(&mut self) {
        let threads = self.session.threads() as u64;
        self.portion = PORTION.saturating_mul(threads);
    }

    /// Whether cells may be left out of tiles, and those that are not are given out as they come.
    fn takes_out(&self) -> bool {
        let plan = &self.plan;
        let may_fail = plan.request.condition.is_some() || plan.visibility.has_deletes();
        (plan.cuts || plan.filters_time || may_fail) && !plan.sorts
    }

    /// The weight that tiles may have that are loaded together.
    pub(super) fn portion(&self) -> u64 {
        let most = self.most();
        if self.takes_out() && self.portion < u64::MAX {
            self.portion.min(most / PORTIONS).max(1)
        } else {
            most
        }
    }

    /// Whether so many rows of a table are to wait for others.
    pub(super) fn is_little(&self, table: &CellTable, rows: usize) -> bool {
        // Where a few cells are asked for, they are not to wait; what is from as many tiles as a batch has does not, either.
        let may_wait = self.portion() < self.most() && self.plan.request.limit == u64::MAX;
        may_wait && share_of(table, rows) < self.worth()
    }

    fn worth(&self) -> u64 {
        self.plan.request.batch_bytes / WORTH
    }

    /// Copies rows out of a table; gives out all that was collected once it is worth a batch, or a batch of tiles was looked at.
    pub(super) fn collect(
        &mut self,
        mut table: CellTable,
        rows: &[Row],
    ) -> Result<Option<Batch>, QueryError> {
        let weight = self.weights.of_table(&table);
        if !rows.is_empty() {
            for field in self.plan.fields() {
                if !self.is_asked_for(field) {
                    table.take(field);
                }
            }
            let part = table.compact(rows, &self.session.limits().budget)?;
            let bytes = part.bytes_held();
            self.collected.bytes = self.collected.bytes.saturating_add(bytes);
            self.collected.parts.push(part);
        }
        drop(table);
        let collected = &mut self.collected;
        collected.looked_at = collected.looked_at.saturating_add(weight);
        if self.collected.bytes < self.worth() && self.collected.looked_at < self.most() {
            return Ok(None);
        }
        self.give_collected()
    }

    fn is_asked_for(&self, field: FieldKind) -> bool {
        let mut fields = self.plan.request.fields.iter();
        fields.any(|info| info.field == field)
    }

    /// What was collected, as a batch; `None` if it is no cell.
    pub(super) fn give_collected(&mut self) -> Result<Option<Batch>, QueryError> {
        let Collected { parts, .. } = std::mem::take(&mut self.collected);
        if parts.is_empty() {
            return Ok(None);
        }
        let mut table = CellTable::concat(parts, &self.session.limits().budget)?;
        self.held.extend(table.take_held());
        self.plan.columns(&mut table, None).map(Some)
    }
}
