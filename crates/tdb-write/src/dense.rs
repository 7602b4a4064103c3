//! A box of cells of a dense array: its tiles, and how many of them are complete.

mod by_coordinates;
mod source;

use tdb_schema::grid::{CellBox, SpaceTileGrid, TileBox};
use tdb_schema::{ArraySchema, Dimension, Order};
use tdb_tile::{Bug, Exact, Limits, Range};

use crate::fragment_cuts::Boxes;
use crate::input::CheckedCells;
use crate::options::WriteOrder;
use crate::{PlaceProblem, RangeProblem, WriteError};

pub(crate) use by_coordinates::placed;
pub(crate) use source::DenseSource;

/// Ranges by dimension name.
pub(crate) type Ranges = Vec<(String, Range)>;

/// A box of cells, and the space tiles that contain them.
#[derive(Debug)]
pub(crate) struct DenseBox {
    grid: SpaceTileGrid,
    cells: CellBox,
    tiles: TileBox,
    /// Number of cells in the box.
    rows: u64,
    /// Number of tiles that contain them.
    tile_count: u64,
    /// Number of cells in each tile.
    tile_cells: usize,
    order: WriteOrder,
}

impl DenseBox {
    /// Creates the box of these ranges. A dimension without a range is covered by its whole domain.
    pub(crate) fn new(
        schema: &ArraySchema,
        ranges: &[(String, Range)],
        order: WriteOrder,
    ) -> Result<Self, WriteError> {
        let grid = SpaceTileGrid::new(schema).ok_or(WriteError::NoSpaceTiles)?;
        let ends = ends(schema, ranges)?;
        let cells = grid
            .cell_box(&ends)
            .ok_or(WriteError::Place(PlaceProblem::OutsideDomain))?;
        let tiles = grid.tiles_of(&cells);
        Ok(Self {
            rows: cells.cells().ok_or_else(too_many)?,
            tile_count: tiles.count().ok_or_else(too_many)?,
            tile_cells: tile_cells(&grid).ok_or_else(too_many)?,
            grid,
            cells,
            tiles,
            order,
        })
    }

    /// Number of cells in the box.
    pub(crate) fn rows(&self) -> u64 {
        self.rows
    }

    /// Given that the first `cells` cells have arrived, in the order of the write, returns the number of complete
    /// tiles, and the number of cells in these tiles. Complete tiles are always the first ones.
    pub(crate) fn complete(&self, cells: u64) -> Result<(u64, u64), Bug> {
        if cells >= self.rows {
            return Ok((self.tile_count, self.rows));
        }
        if self.order == WriteOrder::Global {
            // Counts the tiles that begin at or before `cells`; all of them but the last are complete.
            let (mut begun, mut end) = (0, self.tile_count);
            while begun < end {
                let middle = begun + (end - begun) / 2;
                if self.before(middle)? <= cells {
                    begun = middle + 1
                } else {
                    end = middle
                }
            }
            let tiles = begun.exact_sub(1)?;
            return Ok((tiles, self.before(tiles)?));
        }
        let slabs = self.complete_slabs(cells);
        slabs.ok_or_else(|| Bug::new("slabs of a box whose cells cannot be counted"))
    }

    /// Global order: the number of cells in the tiles before `tile`.
    fn before(&self, tile: u64) -> Result<u64, Bug> {
        let before = self.cells_before(tile);
        before.ok_or_else(|| Bug::new("a tile of a box whose cells cannot be counted"))
    }

    /// Computes [`DenseBox::before`]; `None` if the number cannot be represented.
    ///
    /// Tiles are ordered by their place along the slowest dimension first. So the cells before a tile are, summed over
    /// the dimensions from the slowest on: the cells that have the tile's places along all slower dimensions, and an
    /// earlier place along this one. Their number is a product of lengths, so no loop over tiles is needed.
    fn cells_before(&self, tile: u64) -> Option<u64> {
        let place = self.tiles.tile(tile)?;
        let mut sides: Vec<Side> = Vec::new();
        for (axis, tile) in self.grid.axes().iter().zip(place) {
            let (first, last) = axis.cells_of_tile(tile);
            let along = sides.len();
            let (lo, hi) = (*self.cells.lo.get(along)?, *self.cells.hi.get(along)?);
            let first = first.max(lo);
            sides.push(Side {
                before: first.checked_sub(lo)?,
                within: last.min(hi).checked_sub(first)?.checked_add(1)?,
                all: hi.checked_sub(lo)?.checked_add(1)?,
            });
        }
        // From the slowest dimension on.
        if self.grid.tile_order() == Order::ColumnMajor {
            sides.reverse();
        }
        let (mut sum, mut slab, mut below) = (0_u64, 1_u64, self.rows);
        for side in sides {
            below = below.checked_div(side.all)?;
            let before = slab.checked_mul(side.before)?.checked_mul(below)?;
            sum = sum.checked_add(before)?;
            slab = slab.checked_mul(side.within)?;
        }
        Some(sum)
    }

