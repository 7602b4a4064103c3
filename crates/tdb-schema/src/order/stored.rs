//! Detects arrays whose global order is the same as row-major or column-major order.

use super::SortOrder;
use crate::coordinate::{extent_value, whole};
use crate::{ArraySchema, CellOrder, Dimension};

impl ArraySchema {
    /// True if the global order of a sparse array puts its cells in `order`, so that a read in that
    /// order can take them as they are stored. That is so with one dimension, and with several if
    /// space tiles divide only the slowest one. False if it is not certain, as for floats in tiles.
    #[must_use]
    pub fn stores_in(&self, order: SortOrder) -> bool {
        let (cell_order, slowest) = match order {
            SortOrder::Global => return true,
            SortOrder::RowMajor => (CellOrder::RowMajor, Some(0)),
            SortOrder::ColumnMajor => {
                (CellOrder::ColumnMajor, self.dimensions.len().checked_sub(1))
            }
        };
        let is_one = self.dimensions.len() == 1 && self.cell_order != CellOrder::Hilbert;
        let mut dimensions = self.dimensions.iter().enumerate();
        (is_one || self.cell_order == cell_order)
            && dimensions.all(|(at, dimension)| match tiling(dimension) {
                Tiling::One => true,
                Tiling::Ascending => Some(at) == slowest,
                Tiling::Unknown => false,
            })
    }
}

/// The dependence of the tile index on the coordinate.
enum Tiling {
    /// All coordinates lie in one tile.
    One,
    /// A greater coordinate never lies in an earlier tile.
    Ascending,
    /// Writers may differ.
    Unknown,
}

fn tiling(dimension: &Dimension) -> Tiling {
    let datatype = dimension.datatype;
    // Strings are stored in the order of signed bytes, but sorted by unsigned ones.
    let Some(domain) = dimension
        .domain
        .as_ref()
        .filter(|_| !dimension.cell_val_num.is_var())
    else {
        return Tiling::Unknown;
    };
    let Some(extent) = &dimension.extent else {
        return Tiling::One;
    };
    let span = || whole(datatype, &domain.hi)?.checked_sub(whole(datatype, &domain.lo)?);
    let (Some(span), Some(extent)) = (span(), extent_value(datatype, extent)) else {
        return Tiling::Unknown;
    };
    // Beyond this, differences of signed numbers wrap around, and some writers put the last cells
    // into the first tile.
    let bits = datatype
        .size()
        .checked_mul(8)
        .and_then(|bits| bits.checked_sub(1))
        .and_then(|bits| u32::try_from(bits).ok());
    let most = bits.and_then(|bits| 1_i128.checked_shl(bits));
    let extent = i128::from(extent);
    let end = span.checked_add(extent);
    let is_certain = end.zip(most).is_some_and(|(end, most)| end < most);
    if !is_certain || extent == 0 {
        Tiling::Unknown
    } else if span < extent {
        Tiling::One
    } else {
        Tiling::Ascending
    }
}
