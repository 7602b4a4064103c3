//! Iterates over a dense result in batches. The current position is a small value that can be copied.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use tdb_cells::dense::{Block, Borders, Cursor, Runs, Share, TileSet, borders};
use tdb_schema::Order;
use tdb_schema::grid::{SpaceTileGrid, TileBox};

/// Current position of a read.
#[derive(Clone, Debug)]
pub(crate) enum Walk {
    /// Cell by cell, in row-major or column-major order.
    Cells(Cursor),
    /// Space tile by space tile.
    Tiles(TileWalk),
}

/// Current position of a walk over space tiles.
#[derive(Clone, Debug)]
pub(crate) struct TileWalk {
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
    pub(crate) fn cells(runs: &[Runs], order: Order) -> Self {
        Self::Cells(Cursor::new(
            runs.iter().map(|runs| 0..runs.len()).collect(),
            order,
        ))
    }

    /// Walks over all tiles; `None` if the requested cells do not ascend along each dimension.
    #[must_use]
    pub(crate) fn tiles(grid: &SpaceTileGrid, runs: &[Runs]) -> Option<Self> {
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
    pub(crate) fn next(&mut self, grid: &SpaceTileGrid, runs: &[Runs], share: Share) -> Vec<Block> {
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
            // The first block may have more rows than the share aims at.
            let has_room = |room| cells <= room;
            if !blocks.is_empty() && !share.aim.checked_sub(rows).is_some_and(has_room) {
                return blocks;
            }
            self.next += 1;
            if cells > share.most {
                self.within = Some(Cursor::new(block.positions, block.order));
                continue;
            }
            rows += cells;
            blocks.push(block);
        }
    }
}

impl TileWalk {
    /// The box of tiles that the walk covers.
    #[must_use]
    pub(crate) fn tiles(&self) -> &TileBox {
        &self.tiles
    }

    /// Place of the next tile in [`TileWalk::tiles`]; `None` in the middle of a tile that is too large to be taken at
    /// once.
    #[must_use]
    pub(crate) fn next_tile(&self) -> Option<u64> {
        self.within.is_none().then_some(self.next)
    }

    /// Whether any tiles are skipped.
    #[must_use]
    pub(crate) fn leaves_out(&self) -> bool {
        !self.left_out.is_empty()
    }

    /// Skips these tiles.
    pub(crate) fn leave_out(&mut self, tiles: TileSet) {
        self.left_out = Arc::new(tiles);
    }

    /// Continues with this tile.
    pub(crate) fn go_on_at(&mut self, tile: u64) {
        self.next = tile;
    }

    /// Ends the walk before this tile.
    pub(crate) fn stop_at(&mut self, tile: u64) {
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
