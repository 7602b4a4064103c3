//! Iterates over a dense result in batches. The current position is a small value that can be copied.

use std::sync::Arc;

use tdb_schema::Order;
use tdb_schema::grid::{SpaceTileGrid, TileBox};

use super::block::{Block, Borders, Cursor, Share};
use super::runs::Runs;
use super::tile_set::TileSet;

/// Current position of a read.
#[derive(Clone, Debug)]
pub enum Walk {
    /// Cell by cell, in row-major or column-major order.
    Cells(Cursor),
    /// Space tile by space tile.
    Tiles(TileWalk),
}

/// Current position of a walk over space tiles.
#[derive(Clone, Debug)]
pub struct TileWalk {
    tiles: TileBox,
    next: u64,
    /// The first tile after `next` at which the walk ends.
    stop: u64,
    /// Tiles that are skipped.
    left_out: Arc<TileSet>,
    /// The walk within the current tile, if it is too large to be taken at once.
    within: Option<Cursor>,
}

impl Walk {
    /// Walks over all cells in the given order.
    #[must_use]
    pub fn cells(runs: &[Runs], order: Order) -> Self {
        Self::Cells(Cursor::new(
            runs.iter().map(|runs| 0..runs.len()).collect(),
            order,
        ))
    }

    /// Walks over all tiles; `None` if the requested cells do not ascend along each dimension.
    #[must_use]
    pub fn tiles(grid: &SpaceTileGrid, runs: &[Runs]) -> Option<Self> {
        if runs.iter().any(Runs::is_empty) {
            return Some(Self::cells(runs, grid.cell_order()));
        }
        let ends = grid.axes().iter().zip(runs).map(|(axis, runs)| {
            let (first, last) = runs.bounds().filter(|_| runs.is_ascending())?;
            Some((axis.tile_of(first), axis.tile_of(last)))
        });
        let (first, last) = ends.collect::<Option<Vec<_>>>()?.into_iter().unzip();
        let tiles = TileBox::new(first, last, grid.tile_order());
        Some(Self::Tiles(TileWalk {
            tiles,
            next: 0,
            stop: u64::MAX,
            left_out: Arc::default(),
            within: None,
        }))
    }

    /// Returns the next blocks, which follow each other in the result; an empty list after the last.
    pub fn next(&mut self, grid: &SpaceTileGrid, runs: &[Runs], share: Share) -> Vec<Block> {
        let borders = |dimension, position| borders(grid, runs, dimension, position);
        match self {
            Self::Cells(cursor) => cursor.next(share, &borders).into_iter().collect(),
            Self::Tiles(walk) => walk.next(grid, runs, share, &borders),
        }
    }
}

impl TileWalk {
    fn next(
        &mut self,
        grid: &SpaceTileGrid,
        runs: &[Runs],
        share: Share,
        borders: &Borders<'_>,
    ) -> Vec<Block> {
        let mut blocks = Vec::new();
        let mut rows = 0_u64;
        loop {
            if let Some(cursor) = &mut self.within {
                let block = cursor.next(share, borders);
                // After its last block, the walk stands between tiles again.
                if cursor.is_done() {
                    self.within = None;
                }
                if let Some(block) = block {
                    return vec![block];
                }
            }
            self.next = self.left_out.first_other(self.next);
            // There is no tile with this number after the last one.
            let tile = (self.next < self.stop).then(|| self.tiles.tile(self.next));
            let Some(tile) = tile.flatten() else {
                return blocks;
            };
            let block = tile_block(grid, runs, &tile);
            let cells = block.rows();
            if !blocks.is_empty() && rows.saturating_add(cells) > share.aim {
                return blocks;
            }
            self.next += 1;
            if cells > share.most {
                self.within = Some(Cursor::new(block.positions, block.order));
                continue;
            }
            rows = rows.saturating_add(cells);
            blocks.push(block);
        }
    }
}

impl TileWalk {
    /// The box of tiles that the walk covers.
    #[must_use]
    pub fn tiles(&self) -> &TileBox {
        &self.tiles
    }

    /// Place of the next tile in [`TileWalk::tiles`]; `None` in the middle of a tile that is too large to be taken at
    /// once.
    #[must_use]
    pub fn next_tile(&self) -> Option<u64> {
        self.within.is_none().then_some(self.next)
    }

    /// Whether any tiles are skipped.
    #[must_use]
    pub fn leaves_out(&self) -> bool {
        !self.left_out.is_empty()
    }

    /// Skips these tiles.
    pub fn leave_out(&mut self, tiles: TileSet) {
        self.left_out = Arc::new(tiles);
    }

    /// Continues with this tile.
    pub fn go_on_at(&mut self, tile: u64) {
        self.next = tile;
    }

    /// Ends the walk before this tile.
    pub fn stop_at(&mut self, tile: u64) {
        self.stop = tile;
    }
}

/// The requested cells of a tile, as a block.
fn tile_block(grid: &SpaceTileGrid, runs: &[Runs], tile: &[u64]) -> Block {
    let cells = grid.tile_cells(tile);
    let ends = cells.lo.iter().zip(&cells.hi);
    let positions = runs.iter().zip(ends);
    Block {
        positions: positions
            .map(|(runs, (&lo, &hi))| runs.positions(lo, hi))
            .collect(),
        order: grid.cell_order(),
    }
}

/// Returns the nearest borders of space tiles or ranges along a dimension: one at or before `position`, one at or
/// after it.
#[must_use]
pub fn borders(grid: &SpaceTileGrid, runs: &[Runs], dimension: usize, position: u64) -> (u64, u64) {
    nearest(grid, runs, (dimension, position), |(first, last), _| {
        (first, last.saturating_add(1))
    })
}

/// Like [`borders`], but also counts the ends of every `chunk` cells along the dimension, from the first cell of each
/// tile.
#[must_use]
pub fn chunk_borders(
    grid: &SpaceTileGrid,
    runs: &[Runs],
    (dimension, position): (usize, u64),
    chunk: u64,
) -> (u64, u64) {
    nearest(grid, runs, (dimension, position), |(first, last), cell| {
        let begun = first + (cell - first) / chunk.max(1) * chunk.max(1);
        let end = begun.saturating_add(chunk.max(1));
        (begun, end.min(last.saturating_add(1)))
    })
}

/// Start and end of the part of a tile that contains `position`, clipped to the surrounding range. `part` gets the
/// first and last cell of the tile and the cell at `position`, and returns the first cell and the end of the part.
fn nearest(
    grid: &SpaceTileGrid,
    runs: &[Runs],
    (dimension, position): (usize, u64),
    part: impl Fn((u64, u64), u64) -> (u64, u64),
) -> (u64, u64) {
    let run = runs.get(dimension).and_then(|runs| runs.at(position));
    let (Some(run), Some(axis)) = (run, grid.axes().get(dimension)) else {
        return (position, position);
    };
    let cell = run.first + (position - run.position);
    let (first, end) = part(axis.cells_of_tile(axis.tile_of(cell)), cell);
    if cell == first.max(run.first) {
        return (position, position);
    }
    let position_of = |cell: u64| run.position + (cell - run.first);
    let after = (end - run.first).min(run.len);
    (position_of(first.max(run.first)), run.position + after)
}
