//! Minimum, maximum and sum of many numbers.

use crate::number::{Number, Sum};

/// Accumulates minimum, maximum and sum.
pub(crate) struct NumberStatistics<T: Number> {
    pub(crate) min: T,
    pub(crate) max: T,
    pub(crate) sum: T::Sum,
    /// Whether the sum has not reached its limit yet.
    adds: bool,
}

impl<T: Number> Default for NumberStatistics<T> {
    fn default() -> Self {
        Self {
            min: T::HIGHEST,
            max: T::LOWEST,
            sum: T::Sum::default(),
            adds: true,
        }
    }
}

/// Number of values that are compared in parallel.
const LANES: usize = 16;
/// Number of values for which the sum is checked at once.
const BLOCK: usize = 1 << 16;

impl<T: Number> NumberStatistics<T> {
    /// Adds all values, given as bytes.
    pub(crate) fn all(&mut self, values: &[u8]) {
        for block in values.chunks(BLOCK * T::SIZE) {
            let (least, greatest) = self.bounds(block);
            let numbers = T::read_all(block);
            if !self.adds {
                continue;
            }
            if self.sum.has_room(numbers.len() as u64, least, greatest) {
                let mut sum = self.sum;
                numbers.for_each(|value| sum.add_freely(value));
                self.sum = sum;
            } else {
                for value in numbers {
                    self.adds = self.adds && self.sum.add(value);
                }
            }
        }
    }

    /// Widens the bounds to include these values, and returns the least and the greatest of them.
    fn bounds(&mut self, values: &[u8]) -> (T, T) {
        let (least, greatest) = bounds(values);
        // For zeros, the sign of the first one is kept.
        let first = |bound: T| {
            let is_zero = T::nan().is_some() && bound == T::default();
            let mut equal = T::read_all(values).filter(|value| *value == bound);
            if is_zero { equal.next() } else { None }.unwrap_or(bound)
        };
        if least < self.min {
            self.min = first(least);
        }
        if greatest > self.max {
            self.max = first(greatest);
        }
        (least, greatest)
    }

    /// Adds the valid values, and returns how many they are.
    pub(crate) fn valid(&mut self, values: &[u8], valid: &[u8]) -> usize {
        if !valid.contains(&0) {
            self.all(values);
            return valid.len();
        }
        let mut count = 0;
        for (value, valid) in T::read_all(values).zip(valid) {
            if *valid == 0 {
                continue;
            }
            count += 1;
            self.one(value);
        }
        count
    }

    /// Adds a value.
    fn one(&mut self, value: T) {
        (self.min, self.max) = widened(std::iter::once(value), (self.min, self.max));
        self.adds = self.adds && self.sum.add(value);
    }

    /// The minimum and maximum to store; `None` if all cells of the tile are null. If only all written cells are null,
    /// the stored minimum is above the maximum, as for an empty set.
    pub(crate) fn ends(&self, valid_cells: usize, is_null: bool) -> Option<(T, T)> {
        if is_null && valid_cells == 0 {
            return None;
        }
        Some(match T::nan() {
            Some(nan) if valid_cells > 0 && self.min > self.max => (nan, nan),
            _ => (self.min, self.max),
        })
    }
}

/// Returns the least and the greatest value, ignoring NaN.
fn bounds<T: Number>(values: &[u8]) -> (T, T) {
    // For whole numbers, the compiler vectorizes by itself; for floats, it must keep the order of comparisons.
    if T::nan().is_none() {
        return widened(T::read_all(values), (T::HIGHEST, T::LOWEST));
    }
    let (mut least, mut greatest) = ([T::HIGHEST; LANES], [T::LOWEST; LANES]);
    let rows = values.chunks_exact(LANES * T::SIZE);
    let rest = rows.remainder();
    for row in rows {
        for ((value, least), greatest) in T::read_all(row).zip(&mut least).zip(&mut greatest) {
            *least = if value < *least { value } else { *least };
            *greatest = if value > *greatest { value } else { *greatest };
        }
    }
    let of_rest = widened(T::read_all(rest), (T::HIGHEST, T::LOWEST));
    // Combined separately, because lanes without numbers still have their initial values.
    let (least, _) = widened(least.into_iter(), of_rest);
    let (_, greatest) = widened(greatest.into_iter(), of_rest);
    (least, greatest)
}

