//! The arrangement of cells within the space tiles of an array.

use tdb_schema::grid::SpaceTileGrid;
use tdb_tile::{Bug, Exact, LimitError};

use super::block::slow_to_fast;
use crate::CellsError;

/// The space tiles of an array, and the arrangement of cells within each.
#[derive(Clone, Debug)]
pub struct TileShape {
    /// The grid of tiles.
    pub grid: SpaceTileGrid,
    /// Number of cells in a stored tile.
    pub cells: u64,
    /// Number of cells from one cell to the next along each dimension.
    pub strides: Vec<u64>,
}

impl TileShape {
    /// Computes the shape of the tiles of a grid.
    ///
    /// # Errors
    /// A tile has more cells than can be counted.
    pub fn new(grid: SpaceTileGrid) -> Result<Self, CellsError> {
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
                let extent = u64::try_from(axis.extent());
                let extent = extent.map_err(|_| Bug::new("a tile with more cells than it has"))?;
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
