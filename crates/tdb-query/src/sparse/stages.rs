//! The stages of tiles on their way to cells of the result: what is loaded of them, and what is done with it.

use tdb_array::Snapshot;
use tdb_cells::{CellTable, Segment, Session};
use tdb_schema::FieldKind;
use tdb_tile::Budget;

use super::deletes::apply_deletes;
use super::plan::SparsePlan;
use super::ready::Selected;
use super::rows::Rows;
use super::slabs::Slab;
use super::weights::PICKED_ROW;
use crate::QueryError;
use crate::options::Versions;

/// How far tiles have come on their way to a batch.
#[derive(Debug)]
pub(super) enum Stage {
    /// The coordinates of the tiles that lie in the subarray in part are loaded.
    Cutting,
    /// What decides is loaded.
    Deciding,
    /// All fields are loaded; where some cells were chosen before, these.
    Whole(Option<Selected>),
    /// As that, of cells that may belong to a slab.
    Slab(Box<Slab>),
}

/// A stage, and the fields that it takes and a table may lack.
pub(super) type NextStage = (Stage, Vec<FieldKind>);

impl SparsePlan {
    /// The first stage of tiles of which nothing is loaded.
    pub(super) fn first_stage(&self, table: &mut CellTable) -> NextStage {
        let cutting = self.cutting_fields();
        if table.tiles().any(|tile| !tile.full) && !cutting.is_empty() {
            table.tiles_mut().for_each(|tile| tile.wanted = !tile.full);
            return (Stage::Cutting, cutting);
        }
        self.stage_of_cut(table)
    }

    /// The stage behind [`Stage::Cutting`]: what decides which of their cells are part of the result, or else all that is.
    pub(super) fn stage_of_cut(&self, table: &mut CellTable) -> NextStage {
        table.tiles_mut().for_each(|tile| tile.wanted = true);
        let is_cut = table.tiles().any(|tile| !tile.full);
        let (decides, fields) = self.to_load(is_cut);
        let stage = if decides {
            Stage::Deciding
        } else {
            Stage::Whole(None)
        };
        (stage, fields)
    }

    /// The stage behind [`Stage::Deciding`]: the other fields of those tiles that have cells of the result.
    pub(super) fn stage_of_selected(&self, selected: Selected) -> NextStage {
        let is_empty = selected.rows.as_ref().is_some_and(Vec::is_empty);
        // What is merged later has all fields.
        let fields = if is_empty && !self.sorts {
            Vec::new()
        } else {
            self.uncut(self.fields())
        };
        (Stage::Whole(Some(selected)), fields)
    }

    /// Chooses cells by what decides, and wants the other fields of those tiles alone that have any of them. Where cells are
    /// counted, those that a condition fails are, too.
    pub(super) fn choose(
        &self,
        (session, array): (&Session, &Snapshot),
        table: &mut CellTable,
        is_counted: bool,
    ) -> Result<Selected, QueryError> {
        let mut rows = self.select(table)?;
        // Where cells are merged, one that is left out hides older ones all the same.
        let is_final = !self.sorts && self.request.versions == Versions::Current && !is_counted;
        if is_final {
            self.drop_failing((session, array), table, &mut rows)?;
            want(table, &rows);
        } else if self.request.condition.is_some() {
            let mut kept = rows.clone();
            self.apply_condition(table, &mut kept)?;
            want(table, &kept);
        } else {
            want(table, &rows);
        }
        Ok(Selected { rows, is_final })
    }

    /// Leaves out what is deleted or fails the condition of cells that are chosen and, where they are merged, the newest.
    pub(super) fn drop_failing(
        &self,
        (session, array): (&Session, &Snapshot),
        table: &mut CellTable,
        rows: &mut Rows,
    ) -> Result<(), QueryError> {
        apply_deletes(session, array, self, table, rows)?;
        self.apply_condition(table, rows)
    }

    /// An empty table of these tiles, with the memory to choose among its rows.
    pub(super) fn table(
        &self,
        segments: Vec<Segment>,
        budget: &Budget,
    ) -> Result<CellTable, QueryError> {
        let mut table = CellTable::new(segments);
        let picked = PICKED_ROW.saturating_mul(table.rows().len() as u64);
        table.hold(budget.take(picked)?);
        Ok(table)
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
