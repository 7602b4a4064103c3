//! Takes cells out of tiles, one portion of the tiles per thread at a time, and returns them in joint batches if they
//! are few.

use std::sync::Arc;

use tdb_cells::{CellTable, Segment};
use tdb_tile::Grant;

use super::portions_work::PortionsWork;
use super::read::SparseRead;
use super::weights::Supply;
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

impl SparseRead {
    /// Lets the read take cells out of a portion of the tiles at a time, if nothing else has to be done with them.
    /// For stores whose bytes come without a wait.
    pub(crate) fn load_in_portions(&mut self) {
        self.in_portions = true;
    }

    /// True if cells may be dropped from tiles, and the others come in the order of the fragments.
    fn takes_out(&self) -> bool {
        let plan = &self.plan;
        let may_fail = plan.request.condition.is_some() || plan.visibility.has_deletes();
        (plan.cuts || plan.filters_time || may_fail) && !plan.sorts
    }

    /// Returns the weight of the tiles that are loaded together if cells are not taken out in portions.
    pub(super) fn staged_at_a_time(&self) -> u64 {
        let most = self.most();
        if self.in_portions && self.takes_out() {
            let threads = self.session.threads() as u64;
            return PORTION.saturating_mul(threads).min(most / PARTS).max(1);
        }
        most
    }

    /// Returns the next portions; `None` at the end, before a tile that is heavier than a batch may be, and if tiles
    /// are loaded in stages.
    pub(super) fn next_portions(&mut self) -> Result<Option<PortionsWork>, QueryError> {
        let request = &self.plan.request;
        // With a limit, the first cells should not wait for others.
        let is_all = request.limit == u64::MAX && request.versions == Versions::Current;
        if !self.in_portions || !self.takes_out() || !is_all || self.tally.is_some() {
            return Ok(None);
        }
        let (heaviest, threads) = (self.most(), self.session.threads() as u64);
        let count = threads.saturating_mul(PORTIONS).max(1);
        let most = PORTION.saturating_mul(count).min(heaviest / PARTS);
        // Portions are smaller if few tiles are shared among the threads, or if many threads share the memory.
        let share = self.cursors.left().min(most).div_ceil(count);
        let each = share.max(self.session.share_from()).min(PORTION);
        let each = each.min(most).max(1);
        let supply = Supply::new(&self.plan, &self.tiles, &self.weights, &self.session);
        let (mut portions, mut weight) = (Vec::<Vec<Segment>>::new(), 0_u64);
        while weight < most.max(1) {
            let chosen = self.cursors.choose(supply, each, None)?;
            if chosen.is_empty() || chosen.weight > heaviest {
                break;
            }
            self.cursors.advance(supply, &chosen)?;
            portions.push(chosen.segments(supply)?);
            weight = weight.saturating_add(chosen.weight);
        }
        if portions.is_empty() {
            return Ok(None);
        }
        let work = PortionsWork {
            array: Arc::clone(&self.array),
            plan: Arc::clone(&self.plan),
            tiles: Arc::clone(&self.tiles),
            portions,
            weight,
        };
        Ok(Some(work))
    }

    /// Makes batches of cells that were taken out of tiles. A few cells are collected until they are worth a batch,
    /// or until enough tiles were examined.
    pub(super) fn take_out(
        &mut self,
        portions: Vec<CellTable>,
        weight: u64,
    ) -> Result<(), QueryError> {
        let batch_bytes = self.plan.request.batch_bytes;
        // A caller that wants one batch gets one.
        let worth = match batch_bytes {
            u64::MAX => u64::MAX,
            bytes => bytes.min(self.most()) / WORTH,
        };
        for table in portions {
            if table.rows().is_empty() {
                continue;
            }
            let bytes = table.bytes_held();
            if bytes >= worth {
                self.give_collected()?;
            }
            self.collected.bytes = self.collected.bytes.saturating_add(bytes);
            self.collected.parts.push(table);
            if self.collected.bytes >= worth {
                self.give_collected()?;
            }
        }
        self.collected.looked_at = self.collected.looked_at.saturating_add(weight);
        if self.collected.looked_at >= batch_bytes {
            self.give_collected()?;
        }
        Ok(())
    }

    /// Makes a batch of the collected cells; none if there are no cells.
    pub(super) fn give_collected(&mut self) -> Result<(), QueryError> {
        let parts = std::mem::take(&mut self.collected).parts;
        if parts.is_empty() {
            return Ok(());
        }
        let mut table = CellTable::concat(parts, &self.session.limits().budget)?;
        let held: Vec<Grant> = table.take_held();
        let batch = self.plan.columns(&mut table, None)?;
        self.ready.add(batch, held);
        Ok(())
    }
}
