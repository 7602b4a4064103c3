use tdb_tile::{Datatype, Scalar, with_scalar};

/// Space tiles that 64 bits count.
const TILES: f64 = 18_446_744_073_709_551_616.0;

/// What grids, orders and keys ask of the machine types that coordinates have.
pub(crate) trait Coordinate: Scalar {
    /// Bits of the type.
    const BITS: u32;
    /// Whether it is a floating-point type.
    const IS_REAL: bool;

    /// Whether it is neither NaN nor infinite.
    fn is_finite(self) -> bool;

    /// The nearest `f64`.
    fn to_f64(self) -> f64;

    /// The nearest value to `v`.
    fn nearest(v: f64) -> Self;

    /// A number that compares as the value does: the two zeros are one, NaNs come last.
    fn rank(self) -> u64;

    /// How far the value is above `start`: the wrapping difference of the ranks, in the type's width.
    fn above(self, start: Self) -> u64;

    /// The space tile that holds the value, in tiles of `extent` from `lo` on.
    fn tile(self, lo: Self, extent: Self) -> u64;

    /// The greatest index that a space tile has between `lo` and the value.
    fn last_tile(self, lo: Self, extent: Self) -> u64;

    /// [`Coordinate::tile`] of signed whole numbers, where the distance from `lo` wraps around in the
    /// type itself; `None` for all others.
    fn signed_tile(self, lo: Self, extent: Self) -> Option<i64>;

    /// The value of a whole number.
    fn whole(self) -> Option<i128>;

    /// The whole number with this value, if the type has it.
    fn from_whole(value: i128) -> Option<Self>;
}

macro_rules! whole {
    ($($t:ty, $unsigned:ty, $sign:expr;)*) => {$(
        impl Coordinate for $t {
            const BITS: u32 = <$t>::BITS;
            const IS_REAL: bool = false;

            #[inline]
            fn is_finite(self) -> bool {
                true
            }

            #[inline]
            fn to_f64(self) -> f64 {
                // The format computes in f64, which drops bits of 64-bit numbers.
                self as f64
            }

            #[inline]
            #[expect(clippy::cast_possible_truncation, reason = "saturates, as casts from floats do")]
            fn nearest(v: f64) -> Self {
                v as $t
            }

            #[inline]
            fn rank(self) -> u64 {
                u64::from(<$unsigned>::from_le_bytes(self.to_le_bytes()) ^ $sign)
            }

            #[inline]
            fn above(self, start: Self) -> u64 {
                u64::from(<$unsigned>::from_le_bytes(self.wrapping_sub(start).to_le_bytes()))
            }

            #[inline]
            fn tile(self, lo: Self, extent: Self) -> u64 {
                self.above(lo).checked_div(extent.above(0)).unwrap_or(0)
            }

            #[inline]
            fn last_tile(self, lo: Self, extent: Self) -> u64 {
                self.tile(lo, extent)
            }

            #[inline]
            fn signed_tile(self, lo: Self, extent: Self) -> Option<i64> {
                if <$t>::MIN == 0 {
                    return None;
                }
                let tile = self.wrapping_sub(lo).checked_div(extent).unwrap_or(0);
                i64::try_from(tile).ok()
            }

            #[inline]
            fn whole(self) -> Option<i128> {
                Some(i128::from(self))
            }

            #[inline]
            fn from_whole(value: i128) -> Option<Self> {
                Self::try_from(value).ok()
            }
        }
    )*};
}

whole! {
    i8, u8, 1 << 7;
    u8, u8, 0;
    i16, u16, 1 << 15;
    u16, u16, 0;
    i32, u32, 1 << 31;
    u32, u32, 0;
    i64, u64, 1 << 63;
    u64, u64, 0;
}

macro_rules! real {
    ($($t:ty, $bits:ty;)*) => {$(
        impl Coordinate for $t {
            const BITS: u32 = <$bits>::BITS;
            const IS_REAL: bool = true;

            #[inline]
            fn is_finite(self) -> bool {
                <$t>::is_finite(self)
            }

            #[inline]
            fn to_f64(self) -> f64 {
                f64::from(self)
            }

            #[inline]
            #[allow(clippy::cast_possible_truncation, clippy::unnecessary_cast, reason = "rounds f32")]
            fn nearest(v: f64) -> Self {
                v as $t
            }

            #[inline]
            fn rank(self) -> u64 {
                const SIGN: $bits = 1 << (<$bits>::BITS - 1);
                // Adding zero turns -0 into 0. A NaN's sign is dropped: it ranks last.
                let bits = if self.is_nan() { <$bits>::MAX >> 1 } else { (self + 0.0).to_bits() };
                u64::from(if bits & SIGN == 0 { bits | SIGN } else { !bits })
            }

            #[inline]
            fn above(self, start: Self) -> u64 {
                self.rank().wrapping_sub(start.rank()) & u64::from(<$bits>::MAX)
            }

            #[inline]
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "cuts the fraction"
            )]
            fn tile(self, lo: Self, extent: Self) -> u64 {
                // What no index counts, TileDB leaves to the processor: x86 makes 0 of it. An infinite distance in
                // tiles of infinite width is the other half of the domain, and comes last.
                let tile = (self - lo) / extent;
                if tile.is_nan() {
                    1
                } else if tile.to_f64() < TILES {
                    tile as u64
                } else {
                    0
                }
            }

            #[inline]
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "cuts the fraction; what no index counts is beyond the last"
            )]
            fn last_tile(self, lo: Self, extent: Self) -> u64 {
                let tiles = (self - lo) / extent;
                if tiles.is_nan() { 1 } else { tiles as u64 }
            }

            #[inline]
            fn signed_tile(self, _: Self, _: Self) -> Option<i64> {
                None
            }

            #[inline]
            fn whole(self) -> Option<i128> {
                None
            }

            #[inline]
            fn from_whole(_: i128) -> Option<Self> {
                None
            }
        }
    )*};
}

real! {
    f32, u32;
    f64, u64;
}

/// The value of a whole number of any width; `None` for floats and where bytes are missing.
pub(crate) fn whole(datatype: Datatype, bytes: &[u8]) -> Option<i128> {
    with_scalar!(datatype, T => T::read(bytes).and_then(Coordinate::whole))
}

/// The value of a tile extent: the stored bytes without a sign. TileDB stores the width of
/// wide signed domains so, which only looks negative.
pub(crate) fn extent_value(datatype: Datatype, bytes: &[u8]) -> Option<u64> {
    with_scalar!(datatype, T => {
        let extent = T::read(bytes)?;
        extent.whole().map(|_| extent.above(T::default()))
    })
}

/// The stored form of a tile extent, if it fits the width of the datatype.
pub(crate) fn extent_bytes(datatype: Datatype, extent: u128) -> Option<Vec<u8>> {
    let bytes = extent.to_le_bytes();
    let (stored, beyond) = bytes.split_at_checked(datatype.size())?;
    beyond
        .iter()
        .all(|byte| *byte == 0)
        .then(|| stored.to_vec())
}

/// The stored form of a whole number, if the datatype has it.
pub(crate) fn whole_bytes(datatype: Datatype, value: i128) -> Option<Vec<u8>> {
    with_scalar!(datatype, T => {
        let mut out = Vec::with_capacity(T::SIZE);
        T::from_whole(value)?.write(&mut out);
        Some(out)
    })
}
