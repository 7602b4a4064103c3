//! Boxes of cells that have their places.

mod placed;

use tdb_schema::grid::{CellBox, CellLayout, Copies, SpaceTileGrid, TileBox, copies};
use tdb_schema::{ArraySchema, Order};
use tdb_tile::{Limits, Range};

use crate::WriteError;
use crate::cuts::Boxes;
use crate::gather::in_place;
use crate::input::{Cells, Input};
use crate::options::WriteOrder;
use crate::tile::{Buffers, Tile, TileSource, position};

pub(crate) use placed::placed;

/// Intervals by dimension.
pub(crate) type Ranges = Vec<(String, Range)>;

/// A box of cells, and the space tiles that hold them.
#[derive(Debug)]
pub(crate) struct DenseBox {
    grid: SpaceTileGrid,
    cells: CellBox,
    tiles: TileBox,
    /// Cells of every tile.
    tile_cells: usize,
    order: WriteOrder,
}

impl DenseBox {
    /// The box between these ends; what is missing is whole.
    pub(crate) fn new(
        schema: &ArraySchema,
        ranges: &[(String, Range)],
        order: WriteOrder,
    ) -> Result<Self, WriteError> {
        let grid = SpaceTileGrid::new(schema)
            .ok_or_else(|| WriteError::invalid("the domain has no space tiles"))?;
        let ends = ends(schema, ranges)?;
        let cells = grid.cell_box(&ends).ok_or_else(|| {
            WriteError::invalid("the cells to be written do not lie within the domain")
        })?;
        let tiles = grid.tiles_of(&cells);
        let dense = Self {
            tile_cells: tile_cells(&grid).ok_or_else(too_many)?,
            grid,
            cells,
            tiles,
            order,
        };
        dense.cells.cells().ok_or_else(too_many)?;
        dense.tiles.count().ok_or_else(too_many)?;
        Ok(dense)
    }

    /// How many cells are written.
    pub(crate) fn rows(&self) -> u64 {
        self.cells.cells().unwrap_or(u64::MAX)
    }

    pub(crate) fn tiles(&self) -> u64 {
        self.tiles.count().unwrap_or(u64::MAX)
    }

    /// Which tiles are complete once so many cells are there, as they come, and how many cells these tiles have:
    /// all tiles before one, and the first cells.
    pub(crate) fn complete(&self, cells: u64) -> (u64, u64) {
        if cells >= self.rows() {
            return (self.tiles(), self.rows());
        }
        if self.order == WriteOrder::Global {
            // All that begin at or before these cells, but for the last, which has more of them.
            let (mut begun, mut end) = (0, self.tiles());
            while begun < end {
                let middle = begun + (end - begun) / 2;
                match self.before(middle).is_some_and(|before| before <= cells) {
                    true => begun = middle + 1,
                    false => end = middle,
                }
            }
            let tiles = begun.saturating_sub(1);
            return (tiles, self.before(tiles).unwrap_or(0));
        }
        self.complete_slabs(cells).unwrap_or_default()
    }

    /// In global order: how many cells come before those of a tile.
    fn before(&self, tile: u64) -> Option<u64> {
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
        // From the dimension that changes slowest on.
        if self.grid.tile_order() == Order::ColumnMajor {
            sides.reverse();
        }
        let (mut sum, mut slab, mut below) = (0_u64, 1_u64, self.rows());
        for side in sides {
            below = below.checked_div(side.all)?;
            let before = slab.checked_mul(side.before)?.checked_mul(below)?;
            sum = sum.checked_add(before)?;
            slab = slab.checked_mul(side.within)?;
        }
        Some(sum)
    }

