//! Copies the cells of a box into tiles.

use std::ops::Range;

use tdb_schema::Order;
use tdb_schema::grid::{CellLayout, Copies, copies};
use tdb_tile::{Bug, Exact};

use super::DenseBox;
use crate::gather::in_place;
use crate::input::{CheckedCells, Input};
use crate::options::WriteOrder;
use crate::tile::{Buffers, Tile, TileSource, position};

impl DenseBox {
    /// Computes which cells of the box belong to a tile, and where they are in the input.
    fn plan(&self, tile: u64, skipped: usize) -> Result<TilePlan, Bug> {
        let base = match self.order {
            WriteOrder::Global => self.before(tile)?,
            _ => 0,
        };
        let copies = self.copies(tile);
        let (copies, cells) = copies.ok_or_else(|| Bug::new("a tile that is not of the box"))?;
        Ok(TilePlan {
            is_whole: cells == self.tile_cells as u64,
            base: position(base)?,
            from_step: position(copies.from_step())?,
            to_step: position(copies.to_step())?,
            run: position(copies.run())?,
            copies,
            skipped,
        })
    }

    /// Returns the copy runs of a tile, and the number of its cells in the box.
    fn copies(&self, tile: u64) -> Option<(Copies, u64)> {
        let place = self.tiles.tile(tile)?;
        let part = self.grid.tile_cells(&place).intersection(&self.cells)?;
        let from = match self.order {
            WriteOrder::ColumnMajor => CellLayout::of_box(&self.cells, Order::ColumnMajor)?,
            WriteOrder::Global => CellLayout::of_box(&part, self.grid.cell_order())?,
            _ => CellLayout::of_box(&self.cells, Order::RowMajor)?,
        };
        let to = self.grid.tile_layout(&place)?;
        Some((copies(&part, &from, &to)?, part.cells()?))
    }
}

/// How cells are copied from the input into one tile.
struct TilePlan {
    copies: Copies,
    /// Number of cells in each run.
    run: usize,
    /// Distance between consecutive cells of a run in the input.
    from_step: usize,
    /// Distance between consecutive cells of a run in the tile.
    to_step: usize,
    /// Number of input cells before the first one of the layout that is read.
    base: usize,
    /// Number of input cells that were already written and released.
    skipped: usize,
    /// Whether all cells of the tile are written.
    is_whole: bool,
}

impl TilePlan {
    /// The input cells of the tile, if they are contiguous and already in the cell order of the tile.
    fn in_place(&self, tile_cells: usize) -> Result<Option<Range<usize>>, Bug> {
        let is_run =
            self.run == tile_cells && (tile_cells == 1 || (self.from_step, self.to_step) == (1, 1));
        if !is_run || !self.is_whole {
            return Ok(None);
        }
        let first = self.runs().next();
        let (start, _) = first.ok_or_else(|| Bug::new("a tile without cells"))??;
        Ok(Some(start..start.exact_add(tile_cells)?))
    }

    /// Iterates over the runs: index of the first cell of each in the input and in the tile.
    fn runs(&self) -> impl Iterator<Item = Result<(usize, usize), Bug>> {
        let copies = self.copies.clone();
        copies.map(|(from, to)| Ok((self.at_hand(from)?, position(to)?)))
    }

    /// Converts the index of a cell in the layout into its index in the buffered input.
    fn at_hand(&self, from: u64) -> Result<usize, Bug> {
        let cell = position(from)?
            .checked_add(self.base)
            .and_then(|cell| cell.checked_sub(self.skipped));
        cell.ok_or_else(|| Bug::new("a cell of a tile was let go"))
    }

    fn fixed(&self, input: &Input, tile_cells: usize, values: &mut Vec<u8>) -> Result<(), Bug> {
        let size = input.size;
        let len = tile_cells.exact_mul(size)?;
        if !self.is_whole {
            values.clear();
        }
        values.resize(len, 0);
        if (self.from_step, self.to_step) == (1, 1) {
            for run in self.runs() {
                let (from, to) = run?;
                let cells = input.bytes(&(from..from.exact_add(self.run)?))?;
                let place = to.exact_mul(size)?..to.exact_add(self.run)?.exact_mul(size)?;
                let place = values.get_mut(place).ok_or_else(outside)?;
                place.copy_from_slice(cells);
            }
            return Ok(());
        }
        match size {
            1 => self.spread::<1>(&input.values, values),
            2 => self.spread::<2>(&input.values, values),
            4 => self.spread::<4>(&input.values, values),
            8 => self.spread::<8>(&input.values, values),
            _ => self.each_cell(|from, to| {
                let place = to.exact_mul(size)?..to.exact_add(1)?.exact_mul(size)?;
                let place = values.get_mut(place).ok_or_else(outside)?;
                place.copy_from_slice(input.cell(from)?);
                Ok(())
            }),
        }
    }

