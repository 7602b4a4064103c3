//! Whether cells are stored in an order that is not the global one by name.

use super::SortOrder;
use crate::coordinate::{extent_value, whole};
use crate::{ArraySchema, CellOrder, Dimension};

impl ArraySchema {
    /// Whether the global order of a sparse array puts its cells in `order`, so that a read in that order takes them as they are stored:
    /// of one dimension, and of several where space tiles divide none but the one that changes slowest. False where that is not certain,
    /// as for floats in tiles.
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

/// How the index of the space tile changes with the coordinate.
enum Tiling {
    /// All coordinates lie in one tile.
    One,
    /// A greater coordinate never lies in a tile before.
    Ascending,
    /// By rules that differ between writers.
    Unknown,
}

fn tiling(dimension: &Dimension) -> Tiling {
    let datatype = dimension.datatype;
    // Text is stored by signed bytes, and sorted by unsigned ones.
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
    // Beyond these, differences of signed numbers wrap around, and writers have placed the last cells in the first tile.
    let bits = datatype
        .size()
        .checked_mul(8)
        .and_then(|bits| bits.checked_sub(1));
    let bits = bits.and_then(|bits| u32::try_from(bits).ok());
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
