//! A hash table that looks up whether a cell is at a point.

use std::hash::{BuildHasher, RandomState};

use super::tree::PointTree;

/// Bits of the filter per point: with fewer, more cells pass that are not at a point; with more, it does not fit into
/// the caches.
const FILTER_BITS: usize = 16;

/// Hash table of points. A small Bloom filter in front of it rejects most cells that are not at a point.
#[derive(Debug)]
pub(super) struct PointTable {
    /// Slots with open addressing: the number of a point, counted from 1, is in the slot of its hash or a later one;
    /// empty slots contain 0. The length is a power of two, at least twice the number of points.
    slots: Vec<u32>,
    /// The filter: each hash sets three bits in one word. The length is a power of two.
    filter: Vec<u64>,
    /// Random seed, so that nobody can construct points whose hashes all collide.
    seed: u64,
}

impl PointTable {
    /// Bytes of memory that this number of points takes.
    #[expect(
        clippy::arithmetic_side_effects,
        reason = "the number of points, which has been checked, fits into 32 bits"
    )]
    pub(super) fn bytes(points: usize) -> u64 {
        (slots(points) * size_of::<u32>() + words(points) * 8) as u64
    }

    pub(super) fn new(tree: &PointTree) -> Self {
        let mut table = Self {
            slots: vec![0; slots(tree.len())],
            filter: vec![0; words(tree.len())],
            seed: RandomState::new().hash_one(0),
        };
        for point in 0..tree.len() {
            let Some(keys) = tree.point(point) else {
                continue;
            };
            let hash = keys.iter().fold(table.seed, |hash, key| mixed(hash, *key));
            let (word, bits) = table.filter_place(hash);
            if let Some(word) = table.filter.get_mut(word) {
                *word |= bits;
            }
            // Duplicate points share one slot.
            if let Some(slot) = table.find(tree, hash, |other| other.eq(keys.iter().copied()))
                && let Some(slot @ 0) = table.slots.get_mut(slot)
                && let Some(number) = u32::try_from(point)
                    .ok()
                    .and_then(|point| point.checked_add(1))
            {
                *slot = number;
            }
        }
        table
    }

    /// Clears the byte of each cell that is not at a point. `keys` has the keys of the cells, one list per dimension;
    /// `hashes` is scratch memory.
    pub(super) fn choose(
        &self,
        tree: &PointTree,
        keys: &[Vec<u64>],
        hashes: &mut Vec<u64>,
        keep: &mut [u8],
    ) {
        hashes.clear();
        hashes.resize(keep.len(), self.seed);
        for along in keys {
            for (hash, key) in hashes.iter_mut().zip(along) {
                *hash = mixed(*hash, *key);
            }
        }
        // Iterations are independent of each other, so that the processor can overlap their cache misses.
        for (keep, hash) in keep.iter_mut().zip(&*hashes) {
            let (word, bits) = self.filter_place(*hash);
            let may_be = self
                .filter
                .get(word)
                .is_some_and(|word| word & bits == bits);
            *keep &= u8::from(may_be);
        }
        for (cell, keep) in keep.iter_mut().enumerate().filter(|(_, keep)| **keep != 0) {
            let keys = || {
                keys.iter()
                    .filter_map(move |along| along.get(cell).copied())
            };
            let slot = hashes
                .get(cell)
                .and_then(|hash| self.find(tree, *hash, |point| point.eq(keys())))
                .and_then(|slot| self.slots.get(slot));
            if slot.is_none_or(|number| *number == 0) {
                *keep = 0;
            }
        }
    }

    /// Returns the slot of the point for which `is_it` returns true, or the empty slot at which the search ends.
    fn find<'a>(
        &self,
        tree: &'a PointTree,
        hash: u64,
        is_it: impl Fn(std::iter::Copied<std::slice::Iter<'a, u64>>) -> bool,
    ) -> Option<usize> {
        let last = self.slots.len().checked_sub(1)?;
        let first = usize::try_from(hash >> 32).ok()? & last;
        let numbers = self.slots.iter().skip(first).chain(&self.slots);
        let mut slots = (first..=last).chain(0..first).zip(numbers);
        let ends = |number: u32| {
            let point = usize::try_from(number)
                .ok()
                .and_then(|number| tree.point(number.checked_sub(1)?));
            point.is_none_or(|keys| is_it(keys.iter().copied()))
        };
        let found = slots.find(|(_, number)| ends(**number));
        found.map(|(slot, _)| slot)
    }

    /// Returns the place of a hash in the filter: the number of the word, and the bits in it.
    fn filter_place(&self, hash: u64) -> (usize, u64) {
        let last = self.filter.len().saturating_sub(1);
        let word = usize::try_from(hash & u64::from(u32::MAX)).unwrap_or(0) & last;
        // The highest bits: they do not select the word nor, unless there are very many points, the slot.
        let bits = [46, 52, 58].map(|at| 1_u64 << ((hash >> at) & 63));
        (word, bits.iter().fold(0, |all, bit| all | bit))
    }
}

/// Number of slots for this number of points.
#[expect(
    clippy::arithmetic_side_effects,
    reason = "the number of points, which has been checked, fits into 32 bits"
)]
fn slots(points: usize) -> usize {
    (points * 2).next_power_of_two()
}

/// Number of words of the filter for this number of points.
#[expect(
    clippy::arithmetic_side_effects,
    reason = "the number of points, which has been checked, fits into 32 bits"
)]
fn words(points: usize) -> usize {
    (points * FILTER_BITS / 64).next_power_of_two()
}

/// Mixes the next key into a hash: xors both halves of a 128-bit product.
#[inline]
fn mixed(hash: u64, key: u64) -> u64 {
    let (low, high) = (hash ^ key).carrying_mul(0x9e37_79b9_7f4a_7c15, 0);
    low ^ high
}
