//! The arrangement of cells within the space tiles of an array.

use tdb_cells::CellsError;
use tdb_cells::dense::slow_to_fast;
use tdb_schema::grid::SpaceTileGrid;
use tdb_tile::{Bug, Exact, LimitError};

/// The space tiles of an array, and the arrangement of cells within each.
#[derive(Clone, Debug)]
pub(crate) struct TileShape {
    /// The grid of tiles.
    pub(crate) grid: SpaceTileGrid,
    /// Number of cells in a stored tile.
    pub(crate) cells: u64,
    /// Number of cells from one cell to the next along each dimension.
    pub(crate) strides: Vec<u64>,
}

impl TileShape {
    /// Computes the shape of the tiles of a grid.
    ///
    /// # Errors
    /// A tile has more cells than can be counted.
    pub(crate) fn new(grid: SpaceTileGrid) -> Result<Self, CellsError> {
        let Some(cells) = grid.cells_per_tile() else {
            return Err(CellsError::Limit(LimitError {
                what: "number of cells of a space tile",
                setting: "data_tile",
                asked: u64::MAX,
                allowed: u64::MAX - 1,
            }));
        };
        let axes = grid.axes();
        let mut strides = vec![1; axes.len()];
        let mut stride = 1_u64;
        for dimension in slow_to_fast(axes.len(), grid.cell_order()).rev() {
            if let (Some(place), Some(axis)) = (strides.get_mut(dimension), axes.get(dimension)) {
                *place = stride;
                // The stride is a factor of `cells`, which fits into 64 bits.
                let extent = u64::try_from(axis.extent())
                    .map_err(|_| Bug::new("a tile with more cells than it has"))?;
                stride = stride.exact_mul(extent)?;
            }
        }
        Ok(Self {
            grid,
            cells,
            strides,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tdb_schema::{ArraySchema, ArrayType, Dimension, Order};
    use tdb_tile::Datatype;

    use super::*;
    use crate::test_support::{cases, order, strides};

    proptest! {
        #![proptest_config(cases(200))]

        #[test]
        fn the_strides_of_a_tile_are_those_of_its_shape(
            shape in prop::collection::vec(1_u64..5, 1..4), order in order(),
        ) {
            let dimension = |extent: &u64| Dimension::numbers("x", Datatype::UInt64, (0, 99), *extent);
            let mut schema = ArraySchema::new(ArrayType::Dense, shape.iter().map(dimension).collect(), vec![]);
            if order == Order::ColumnMajor {
                schema.cell_order = tdb_schema::CellOrder::ColumnMajor;
            }
            let tiles = TileShape::new(SpaceTileGrid::new(&schema).unwrap()).unwrap();
            prop_assert_eq!((tiles.cells, tiles.strides), (shape.iter().product::<u64>(), strides(&shape, order)));
        }
    }

    #[test]
    fn tiles_of_more_cells_than_can_be_counted_are_refused() {
        let dimension =
            |name| Dimension::numbers(name, Datatype::UInt64, (0, u64::MAX - 1), 1 << 40);
        let schema = ArraySchema::new(
            ArrayType::Dense,
            vec![dimension("y"), dimension("x")],
            vec![],
        );
        let error = TileShape::new(SpaceTileGrid::new(&schema).unwrap()).unwrap_err();
        let CellsError::Limit(limit) = error else {
            panic!("{error}");
        };
        assert_eq!(
            (limit.what, limit.setting),
            ("number of cells of a space tile", "data_tile")
        );
    }
}
