//! The number of distinct values: exact for few, estimated for many.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, DefaultHasher, Hasher};

use crate::share::Share;

/// Maximum number of values that are counted exactly.
const MOST_COUNTED: usize = 1 << 16;

/// Approximate bytes per counted value.
const VALUE_BYTES: u64 = 24;

/// Number of bits of a hash that select a register. The standard error of the estimate is 1.04 / sqrt(2^14), or 0.8 %.
const CHOOSING: u32 = 14;
const REGISTERS: usize = 1 << CHOOSING;

/// Number of the other bits. A register contains a value from 0 to this number plus 1.
const OTHERS: u32 = u64::BITS - CHOOSING;

/// A counter of distinct values.
#[derive(Debug)]
pub(crate) struct DistinctCount {
    /// True if cells can be longer than a hash.
    is_long: bool,
    last: Option<u64>,
    seen: DistinctSketch,
}

#[derive(Debug)]
enum DistinctSketch {
    Counted(HashSet<u64, BuildHasherDefault<IdentityHasher>>),
    /// HyperLogLog: per register, the longest run of leading zeros among the hashes, plus 1.
    Estimated(Vec<u8>),
}

impl DistinctCount {
    /// Creates a counter for cells of `cell_size` bytes; `None` for var-sized cells.
    pub(crate) fn new(cell_size: Option<usize>) -> Self {
        Self {
            is_long: cell_size.is_none_or(|size| size > 8),
            last: None,
            seen: DistinctSketch::Counted(HashSet::default()),
        }
    }

    /// Adds the value of a cell.
    pub(crate) fn add(&mut self, cell: &[u8], share: &mut Share) {
        let hash = self.hash(cell);
        // Adjacent cells are often equal.
        if self.last.replace(hash) == Some(hash) {
            return;
        }
        match &mut self.seen {
            DistinctSketch::Counted(values) => {
                if !values.insert(hash) {
                    return;
                }
                if values.len() > MOST_COUNTED || !share.take(VALUE_BYTES) {
                    let mut registers = vec![0; REGISTERS];
                    for value in values.iter() {
                        note(&mut registers, *value);
                    }
                    self.seen = DistinctSketch::Estimated(registers);
                }
            }
            DistinctSketch::Estimated(registers) => note(registers, hash),
        }
    }

    /// Returns the hash of a cell. It is unique for cells up to 8 bytes, and almost always for longer ones.
    fn hash(&self, cell: &[u8]) -> u64 {
        if self.is_long {
            let mut hasher = DefaultHasher::new();
            hasher.write(cell);
            return hasher.finish();
        }
        let mut bytes = [0; 8];
        for (byte, value) in bytes.iter_mut().zip(cell) {
            *byte = *value;
        }
        mixed(u64::from_le_bytes(bytes))
    }

    /// Returns the number of distinct values, and whether it is exact.
    pub(crate) fn count(&self) -> (u64, bool) {
        match &self.seen {
            DistinctSketch::Counted(values) => (values.len() as u64, true),
            DistinctSketch::Estimated(registers) => (estimate(registers), false),
        }
    }
}

/// Permutes the 64-bit numbers (the last step of `SplitMix64`).
pub(crate) fn mixed(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

#[expect(clippy::arithmetic_side_effects, reason = "at most 64")]
fn note(registers: &mut [u8], hash: u64) {
    let Ok(register) = usize::try_from(hash >> OTHERS) else {
        return;
    };
    let rest = hash << CHOOSING;
    let zeros = rest.leading_zeros().min(OTHERS);
    let rank = u8::try_from(zeros + 1).unwrap_or(u8::MAX);
    if let Some(known) = registers.get_mut(register) {
        *known = rank.max(*known);
    }
}

/// The estimator of Ertl, "New cardinality estimation algorithms for HyperLogLog sketches" (2017). It is accurate over
/// the whole range, without corrections for small or large counts.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a count of cells, and no less than 0"
)]
fn estimate(registers: &[u8]) -> u64 {
    let with = |rank: u32| {
        let same = registers.iter().filter(|known| u32::from(**known) == rank);
        same.count() as f64
    };
    let all = REGISTERS as f64;
    let mut sum = all * tau(1.0 - with(OTHERS + 1) / all);
    for rank in (1..=OTHERS).rev() {
        sum = 0.5 * (sum + with(rank));
    }
    sum += all * sigma(with(0) / all);
    (all * all / (2.0 * std::f64::consts::LN_2 * sum)).round() as u64
}

fn sigma(mut x: f64) -> f64 {
    if x >= 1.0 {
        return f64::INFINITY;
    }
    let (mut factor, mut sum) = (1.0, x);
    loop {
        x *= x;
        let before = sum;
        sum += x * factor;
        factor += factor;
        if sum <= before {
            return sum;
        }
    }
}

fn tau(mut x: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return 0.0;
    }
    let (mut factor, mut sum) = (1.0, 1.0 - x);
    loop {
        x = x.sqrt();
        let before = sum;
        factor *= 0.5;
        sum -= (1.0 - x) * (1.0 - x) * factor;
        if sum >= before {
            return sum / 3.0;
        }
    }
}

/// A hasher for values that are hashes already.
#[derive(Debug, Default)]
struct IdentityHasher(u64);

impl Hasher for IdentityHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = mixed(self.0 ^ u64::from(*byte));
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

#[cfg(test)]
mod tests {
    use tdb_tile::Budget;

    use super::*;

    fn counted(values: impl Iterator<Item = u64>) -> (u64, bool) {
        let mut share = Share::new(&Budget::new(1 << 30), 1);
        let mut count = DistinctCount::new(Some(8));
        values.for_each(|value| count.add(&value.to_le_bytes(), &mut share));
        count.count()
    }

    #[test]
    fn few_values_are_counted() {
        let twice = (0..50_000).chain(0..50_000);
        assert_eq!(counted(twice), (50_000, true));
        assert_eq!(counted(std::iter::empty()), (0, true));
    }

    #[test]
    fn many_values_are_estimated_within_three_percent() {
        for values in [65_537, 100_000, 300_000, 1_000_000_u64] {
            let (found, is_exact) = counted((0..values).map(|value| value * 7));
            let error = (found as f64 - values as f64).abs() / values as f64;
            assert!(!is_exact && error < 0.03, "{found} for {values}");
        }
    }

    #[test]
    fn without_memory_values_are_estimated_from_the_first_on() {
        let mut share = Share::new(&Budget::new(0), 1);
        let mut count = DistinctCount::new(None);
        for value in 0..1000 {
            count.add(format!("value {value}").as_bytes(), &mut share);
        }
        let (found, is_exact) = count.count();
        assert!(!is_exact && found.abs_diff(1000) < 30, "{found}");
    }
}
