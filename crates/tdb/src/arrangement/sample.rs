//! Cells chosen at random, each as likely as any other.

use std::collections::BinaryHeap;

use tdb_cells::Batch;

use super::kept::{Kept, SPARE, gather};
use crate::Result;

/// A choice of the cells whose numbers, mixed with the seed, come out lowest: it does not depend on how the cells come in
/// batches.
#[derive(Debug)]
pub(super) struct Sampling {
    wanted: u64,
    seed: u64,
    /// The number of the next cell.
    next: u64,
    /// The lowest mixed numbers so far, and the highest of them first.
    lowest: BinaryHeap<u64>,
    /// The mixed number of each cell that is kept.
    mixed: Vec<u64>,
}

impl Sampling {
    pub(super) fn new((wanted, seed): (u64, u64)) -> Self {
        Self {
            wanted,
            seed,
            next: 0,
            lowest: BinaryHeap::new(),
            mixed: Vec::new(),
        }
    }

    /// Looks at the cells of a batch.
    pub(super) fn add(&mut self, kept: &mut Kept, batch: &Batch) -> Result<()> {
        let mut rows = Vec::new();
        for row in (0_u32..).take(batch.rows) {
            let mixed = mix(self.seed ^ mix(self.next));
            self.next = self.next.wrapping_add(1);
            let is_full = self.lowest.len() as u64 >= self.wanted;
            if is_full && self.lowest.peek().is_none_or(|highest| mixed >= *highest) {
                continue;
            }
            if is_full {
                self.lowest.pop();
            }
            self.lowest.push(mixed);
            self.mixed.push(mixed);
            rows.push((0, row));
        }
        if let Some(chosen) = gather(std::slice::from_ref(batch), &rows)? {
            kept.add(chosen)?;
        }
        if kept.rows() > self.wanted.saturating_mul(2).saturating_add(SPARE) {
            self.drop_others(kept);
            kept.narrow(0, u64::MAX)?;
        }
        Ok(())
    }

    /// Leaves the chosen cells alone, in the order in which they came.
    pub(super) fn finish(mut self, kept: &mut Kept) -> Result<()> {
        self.drop_others(kept);
        Ok(())
    }

    fn drop_others(&mut self, kept: &mut Kept) {
        let highest = self.lowest.peek().copied();
        let is_chosen = |mixed: &u64| highest.is_some_and(|highest| *mixed <= highest);
        let mut each = self.mixed.iter();
        kept.order.retain(|_| each.next().is_some_and(is_chosen));
        self.mixed.retain(is_chosen);
    }
}

/// Spreads a number over all others, one to one: splitmix64.
fn mix(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}
