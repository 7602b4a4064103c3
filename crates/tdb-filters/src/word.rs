//! Numbers of one, two, four or eight bytes, for loops that do not care what they mean.
//!
//! Arithmetic goes through `u64`, wrapping; the compiler narrows it to the width that is kept.

use zerocopy::little_endian::{U16, U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::FilterError;

/// An unsigned integer and the form in which it is stored.
pub(crate) trait Word: Copy {
    const SIZE: usize;
    const BITS: u8;
    /// As many bits, the top one a sign: what vectors can compare.
    type Signed: Copy + Ord + Into<i64>;
    /// Little-endian, unaligned.
    type Stored: Copy + FromBytes + IntoBytes + Immutable + KnownLayout + Unaligned;

    fn load(stored: Self::Stored) -> Self;
    fn store(self) -> Self::Stored;
    fn to_u64(self) -> u64;
    /// With the top bit taken for a sign.
    fn sign_extended(self) -> u64;
    /// The number that is in the same place among those with a sign: itself, or the one whose top bit is the other.
    fn ordered(self, is_signed: bool) -> Self::Signed;
    /// The low bytes.
    fn from_u64(wide: u64) -> Self;

    /// The word that `bytes` are.
    fn one(filter: &'static str, bytes: &[u8]) -> Result<Self, FilterError> {
        let stored = Self::Stored::read_from_bytes(bytes).map_err(|_| broken(filter))?;
        Ok(Self::load(stored))
    }

    /// The words that `bytes` hold.
    fn slice<'a>(filter: &'static str, bytes: &'a [u8]) -> Result<&'a [Self::Stored], FilterError> {
        <[Self::Stored]>::ref_from_bytes(bytes).map_err(|_| broken(filter))
    }

    /// The words that `bytes` hold.
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

/// Runs an expression with `$t` standing for the word of `$size` bytes. No datatype has another size; if one had, the
/// function around it would return a bug.
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
