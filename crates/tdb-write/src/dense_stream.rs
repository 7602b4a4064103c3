//! Writes a stream of cells of a box in order; each tile is written as soon as it is complete.

use std::ops::Range;

use tdb_schema::ArraySchema;
use tdb_tile::{Bug, Exact, LimitError, Limits};

use crate::buffered_cells::BufferedCells;
use crate::copies::Copies;
use crate::data_order::SortedAttributes;
use crate::dense::{DenseBox, DenseSource, Ranges};
use crate::fragment_cuts::Boxes;
use crate::input::CheckedCells;
use crate::options::WriteOrder;
use crate::series::Series;
use crate::tile::{bound, position};
use crate::{OrderProblem, WriteError};

/// Approximate number of bytes of cells that are buffered before complete tiles are written.
const WAITING: usize = 16 << 20;

/// The error for too many buffered cells of incomplete tiles.
pub(crate) fn waiting(limit: LimitError) -> WriteError {
    let hint = "cells in the order of the array's tiles, or of a smaller box, take less";
    WriteError::BufferedCells { limit, hint }
}

/// Writes the cells of a box; complete tiles are written and released.
///
/// If the tile order differs from the order of the cells (for example row-major cells in an array with column-major
/// tiles), no tile is complete before the end.
#[derive(Debug)]
pub(crate) struct DenseStream {
    dense: DenseBox,
    sorted: SortedAttributes,
    /// Cells of incomplete tiles.
    pending: BufferedCells,
    /// Number of cells written.
    written: u64,
    next_tile: u64,
}

impl DenseStream {
    pub(crate) fn new(
        schema: &ArraySchema,
        ranges: &Ranges,
        order: WriteOrder,
        pending: BufferedCells,
    ) -> Result<Self, WriteError> {
        Ok(Self {
            dense: DenseBox::new(schema, ranges, order)?,
            sorted: SortedAttributes::default(),
            pending,
            written: 0,
            next_tile: 0,
        })
    }

    /// Enables the check that attributes with a data order (of dimension labels) keep it.
    pub(crate) fn check_order(&mut self, schema: &ArraySchema) {
        self.sorted = SortedAttributes::new(schema);
    }

    /// The tiles, for cutting them into fragments.
    pub(crate) fn boxes(&self) -> Boxes {
        self.dense.boxes()
    }

    /// Adds the next cells.
    pub(crate) fn push(
        &mut self,
        cells: CheckedCells,
        series: &mut Series,
        limits: &Limits,
    ) -> Result<(), WriteError> {
        if cells.rows == 0 {
            return Ok(());
        }
        if self.written == 0 {
            self.dense.check_size(&cells, limits)?;
        }
        let end = self.seen().exact_add(cells.rows as u64)?;
        if end > self.dense.rows() {
            return Err(self.dense.wrong_count(end));
        }
        self.sorted.check(&cells)?;
        self.pending.push(cells, waiting)?;
        let enough = WAITING.min(bound(limits.budget.limit() / 8));
        if end < self.dense.rows() && self.pending.bytes() < enough {
            return Ok(());
        }
        let (complete, cells) = self.dense.complete(end)?;
        let tiles = self.next_tile..complete;
        if tiles.is_empty() {
            Ok(())
        } else {
            self.write(tiles, cells, series)
        }
    }

    /// Writes the complete tiles, whose cells end before cell `end`, and keeps a copy of the remaining cells.
    fn write(
        &mut self,
        tiles: Range<u64>,
        end: u64,
        series: &mut Series,
    ) -> Result<(), WriteError> {
        let held = self.pending.join(waiting)?;
        let cells = &held.cells;
        let source = DenseSource {
            cells,
            dense: &self.dense,
            skipped: position(self.written)?,
        };
        series.append(&source, tiles.clone())?;
        self.next_tile = tiles.end;
        let done = end
            .checked_sub(self.written)
            .ok_or_else(|| Bug::new("tiles that were written are complete"))?;
        let done = position(done)?;
        self.written = end;
        if done < cells.rows {
            let rest = CheckedCells::join(&[(cells, done..cells.rows)])?;
            drop(held);
            self.pending.push(rest, waiting)
        } else {
            Ok(())
        }
    }

    /// Number of cells so far.
    fn seen(&self) -> u64 {
        self.written + self.pending.rows() as u64
    }

    /// Adds whole tiles; the cells before them must end at a tile border.
    pub(crate) fn copy(
        &mut self,
        copies: &Copies<'_>,
        series: &mut Series,
    ) -> Result<(), WriteError> {
        let begin = self.seen();
        let end = begin.exact_add(copies.whole.rows()?)?;
        if end > self.dense.rows() {
            return Err(self.dense.wrong_count(end));
        }
        if self.pending.rows() > 0 {
            let (complete, cells) = self.dense.complete(begin)?;
            if cells != begin {
                return Err(WriteError::Order(OrderProblem::WithinTile));
            }
            self.write(self.next_tile..complete, cells, series)?;
        }
        let tiles = copies.whole.tiles.len() as u64;
        series.append(copies, 0..tiles)?;
        self.next_tile = self.next_tile.exact_add(tiles)?;
        self.written = end;
        Ok(())
    }

    /// Ends the write. Either all cells of the box have been added, or none.
    pub(crate) fn finish(self, series: &mut Series) -> Result<(), WriteError> {
        let rows = self.seen();
        if rows == 0 {
            return Ok(());
        }
        if rows != self.dense.rows() {
            return Err(self.dense.wrong_count(rows));
        }
        let shape = self.dense.boxes().shape(&series.tiles());
        series.seal(shape.ok_or_else(|| Bug::new("the last tiles do not form a box"))?)
    }
}
