//! Real numbers of four and eight bytes, scaled to integers and back.

use zerocopy::little_endian::{F32, F64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// `f32` or `f64`. As in TileDB, scaling computes in that type, restoring in `f64`.
pub(crate) trait Float: Copy {
    type Stored: Copy + FromBytes + IntoBytes + Immutable + KnownLayout + Unaligned;

    fn load(stored: Self::Stored) -> Self;
    fn store(self) -> Self::Stored;
    /// Subtracts the offset and divides by the factor.
    fn scaled(self, factor: f64, offset: f64) -> Self;
    /// Rounds to the nearest whole number, halves away from 0.
    fn rounded(self) -> f64;
    /// Moves the number away from 0 by the largest value below one half, so that truncating the
    /// result gives [`Float::rounded`]. One half itself would turn the number just below 0.5 into
    /// 1.
    fn past_half(self) -> f64;
    fn restore(scaled: i64, factor: f64, offset: f64) -> Self;
}

macro_rules! float {
    ($($native:ident, $stored:ident;)*) => {$(
        impl Float for $native {
            type Stored = $stored;

            #[inline]
            fn load(stored: $stored) -> Self {
                stored.get()
            }

            #[inline]
            fn store(self) -> $stored {
                $stored::new(self)
            }

            #[inline]
            #[allow(clippy::cast_possible_truncation, reason = "rounding is what is wanted")]
            fn scaled(self, factor: f64, offset: f64) -> Self {
                (self - offset as $native) / factor as $native
            }

            #[inline]
            fn rounded(self) -> f64 {
                f64::from(self.round())
            }

            #[inline]
            fn past_half(self) -> f64 {
                const HALF: $native = (0.5 as $native).next_down();
                f64::from(self + HALF.copysign(self))
            }

            #[inline]
            #[allow(clippy::cast_possible_truncation, reason = "rounding is what is wanted")]
            fn restore(scaled: i64, factor: f64, offset: f64) -> Self {
                (factor * f64::from(scaled as $native) + offset) as $native
            }
        }
    )*};
}

float! {
    f32, F32;
    f64, F64;
}

/// Truncates to an integer; numbers out of range become the nearest `i64`, and NaN becomes 0.
#[inline]
#[expect(
    clippy::cast_possible_truncation,
    reason = "saturating is what is wanted"
)]
pub(crate) fn whole(real: f64) -> i64 {
    real as i64
}

/// Truncates to an integer a number that was clamped to the range of `i32`.
#[inline]
#[expect(
    clippy::cast_possible_truncation,
    reason = "the number was brought into range"
)]
pub(crate) fn whole_of_32(real: f64) -> i32 {
    real as i32
}
