use tdb_tile::{Datatype, Scalar, with_scalar};

/// 2^64, the number of tile indices in 64 bits.
const TILES: f64 = 18_446_744_073_709_551_616.0;

/// The operations on a number type that grids, orders and sort keys need.
pub(crate) trait Coordinate: Scalar {
    /// Bits of the type.
    const BITS: u32;
    /// True for floating-point types.
    const IS_REAL: bool;

    /// True if the value is neither NaN nor infinite.
    fn is_finite(self) -> bool;

    /// Converts to the nearest `f64`.
    fn to_f64(self) -> f64;

    /// Converts from `f64` to the nearest value of the type.
    fn nearest(v: f64) -> Self;

    /// Maps the value to an integer in the same order: both zeros have the same rank, NaNs come
    /// last.
    fn rank(self) -> u64;

    /// Returns the distance from `start` to the value: the difference of the ranks, wrapping in the
    /// width of the type.
    fn above(self, start: Self) -> u64;

    /// Returns the index of the space tile that contains the value; tiles have the width `extent`
    /// and start at `lo`.
    fn tile(self, lo: Self, extent: Self) -> u64;

    /// Returns the greatest tile index of any value from `lo` to this one.
    fn last_tile(self, lo: Self, extent: Self) -> u64;

    /// Like [`Coordinate::tile`] for signed integers, with a distance from `lo` that wraps around
    /// in the signed type; `None` for other types.
    fn signed_tile(self, lo: Self, extent: Self) -> Option<i64>;

    /// Returns the value of an integer; `None` for floats.
    fn whole(self) -> Option<i128>;

    /// Converts a whole number to the type; `None` if the type cannot represent it.
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
                // The format computes in `f64`, which loses low bits of 64-bit numbers.
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
                // Adding zero turns -0 into 0. The sign of a NaN is dropped, so that every NaN ranks last.
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
                // An index beyond 64 bits depends on the processor in TileDB; x86 gives 0. An infinite
                // distance divided by an infinite extent is NaN: the second half of the domain, whose tile
                // comes last.
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

/// Returns the value of an integer of any width; `None` for floats, and if bytes are missing.
pub(crate) fn whole(datatype: Datatype, bytes: &[u8]) -> Option<i128> {
    with_scalar!(datatype, T => T::read(bytes).and_then(Coordinate::whole))
}

/// Returns the value of a tile extent, reading its bytes as unsigned: the extent of a wide signed
/// domain is stored without a sign.
pub(crate) fn extent_value(datatype: Datatype, bytes: &[u8]) -> Option<u64> {
    with_scalar!(datatype, T => {
        let extent = T::read(bytes)?;
        extent.whole().map(|_| extent.above(T::default()))
    })
}

/// Returns the stored form of a tile extent; `None` if it does not fit the datatype's width.
pub(crate) fn extent_bytes(datatype: Datatype, extent: u128) -> Option<Vec<u8>> {
    let bytes = extent.to_le_bytes();
    let (stored, beyond) = bytes.split_at_checked(datatype.size())?;
    beyond
        .iter()
        .all(|byte| *byte == 0)
        .then(|| stored.to_vec())
}

/// Returns the stored form of a whole number; `None` if the datatype cannot represent it.
pub(crate) fn whole_bytes(datatype: Datatype, value: i128) -> Option<Vec<u8>> {
    with_scalar!(datatype, T => {
        let mut out = Vec::with_capacity(T::SIZE);
        T::from_whole(value)?.write(&mut out);
        Some(out)
    })
}
