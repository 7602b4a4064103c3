//! Reads the rest of a result in [`Slabs`], chunk by chunk.

use tdb_array::OpenedPart;
use tdb_cells::CellTable;
use tdb_tile::{Bug, Exact};

use super::output::Output;
use super::planned_read::PlannedRead;
use super::slab_beginning::SlabBeginning;
use super::slabs::{Slab, Slabs};
use super::step::SparseStep;
use super::weights::SORTED_ROW;
use crate::QueryError;

/// Read of a result that is sorted and does not fit in memory.
#[derive(Debug)]
pub(super) struct SlabRead {
    slabs: Slabs,
    /// Desired weight of the cells of a slab, if less than the maximum.
    share: u64,
    progress: SlabProgress,
}

/// How far the next slab has come.
#[derive(Debug)]
enum SlabProgress {
    /// No piece is outstanding.
    Between,
    /// A piece was returned: a chunk of the tiles of this slab.
    Waiting(Box<Slab>),
    /// The decoded piece has come back.
    Loaded(Box<Slab>, CellTable),
}

impl SlabRead {
    /// Begins with the opened [`Slabs::parts`].
    pub(super) fn new(
        read: &PlannedRead,
        beginning: SlabBeginning,
        opened: Vec<OpenedPart>,
    ) -> Result<Self, QueryError> {
        Ok(Self {
            share: beginning.share,
            slabs: Slabs::new(read, beginning, opened)?,
            progress: SlabProgress::Between,
        })
    }

    /// Accepts the decoded cells of the piece that was returned last.
    pub(super) fn take(&mut self, table: CellTable) -> Result<(), Bug> {
        match std::mem::replace(&mut self.progress, SlabProgress::Between) {
            SlabProgress::Waiting(slab) => {
                self.progress = SlabProgress::Loaded(slab, table);
                Ok(())
            }
            _ => Err(Bug::new("cells of a piece that was not given out")),
        }
    }

    /// Goes on, with the chunk that has come back or with the next slab; `None` if a later step will return something.
    pub(super) fn step(
        &mut self,
        read: &PlannedRead,
        output: &mut Output,
    ) -> Result<Option<SparseStep>, QueryError> {
        match std::mem::replace(&mut self.progress, SlabProgress::Between) {
            SlabProgress::Between => {
                // The first slab has about as many cells as are requested; if a condition or a delete leaves fewer,
                // larger ones follow.
                let share = self.share;
                // Without a limit of cells, the share is all of the memory already.
                self.share = share.saturating_mul(2);
                let counters = read.session.counters();
                match self.slabs.begin(share, read.most(), counters) {
                    Some(slab) => self.next_chunk(read, output, Box::new(slab)),
                    None => Ok(Some(SparseStep::Done)),
                }
            }
            SlabProgress::Loaded(mut slab, table) => {
                read.session.install_for(table.bytes_held(), || {
                    let rows = read.plan.select(&table)?;
                    slab.add(&read.plan, &read.weights, &table, rows, read.budget())
                })?;
                drop(table);
                self.next_chunk(read, output, slab)
            }
            SlabProgress::Waiting(_) => {
                Err(Bug::new("a piece that was given out has not come back").into())
            }
        }
    }

    /// Loads the next tiles that may have cells of a slab; after the last, returns the cells of the slab.
    fn next_chunk(
        &mut self,
        read: &PlannedRead,
        output: &mut Output,
        mut slab: Box<Slab>,
    ) -> Result<Option<SparseStep>, QueryError> {
        if let Some(segments) = self.slabs.next_chunk(read.supply(), &mut slab)? {
            let piece = read.piece(read.table(segments)?, &read.plan.fields())?;
            self.progress = SlabProgress::Waiting(slab);
            return Ok(Some(SparseStep::Work(piece)));
        }
        let (table, next) = slab.finish(&read.plan, &read.weights, read.budget())?;
        self.slabs.next = next;
        let sorting = SORTED_ROW.exact_mul(table.rows().len() as u64)?;
        let sorting = read.budget().take(sorting)?;
        let rows = read.session.install_for(table.bytes_held(), || {
            read.plan.merge(&read.array, &table, None)
        })?;
        drop(sorting);
        let batch = output.finish(read, table, rows)?;
        Ok(batch.map(SparseStep::Batch))
    }
}
