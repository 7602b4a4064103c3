//! The values kept for quartiles: all of them while memory allows, then a uniform random sample.

use tdb_tile::Datatype;

use crate::Outcome;
use crate::accumulator::is_time;
use crate::distinct_count::mixed;
use crate::number::Number;
use crate::share::Share;

/// Number of values that are kept regardless of memory.
const FEWEST: usize = 1024;

/// Bytes per kept value.
const VALUE_BYTES: u64 = 8;

/// The sign bit, and half of the range of 64-bit numbers.
const HALF: u64 = 1 << 63;

/// Values of a field, stored as unsigned numbers that sort in the same order.
#[derive(Debug)]
pub(crate) struct KeptValues {
    datatype: Datatype,
    keys: Vec<u64>,
    /// Number of values added so far.
    seen: u64,
    is_full: bool,
}

impl KeptValues {
    pub(crate) fn new(datatype: Datatype) -> Self {
        Self {
            datatype,
            keys: Vec::new(),
            seen: 0,
            is_full: false,
        }
    }

    /// Adds a value; ignores NaN.
    #[expect(
        clippy::arithmetic_side_effects,
        reason = "fewer than 2^64 values, and a product of two numbers of 64 bits in 128"
    )]
    pub(crate) fn add(&mut self, value: Number, share: &mut Share) {
        let Some(key) = self.key(value) else {
            return;
        };
        self.seen += 1;
        if !self.is_full && (self.keys.len() < FEWEST || share.take(VALUE_BYTES)) {
            self.keys.push(key);
            return;
        }
        self.is_full = true;
        // Reservoir sampling: every value seen so far is kept with the same probability.
        let random = u128::from(mixed(self.seen));
        let chosen = (random * u128::from(self.seen)) >> u64::BITS;
        let place = usize::try_from(chosen).ok();
        if let Some(place) = place.and_then(|place| self.keys.get_mut(place)) {
            *place = key;
        }
    }

    /// Converts a value to an unsigned number that sorts in the same order; `None` for NaN.
    fn key(&self, value: Number) -> Option<u64> {
        match value {
            Number::Float(value) if value.is_nan() => None,
            Number::Float(value) => {
                let bits = (value + 0.0).to_bits();
                Some(if bits & HALF == 0 { bits | HALF } else { !bits })
            }
            Number::Whole(value) => u64::try_from(value.checked_add(self.offset())?).ok(),
        }
    }

    #[expect(clippy::arithmetic_side_effects, reason = "numbers of 64 bits in 128")]
    fn number(&self, key: u64) -> Number {
        if self.datatype.is_real() {
            let bits = if key & HALF == 0 { !key } else { key & !HALF };
            return Number::Float(f64::from_bits(bits));
        }
        Number::Whole(i128::from(key) - self.offset())
    }

    /// Returns the offset that makes signed numbers non-negative.
    fn offset(&self) -> i128 {
        let is_signed = self.datatype.is_signed() || is_time(self.datatype);
        if is_signed { i128::from(HALF) } else { 0 }
    }

    /// Returns the three quartiles, interpolated linearly between values, and whether they are exact (computed from
    /// all values). The quartiles are `None` if there are no values.
    pub(crate) fn quartiles(mut self) -> (Option<[Outcome; 3]>, bool) {
        let is_exact = !self.is_full;
        if self.keys.is_empty() {
            return (None, is_exact);
        }
        let quartiles = [1, 2, 3].map(|quarters| self.quantile(quarters));
        (Some(quartiles), is_exact)
    }

    #[expect(
        clippy::arithmetic_side_effects,
        reason = "three times a length in 64 bits, and numbers of 64 bits in 128"
    )]
    fn quantile(&mut self, quarters: u64) -> Outcome {
        let steps = (self.keys.len() as u64).saturating_sub(1) * quarters;
        let (below, part) = (steps / 4, steps % 4);
        let Ok(below) = usize::try_from(below) else {
            return Outcome::None;
        };
        let (_, low, rest) = self.keys.select_nth_unstable(below);
        let low = *low;
        let high = rest.iter().min().copied().filter(|_| part > 0);
        let high = self.number(high.unwrap_or(low));
        match (self.number(low), high) {
            (Number::Whole(low), Number::Whole(high)) if is_time(self.datatype) => {
                let ticks = low + (high - low) * i128::from(part) / 4;
                time(self.datatype, ticks)
            }
            (Number::Whole(low), Number::Whole(high)) => {
                Outcome::Float(low as f64 + (high - low) as f64 * part as f64 / 4.0)
            }
            (Number::Float(low), Number::Float(high)) if low < high => {
                Outcome::Float(low + (high - low) * (part as f64 / 4.0))
            }
            (Number::Float(low), _) => Outcome::Float(low),
            (Number::Whole(low), _) => Outcome::Float(low as f64),
        }
    }
}

/// Returns a date or time of `ticks` units.
pub(crate) fn time(datatype: Datatype, ticks: i128) -> Outcome {
    match i64::try_from(ticks) {
        Ok(ticks) => Outcome::Value(datatype, ticks.to_le_bytes().to_vec()),
        Err(_) => Outcome::None,
    }
}

#[cfg(test)]
mod tests {
    use tdb_tile::Budget;

    use super::*;

    fn kept(datatype: Datatype, values: impl Iterator<Item = Number>, memory: u64) -> KeptValues {
        let mut share = Share::new(&Budget::new(memory), 1);
        let mut kept = KeptValues::new(datatype);
        values.for_each(|value| kept.add(value, &mut share));
        kept
    }

    fn floats(kept: KeptValues) -> ([f64; 3], bool) {
        let (quartiles, is_exact) = kept.quartiles();
        let floats = quartiles.expect("values").map(|outcome| match outcome {
            Outcome::Float(value) => value,
            other => panic!("{other:?}"),
        });
        (floats, is_exact)
    }

    #[test]
    fn quartiles_lie_in_proportion_between_two_values() {
        let of = |values: &[i128]| {
            let values = values.iter().map(|value| Number::Whole(*value));
            floats(kept(Datatype::Int32, values, 1 << 30))
        };
        assert_eq!(of(&[4, 1, 3, 2]), ([1.75, 2.5, 3.25], true));
        assert_eq!(of(&[-5]), ([-5.0; 3], true));
        assert_eq!(of(&[-10, 10]), ([-5.0, 0.0, 5.0], true));
    }

    #[test]
    fn floats_are_ordered_with_their_signs_and_without_nan() {
        let values = [0.5, -2.0, f64::NAN, -0.0, f64::NEG_INFINITY, 8.0];
        let values = values.into_iter().map(Number::Float);
        let (quartiles, is_exact) = floats(kept(Datatype::Float64, values, 1 << 30));
        assert_eq!(quartiles, [-2.0, 0.0, 0.5]);
        assert!(is_exact);
    }

    #[test]
    fn beyond_the_memory_a_fair_sample_is_kept() {
        let values = (0..1_000_000).map(Number::Whole);
        let (quartiles, is_exact) = floats(kept(Datatype::UInt64, values, 1 << 20));
        assert!(!is_exact);
        for (found, wanted) in quartiles.into_iter().zip([250e3, 500e3, 750e3]) {
            assert!((found - wanted).abs() < 15e3, "{found} for {wanted}");
        }
    }
}
