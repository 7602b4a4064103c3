use tdb_array::Snapshot;
use tdb_cells::dense::{Cursor, Runs, Share, borders};
use tdb_open::{Error, Result};
use tdb_schema::grid::{CellBox, SpaceTileGrid, TileBox};
use tdb_schema::{ArraySchema, Order};
use tdb_tile::{Bug, Range};

/// A part of a dense array.
pub(super) struct Block {
    /// Ranges of the block, one per dimension.
    pub(super) ranges: Vec<Range>,
    pub(super) rows: u64,
}

/// Iterator over the written cells of a dense array, cut into blocks that end at space tile borders of the new array.
/// Blocks without written cells are skipped, so gaps between distant writes cost nothing.
pub(super) struct Parts {
    grid: SpaceTileGrid,
    /// Box of each fragment.
    written: Vec<CellBox>,
    /// Boxes still to be cut, in reverse order.
    areas: Vec<CellBox>,
    area: Option<Area>,
    share: Share,
}

/// A box that is being cut into blocks.
struct Area {
    runs: Vec<Runs>,
    cursor: Cursor,
}

impl Parts {
    pub(super) fn of(schema: &ArraySchema, source: &Snapshot, rows: u64) -> Result<Self> {
        let grid = SpaceTileGrid::new(schema)
            .ok_or_else(|| Bug::new("a dense array without a grid of tiles"))?;
        let cells = source.fragments().iter().map(|fragment| {
            let cells = grid.cell_box(&fragment.metadata.non_empty_domain);
            cells.ok_or_else(|| Error::invalid("there are cells outside of the new domain"))
        });
        let written = cells.collect::<Result<Vec<CellBox>>>()?;
        let mut areas = areas(&grid, &written);
        areas.reverse();
        let share = Share {
            aim: rows,
            // One row of tiles may have more cells than the aim. Clamped: users may ask for any number of cells.
            most: rows.saturating_mul(2),
        };
        Ok(Self {
            grid,
            written,
            areas,
            area: None,
            share,
        })
    }

    fn next_block(&mut self) -> Result<Option<Block>> {
        loop {
            if self.area.is_none() {
                let Some(cells) = self.areas.pop() else {
                    return Ok(None);
                };
                self.area = Some(Area::of(&cells)?);
            }
            let block = self.area.as_mut().and_then(|area| {
                let (grid, runs) = (&self.grid, &area.runs);
                let between = |dimension, position| borders(grid, runs, dimension, position);
                area.cursor.next(self.share, &between)
            });
            let (Some(block), Some(area)) = (block, &self.area) else {
                self.area = None;
                continue;
            };
            let lost = || Bug::new("a block outside of the array");
            let cells = area.cells(&block.positions).ok_or_else(lost)?;
            let mut written = self.written.iter();
            if written.any(|written| written.intersection(&cells).is_some()) {
                return Ok(Some(Block {
                    ranges: self.grid.ranges(&cells).ok_or_else(lost)?,
                    rows: block.rows(),
                }));
            }
        }
    }
}

impl Area {
    fn of(cells: &CellBox) -> Result<Self> {
        let ends = cells.lo.iter().zip(&cells.hi);
        let runs = ends
            .map(|(&lo, &hi)| Runs::new([(lo, hi)]))
            .collect::<Option<Vec<Runs>>>()
            .ok_or_else(|| Error::invalid("more cells than can be counted"))?;
        let positions = runs.iter().map(|runs| 0..runs.len()).collect();
        let cursor = Cursor::new(positions, Order::RowMajor);
        Ok(Self { runs, cursor })
    }

    /// Returns the cells at these positions.
    fn cells(&self, positions: &[std::ops::Range<u64>]) -> Option<CellBox> {
        let ends = positions.iter().zip(&self.runs).map(|(positions, runs)| {
            let cell = |position: u64| {
                let run = runs.at(position)?;
                run.first.checked_add(position.checked_sub(run.position)?)
            };
            Some((cell(positions.start)?, cell(positions.end.checked_sub(1)?)?))
        });
        let (lo, hi) = ends.collect::<Option<Vec<_>>>()?.into_iter().unzip();
        Some(CellBox { lo, hi })
    }
}

/// Returns disjoint boxes that together contain everything written. Boxes that share a space tile or touch each other
/// are joined, so that appended writes do not become separate parts.
fn areas(grid: &SpaceTileGrid, written: &[CellBox]) -> Vec<CellBox> {
    let are_near = |a: &CellBox, b: &CellBox| {
        let (a, b) = (grid.tiles_of(a), grid.tiles_of(b));
        let begins = |a: &TileBox, b: &TileBox| {
            let mut ends = a.first().iter().zip(b.last());
            ends.all(|(first, last)| first.checked_sub(1).is_none_or(|before| before <= *last))
        };
        begins(&a, &b) && begins(&b, &a)
    };
    let mut areas: Vec<CellBox> = Vec::new();
    for cells in written {
        let mut cells = cells.clone();
        // A joined box is larger, and may touch further boxes.
        while let Some(near) = areas.iter().position(|area| are_near(area, &cells)) {
            cells = cells.union(&areas.swap_remove(near));
        }
        areas.push(cells);
    }
    areas.sort_by(|a, b| a.lo.cmp(&b.lo));
    areas
}

impl Iterator for Parts {
    type Item = Result<Block>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_block().transpose()
    }
}
