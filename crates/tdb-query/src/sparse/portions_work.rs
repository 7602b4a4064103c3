//! Takes the cells of a result out of tiles; one task does all the work on a portion of the tiles.

use std::sync::Arc;

use tdb_array::Snapshot;
use tdb_cells::{CellTable, Segment, Session, TileBytes, threads};
use tdb_store::Read;
use tdb_tile::Bug;

use super::plan::SparsePlan;
use super::planned_tiles::PlannedTiles;
use super::rows::Rows;
use super::stages::Stage;
use crate::QueryError;
use crate::load::{Loading, load};

/// Tiles whose cells come in the order of the result, so that each portion can be processed by itself.
#[derive(Debug)]
pub(crate) struct PortionsWork {
    pub(super) array: Arc<Snapshot>,
    pub(super) plan: Arc<SparsePlan>,
    pub(super) tiles: Arc<PlannedTiles>,
    /// Tiles of each task.
    pub(super) portions: Vec<Vec<Segment>>,
    /// Weight of all tiles.
    pub(super) weight: u64,
}

impl PortionsWork {
    /// Returns all byte ranges that may be read of the tiles.
    pub(crate) fn reads(&self) -> Result<Vec<Read>, Bug> {
        let fields = self.plan.fields();
        self.tiles.reads(self.portions.iter().flatten(), &fields)
    }

    /// Returns a table of the result's cells for each portion, and the weight of the tiles.
    pub(crate) fn decode(
        mut self,
        session: &Session,
        bytes: &dyn TileBytes,
    ) -> Result<(Vec<CellTable>, u64), QueryError> {
        let portions = std::mem::take(&mut self.portions);
        let how = Loading {
            session,
            schema: &self.plan.schema,
            bytes,
        };
        let take_out = |segments| self.take_out(how, segments);
        let tables = session.install_for(self.weight, || threads::map(portions, take_out))?;
        Ok((tables, self.weight))
    }

    /// Returns the cells of these tiles that are part of the result, with the requested fields.
    fn take_out(&self, how: Loading<'_>, segments: Vec<Segment>) -> Result<CellTable, QueryError> {
        let (plan, array, session) = (&*self.plan, &*self.array, how.session);
        let budget = &session.limits().budget;
        let mut table = plan.table(segments, budget)?;
        let mut next = plan.first_stage(&mut table);
        let rows: Rows = loop {
            next.fields.retain(|&field| !table.has(field));
            load(how, &mut table, &next.fields, &|fragment| {
                self.tiles.find(fragment)
            })?;
            next = match next.stage {
                Stage::Cutting => plan.stage_of_cut(&mut table),
                Stage::Deciding => {
                    let selection = plan.choose(session, array, &mut table, false)?;
                    plan.stage_of_selected(selection)
                }
                Stage::Whole(Some(selection)) if selection.is_final => break selection.rows,
                Stage::Whole(selection) => {
                    let mut rows = match selection {
                        Some(selection) => selection.rows,
                        None => plan.select(&table)?,
                    };
                    plan.drop_failing(session, array, &mut table, &mut rows)?;
                    break rows;
                }
            };
        };
        let is_asked_for = |field| plan.request.fields.iter().any(|info| info.field == field);
        for field in plan.fields() {
            if !is_asked_for(field) {
                table.take(field);
            }
        }
        match rows {
            Some(rows) => Ok(table.compact(&rows, budget)?),
            None => Ok(table),
        }
    }
}