    /// Copies cells of `N` bytes that are not contiguous in the input, the tile, or both.
    fn spread<const N: usize>(&self, from: &[u8], out: &mut [u8]) -> Result<(), Bug> {
        let (cells, _) = from.as_chunks::<N>();
        let (places, _) = out.as_chunks_mut::<N>();
        let (from_step, to_step) = (self.from_step.max(1), self.to_step.max(1));
        // Distance from the first to the last cell of a run.
        let Some(last) = self.run.checked_sub(1) else {
            return Ok(());
        };
        let (from_last, to_last) = (last.exact_mul(from_step)?, last.exact_mul(to_step)?);
        for run in self.runs() {
            let (from, to) = run?;
            let cells = cells.get(from..=from.exact_add(from_last)?);
            let places = places.get_mut(to..=to.exact_add(to_last)?);
            let (Some(cells), Some(places)) = (cells, places) else {
                return Err(outside());
            };
            let places = places.iter_mut().step_by(to_step);
            for (place, cell) in places.zip(cells.iter().step_by(from_step)) {
                *place = *cell;
            }
        }
        Ok(())
    }

    /// Calls `each` with the index of every cell in the input and in the tile.
    fn each_cell(&self, mut tell: impl FnMut(usize, usize) -> Result<(), Bug>) -> Result<(), Bug> {
        for run in self.runs() {
            let (mut from, mut to) = run?;
            for _ in 0..self.run {
                tell(from, to)?;
                from = from.exact_add(self.from_step)?;
                to = to.exact_add(self.to_step)?;
            }
        }
        Ok(())
    }

    /// Sets `rows` to the input index of each cell of the tile, [`NOBODY`] for cells that are not written.
    fn rows(&self, tile_cells: usize, rows: &mut Vec<usize>) -> Result<(), Bug> {
        rows.clear();
        rows.resize(tile_cells, NOBODY);
        self.each_cell(|from, to| {
            *rows.get_mut(to).ok_or_else(outside)? = from;
            Ok(())
        })
    }

    /// The ranges of cells of the tile that are written, in order.
    fn written(&self, out: &mut Vec<Range<usize>>) -> Result<(), Bug> {
        out.clear();
        if self.to_step == 1 {
            for run in self.runs() {
                let (_, to) = run?;
                out.push(to..to.exact_add(self.run)?);
            }
            return Ok(());
        }
        self.each_cell(|_, to| {
            out.push(to..to.exact_add(1)?);
            Ok(())
        })
    }
}

/// Collects var-sized cells: their values, and the start of each.
fn strings(
    input: &Input,
    rows: &[usize],
    values: &mut Vec<u8>,
    starts: &mut Vec<u64>,
) -> Result<(), Bug> {
    values.clear();
    starts.clear();
    for row in rows {
        starts.push(values.len() as u64);
        match *row {
            // A single zero value, like TileDB's padding.
            NOBODY => values.resize(values.len() + input.size, 0),
            row => values.extend_from_slice(input.cell(row)?),
        }
    }
    Ok(())
}

/// Collects validity, one byte per cell: 0 if the cell is null or not written.
fn validity(input: &Input, rows: &[usize], out: &mut Vec<u8>) -> Result<(), Bug> {
    out.clear();
    out.reserve(rows.len());
    for row in rows {
        out.push(match *row {
            NOBODY => 0,
            row => u8::from(input.is_valid(row)?),
        });
    }
    Ok(())
}

#[track_caller]
fn outside() -> Bug {
    Bug::new("cells of a tile come from elsewhere, or go there")
}

/// The tiles of a box of cells.
#[derive(Debug)]
pub(crate) struct DenseSource<'a> {
    pub(crate) cells: &'a CheckedCells,
    pub(crate) dense: &'a DenseBox,
    /// Number of cells of the box that came before the buffered ones.
    pub(crate) skipped: usize,
}

/// Index of a cell of a tile that is not written.
const NOBODY: usize = usize::MAX;

impl TileSource for DenseSource<'_> {
    fn tile<'a>(
        &'a self,
        field: usize,
        tile: u64,
        buffers: &'a mut Buffers,
    ) -> Result<Tile<'a>, Bug> {
        let plan = self.dense.plan(tile, self.skipped)?;
        let input = self.cells.field(field)?;
        let count = self.dense.tile_cells;
        if let Some(rows) = plan.in_place(count)? {
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
            plan.rows(count, rows)?;
        }
        if input.is_var() {
            strings(input, rows, values, starts)?
        } else {
            plan.fixed(input, count, values)?
        }
        if input.nullable {
            self::validity(input, rows, validity)?;
        }
        if !plan.is_whole {
            plan.written(written)?;
        }
        Ok(Tile {
            cells: count,
            values,
            starts: input.is_var().then_some(starts),
            validity: input.nullable.then_some(validity),
            written: (!plan.is_whole).then_some(written),
            ..Tile::default()
        })
    }

    fn tile_bytes(&self) -> usize {
        let rows = self.cells.rows.max(1);
        let per_row = self.cells.size_in_memory().div_ceil(rows);
        per_row.saturating_mul(self.dense.tile_cells)
    }
}
