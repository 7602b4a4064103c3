use std::num::NonZeroU64;

use super::{CellBox, GridAxis, SpaceTileGrid};

/// The number of space tiles that releases 2.0 to 2.2 computed for a box of cells.
///
/// They converted the number of a tile to a 64-bit float, which is exact only up to 2^53. Beyond
/// that, the computed number of tiles is too small or too large.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FloatCount {
    /// The number of tiles that releases 2.0 to 2.2 computed.
    pub tiles: u64,
    /// True if the box goes beyond 2^63 cells from the start of a signed dimension, where the
    /// computed distance is negative. Cells that those releases wrote there in row-major or
    /// column-major order are lost.
    pub turns_negative: bool,
}

impl SpaceTileGrid {
    /// Computes the number that releases 2.0 to 2.2 used instead of the count of
    /// [`SpaceTileGrid::tiles_of`].
    #[must_use]
    pub fn float_count(&self, cells: &CellBox) -> FloatCount {
        let mut count = FloatCount {
            tiles: 1,
            turns_negative: false,
        };
        for ((axis, &lo), &hi) in self.axes().iter().zip(&cells.lo).zip(&cells.hi) {
            let (first, last) = (float_tile(axis, lo), float_tile(axis, hi));
            let along = last.wrapping_sub(first).wrapping_add(1);
            count.tiles = count.tiles.wrapping_mul(along);
            count.turns_negative |= is_wide_signed(axis) && hi.cast_signed() < 0;
        }
        count
    }
}

/// True for the types whose distances turn negative: signed and 64 bits wide.
fn is_wide_signed(axis: &GridAxis) -> bool {
    let datatype = axis.datatype();
    datatype.size() == 8 && datatype.is_signed()
}

/// Returns the number of the space tile that contains a cell, converted to a float and back.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the numbers are whole and in range, save one that is looked at"
)]
fn float_tile(axis: &GridAxis, cell: u64) -> u64 {
    /// 2^64.
    const BEYOND: f64 = u64::MAX as f64;
    let Some(extent) = u64::try_from(axis.extent()).ok().and_then(NonZeroU64::new) else {
        return 0;
    };
    if is_wide_signed(axis) {
        // The distance is negative beyond 2^63.
        let tile = cell.cast_signed().checked_div(extent.get().cast_signed());
        return (tile.unwrap_or(0) as f64 as i64).cast_unsigned();
    }
    let tile = (cell / extent) as f64;
    // The result of that cast on the machines of those releases.
    if tile >= BEYOND { 0 } else { tile as u64 }
}

#[cfg(test)]
mod tests {
    use tdb_tile::Datatype::{Int32, Int64, UInt64};
    use tdb_tile::{Datatype, Scalar};

    use super::*;
    use crate::{ArraySchema, ArrayType, Attribute, Dimension};

    const EXACT: u64 = 1 << 53;

    /// Returns the true number of tiles of a one-dimensional box, and the computed one. The tests
    /// expect what TileDB 2.0.8 stored; `lo` and `hi` count from the domain's start.
    fn counts<T: Scalar>(
        (datatype, domain, extent): (Datatype, (T, T), T),
        (lo, hi): (u64, u64),
    ) -> (u64, FloatCount) {
        let dimension = Dimension::numbers("d", datatype, domain, extent);
        let attribute = Attribute::new("a", Int32);
        let schema = ArraySchema::new(ArrayType::Dense, vec![dimension], vec![attribute]);
        let grid = SpaceTileGrid::new(&schema).unwrap();
        let cells = CellBox {
            lo: vec![lo],
            hi: vec![hi],
        };
        (
            grid.tiles_of(&cells).count().unwrap(),
            grid.float_count(&cells),
        )
    }

    fn unsigned(extent: u64, cells: (u64, u64)) -> (u64, u64) {
        let (tiles, counted) = counts((UInt64, (0, u64::MAX - 1), extent), cells);
        assert!(!counted.turns_negative);
        (tiles, counted.tiles)
    }

    #[test]
    fn tiles_are_counted_rightly_up_to_2_to_the_53() {
        assert_eq!(unsigned(1, (EXACT - 10, EXACT)), (11, 11));
        // Far beyond 2^63 cells, but few tiles from the start.
        assert_eq!(unsigned(1 << 60, (1 << 63, u64::MAX - 1)), (8, 8));
    }

    #[test]
    fn beyond_they_are_as_many_as_tiledb_2_0_8_stored() {
        let two = |first: u64, tiles: u64| (first * 2, (first + tiles) * 2 - 1);
        assert_eq!(unsigned(2, two(EXACT + 2, 4)), (4, 3));
        assert_eq!(unsigned(2, two(EXACT + 3, 4)), (4, 3));
        assert_eq!(unsigned(2, two(EXACT, 4)), (4, 5));
        let middle = 1 << 63;
        assert_eq!(unsigned(16, (middle - 40, middle + 39)), (6, 1));
        // The numbers of the last tiles round to 2^64, which becomes 0.
        let top = u64::MAX - 1;
        assert_eq!(unsigned(1, (top - 2998, top)), (2999, 2049));
    }

    #[test]
    fn distances_with_a_sign_turn_negative() {
        let wide = (Int64, (i64::MIN, i64::MAX - 999), 16);
        let zero = 1 << 63;
        let (tiles, counted) = counts(wide, (zero + 100, zero + 100 + 16 * 70));
        assert_eq!(
            (tiles, counted.tiles, counted.turns_negative),
            (71, 65, true)
        );
        let (tiles, counted) = counts(wide, (zero - 100, zero - 20));
        assert_eq!(
            (tiles, counted.tiles, counted.turns_negative),
            (6, 1, false)
        );
    }
}