/// Widens the bounds to include the values.
fn widened<T: Number>(values: impl Iterator<Item = T>, (mut min, mut max): (T, T)) -> (T, T) {
    for value in values {
        // Comparisons with NaN are false.
        min = if value < min { value } else { min };
        max = if value > max { value } else { max };
    }
    (min, max)
}

#[cfg(test)]
#[allow(
    clippy::cast_possible_truncation,
    reason = "the low bytes are asked for"
)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The simple implementation: value by value.
    fn plain<T: Number>(values: &[T]) -> NumberStatistics<T> {
        let mut numbers = NumberStatistics::<T>::default();
        values.iter().for_each(|value| numbers.one(*value));
        numbers
    }

    /// The stored bits.
    fn bits<T: Number>(numbers: &NumberStatistics<T>) -> (Vec<u8>, bool, Option<u64>) {
        let mut out = Vec::new();
        numbers.min.write(&mut out);
        numbers.max.write(&mut out);
        let sum = numbers.sum;
        // All NaNs count as equal.
        let is_number = sum.partial_cmp(&sum).is_some();
        (out, numbers.adds, is_number.then(|| Sum::<T>::bits(sum)))
    }

    fn check<T: Number>(values: &[T], more: &[T], valid: &[u8]) {
        let bytes = |values: &[T]| {
            let mut out = Vec::new();
            values.iter().for_each(|value| value.write(&mut out));
            out
        };
        let mut numbers = NumberStatistics::<T>::default();
        numbers.all(&bytes(values));
        numbers.all(&bytes(more));
        assert_eq!(bits(&numbers), bits(&plain(&[values, more].concat())));
        let mut numbers = NumberStatistics::<T>::default();
        let count = values.len().min(valid.len());
        let (values, valid) = (&values[..count], &valid[..count]);
        numbers.valid(&bytes(values), valid);
        let pairs = values.iter().zip(valid);
        let some: Vec<T> = pairs
            .filter(|(_, valid)| **valid > 0)
            .map(|(value, _)| *value)
            .collect();
        assert_eq!(bits(&numbers), bits(&plain(&some)));
    }

    /// Whole numbers around 0 or around an arbitrary number; a larger `by` makes them closer.
    fn numbers(most: usize) -> impl Strategy<Value = Vec<u64>> {
        let from = prop_oneof![Just(0), any::<u64>()];
        let all = proptest::collection::vec(any::<i64>(), 0..most);
        (all, 0_u32..64, from).prop_map(|(numbers, by, from)| {
            let near = |n: i64| from.wrapping_add((n >> by).cast_unsigned());
            numbers.into_iter().map(near).collect()
        })
    }

    fn reals() -> impl Strategy<Value = f64> {
        let special = proptest::sample::select(
            &[
                0.0,
                -0.0,
                f64::NAN,
                f64::INFINITY,
                f64::NEG_INFINITY,
                f64::MAX,
                f64::MIN,
                1e300,
                -1e300,
            ][..],
        );
        prop_oneof![
            -1e3..1e3,
            -1e3..1e3,
            any::<u64>().prop_map(f64::from_bits),
            special
        ]
    }

    proptest! {
        #[test]
        fn whole_numbers_are_summarized_as_in_the_plain_form(
            values in numbers(200),
            more in numbers(40),
            valid in proptest::collection::vec(0_u8..3, 0..200),
        ) {
            macro_rules! check {
                ($($t:ty),*) => {$(
                    let [one, two] = [&values, &more].map(|all| {
                        all.iter().map(|n| *n as $t).collect::<Vec<$t>>()
                    });
                    check::<$t>(&one, &two, &valid);
                )*};
            }
            check!(u8, i8, u16, i16, u32, i32, u64, i64);
        }

        #[test]
        fn real_numbers_are_summarized_as_in_the_plain_form(
            values in proptest::collection::vec(reals(), 0..100),
            more in proptest::collection::vec(reals(), 0..20),
            zeros in proptest::collection::vec(proptest::sample::select(&[0.0, -0.0, 1.0, -1.0][..]), 0..40),
            valid in proptest::collection::vec(0_u8..3, 0..100),
        ) {
            let narrow = |values: &[f64]| values.iter().map(|n| *n as f32).collect::<Vec<f32>>();
            check::<f64>(&values, &more, &valid);
            check::<f32>(&narrow(&values), &narrow(&more), &valid);
            check::<f64>(&zeros, &more, &valid);
            check::<f32>(&narrow(&zeros), &narrow(&more), &valid);
            check::<f64>(&zeros, &zeros, &valid);
        }
    }
}
