//! Numeric types, with bounds and sums for tile statistics.

use tdb_tile::Scalar;

/// A number type with bounds and a sum.
pub(crate) trait Number: Scalar + Default + Send + Sync {
    /// The lowest value: a bound below all numbers except NaN.
    const LOWEST: Self;
    /// The highest value: a bound above all numbers except NaN.
    const HIGHEST: Self;
    /// Type of sums of these numbers.
    type Sum: Sum<Self> + Sum<Self::Sum> + Scalar;

    /// The value that is stored as minimum and maximum if all values are NaN; `None` for types without NaN.
    fn nan() -> Option<Self> {
        None
    }
}

/// A sum with TileDB's semantics: on overflow it stays at the limit of its type.
pub(crate) trait Sum<T>: Copy + Default {
    /// Adds a number; returns false if the sum reached its limit, where it must stay from then on.
    fn add(&mut self, value: T) -> bool;

    /// Adds a number without an overflow check; allowed only after [`Sum::has_room`] returned true.
    fn add_freely(&mut self, value: T);

    /// Whether `count` numbers between `least` and `greatest` can be added without reaching the limit on the way;
    /// false if this is uncertain.
    fn has_room(self, count: u64, least: T, greatest: T) -> bool;

    /// The stored form.
    fn bits(self) -> u64;
}

macro_rules! whole {
    ($sum:ty: $($t:ty),*) => {$(
        impl Number for $t {
            const LOWEST: Self = <$t>::MIN;
            const HIGHEST: Self = <$t>::MAX;
            type Sum = $sum;
        }

        impl Sum<$t> for $sum {
            fn add(&mut self, value: $t) -> bool {
                let value = <$sum>::from(value);
                let sum = self.checked_add(value);
                *self = self.saturating_add(value);
                sum.is_some()
            }

            #[inline]
            fn add_freely(&mut self, value: $t) {
                *self = self.wrapping_add(<$sum>::from(value));
            }

            fn has_room(self, count: u64, least: $t, greatest: $t) -> bool {
                let end = |value: $t| {
                    let product = i128::from(value).checked_mul(i128::from(count));
                    product.and_then(|product| product.checked_add(i128::from(self)))
                };
                let fits = |value: $t| end(value).is_some_and(|sum| <$sum>::try_from(sum).is_ok());
                fits(least.min(0)) && fits(greatest.max(0))
            }

            fn bits(self) -> u64 {
                u64::from_le_bytes(self.to_le_bytes())
            }
        }
    )*};
}

whole!(i64: i8, i16, i32, i64);
whole!(u64: u8, u16, u32, u64);

macro_rules! real {
    ($($t:ty),*) => {$(
        impl Number for $t {
            const LOWEST: Self = <$t>::NEG_INFINITY;
            const HIGHEST: Self = <$t>::INFINITY;
            type Sum = f64;

            fn nan() -> Option<Self> {
                Some(<$t>::NAN)
            }
        }

        impl Sum<$t> for f64 {
            fn add(&mut self, value: $t) -> bool {
                let value = f64::from(value);
                if (*self < 0.0) == (value < 0.0) && self.abs() > f64::MAX - value.abs() {
                    *self = if *self < 0.0 { f64::MIN } else { f64::MAX };
                    return false;
                }
                *self += value;
                true
            }

            #[inline]
            fn add_freely(&mut self, value: $t) {
                *self += f64::from(value);
            }

            fn has_room(self, count: u64, least: $t, greatest: $t) -> bool {
                // Even 2^20 numbers of this size stay below the limit; NaN cannot reach it.
                const LARGE: f64 = 1e300;
                let is_small = |value: f64| value.abs() <= LARGE || value.is_nan();
                let ends = is_small(f64::from(least)) && is_small(f64::from(greatest));
                // If all values are NaN, the bounds still have their initial values, with `least > greatest`.
                is_small(self) && (ends || least > greatest) && count <= 1 << 20
            }

            fn bits(self) -> u64 {
                self.to_bits()
            }
        }
    )*};
}

real!(f32, f64);
