//! Steps of a sorted read whose result does not fit in memory.

use tdb_store::Piece as StoredPiece;
use tdb_tile::Bug;

use super::read::{SparseRead, SparseStep};
use super::slabs::{Slab, Slabs};
use super::stages::Stage;
use super::weights::{SORTED_ROW, Supply};
use crate::QueryError;

impl SparseRead {
    /// Goes on slab by slab; first requests the R-trees that slabs need.
    pub(super) fn go_on_in_slabs(&mut self) -> Result<Option<SparseStep>, QueryError> {
        self.carried = None;
        let needs = self
            .array
            .find_parts(Slabs::parts(&self.array, &self.plan)?)?;
        let reads = needs.reads().to_vec();
        self.needs = Some(needs);
        if reads.is_empty() {
            self.answer(Vec::new())?;
            return Ok(None);
        }
        Ok(Some(SparseStep::Need(reads)))
    }

    /// Accepts the pieces of the last [`SparseStep::Need`].
    pub(crate) fn answer(&mut self, pieces: Vec<StoredPiece>) -> Result<(), QueryError> {
        let needs = self.needs.take();
        let needs = needs.ok_or_else(|| Bug::new("an answer to nothing that was asked"))?;
        let opened = self.array.open_parts(needs, pieces)?;
        let budget = &self.session.limits().budget;
        let reached = self.reached.take();
        let slabs = Slabs::new(
            &self.array,
            &self.plan,
            budget,
            reached,
            opened,
            &self.taken,
        )?;
        self.slabs = Some(slabs);
        Ok(())
    }

    /// Loads the next tiles that may have cells of a slab; after the last, returns the cells of the slab.
    pub(super) fn next_chunk(&mut self, mut slab: Slab) -> Result<Option<SparseStep>, QueryError> {
        let slabs = self.slabs.as_mut();
        let slabs = slabs.ok_or_else(|| Bug::new("a slab of a result that has none"))?;
        let supply = Supply::new(&self.plan, &self.tiles, &self.weights, &self.session);
        let chunk = slabs.next_chunk(supply, &mut slab)?;
        if let Some(segments) = chunk {
            let table = self.table(segments)?;
            let fields = self.plan.fields();
            return Ok(Some(self.load(table, &fields, Stage::Slab(Box::new(slab)))));
        }
        let (plan, array) = (&self.plan, &self.array);
        let budget = self.session.limits().budget.clone();
        let (table, next) = slab.finish(plan, &self.weights, &budget)?;
        slabs.next = next;
        let sorted = budget.take(SORTED_ROW.saturating_mul(table.rows().len() as u64))?;
        let rows = self
            .session
            .install_for(table.bytes_held(), || plan.merge(array, &table, None))?;
        drop(sorted);
        self.finish(table, rows, false)
    }
}
