//! Counts cells instead of returning them: those that match a condition, and those that a delete would delete.

use std::sync::Arc;

use tdb_array::{Delete, Snapshot};
use tdb_cells::{CellSet, CellTable};
use tdb_tile::{Bug, Exact};

use super::plan::SparsePlan;
use super::rows::{Rows, all_rows};
use crate::QueryError;

/// Numbers of cells of a read: see [`Reader::tally`](crate::Reader::tally).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// All cells.
    pub cells: u64,
    /// Cells that match the condition.
    pub fitting: u64,
    /// Cells that the delete takes.
    pub taken: u64,
    /// Cells that the delete takes and that do not match the condition.
    pub beyond: u64,
}

impl SparsePlan {
    /// Plans to find the cells that a delete would take.
    pub(crate) fn foresee(&mut self, array: &Snapshot, delete: &Delete) -> Result<(), QueryError> {
        let (plans, schema) = (&self.fragments, &mut self.schema);
        let shared = || Bug::new("a tally that is planned as a part of another read");
        let visibility = Arc::get_mut(&mut self.visibility).ok_or_else(shared)?;
        visibility.foresee(array, plans, schema, delete)
    }
}

impl Tally {
    /// Counts these rows of a table, in which all tested fields are loaded.
    pub(super) fn add(
        &mut self,
        plan: &SparsePlan,
        array: &Snapshot,
        table: &CellTable,
        rows: &Rows,
    ) -> Result<(), QueryError> {
        let fits = match &plan.request.condition {
            Some(condition) => condition.evaluate(table)?,
            None => CellSet::all(table.rows()),
        };
        let gone = plan.visibility.foreseen(array, table)?;
        for row in rows.clone().unwrap_or_else(|| all_rows(table)) {
            let (fits, gone) = (fits.contains(row)?, gone.contains(row)?);
            let count = |place: &mut u64, counts: bool| {
                *place = place.exact_add(counts.into())?;
                Ok::<_, Bug>(())
            };
            count(&mut self.cells, true)?;
            count(&mut self.fitting, fits)?;
            count(&mut self.taken, gone)?;
            count(&mut self.beyond, gone && !fits)?;
        }
        Ok(())
    }
}
