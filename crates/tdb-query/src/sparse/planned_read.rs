//! The plan of a sparse read. It stays the same from the first step to the last.

use std::sync::Arc;

use tdb_array::Snapshot;
use tdb_cells::{CellTable, Segment, Session};
use tdb_schema::FieldKind;
use tdb_tile::Budget;

use super::plan::SparsePlan;
use super::planned_tiles::PlannedTiles;
use super::weights::{Supply, Weights};
use crate::QueryError;
use crate::piece::Piece;
use crate::table_work::TableWork;

/// Maximum number of rows of a table.
pub(super) const MOST_ROWS: u64 = u32::MAX as u64;

/// The plan of a sparse read whose tiles are known, and all that is needed to carry it out.
#[derive(Debug)]
pub(super) struct PlannedRead {
    pub(super) session: Session,
    pub(super) array: Arc<Snapshot>,
    pub(super) plan: Arc<SparsePlan>,
    pub(super) tiles: Arc<PlannedTiles>,
    pub(super) weights: Weights,
}

impl PlannedRead {
    /// Returns what tiles are chosen from.
    pub(super) fn supply(&self) -> Supply<'_> {
        Supply::new(&self.plan, &self.tiles, &self.weights, &self.session)
    }

    pub(super) fn budget(&self) -> &Budget {
        &self.session.limits().budget
    }

    /// Returns the maximum weight of tiles, so that they and what is made of them fit in memory.
    pub(super) fn most(&self) -> u64 {
        let memory = self.budget().limit() / 2;
        let rows = self.weights.of_rows(MOST_ROWS / 2);
        memory.min(rows).max(1)
    }

    /// Returns the maximum weight of the tiles of a batch.
    ///
    /// If cells must be sorted as a whole, a batch may be a part of them; otherwise a batch is what was loaded.
    pub(super) fn most_of_batch(&self) -> u64 {
        if self.plan.can_stop() {
            return self.most().min(self.plan.request.batch_bytes.max(1));
        }
        self.most()
    }

    /// Creates an empty table of these tiles.
    pub(super) fn table(&self, segments: Vec<Segment>) -> Result<CellTable, QueryError> {
        self.plan.table(segments, self.budget())
    }

    /// Returns a piece that loads those of the fields that the table lacks.
    pub(super) fn piece(
        &self,
        table: CellTable,
        fields: &[FieldKind],
    ) -> Result<Piece, QueryError> {
        let lacking = fields.iter().copied().filter(|&field| !table.has(field));
        let mut later = self.plan.uncut(self.plan.fields());
        later.retain(|field| !table.has(*field) && !fields.contains(field));
        let work = TableWork {
            schema: Arc::clone(&self.plan.schema),
            tiles: Arc::clone(&self.tiles),
            fields: lacking.collect(),
            later,
            weight: self.tiles.weight(&table, self.weights.sizes())?,
            table,
        };
        Ok(work.into())
    }
}
