//! Stages of tiles on their way to cells of the result: the fields that each stage loads, and what it does with them.

use tdb_array::Snapshot;
use tdb_cells::{CellTable, Segment, Session};
use tdb_schema::FieldKind;
use tdb_tile::{Budget, Exact};

use super::deletes::apply_deletes;
use super::plan::{FirstFields, SparsePlan};
use super::rows::Rows;
use super::waiting_cells::Selection;
use super::weights::PICKED_ROW;
use crate::QueryError;
use crate::options::Versions;

/// Stage of tiles on their way to a batch.
#[derive(Debug)]
pub(super) enum Stage {
    /// Coordinates are loaded of the tiles that lie partly in the subarray.
    Cutting,
    /// The deciding fields are loaded.
    Deciding,
    /// All fields are loaded; the selected cells, if a selection was made before.
    Whole(Option<Selection>),
}

/// A stage, and the fields that it needs loaded.
#[derive(Debug)]
pub(super) struct NextStage {
    pub(super) stage: Stage,
    pub(super) fields: Vec<FieldKind>,
}

impl SparsePlan {
    /// Returns the first stage of tiles of which nothing is loaded.
    pub(super) fn first_stage(&self, table: &mut CellTable) -> NextStage {
        let cutting = self.cutting_fields();
        if table.tiles().any(|tile| !tile.full) && !cutting.is_empty() {
            table.tiles_mut().for_each(|tile| tile.wanted = !tile.full);
            return NextStage {
                stage: Stage::Cutting,
                fields: cutting,
            };
        }
        self.stage_of_cut(table)
    }

    /// Returns the stage after [`Stage::Cutting`]: load the fields that decide which cells are part of the result, or
    /// all fields if nothing is to be decided.
    pub(super) fn stage_of_cut(&self, table: &mut CellTable) -> NextStage {
        table.tiles_mut().for_each(|tile| tile.wanted = true);
        let is_cut = table.tiles().any(|tile| !tile.full);
        let FirstFields { fields, decide } = self.to_load(is_cut);
        let stage = if decide {
            Stage::Deciding
        } else {
            Stage::Whole(None)
        };
        NextStage { stage, fields }
    }

    /// Returns the stage after [`Stage::Deciding`]: load the other fields of the tiles that have cells of the result.
    pub(super) fn stage_of_selected(&self, selection: Selection) -> NextStage {
        let is_empty = selection.rows.as_ref().is_some_and(Vec::is_empty);
        // Cells that are merged later need all fields.
        let fields = if is_empty && !self.sorts {
            Vec::new()
        } else {
            self.uncut(self.fields())
        };
        NextStage {
            stage: Stage::Whole(Some(selection)),
            fields,
        }
    }

    /// Selects cells by the deciding fields, and marks as wanted only the tiles that have any. If cells are counted,
    /// those that fail the condition are selected too.
    pub(super) fn choose(
        &self,
        session: &Session,
        array: &Snapshot,
        table: &mut CellTable,
        is_counted: bool,
    ) -> Result<Selection, QueryError> {
        let mut rows = self.select(table)?;
        // If cells are merged, a cell that is dropped must still hide older ones.
        let is_final = !self.sorts && self.request.versions == Versions::Current && !is_counted;
        if is_final {
            self.drop_failing(session, array, table, &mut rows)?;
            want(table, &rows);
        } else if self.request.condition.is_some() {
            let mut kept = rows.clone();
            self.apply_condition(table, &mut kept)?;
            want(table, &kept);
        } else {
            want(table, &rows);
        }
        Ok(Selection { rows, is_final })
    }

    /// Drops cells that are deleted or fail the condition. The rows are selected already and, if merged, the newest
    /// of their coordinates.
    pub(super) fn drop_failing(
        &self,
        session: &Session,
        array: &Snapshot,
        table: &mut CellTable,
        rows: &mut Rows,
    ) -> Result<(), QueryError> {
        apply_deletes(session, array, self, table, rows)?;
        self.apply_condition(table, rows)
    }

    /// Creates an empty table of these tiles, with a grant for selecting its rows.
    pub(super) fn table(
        &self,
        segments: Vec<Segment>,
        budget: &Budget,
    ) -> Result<CellTable, QueryError> {
        let mut table = CellTable::new(segments);
        let picked = PICKED_ROW.exact_mul(table.rows().len() as u64)?;
        table.hold(budget.take(picked)?);
        Ok(table)
    }
}

/// Marks as wanted the tiles that have any of `rows`, which are in the order of the table; all stay as they are for
/// `None`.
fn want(table: &mut CellTable, rows: &Rows) {
    let Some(rows) = rows else { return };
    let mut rest = &rows[..];
    for tile in table.segments.iter_mut().flat_map(|s| &mut s.tiles) {
        let own = rest.partition_point(|row| row.index() < tile.rows.end());
        tile.wanted = own > 0;
        (_, rest) = rest.split_at(own);
    }
}