    /// Like [`DenseBox::complete`], for cells in row-major or column-major order. Tiles become complete in slabs if
    /// the tile order is the order of the cells; otherwise none is complete before the end.
    fn complete_slabs(&self, cells: u64) -> Option<(u64, u64)> {
        let axes = self.grid.axes();
        let (along, order) = match self.order {
            WriteOrder::ColumnMajor => (axes.len().checked_sub(1)?, Order::ColumnMajor),
            _ => (0, Order::RowMajor),
        };
        let axis = axes.get(along)?;
        let (first, last) = (*self.cells.lo.get(along)?, *self.cells.hi.get(along)?);
        let slabs = axis
            .tile_of(last)
            .checked_sub(axis.tile_of(first))?
            .checked_add(1)?;
        let tiles_of_slab = self.tile_count.checked_div(slabs)?;
        if tiles_of_slab > 1 && self.grid.tile_order() != order {
            return Some((0, 0));
        }
        let planes = last.checked_sub(first)?.checked_add(1)?;
        let plane = self.rows.checked_div(planes)?;
        let next = first.checked_add(cells.checked_div(plane)?)?;
        let tile = axis.tile_of(next);
        let done = tile.checked_sub(axis.tile_of(first))?;
        if done == 0 {
            return Some((0, 0));
        }
        let (begin, _) = axis.cells_of_tile(tile);
        let cells = begin.checked_sub(first)?.checked_mul(plane)?;
        Some((done.checked_mul(tiles_of_slab)?, cells))
    }

    /// The error for a number of cells that differs from that of the box.
    pub(crate) fn wrong_count(&self, rows: u64) -> WriteError {
        WriteError::CellCount {
            found: rows,
            wanted: self.rows,
        }
    }

    /// The tiles, for cutting them into fragments.
    pub(crate) fn boxes(&self) -> Boxes {
        Boxes {
            grid: self.grid.clone(),
            cells: self.cells.clone(),
            tiles: self.tiles.clone(),
            tile_cells: self.tile_cells as u64,
        }
    }

    /// Checks that the tiles of these cells are within the size limit.
    pub(crate) fn check_size(
        &self,
        cells: &CheckedCells,
        limits: &Limits,
    ) -> Result<(), WriteError> {
        let sizes = cells
            .fields
            .iter()
            .map(|input| if input.is_var() { 8 } else { input.size });
        let largest = sizes.fold(0, usize::max);
        let size = largest.saturating_mul(self.tile_cells);
        Ok(Limits::check(
            "tile size",
            "data_tile",
            size as u64,
            limits.data_tile,
        )?)
    }
}

/// Numbers of cells of the box along one dimension: before a tile, within it, and in total.
struct Side {
    before: u64,
    within: u64,
    all: u64,
}

fn too_many() -> WriteError {
    WriteError::Place(PlaceProblem::Uncountable)
}

fn tile_cells(grid: &SpaceTileGrid) -> Option<usize> {
    let mut extents = grid.axes().iter().map(|axis| axis.extent());
    let cells = extents.try_fold(1_u128, u128::checked_mul);
    usize::try_from(cells?).ok()
}

/// Returns the ranges to write, one per dimension, after checking that they are within the domain and the current
/// domain.
fn ends(schema: &ArraySchema, ranges: &[(String, Range)]) -> Result<Vec<Range>, WriteError> {
    let mut ends: Vec<Option<&Range>> = vec![None; schema.dimensions.len()];
    for (name, range) in ranges {
        let Some(index) = schema.dimension_index(name) else {
            let known: Vec<&str> = schema.dimensions.iter().map(|d| d.name.as_str()).collect();
            return Err(WriteError::UnknownDimension {
                dimension: name.clone(),
                hint: format!("the dimensions are {}", known.join(", ")),
            });
        };
        let place = ends
            .get_mut(index)
            .ok_or_else(|| Bug::new("a dimension that the schema does not have"))?;
        if place.replace(range).is_some() {
            return Err(WriteError::TwoRanges {
                dimension: name.clone(),
            });
        }
    }
    let dimensions = schema.dimensions.iter().zip(ends).enumerate();
    let whole = dimensions.map(|(index, (dimension, range))| {
        let bounds = schema
            .bounds(index)
            .ok_or_else(|| Bug::new("a dense dimension without a domain"))?;
        let Some(range) = range else {
            return Ok(bounds.clone());
        };
        let problem = |problem| WriteError::Range {
            dimension: dimension.name.clone(),
            problem,
        };
        fits(dimension, bounds, range).map_err(problem)?;
        Ok(range.clone())
    });
    whole.collect()
}

/// Checks that a range has the type of a dimension and is within its bounds.
fn fits(dimension: &Dimension, bounds: &Range, range: &Range) -> Result<(), RangeProblem> {
    let datatype = dimension.datatype;
    let size = datatype.size();
    if range.lo.len() != size || range.hi.len() != size {
        return Err(RangeProblem::Type(datatype));
    }
    if !range.is_ordered(datatype) {
        return Err(RangeProblem::Reversed);
    }
    if !bounds.covers(datatype, range) {
        return Err(match &dimension.domain {
            Some(domain) if domain.covers(datatype, range) => RangeProblem::OutsideCurrentDomain,
            _ => RangeProblem::OutsideDomain,
        });
    }
    Ok(())
}
