use bytes::Bytes;
use tdb_tile::{Datatype, Scalar, with_scalar};

use crate::Dimension;
use crate::coordinate::Coordinate;
use crate::order::divide::{Divide, Divider};
use crate::order::{Column, TextOrder};

/// An unsigned integer that can be a sort key.
pub trait Word: Copy + Ord + Send + Sync + 'static {
    /// The number of bits of a key.
    const BITS: u32;
    /// The key without any bit set.
    const ZERO: Self;
    /// Sets the bits of `value` at `place`.
    fn set(&mut self, value: u64, place: KeyPlace);
    /// Sets the bits of a string prefix, shifted left by `left` bits.
    fn set_text(&mut self, prefix: u128, left: u32);
}

impl Word for u64 {
    const BITS: u32 = u64::BITS;
    const ZERO: Self = 0;

    #[inline]
    fn set(&mut self, value: u64, place: KeyPlace) {
        *self |= value.wrapping_shr(place.drop).wrapping_shl(place.left);
    }

    fn set_text(&mut self, prefix: u128, left: u32) {
        // The prefix of a string has at most as many bytes as the key.
        #[expect(clippy::cast_possible_truncation, reason = "no more than eight bytes")]
        let prefix = prefix as u64;
        *self |= prefix.wrapping_shl(left);
    }
}

impl Word for u128 {
    const BITS: u32 = u128::BITS;
    const ZERO: Self = 0;

    #[inline]
    fn set(&mut self, value: u64, place: KeyPlace) {
        *self |= u128::from(value.wrapping_shr(place.drop)).wrapping_shl(place.left);
    }

    fn set_text(&mut self, prefix: u128, left: u32) {
        *self |= prefix.wrapping_shl(left);
    }
}

/// The place of a number in a key: the number loses its lowest `drop` bits and is shifted left by
/// `left`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyPlace {
    pub(crate) left: u32,
    pub(crate) drop: u32,
}

/// The places of the numbers of a dimension in a key.
#[derive(Clone, Copy)]
struct TilePlaces {
    /// The place of the index of the space tile.
    tile: KeyPlace,
    /// The place of the coordinate within the tile, if it is in the key.
    cell: Option<KeyPlace>,
}

/// The unassigned bits of a key; assigned from the highest down.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Free {
    bits: u32,
    /// True if everything so far was assigned all its bits.
    is_exact: bool,
}

impl Free {
    pub(crate) fn new(bits: u32) -> Self {
        Self {
            bits,
            is_exact: true,
        }
    }

    /// Creates more bits than can ever be assigned, to count those needed.
    pub(crate) fn unbounded() -> Self {
        Self::new(u32::MAX)
    }

    /// Returns the number of assigned bits if the bits were unbounded; `None` if no number of bits
    /// suffices, as for strings.
    pub(crate) fn taken(self) -> Option<u32> {
        u32::MAX.checked_sub(self.bits).filter(|_| self.is_exact)
    }

    pub(crate) fn is_exact(self) -> bool {
        self.is_exact
    }

    /// Assigns a number of `bits` bits a place, without its lowest bits if not all fit. `None` if
    /// no bits are free, or if `bits` is 0.
    pub(crate) fn take(&mut self, bits: u32) -> Option<KeyPlace> {
        let Some(left) = self.bits.checked_sub(bits) else {
            let drop = bits.checked_sub(self.bits)?;
            let taken = std::mem::take(&mut self.bits);
            self.is_exact = false;
            return (taken > 0).then_some(KeyPlace { left: 0, drop });
        };
        self.bits = left;
        (bits > 0).then_some(KeyPlace { left, drop: 0 })
    }

    /// Assigns all remaining bits to the first bytes of a string; returns the number of bytes and
    /// the shift.
    pub(crate) fn take_text(&mut self) -> Option<(usize, u32)> {
        let (bytes, left) = (self.bits / 8, self.bits % 8);
        self.bits = 0;
        self.is_exact = false;
        (bytes > 0).then_some((bytes as usize, left))
    }
}

/// Returns the number of bits of `largest`.
#[expect(
    clippy::arithmetic_side_effects,
    reason = "a number has at most as many leading zeros as bits"
)]
pub(crate) fn bits_of(largest: u64) -> u32 {
    u64::BITS - largest.leading_zeros()
}

/// The range of a dimension's coordinates, and the division into space tiles.
#[derive(Clone, Debug)]
pub(crate) struct Span {
    datatype: Datatype,
    lo: Bytes,
    extent: Bytes,
    /// The distance from the start to the end of the domain.
    last: u64,
    /// The index of the last space tile.
    last_tile: u64,
    /// `None` if there are no tiles; not used for floats.
    divider: Option<Divider>,
    /// The tile extent as a number of cells.
    width: u64,
}

impl Span {
    /// Creates the span of a dimension; `None` for strings.
    pub(crate) fn new(dimension: &Dimension) -> Option<Self> {
        let domain = dimension.domain.as_ref()?;
        let extent = dimension.extent.clone();
        with_scalar!(dimension.datatype, T => {
            let (lo, hi) = domain.ends::<T>()?;
            let last = hi.above(lo);
            let extent_value = extent.as_ref().and_then(|e| T::read(e));
            let width = extent_value.map_or(0, |e| if T::IS_REAL { 1 } else { e.above(T::default()) });
            Some(Self {
                datatype: dimension.datatype,
                lo: domain.lo.clone(),
                last,
                last_tile: extent_value.map_or(0, |e| hi.last_tile(lo, e)),
                divider: Divider::new(width, last),
                width,
                // Not read if there are no tiles.
                extent: extent.map_or(Bytes::new(), |extent| extent),
            })
        })
    }

