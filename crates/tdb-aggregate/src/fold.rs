//! Aggregation of all numbers of a column at once, in loops over a single machine type that the compiler can keep in
//! registers.

use tdb_tile::Scalar;

use crate::number::Part;

/// Number of values between two additions to the wide sum: as many 32-bit numbers cannot overflow 64 bits.
const CHUNK: usize = 1 << 16;

/// A machine type whose numbers can be aggregated.
pub(crate) trait Fold: Scalar {
    /// Aggregates the numbers in these bytes.
    fn fold(bytes: &[u8]) -> Part;
}

macro_rules! fold_whole {
    ($sum:ty: $($t:ty),*) => {$(
        impl Fold for $t {
            fn fold(bytes: &[u8]) -> Part {
                let mut all = Part::default();
                let (mut least, mut greatest) = (<$t>::MAX, <$t>::MIN);
                for chunk in bytes.chunks(CHUNK.saturating_mul(Self::SIZE)) {
                    let mut sum: $sum = 0;
                    for value in Self::read_all(chunk) {
                        // CHUNK numbers cannot overflow the sum.
                        sum = sum.wrapping_add(<$sum>::from(value));
                        least = least.min(value);
                        greatest = greatest.max(value);
                    }
                    // Overflow would need 2^64 numbers of 64 bits.
                    all.whole = all.whole.saturating_add(i128::from(sum));
                }
                all.count = (bytes.len() / Self::SIZE) as u64;
                if all.count > 0 {
                    (all.least, all.greatest) = (Some(least.into()), Some(greatest.into()));
                }
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
            fn fold(bytes: &[u8]) -> Part {
                let (mut least, mut greatest) = (<$t>::INFINITY, <$t>::NEG_INFINITY);
                let (mut all, mut is_any) = (Part::default(), false);
                all.count = (bytes.len() / Self::SIZE) as u64;
                for value in Self::read_all(bytes) {
                    all.float += f64::from(value);
                    // All comparisons with NaN are false.
                    is_any |= !value.is_nan();
                    least = if value < least { value } else { least };
                    greatest = if value > greatest { value } else { greatest };
                }
                if is_any {
                    (all.least, all.greatest) = (Some(least.into()), Some(greatest.into()));
                }
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
    use crate::number::Number;

    fn bytes<T: Scalar>(values: &[T]) -> Vec<u8> {
        let mut bytes = Vec::new();
        values.iter().for_each(|value| value.write(&mut bytes));
        bytes
    }

    #[test]
    fn sums_do_not_end_where_their_type_does() {
        let folded = i32::fold(&bytes(&[i32::MAX; 200_000]));
        assert_eq!(folded.whole, i128::from(i32::MAX) * 200_000);
        assert_eq!(
            u64::fold(&bytes(&[u64::MAX; 3])).whole,
            i128::from(u64::MAX) * 3
        );
        assert_eq!(i64::fold(&[]), Part::default());
    }

    #[test]
    fn nan_is_neither_least_nor_greatest() {
        let folded = f64::fold(&bytes(&[f64::NAN, -1.0, f64::INFINITY]));
        assert_eq!(folded.least, Some(Number::Float(-1.0)));
        assert_eq!(folded.greatest, Some(Number::Float(f64::INFINITY)));
        assert_eq!(f32::fold(&bytes(&[f32::NAN; 2])).least, None);
    }

    proptest! {
        #[test]
        fn folding_is_adding_one_by_one(values in proptest::collection::vec(any::<i64>(), 1..200)) {
            let folded = i64::fold(&bytes(&values));
            let sum: i128 = values.iter().map(|value| i128::from(*value)).sum();
            let least = Number::Whole((*values.iter().min().unwrap()).into());
            let greatest = Number::Whole((*values.iter().max().unwrap()).into());
            prop_assert_eq!(folded.count, values.len() as u64);
            prop_assert_eq!(folded.whole, sum);
            prop_assert_eq!((folded.least, folded.greatest), (Some(least), Some(greatest)));
        }
    }
}
