/// Division of many numbers by the same number.
pub(crate) trait Divide: Copy {
    fn divide(self, n: u64) -> u64;
}

/// Division by a power of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shift(pub(crate) u32);

impl Divide for Shift {
    #[inline]
    fn divide(self, n: u64) -> u64 {
        n.wrapping_shr(self.0)
    }
}

/// Division by multiplication with 2^64 / divisor, rounded up. It is exact if dividend and divisor
/// are below 2^32 (Lemire, Kaser, Kurz: *Faster remainder by direct computation*, 2019).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reciprocal(u64);

impl Divide for Reciprocal {
    #[inline]
    fn divide(self, n: u64) -> u64 {
        let (_, high) = self.0.carrying_mul(n, 0);
        high
    }
}

/// Division by any number, with the division instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Plain(std::num::NonZeroU64);

impl Divide for Plain {
    #[inline]
    fn divide(self, n: u64) -> u64 {
        n / self.0
    }
}

/// The fastest exact way to divide numbers up to a known maximum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Divider {
    Shift(Shift),
    Reciprocal(Reciprocal),
    Plain(Plain),
}

impl Divider {
    pub(crate) fn new(divisor: u64, largest: u64) -> Option<Self> {
        let nonzero = std::num::NonZeroU64::new(divisor)?;
        Some(if divisor.is_power_of_two() {
            Self::Shift(Shift(divisor.trailing_zeros()))
        } else if divisor <= u64::from(u32::MAX) && largest <= u64::from(u32::MAX) {
            Self::Reciprocal(Reciprocal((u64::MAX / nonzero).checked_add(1)?))
        } else {
            Self::Plain(Plain(nonzero))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Divide, Divider};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_divider_divides(
            n in any::<u64>(), small in any::<u32>(),
            divisor in 1_u64.., little in 1_u64..1000,
        ) {
            for divisor in [divisor, little, u64::from(small).max(1)] {
                for n in [n, u64::from(small), divisor, divisor - 1, u64::from(u32::MAX)] {
                    let found = match Divider::new(divisor, n).unwrap() {
                        Divider::Shift(d) => d.divide(n),
                        Divider::Reciprocal(d) => d.divide(n),
                        Divider::Plain(d) => d.divide(n),
                    };
                    prop_assert_eq!(found, n / divisor);
                }
            }
        }
    }
}