    /// The number of bits of a coordinate's distance from the start of the domain.
    pub(crate) fn cell_bits(&self) -> u32 {
        bits_of(self.last)
    }

    /// The number of bits of a tile index; 0 if there are no tiles, or only one.
    pub(crate) fn tile_bits(&self) -> u32 {
        match self.divider {
            Some(_) => bits_of(self.last_tile),
            None => 0,
        }
    }

    /// The number of bits that distinguish the coordinates of one tile; for floats, those of the
    /// whole coordinate.
    pub(crate) fn bits_within_tile(&self) -> u32 {
        if self.tile_bits() == 0 || self.datatype.is_real() {
            return self.cell_bits();
        }
        // Where there are tiles, a tile has at least one cell.
        self.width.checked_sub(1).map_or(0, bits_of)
    }

    /// Sets the bits of coordinates in the keys; returns false if one lies outside the domain.
    pub(crate) fn pack_cells<K: Word>(&self, bytes: &[u8], cell: KeyPlace, keys: &mut [K]) -> bool {
        with_scalar!(self.datatype, T => {
            let Some(lo) = T::read(&self.lo) else { return false };
            pack(bytes, lo, self.last, keys, |key, _: T, above| key.set(above, cell))
        })
    }

    /// Sets the bits of tile indices and of the coordinates within tiles in the keys; returns false
    /// if a coordinate lies outside the domain.
    pub(crate) fn pack_tiles<K: Word>(
        &self,
        bytes: &[u8],
        tile: Option<KeyPlace>,
        cell: Option<KeyPlace>,
        keys: &mut [K],
    ) -> bool {
        let (Some(tile), Some(divider)) = (tile, self.divider) else {
            return cell.is_none_or(|cell| self.pack_cells(bytes, cell, keys));
        };
        with_scalar!(self.datatype, T => {
            let Some(lo) = T::read(&self.lo) else { return false };
            if T::IS_REAL {
                let Some(extent) = T::read(&self.extent) else { return false };
                return pack(bytes, lo, self.last, keys, |key, value: T, above| {
                    key.set(value.tile(lo, extent).min(self.last_tile), tile);
                    if let Some(cell) = cell {
                        key.set(above, cell);
                    }
                });
            }
            let places = TilePlaces { tile, cell };
            match divider {
                Divider::Shift(d) => self.pack_whole(d, bytes, lo, places, keys),
                Divider::Reciprocal(d) => self.pack_whole(d, bytes, lo, places, keys),
                Divider::Plain(d) => self.pack_whole(d, bytes, lo, places, keys),
            }
        })
    }

    fn pack_whole<T: Coordinate, K: Word, D: Divide>(
        &self,
        divider: D,
        bytes: &[u8],
        lo: T,
        places: TilePlaces,
        keys: &mut [K],
    ) -> bool {
        let TilePlaces { tile, cell } = places;
        match cell {
            Some(cell) => pack(bytes, lo, self.last, keys, |key, _: T, above| {
                let index = divider.divide(above);
                key.set(index, tile);
                key.set(above.wrapping_sub(index.wrapping_mul(self.width)), cell);
            }),
            None => pack(bytes, lo, self.last, keys, |key, _: T, above| {
                key.set(divider.divide(above), tile);
            }),
        }
    }
}

#[inline]
fn pack<T: Coordinate, K: Word>(
    bytes: &[u8],
    lo: T,
    last: u64,
    keys: &mut [K],
    set: impl Fn(&mut K, T, u64),
) -> bool {
    let mut is_inside = true;
    for (key, value) in keys.iter_mut().zip(bytes.chunks_exact(T::SIZE)) {
        let Some(value) = T::read(value) else {
            return false;
        };
        let above = value.above(lo);
        is_inside &= above <= last;
        set(key, value, above);
    }
    is_inside
}

/// Maximum number of leading bytes of a string in a key.
const PREFIX: usize = 16;

/// Sets the first `bytes` bytes of strings in the keys, shifted left by `left` bits; returns false
/// if a string is missing.
pub(crate) fn pack_text<K: Word>(
    column: &Column<'_>,
    bytes: usize,
    left: u32,
    order: TextOrder,
    keys: &mut [K],
) -> bool {
    let Column::Var { data, .. } = column else {
        return false;
    };
    for (row, key) in keys.iter_mut().enumerate() {
        let Some(text) = column.range(row) else {
            return false;
        };
        let len = text.len();
        // A window of 16 bytes also reads bytes after a short string; they are masked below.
        let window = data.get(text.start..).and_then(<[u8]>::first_chunk);
        let first = window.map_or_else(|| padded(data.get(text)), |first| *first);
        let ranks = u128::from_be_bytes(first) ^ order.signs();
        // Bytes beyond the end of the string rank below every other byte.
        let prefix = ranks & u128::MAX.unbounded_shl(bits_behind(len));
        key.set_text(prefix.unbounded_shr(bits_behind(bytes)), left);
    }
    true
}

/// Returns the number of bits of a prefix after its first `bytes` bytes.
#[expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    reason = "of 16 bytes at most"
)]
fn bits_behind(bytes: usize) -> u32 {
    u8::BITS * PREFIX.saturating_sub(bytes) as u32
}

/// Copies the last string of the data, and fills the rest with zeros.
fn padded(text: Option<&[u8]>) -> [u8; PREFIX] {
    let mut bytes = [0; PREFIX];
    for (place, byte) in bytes.iter_mut().zip(text.unwrap_or(&[])) {
        *place = *byte;
    }
    bytes
}
