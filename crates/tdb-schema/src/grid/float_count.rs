use super::{CellBox, GridAxis, SpaceTileGrid};

/// How many space tiles releases 2.0 to 2.2 counted in a box of cells.
///
/// They took the number of a tile for a 64-bit float, which holds whole numbers up to 2^53 only: beyond, a box
/// has more or fewer tiles than they counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FloatCount {
    /// How many tiles they counted.
    pub tiles: u64,
    /// Whether the box goes beyond 2^63 from the start of the domain along a dimension with a sign, where
    /// distances turned negative: what they wrote there in row-major or column-major order was not stored.
    pub turns_negative: bool,
}

impl SpaceTileGrid {
    /// What releases 2.0 to 2.2 took for the number of [`SpaceTileGrid::tiles_of`] these cells.
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

/// Floats hold every tile number of narrower types.
fn is_wide_signed(axis: &GridAxis) -> bool {
    let datatype = axis.datatype();
    datatype.size() == 8 && datatype.is_signed()
}

/// The number of the space tile of a cell, there and back through a float.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the numbers are whole and in range, save one that is looked at"
)]
fn float_tile(axis: &GridAxis, cell: u64) -> u64 {
    /// 2^64.
    const BEYOND: f64 = u64::MAX as f64;
    let Ok(extent) = u64::try_from(axis.extent()) else {
        return 0;
    };
    if is_wide_signed(axis) {
        // The distance turns negative beyond 2^63.
        let tile = cell.cast_signed().checked_div(extent.cast_signed());
        return (tile.unwrap_or(0) as f64 as i64).cast_unsigned();
    }
    let tile = cell.checked_div(extent).unwrap_or(0) as f64;
    // What the cast gave on the machines that those releases ran on.
    if tile >= BEYOND { 0 } else { tile as u64 }
}

#[cfg(test)]
mod tests {
    use tdb_tile::Datatype::{Int32, Int64, UInt64};
    use tdb_tile::{Datatype, Scalar};

    use super::*;
    use crate::{ArraySchema, ArrayType, Attribute, Dimension};

    const EXACT: u64 = 1 << 53;

    /// The tiles there are, and what TileDB 2.0.8 stored of such a box: 1-D, `lo..=hi` counted from the domain's start.
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
        // Far beyond 2^63, and few tiles from the start.
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
        // The last tiles become 2^64, and that 0.
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
