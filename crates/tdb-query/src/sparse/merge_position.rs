//! Where a merge of stored cells stands: the cells that were returned, and those that must wait.

use tdb_cells::CellTable;
use tdb_tile::Exact;

use super::cursors::Frontier;
use super::planned_read::PlannedRead;
use super::rows::Rows;
use super::weights::SORTED_ROW;
use crate::QueryError;

/// Where a merge of stored cells stands.
#[derive(Debug, Default)]
pub(super) struct MergePosition {
    /// Position in the order of the result; the cells before it were returned. `None` at the start.
    pub(super) reached: Option<Frontier>,
    /// Cells that were loaded and come after those that were returned.
    pub(super) carried: Option<CellTable>,
}

impl MergePosition {
    /// Merges the cells of new tiles with those that waited. Returns those before `frontier`, or all of them without
    /// one, and lets the others wait; `None` if none comes before it.
    pub(super) fn advance(
        &mut self,
        read: &PlannedRead,
        mut table: CellTable,
        mut rows: Rows,
        frontier: Option<Frontier>,
    ) -> Result<Option<(CellTable, Rows)>, QueryError> {
        let budget = read.budget();
        if let Some(carried) = self.carried.take() {
            if let Some(rows) = rows.take() {
                table = table.compact(&rows, budget)?;
            }
            table = CellTable::concat(vec![carried, table], budget)?;
        }
        let _sorted = budget.take(SORTED_ROW.exact_mul(table.rows().len() as u64)?)?;
        let between = (self.reached.as_ref(), frontier.as_ref());
        let (rows, behind) = read
            .plan
            .merge_between(&read.array, &table, rows, between)?;
        if let Some(frontier) = frontier {
            if !behind.is_empty() {
                self.carried = Some(table.compact(&behind, budget)?);
            }
            if rows.is_empty() {
                return Ok(None);
            }
            self.reached = Some(frontier);
        }
        Ok(Some((table, Some(rows))))
    }
}
