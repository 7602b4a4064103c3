//! Real numbers of four and eight bytes, scaled to integers and back.

use zerocopy::little_endian::{F32, F64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// `f32` or `f64`; all arithmetic as TileDB does it, in that type or in `f64`.
pub(crate) trait Float: Copy {
    type Stored: Copy + FromBytes + IntoBytes + Immutable + KnownLayout + Unaligned;

    fn load(stored: Self::Stored) -> Self;
    fn store(self) -> Self::Stored;
    /// Less the offset and divided by the factor.
    fn scaled(self, factor: f64, offset: f64) -> Self;
    /// Rounded, halves away from 0: what is stored, if it fits.
    fn rounded(self) -> f64;
    /// What becomes [`Float::rounded`] where the digits behind the point are cut off: further from 0 by the greatest
    /// number below a half. A half itself would make 1 of the number before 0.5.
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

/// Without the digits behind the point; the nearest number that there is, and 0 for what is none.
#[inline]
#[expect(
    clippy::cast_possible_truncation,
    reason = "saturating is what is wanted"
)]
pub(crate) fn whole(real: f64) -> i64 {
    real as i64
}

/// As [`whole`], of a number in range.
#[inline]
#[expect(
    clippy::cast_possible_truncation,
    reason = "the number was brought into range"
)]
pub(crate) fn whole_of_32(real: f64) -> i32 {
    real as i32
}
