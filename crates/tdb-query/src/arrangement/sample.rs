//! Sampling cells at random, each with equal probability.

use std::collections::BinaryHeap;

use tdb_cells::Batch;
use tdb_tile::Exact;

use super::kept_cells::{KeptCells, are_many, gather};
use crate::QueryError;

/// Picks the cells whose hashed position is lowest. The hash depends only on the seed and the position, so the sample
/// does not depend on how the cells are split into batches.
#[derive(Debug)]
pub(super) struct Sampling {
    wanted: u64,
    seed: u64,
    /// Position of the next cell in the read.
    next: u64,
    /// The lowest hashes so far; the heap's top is the highest of them.
    lowest: BinaryHeap<u64>,
    /// Hash of each cell in `KeptCells`, in the same order.
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

    /// Adds the cells of a batch, keeping those that may be in the sample.
    pub(super) fn add(&mut self, kept: &mut KeptCells, batch: &Batch) -> Result<(), QueryError> {
        let mut rows = Vec::new();
        let first = self.next;
        self.next = first.exact_add(batch.rows as u64)?;
        for (position, row) in (first..self.next).zip(0_u32..) {
            let mixed = mix(self.seed ^ mix(position));
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
        if are_many(kept.rows(), self.wanted) {
            self.drop_others(kept);
            kept.narrow(0, u64::MAX)?;
        }
        Ok(())
    }

    /// Keeps only the sampled cells, in the order of the read.
    pub(super) fn finish(mut self, kept: &mut KeptCells) -> Result<(), QueryError> {
        self.drop_others(kept);
        Ok(())
    }

    fn drop_others(&mut self, kept: &mut KeptCells) {
        let highest = self.lowest.peek().copied();
        let is_chosen = |mixed: &u64| highest.is_some_and(|highest| *mixed <= highest);
        let mut each = self.mixed.iter();
        kept.order.retain(|_| each.next().is_some_and(is_chosen));
        self.mixed.retain(is_chosen);
    }
}

/// Hashes a number by splitmix64, which maps 64-bit numbers one to one.
fn mix(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}
