//! Integers of one, two, four or eight bytes, for loops that are generic over the width.
//!
//! Arithmetic is done in `u64` and wraps; the compiler narrows it to the width that is stored.

use zerocopy::little_endian::{U16, U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::FilterError;

/// An unsigned integer and the form in which it is stored.
pub(crate) trait Word: Copy {
    const SIZE: usize;
    const BITS: u8;
    /// The largest signed number of the width.
    const LARGEST: i64;
    /// The number with the top bit alone.
    const TOP_BIT: u64;
    /// The signed integer of the same width; vector instructions compare signed numbers.
    type Signed: Copy + Ord + Into<i64>;
    /// The stored form: little-endian, unaligned.
    type Stored: Copy + FromBytes + IntoBytes + Immutable + KnownLayout + Unaligned;

    fn load(stored: Self::Stored) -> Self;
    fn store(self) -> Self::Stored;
    fn to_u64(self) -> u64;
    /// Converts to 64 bits, with the top bit as a sign.
    fn sign_extended(self) -> u64;
    /// Maps the number to a signed one in the same order: unchanged if it is signed, otherwise with
    /// the top bit flipped.
    fn ordered(self, is_signed: bool) -> Self::Signed;
    /// Takes the low bytes of a `u64`.
    fn from_u64(wide: u64) -> Self;

    /// Reads the word that fills `bytes`.
    fn one(filter: &'static str, bytes: &[u8]) -> Result<Self, FilterError> {
        let stored = Self::Stored::read_from_bytes(bytes).map_err(|_| broken(filter))?;
        Ok(Self::load(stored))
    }

    /// Views `bytes` as words.
    fn slice<'a>(filter: &'static str, bytes: &'a [u8]) -> Result<&'a [Self::Stored], FilterError> {
        <[Self::Stored]>::ref_from_bytes(bytes).map_err(|_| broken(filter))
    }

    /// Views `bytes` as mutable words.
    fn slice_mut<'a>(
        filter: &'static str,
        bytes: &'a mut [u8],
    ) -> Result<&'a mut [Self::Stored], FilterError> {
        <[Self::Stored]>::mut_from_bytes(bytes).map_err(|_| broken(filter))
    }
}

fn broken(filter: &'static str) -> FilterError {
    FilterError::invalid(filter, "data", "is not a whole number of values")
}

macro_rules! word {
    ($($native:ident, $signed:ident, $bits:literal, $stored:ident, $load:expr, $store:expr;)*) => {$(
        impl Word for $native {
            const SIZE: usize = size_of::<$native>();
            const BITS: u8 = $bits;
            const LARGEST: i64 = $signed::MAX as i64;
            const TOP_BIT: u64 = 1 << ($bits - 1);
            type Signed = $signed;
            type Stored = $stored;

            #[inline]
            fn load(stored: $stored) -> Self {
                $load(stored)
            }

            #[inline]
            fn store(self) -> $stored {
                $store(self)
            }

            #[inline]
            fn to_u64(self) -> u64 {
                u64::from(self)
            }

            #[inline]
            fn sign_extended(self) -> u64 {
                i64::from(self.cast_signed()).cast_unsigned()
            }

            #[inline]
            fn ordered(self, is_signed: bool) -> $signed {
                let flip = if is_signed { 0 } else { $signed::MIN.cast_unsigned() };
                (self ^ flip).cast_signed()
            }

            #[inline]
            #[allow(clippy::cast_possible_truncation, reason = "the low bytes are asked for")]
            fn from_u64(wide: u64) -> Self {
                wide as $native
            }
        }
    )*};
}

word! {
    u8, i8, 8, u8, |v| v, |v| v;
    u16, i16, 16, U16, U16::get, U16::new;
    u32, i32, 32, U32, U32::get, U32::new;
    u64, i64, 64, U64, U64::get, U64::new;
}

/// Runs an expression with `$t` as the word of `$size` bytes. Every datatype has one of these
/// sizes; for any other, the enclosing function returns a [`Bug`](tdb_tile::Bug).
macro_rules! with_word {
    ($size:expr, $t:ident => $body:expr) => {
        match $size {
            1 => {
                type $t = u8;
                $body
            }
            2 => {
                type $t = u16;
                $body
            }
            4 => {
                type $t = u32;
                $body
            }
            8 => {
                type $t = u64;
                $body
            }
            _ => return Err(tdb_tile::Bug::new("values of a size that no word has").into()),
        }
    };
}
pub(crate) use with_word;
