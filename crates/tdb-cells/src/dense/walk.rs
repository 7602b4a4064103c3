//! Iterates over a dense result in batches. The current position is a small value that can be copied.

use std::sync::Arc;

use tdb_schema::Order;
use tdb_schema::grid::{SpaceTileGrid, TileBox};

use super::block::{Block, Borders, Cursor, Share};
use super::runs::Runs;
use super::tile_set::TileSet;

/// Where a read stands.
#[derive(Clone, Debug)]
pub enum Walk {
    /// Cell by cell, in the order of the coordinates.
    Cells(Cursor),
    /// Space tile by space tile.
    Tiles(TileWalk),
}

/// Where a walk over space tiles stands.
#[derive(Clone, Debug)]
pub struct TileWalk {
    tiles: TileBox,
    next: u64,
    /// The first tile behind `next` that no block takes.
    stop: u64,
    /// Tiles that no block takes.
    left_out: Arc<TileSet>,
    /// The walk within a tile that is too large to be taken at once.
    within: Option<Cursor>,
}

impl Walk {
    /// All cells, in the order of their coordinates.
    #[must_use]
    pub fn cells(runs: &[Runs], order: Order) -> Self {
        Self::Cells(Cursor::new(
            runs.iter().map(|runs| 0..runs.len()).collect(),
            order,
        ))
    }

    /// The tiles of cells that ascend along each dimension; `None` where they do not.
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

    /// The next blocks, one after the other in the result; none after the last.
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
                // The walk is between tiles as soon as the last block is given out.
                if cursor.is_done() {
                    self.within = None;
                }
                if let Some(block) = block {
                    return vec![block];
                }
            }
            self.next = self.left_out.first_other(self.next);
            // Past the last tile there is none of this number.
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
    /// The tiles that are walked over.
    #[must_use]
    pub fn tiles(&self) -> &TileBox {
        &self.tiles
    }

    /// The place of the next tile among them; `None` in the middle of one that is too large to be taken at once.
    #[must_use]
    pub fn next_tile(&self) -> Option<u64> {
        self.within.is_none().then_some(self.next)
    }

    /// Whether tiles are left out.
    #[must_use]
    pub fn leaves_out(&self) -> bool {
        !self.left_out.is_empty()
    }

    /// No block takes these tiles.
    pub fn leave_out(&mut self, tiles: TileSet) {
        self.left_out = Arc::new(tiles);
    }

    /// Goes on with this tile.
    pub fn go_on_at(&mut self, tile: u64) {
        self.next = tile;
    }

    /// No block takes this tile, nor any behind it.
    pub fn stop_at(&mut self, tile: u64) {
        self.stop = tile;
    }
}

/// The cells of a tile that are asked for.
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

/// Where space tiles meet, or ranges do, nearest to a position along a dimension: at or before it, at or after it.
#[must_use]
pub fn borders(grid: &SpaceTileGrid, runs: &[Runs], dimension: usize, position: u64) -> (u64, u64) {
    nearest(grid, runs, (dimension, position), |(first, last), _| {
        (first, last.saturating_add(1))
    })
}

/// As [`borders`], and also where each `chunk` cells of a tile along the dimension end, counted from the tile's first.
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

/// Of the tile around a position, or a part of it, as `part` gives it: where that begins and ends within the range around it.
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
