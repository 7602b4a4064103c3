//! Takes cells out of tiles, one portion of the tiles per thread at a time, and returns them in joint batches if they
//! are few.

use std::sync::Arc;

use tdb_cells::{CellTable, Segment};
use tdb_tile::Exact;

use super::cursors::Cursors;
use super::output::Output;
use super::plan::SparsePlan;
use super::planned_read::PlannedRead;
use super::portions_work::PortionsWork;
use crate::QueryError;
use crate::options::Versions;

/// Weight of the tiles of a portion in bytes: small enough to fit the cache of a core, with the cells that are taken
/// out.
const PORTION: u64 = 2 << 20;

/// Number of portions per thread that one piece has: threads that finish early take portions from the others.
const PORTIONS: u64 = 4;

/// At most 1/PARTS of the tiles of a batch is in memory at a time.
const PARTS: u64 = 4;

/// Cells of at least 1/WORTH of the batch size make a batch of their own.
const WORTH: u64 = 32;

impl SparsePlan {
    /// True if cells may be dropped from tiles, and the others come in the order of the fragments.
    pub(super) fn takes_out(&self) -> bool {
        let may_fail = self.request.condition.is_some() || self.visibility.has_deletes();
        (self.cuts || self.filters_time || may_fail) && !self.sorts
    }
}

/// Cells of the result that were taken out of portions of tiles, in order.
#[derive(Debug, Default)]
pub(super) struct Portions {
    parts: Vec<CellTable>,
    /// Bytes of memory of the cells.
    bytes: u64,
    /// Weight of all tiles that were examined, with and without cells of the result.
    looked_at: u64,
}

impl Portions {
    /// True if no cells are collected.
    pub(super) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Returns the weight of the tiles that are loaded together if cells are not taken out in portions.
    pub(super) fn staged_at_a_time(read: &PlannedRead) -> u64 {
        let threads = read.session.threads() as u64;
        let most = read.most_of_batch() / PARTS;
        PORTION.saturating_mul(threads).min(most).max(1)
    }

    /// Returns the next portions; `None` at the end, before a tile that is heavier than a batch may be, and if tiles
    /// are loaded in stages.
    pub(super) fn next(
        &self,
        read: &PlannedRead,
        cursors: &mut Cursors,
    ) -> Result<Option<PortionsWork>, QueryError> {
        let request = &read.plan.request;
        // With a limit, the first cells should not wait for others.
        if request.limit != u64::MAX || request.versions != Versions::Current {
            return Ok(None);
        }
        let (heaviest, threads) = (read.most_of_batch(), read.session.threads() as u64);
        // A caller may say any number of threads.
        let count = threads.saturating_mul(PORTIONS).max(1);
        let most = PORTION.saturating_mul(count).min(heaviest / PARTS);
        // Portions are smaller if few tiles are shared among the threads, or if many threads share the memory.
        let share = cursors.left().min(most).div_ceil(count);
        let each = share
            .max(read.session.share_from())
            .min(PORTION)
            .min(most)
            .max(1);
        let supply = read.supply();
        let (mut portions, mut weight) = (Vec::<Vec<Segment>>::new(), 0_u64);
        while weight < most.max(1) {
            let chosen = cursors.choose(supply, each, None)?;
            if chosen.is_empty() || chosen.weight > heaviest {
                break;
            }
            cursors.advance(supply, &chosen)?;
            portions.push(chosen.segments(supply)?);
            weight = weight.exact_add(chosen.weight)?;
        }
        if portions.is_empty() {
            return Ok(None);
        }
        Ok(Some(PortionsWork {
            array: Arc::clone(&read.array),
            plan: Arc::clone(&read.plan),
            tiles: Arc::clone(&read.tiles),
            portions,
            weight,
        }))
    }

    /// Makes batches of cells that were taken out of tiles. A few cells are collected until they are worth a batch,
    /// or until enough tiles were examined.
    pub(super) fn take_out(
        &mut self,
        read: &PlannedRead,
        output: &mut Output,
        tables: Vec<CellTable>,
        weight: u64,
    ) -> Result<(), QueryError> {
        let batch_bytes = read.plan.request.batch_bytes;
        // A caller that wants one batch gets one.
        let worth = match batch_bytes {
            u64::MAX => u64::MAX,
            bytes => bytes.min(read.most_of_batch()) / WORTH,
        };
        for table in tables {
            if table.rows().is_empty() {
                continue;
            }
            let bytes = table.bytes_held();
            if bytes >= worth {
                self.give(read, output)?;
            }
            self.bytes = self.bytes.exact_add(bytes)?;
            self.parts.push(table);
            if self.bytes >= worth {
                self.give(read, output)?;
            }
        }
        self.looked_at = self.looked_at.exact_add(weight)?;
        if self.looked_at >= batch_bytes {
            self.give(read, output)?;
        }
        Ok(())
    }

    /// Makes a batch of the collected cells; returns false if there are none.
    pub(super) fn give(
        &mut self,
        read: &PlannedRead,
        output: &mut Output,
    ) -> Result<bool, QueryError> {
        let parts = std::mem::take(self).parts;
        if parts.is_empty() {
            return Ok(false);
        }
        let mut table = CellTable::concat(parts, read.budget())?;
        let held = table.take_held();
        let batch = read.plan.columns(&mut table, None)?;
        output.ready.add(batch, held);
        Ok(true)
    }
}
