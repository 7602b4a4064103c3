//! All numbers of a column in one go: loops over one machine type, which the compiler keeps in registers.

use tdb_tile::Scalar;

use crate::accumulator::Number;

/// Numbers that are added up between two additions to the wide sum: so many of 32 bits cannot overflow 64.
const CHUNK: usize = 1 << 16;

/// What some numbers come to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Folded {
    pub(crate) count: u64,
    /// The sum of integers.
    pub(crate) whole: i128,
    /// The sum of floats, in their order.
    pub(crate) float: f64,
    /// The least and the greatest number but NaN.
    pub(crate) extremes: Option<(Number, Number)>,
}

/// A machine type whose numbers are folded.
pub(crate) trait Fold: Scalar {
    fn fold(values: impl Iterator<Item = Self>) -> Folded;
}

macro_rules! fold_whole {
    ($sum:ty: $($t:ty),*) => {$(
        impl Fold for $t {
            fn fold(mut values: impl Iterator<Item = Self>) -> Folded {
                let mut all = Folded::default();
                let (mut least, mut greatest) = (<$t>::MAX, <$t>::MIN);
                loop {
                    let (mut sum, mut count): ($sum, u64) = (0, 0);
                    for value in values.by_ref().take(CHUNK) {
                        // 2^16 of them fit.
                        sum = sum.wrapping_add(<$sum>::from(value));
                        count = count.wrapping_add(1);
                        least = least.min(value);
                        greatest = greatest.max(value);
                    }
                    all.count = all.count.saturating_add(count);
                    // Fewer than 2^64 numbers of 64 bits fit.
                    all.whole = all.whole.saturating_add(i128::from(sum));
                    if count == 0 {
                        break;
                    }
                }
                all.extremes = (all.count > 0).then(|| (least.into(), greatest.into()));
                all
            }
        }
    )*};
}

fold_whole!(i64: i8, i16, i32, u8, u16, u32);
fold_whole!(i128: i64, u64);

macro_rules! fold_real {
    ($($t:ty),*) => {$(
        impl Fold for $t {
            fn fold(values: impl Iterator<Item = Self>) -> Folded {
                let (mut least, mut greatest) = (<$t>::INFINITY, <$t>::NEG_INFINITY);
                let (mut all, mut is_any) = (Folded::default(), false);
                for value in values {
                    all.count = all.count.wrapping_add(1);
                    all.float += f64::from(value);
                    // No comparison holds for NaN.
                    is_any |= !value.is_nan();
                    least = if value < least { value } else { least };
                    greatest = if value > greatest { value } else { greatest };
                }
                all.extremes = is_any.then(|| (least.into(), greatest.into()));
                all
            }
        }
    )*};
}

fold_real!(f32, f64);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn sums_do_not_end_where_their_type_does() {
        let folded = i32::fold(std::iter::repeat_n(i32::MAX, 200_000));
        assert_eq!(folded.whole, i128::from(i32::MAX) * 200_000);
        assert_eq!(
            u64::fold([u64::MAX; 3].into_iter()).whole,
            i128::from(u64::MAX) * 3
        );
        assert_eq!(i64::fold(std::iter::empty()), Folded::default());
    }

    #[test]
    fn nan_is_neither_least_nor_greatest() {
        let folded = f64::fold([f64::NAN, -1.0, f64::INFINITY].into_iter());
        let least_and_greatest = (Number::Float(-1.0), Number::Float(f64::INFINITY));
        assert_eq!(folded.extremes, Some(least_and_greatest));
        assert_eq!(f32::fold([f32::NAN; 2].into_iter()).extremes, None);
    }

    proptest! {
        #[test]
        fn folding_is_adding_one_by_one(values in proptest::collection::vec(any::<i64>(), 1..200)) {
            let folded = i64::fold(values.iter().copied());
            let sum: i128 = values.iter().map(|value| i128::from(*value)).sum();
            let least = Number::Whole((*values.iter().min().unwrap()).into());
            let greatest = Number::Whole((*values.iter().max().unwrap()).into());
            prop_assert_eq!(folded.count, values.len() as u64);
            prop_assert_eq!(folded.whole, sum);
            prop_assert_eq!(folded.extremes, Some((least, greatest)));
        }
    }
}
