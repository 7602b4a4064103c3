//! The numeric types, as tile statistics need them: bounds and sums.

use tdb_tile::Scalar;

/// A number that has bounds and a sum.
pub(crate) trait Number: Scalar + Send + Sync {
    /// The lowest value: a bound below all numbers except NaN.
    const LOWEST: Self;
    /// The highest value: a bound above all numbers except NaN.
    const HIGHEST: Self;
    /// The type of a sum of such numbers.
    type Sum: Sum<Self> + Sum<Self::Sum> + Scalar;

    /// The value stored as minimum and maximum if all values are NaN; `None` for other types.
    fn nan() -> Option<Self> {
        None
    }
}

/// A sum as TileDB stores it: on overflow it stays at the limit of its type.
pub(crate) trait Sum<T>: Copy + Default {
    /// Adds a number; `false` once the sum has reached its limit and stays there.
    fn add(&mut self, value: T) -> bool;

    /// Adds a number without an overflow check, for at most [`Sum::FREE`] numbers.
    fn add_freely(&mut self, value: T);

    /// How many numbers can be added without any overflow.
    const FREE: usize;

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
            const FREE: usize = if size_of::<$t>() < 8 { 1 << 31 } else { 0 };

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
            const FREE: usize = 0;

            fn add(&mut self, value: $t) -> bool {
                let value = f64::from(value);
                if (*self < 0.0) == (value < 0.0) && self.abs() > f64::MAX - value.abs() {
                    *self = if *self < 0.0 { f64::MIN } else { f64::MAX };
                    return false;
                }
                *self += value;
                true
            }

            fn add_freely(&mut self, value: $t) {
                *self += f64::from(value);
            }

            fn bits(self) -> u64 {
                self.to_bits()
            }
        }
    )*};
}

real!(f32, f64);
