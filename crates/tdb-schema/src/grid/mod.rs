//! The space tiles of a domain of whole numbers.
//!
//! Positions are counted in cells from the start of the domain: a coordinate becomes the number of
//! its cell along the dimension, from 0, which fits `u64` for every datatype. Numbers that do not
//! fit `u64` become `None` rather than overflow.
//!
//! Format: `docs/format/orders.md`, "Space tiles".

mod axis;
mod cell_box;
mod copies;
mod float_count;
mod tile_box;

pub use axis::GridAxis;
pub use cell_box::CellBox;
pub use copies::{CellLayout, Copies, copies};
pub use float_count::FloatCount;
pub use tile_box::TileBox;

use tdb_tile::Range;

use crate::{ArraySchema, Order};

/// The division of an array's domain into space tiles.
///
/// ```
/// use tdb_schema::grid::{CellBox, SpaceTileGrid};
/// use tdb_schema::{ArraySchema, ArrayType, Attribute, Dimension};
/// use tdb_tile::{Datatype, Range};
///
/// let dimension = |name| Dimension::numbers(name, Datatype::Int32, (1, 10), 4);
/// let attribute = Attribute::new("a", Datatype::Float64);
/// let schema = ArraySchema::new(
///     ArrayType::Dense,
///     vec![dimension("y"), dimension("x")],
///     vec![attribute],
/// );
/// // Two dimensions 1..=10, in tiles of 4 by 4.
/// let grid = SpaceTileGrid::new(&schema).unwrap();
/// let cells = grid.cell_box(&[Range::of(4, 5), Range::of(9, 10)]).unwrap();
/// assert_eq!(cells, CellBox { lo: vec![3, 8], hi: vec![4, 9] });
/// let tiles = grid.tiles_of(&cells);
/// assert_eq!(tiles.iter().collect::<Vec<_>>(), [[0, 2], [1, 2]]);
/// // The last tile is cut by the domain.
/// assert_eq!(grid.tile_cells(&[0, 2]), CellBox { lo: vec![0, 8], hi: vec![3, 9] });
/// assert_eq!(grid.cells_per_tile(), Some(16));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SpaceTileGrid {
    axes: Vec<GridAxis>,
    tile_order: Order,
    cell_order: Order,
}

impl SpaceTileGrid {
    /// Creates the grid of a schema; `None` if a dimension is a string or a float.
    #[must_use]
    pub fn new(schema: &ArraySchema) -> Option<Self> {
        Some(Self {
            axes: schema
                .dimensions
                .iter()
                .map(GridAxis::new)
                .collect::<Option<_>>()?,
            tile_order: schema.tile_order,
            cell_order: schema.cell_order.of_coordinates(),
        })
    }

    /// The dimensions.
    #[must_use]
    pub fn axes(&self) -> &[GridAxis] {
        &self.axes
    }

    /// The order of space tiles.
    #[must_use]
    pub fn tile_order(&self) -> Order {
        self.tile_order
    }

    /// The order of the cells within a tile.
    #[must_use]
    pub fn cell_order(&self) -> Order {
        self.cell_order
    }

    /// The number of cells of a space tile, those beyond the domain's end included; `None` if it
    /// exceeds `u64`.
    #[must_use]
    pub fn cells_per_tile(&self) -> Option<u64> {
        self.axes.iter().try_fold(1_u64, |cells, axis| {
            cells.checked_mul(u64::try_from(axis.extent()).ok()?)
        })
    }

    /// Returns the box of all cells of the domain.
    #[must_use]
    pub fn domain(&self) -> CellBox {
        CellBox {
            lo: vec![0; self.axes.len()],
            hi: self.axes.iter().map(GridAxis::last_cell).collect(),
        }
    }

    /// Returns the cells between two coordinates on each dimension; `None` if a range is not within
    /// the domain, out of order, or of another type.
    #[must_use]
    pub fn cell_box(&self, ranges: &[Range]) -> Option<CellBox> {
        self.box_of(ranges, GridAxis::cells)
    }

    /// Like [`SpaceTileGrid::cell_box`], but clipped to the domain; `None` if nothing is left.
    #[must_use]
    pub fn clipped_box(&self, ranges: &[Range]) -> Option<CellBox> {
        self.box_of(ranges, GridAxis::clipped_cells)
    }

    fn box_of(
        &self,
        ranges: &[Range],
        cells: impl Fn(&GridAxis, &Range) -> Option<(u64, u64)>,
    ) -> Option<CellBox> {
        if ranges.len() != self.axes.len() {
            return None;
        }
        let ends = self
            .axes
            .iter()
            .zip(ranges)
            .map(|(axis, range)| cells(axis, range));
        let (lo, hi) = ends.collect::<Option<Vec<_>>>()?.into_iter().unzip();
        Some(CellBox { lo, hi })
    }

    /// Returns the range of coordinates of a box on each dimension; `None` outside the domain.
    #[must_use]
    pub fn ranges(&self, cells: &CellBox) -> Option<Vec<Range>> {
        let ends = cells.lo.iter().zip(&cells.hi);
        self.axes
            .iter()
            .zip(ends)
            .map(|(axis, (&lo, &hi))| Some(Range::new(axis.value(lo)?, axis.value(hi)?)))
            .collect()
    }

    /// Returns the space tiles that contain any of the cells.
    #[must_use]
    pub fn tiles_of(&self, cells: &CellBox) -> TileBox {
        let tiles = |ends: &[u64]| {
            let axes = self.axes.iter().zip(ends);
            axes.map(|(axis, &cell)| axis.tile_of(cell)).collect()
        };
        TileBox::new(tiles(&cells.lo), tiles(&cells.hi), self.tile_order)
    }

    /// Returns the cells of a space tile, clipped to the domain.
    #[must_use]
    pub fn tile_cells(&self, tile: &[u64]) -> CellBox {
        let axes = self.axes.iter().zip(tile);
        let (lo, hi) = axes.map(|(axis, &tile)| axis.cells_of_tile(tile)).unzip();
        CellBox { lo, hi }
    }

    /// Returns the cells of all these tiles, clipped to the domain.
    #[must_use]
    pub fn tiles_cells(&self, tiles: &TileBox) -> CellBox {
        CellBox {
            lo: self.tile_cells(tiles.first()).lo,
            hi: self.tile_cells(tiles.last()).hi,
        }
    }

    /// Returns the layout of a stored tile, which has all cells of the space tile, also those
    /// beyond the domain's end.
    #[must_use]
    pub fn tile_layout(&self, tile: &[u64]) -> Option<CellLayout> {
        let shape = self
            .axes
            .iter()
            .map(|axis| u64::try_from(axis.extent()).ok())
            .collect::<Option<Vec<_>>>()?;
        CellLayout::new(self.tile_cells(tile).lo, shape, self.cell_order)
    }
}