    /// The same where cells come row by row, or column by column: slabs of tiles that follow each other, as their
    /// cells do. There are none where tiles have another order than the cells.
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
        let tiles_of_slab = self.tiles().checked_div(slabs)?;
        if tiles_of_slab > 1 && self.grid.tile_order() != order {
            return None;
        }
        let plane = self
            .rows()
            .checked_div(last.checked_sub(first)?.checked_add(1)?)?;
        let next = first.checked_add(cells.checked_div(plane)?)?;
        let tile = axis.tile_of(next);
        let done = tile
            .checked_sub(axis.tile_of(first))
            .filter(|done| *done > 0)?;
        let (begin, _) = axis.cells_of_tile(tile);
        let cells = begin.checked_sub(first)?.checked_mul(plane)?;
        Some((done.checked_mul(tiles_of_slab)?, cells))
    }

    /// What is wrong where there are so many cells instead of those of the box.
    pub(crate) fn wrong_count(&self, rows: u64) -> WriteError {
        WriteError::invalid(format!(
            "there are {rows} cells, and the box to be written has {}",
            self.rows()
        ))
    }

    /// The tiles, to be cut into fragments.
    pub(crate) fn boxes(&self) -> Boxes {
        Boxes {
            grid: self.grid.clone(),
            cells: self.cells.clone(),
            tiles: self.tiles.clone(),
            tile_cells: self.tile_cells as u64,
        }
    }

    /// Fails where a tile of these cells is larger than is allowed.
    pub(crate) fn check_size(&self, cells: &Cells, limits: &Limits) -> Result<(), WriteError> {
        let largest = cells.fields.iter().map(|input| match input.is_var() {
            true => 8,
            false => input.size,
        });
        let size = largest.max().unwrap_or(0).saturating_mul(self.tile_cells);
        Ok(Limits::check(
            "tile size",
            "data_tile",
            size as u64,
            limits.data_tile,
        )?)
    }

    /// Which cells a tile takes, and where they come from.
    fn plan(&self, tile: u64, skipped: usize) -> Option<TilePlan> {
        let place = self.tiles.tile(tile)?;
        let part = self.grid.tile_cells(&place).intersection(&self.cells)?;
        let to = self.grid.tile_layout(&place)?;
        let (from, base) = match self.order {
            WriteOrder::ColumnMajor => (CellLayout::of_box(&self.cells, Order::ColumnMajor)?, 0),
            WriteOrder::Global => {
                let before = self.before(tile)?;
                (CellLayout::of_box(&part, self.grid.cell_order())?, before)
            }
            _ => (CellLayout::of_box(&self.cells, Order::RowMajor)?, 0),
        };
        let copies = copies(&part, &from, &to)?;
        Some(TilePlan {
            is_whole: position(part.cells()?) == self.tile_cells,
            copies,
            base: position(base),
            skipped,
        })
    }
}

/// Cells of the box along one dimension: those in tiles before one, those in it, and all.
struct Side {
    before: u64,
    within: u64,
    all: u64,
}

fn too_many() -> WriteError {
    WriteError::invalid("there are more cells than can be counted")
}

fn tile_cells(grid: &SpaceTileGrid) -> Option<usize> {
    let mut extents = grid.axes().iter().map(|axis| axis.extent());
    let cells = extents.try_fold(1_u128, u128::checked_mul);
    usize::try_from(cells?).ok()
}

