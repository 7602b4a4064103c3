use tdb_array::Snapshot;
use tdb_cells::dense::{Cursor, Runs, Share, borders};
use tdb_schema::grid::SpaceTileGrid;
use tdb_schema::{ArraySchema, CellValNum, Order};
use tdb_tile::{Bug, Range};

use crate::{Error, Result};

/// What a value of varying size takes, about.
const VAR: u64 = 32;

/// What a cell takes in memory, about.
pub(super) fn row_bytes(schema: &ArraySchema) -> u64 {
    let fields = schema.fields().map(|field| match field.cell_val_num {
        CellValNum::Fixed(count) => (field.datatype.size() as u64).saturating_mul(count.into()),
        CellValNum::Var => VAR,
    });
    fields.fold(1, u64::saturating_add)
}

/// A part of a dense array.
pub(super) struct Block {
    /// One for each dimension.
    pub(super) ranges: Vec<Range>,
    pub(super) rows: u64,
}

/// All that was written of a dense array, cut into blocks that end between space tiles of the new array.
pub(super) struct Parts {
    grid: SpaceTileGrid,
    runs: Vec<Runs>,
    cursor: Cursor,
    share: Share,
}

impl Parts {
    pub(super) fn of(schema: &ArraySchema, source: &Snapshot, rows: u64) -> Result<Self> {
        let grid = SpaceTileGrid::new(schema);
        let grid = grid.ok_or_else(|| Bug::new("a dense array without a grid of tiles"))?;
        let written = source.non_empty_domain();
        let mut runs = Vec::new();
        for (index, axis) in grid.axes().iter().enumerate() {
            let range = written.as_ref().and_then(|written| written.get(index));
            let cells = match range {
                Some(range) => {
                    let name = schema.dimensions.get(index).map_or("", |d| d.name.as_str());
                    let cells = axis.cells(range);
                    Some(cells.ok_or_else(|| outside(name))?)
                }
                None => None,
            };
            let along = Runs::new(cells);
            runs.push(along.ok_or_else(|| Error::invalid("more cells than can be counted"))?);
        }
        let positions = runs.iter().map(|runs| 0..runs.len()).collect();
        let share = Share {
            aim: rows,
            // A row of tiles may be larger.
            most: rows.saturating_mul(2),
        };
        Ok(Self {
            cursor: Cursor::new(positions, Order::RowMajor),
            grid,
            runs,
            share,
        })
    }

    fn block(&self, positions: &[std::ops::Range<u64>]) -> Result<Vec<Range>, Bug> {
        let lost = || Bug::new("a block outside of the array");
        let along = positions.iter().zip(self.grid.axes()).zip(&self.runs);
        let ranges = along.map(|((positions, axis), runs)| {
            let value = |position: u64| {
                let run = runs.at(position)?;
                axis.value(run.first.checked_add(position.checked_sub(run.position)?)?)
            };
            let last = positions.end.checked_sub(1).and_then(value);
            let (lo, hi) = (value(positions.start), last);
            Ok(Range {
                lo: lo.ok_or_else(lost)?,
                hi: hi.ok_or_else(lost)?,
            })
        });
        ranges.collect()
    }
}

impl Iterator for Parts {
    type Item = Result<Block>;

    fn next(&mut self) -> Option<Self::Item> {
        let (grid, runs) = (&self.grid, &self.runs);
        let between = |dimension, position| borders(grid, runs, dimension, position);
        let block = self.cursor.next(self.share, &between)?;
        let rows = block.rows();
        let ranges = self.block(&block.positions).map_err(Error::from);
        Some(ranges.map(|ranges| Block { ranges, rows }))
    }
}

fn outside(dimension: &str) -> Error {
    let what = format!("cells lie outside of the new domain of dimension {dimension:?}");
    Error::invalid(what)
}