/// The intervals that are written, which must lie within the domain, and the current domain.
fn ends(schema: &ArraySchema, ranges: &[(String, Range)]) -> Result<Vec<Range>, WriteError> {
    let mut ends: Vec<Option<&Range>> = vec![None; schema.dimensions.len()];
    for (name, range) in ranges {
        let Some(index) = schema.dimension_index(name) else {
            let known: Vec<&str> = schema.dimensions.iter().map(|d| d.name.as_str()).collect();
            return Err(WriteError::invalid_with_hint(
                format!("there is no dimension {name:?}"),
                format!("the dimensions are {}", known.join(", ")),
            ));
        };
        if let Some(place) = ends.get_mut(index)
            && place.replace(range).is_some()
        {
            return Err(WriteError::invalid(format!(
                "dimension {name:?} has two ranges: what is written is one box"
            )));
        }
    }
    let dimensions = schema.dimensions.iter().zip(ends).enumerate();
    let whole = dimensions.map(|(index, (dimension, range))| {
        let bounds = schema.bounds(index).cloned().unwrap_or_default();
        let Some(range) = range else {
            return Ok(bounds);
        };
        let datatype = dimension.datatype;
        let fail = |what: &str| {
            let name = &dimension.name;
            Err(WriteError::invalid(format!(
                "range of dimension {name:?} {what}"
            )))
        };
        let size = datatype.size();
        if range.lo.len() != size || range.hi.len() != size {
            return fail(&format!("is not of type {datatype}"));
        }
        if !range.is_ordered(datatype) {
            return fail("ends before it begins");
        }
        if !bounds.covers(datatype, range) {
            return fail(match &dimension.domain {
                Some(domain) if domain.covers(datatype, range) => "leaves the current domain",
                _ => "leaves the domain",
            });
        }
        Ok(range.clone())
    });
    whole.collect()
}

/// The way of cells into one tile.
struct TilePlan {
    copies: Copies,
    /// Cells that come before those of the layout that is read.
    base: usize,
    /// Cells that came before those at hand.
    skipped: usize,
    /// Whether all cells of the tile are written.
    is_whole: bool,
}

impl TilePlan {
    /// The cells of the tile, where they stand as in the tile already.
    fn in_place(&self, tile_cells: usize) -> Option<std::ops::Range<usize>> {
        let copies = &self.copies;
        let is_run = position(copies.run()) == tile_cells
            && (tile_cells == 1 || (copies.from_step(), copies.to_step()) == (1, 1));
        let (from, _) = copies.clone().next().filter(|_| is_run && self.is_whole)?;
        let start = self.at_hand(from);
        Some(start..start.checked_add(tile_cells)?)
    }

    /// Runs of cells: the first of each here and there.
    fn runs(&self) -> impl Iterator<Item = (usize, usize)> {
        let copies = self.copies.clone();
        copies.map(|(from, to)| (self.at_hand(from), position(to)))
    }

    /// Where a cell of the layout that is read stands among those at hand.
    fn at_hand(&self, from: u64) -> usize {
        let cell = position(from).saturating_add(self.base);
        cell.saturating_sub(self.skipped)
    }

    fn fixed(&self, input: &Input, tile_cells: usize, values: &mut Vec<u8>) {
        let size = input.size;
        let len = tile_cells.saturating_mul(size);
        if !self.is_whole {
            values.clear();
        }
        values.resize(len, 0);
        let copies = &self.copies;
        let (from_step, to_step) = (position(copies.from_step()), position(copies.to_step()));
        let run = position(copies.run());
        if (from_step, to_step) == (1, 1) {
            for (from, to) in self.runs() {
                let bytes = from.saturating_mul(size)..(from + run).saturating_mul(size);
                let place = to.saturating_mul(size)..(to + run).saturating_mul(size);
                if let (Some(place), Some(cells)) = (values.get_mut(place), input.values.get(bytes))
                {
                    place.copy_from_slice(cells);
                }
            }
            return;
        }
        let step = Step {
            run,
            from_step,
            to_step,
        };
        match size {
            1 => self.spread::<1>(&input.values, step, values),
            2 => self.spread::<2>(&input.values, step, values),
            4 => self.spread::<4>(&input.values, step, values),
            8 => self.spread::<8>(&input.values, step, values),
            _ => {
                for (from, to) in self.cells() {
                    let place = to.saturating_mul(size)..(to + 1).saturating_mul(size);
                    if let Some(place) = values.get_mut(place) {
                        place.copy_from_slice(input.cell(from));
                    }
                }
            }
        }
    }

    /// Cells of `N` bytes that are apart on one side or both.
    fn spread<const N: usize>(&self, from: &[u8], step: Step, out: &mut [u8]) {
        let (cells, _) = from.as_chunks::<N>();
        let (places, _) = out.as_chunks_mut::<N>();
        for (from, to) in self.runs() {
            let cells = cells.get(from..).unwrap_or_default();
            let places = places.get_mut(to..).unwrap_or_default();
            let places = places.iter_mut().step_by(step.to_step.max(1));
            let cells = cells.iter().step_by(step.from_step.max(1)).take(step.run);
            for (place, cell) in places.zip(cells) {
                *place = *cell;
            }
        }
    }

    /// The cells one by one: where each comes from, and where in the tile it goes.
    fn cells(&self) -> impl Iterator<Item = (usize, usize)> {
        let copies = &self.copies;
        let (from_step, to_step) = (position(copies.from_step()), position(copies.to_step()));
        let run = position(copies.run());
        self.runs().flat_map(move |(from, to)| {
            (0..run).map(move |cell| (from + cell * from_step, to + cell * to_step))
        })
    }

    /// Which places of the tile are written, in order.
    fn written(&self, out: &mut Vec<std::ops::Range<usize>>) {
        out.clear();
        let run = position(self.copies.run());
        if self.copies.to_step() == 1 {
            out.extend(self.runs().map(|(_, to)| to..to + run));
        } else {
            out.extend(self.cells().map(|(_, to)| to..to + 1));
        }
    }
}

/// How the cells of a run are apart.
#[derive(Clone, Copy)]
struct Step {
    run: usize,
    from_step: usize,
    to_step: usize,
}

/// The tiles of a box of cells.
#[derive(Debug)]
pub(crate) struct DenseSource<'a> {
    pub(crate) cells: &'a Cells,
    pub(crate) dense: &'a DenseBox,
    /// Cells of the box that came before these.
    pub(crate) skipped: usize,
}

/// A cell of a tile that nobody wrote.
const NOBODY: usize = usize::MAX;

impl TileSource for DenseSource<'_> {
    fn tile<'a>(&'a self, field: usize, tile: u64, buffers: &'a mut Buffers) -> Tile<'a> {
        let plan = self.dense.plan(tile, self.skipped);
        let (Some(input), Some(plan)) = (self.cells.fields.get(field), plan) else {
            return Tile::default();
        };
        let count = self.dense.tile_cells;
        if let Some(rows) = plan.in_place(count) {
            return in_place(input, rows, buffers);
        }
        let Buffers {
            values,
            starts,
            validity,
            written,
            rows,
        } = buffers;
        if input.is_var() || input.nullable {
            rows.clear();
            rows.resize(count, NOBODY);
            for (from, to) in plan.cells() {
                if let Some(place) = rows.get_mut(to) {
                    *place = from;
                }
            }
        }
        if input.is_var() {
            values.clear();
            starts.clear();
            for row in &*rows {
                starts.push(values.len() as u64);
                match *row {
                    // One value of zeros, as TileDB pads.
                    NOBODY => values.resize(values.len() + input.size, 0),
                    row => values.extend_from_slice(input.cell(row)),
                }
            }
        } else {
            plan.fixed(input, count, values);
        }
        if input.nullable {
            validity.clear();
            validity.extend(rows.iter().map(|row| match *row {
                NOBODY => 0,
                row => u8::from(input.is_valid(row)),
            }));
        }
        if !plan.is_whole {
            plan.written(written);
        }
        Tile {
            cells: count,
            values,
            starts: input.is_var().then_some(starts),
            validity: input.nullable.then_some(validity),
            written: (!plan.is_whole).then_some(written),
            ..Tile::default()
        }
    }

    fn tile_bytes(&self) -> usize {
        let rows = self.cells.rows.max(1);
        let per_row = self.cells.size_in_memory().div_ceil(rows);
        per_row.saturating_mul(self.dense.tile_cells)
    }
}
