//! The space tiles that a block of the result touches, and the destination of their cells.

use std::ops::Range;

use tdb_cells::dense::{Block, Runs, slow_to_fast};
use tdb_schema::Order;
use tdb_schema::grid::{CellBox, GridAxis};

use crate::scatter::AxisSegment;

/// One dimension of a block: the tiles along it, each with the segments of cells that the block needs.
///
/// The segments of one entry ascend and do not overlap. A tile from which some cells are needed more than once has
/// several entries.
#[derive(Clone, Debug, Default)]
struct AxisTiles {
    tiles: Vec<(u64, Range<usize>)>,
    segments: Vec<AxisSegment>,
    /// The first and the last needed cell, counted from the start of the domain.
    bounds: Option<(u64, u64)>,
}

impl AxisTiles {
    fn new(axis: &GridAxis, runs: &Runs, positions: Range<u64>) -> Self {
        let mut pieces = Vec::new();
        let mut bounds = None;
        for run in runs.within(positions.clone()) {
            let mut cell = run.first;
            let end = run.first + run.len;
            let (lo, hi) = bounds.unwrap_or((cell, end - 1));
            bounds = Some((lo.min(cell), hi.max(end - 1)));
            while cell < end {
                let tile = axis.tile_of(cell);
                let (first, last) = axis.cells_of_tile(tile);
                let len = (last - cell + 1).min(end - cell);
                let dest = run.position + (cell - run.first) - positions.start;
                pieces.push((
                    tile,
                    AxisSegment {
                        source: cell - first,
                        len,
                        dest,
                    },
                ));
                cell += len;
            }
        }
        pieces.sort_by_key(|(tile, segment)| (*tile, segment.source));
        let mut out = Self {
            bounds,
            ..Self::default()
        };
        while !pieces.is_empty() {
            out.take_layer(&mut pieces);
        }
        out
    }

    /// Takes as many pieces as follow each other without overlap, and leaves the others for further layers.
    fn take_layer(&mut self, pieces: &mut Vec<(u64, AxisSegment)>) {
        let mut last: Option<(u64, u64)> = None;
        pieces.retain(|&(tile, segment)| {
            if last.is_some_and(|(other, end)| other == tile && segment.source < end) {
                return true;
            }
            let at = self.segments.len();
            match self
                .tiles
                .last_mut()
                .filter(|_| last.is_some_and(|(other, _)| other == tile))
            {
                Some((_, range)) => range.end = at + 1,
                None => self.tiles.push((tile, at..at + 1)),
            }
            self.segments.push(segment);
            last = Some((tile, segment.source + segment.len));
            false
        });
    }
}

/// All cells that a block needs, by space tile.
#[derive(Clone, Debug)]
pub(crate) struct BlockTiles {
    axes: Vec<AxisTiles>,
    order: Order,
    strides: Vec<u64>,
    rows: u64,
    result_order: Order,
}

impl BlockTiles {
    /// Finds the tiles of a block, given the requested `runs` along each dimension.
    #[must_use]
    pub(crate) fn new(axes: &[GridAxis], tile_order: Order, runs: &[Runs], block: &Block) -> Self {
        let along = axes.iter().zip(runs).zip(&block.positions);
        Self {
            axes: along
                .map(|((axis, runs), positions)| AxisTiles::new(axis, runs, positions.clone()))
                .collect(),
            order: tile_order,
            strides: block.strides(),
            rows: block.rows(),
            result_order: block.order,
        }
    }

    /// Number of cells in the block.
    #[must_use]
    pub(crate) fn rows(&self) -> u64 {
        self.rows
    }

    /// The smallest box around all needed cells; `None` if there are no cells.
    #[must_use]
    pub(crate) fn bounds(&self) -> Option<CellBox> {
        let (lo, hi) = self
            .axes
            .iter()
            .map(|axis| axis.bounds)
            .collect::<Option<Vec<_>>>()?
            .into_iter()
            .unzip();
        Some(CellBox { lo, hi })
    }

    /// Number of rows from one cell to the next along each dimension.
    #[must_use]
    pub(crate) fn strides(&self) -> &[u64] {
        &self.strides
    }

    /// The order of the block's cells.
    #[must_use]
    pub(crate) fn result_order(&self) -> Order {
        self.result_order
    }

    /// Iterates over the tiles, in tile order.
    #[must_use]
    pub(crate) fn visits(&self) -> Visits<'_> {
        Visits {
            tiles: self,
            at: None,
            tile: vec![0; self.axes.len()],
        }
    }
}

/// A walk over the tiles of a block.
#[derive(Clone, Debug)]
pub(crate) struct Visits<'a> {
    tiles: &'a BlockTiles,
    at: Option<Vec<usize>>,
    tile: Vec<u64>,
}

impl<'a> Visits<'a> {
    /// Goes to the next tile; returns false after the last one.
    pub(crate) fn advance(&mut self) -> bool {
        let n = self.tiles.axes.len();
        let Some(at) = &mut self.at else {
            self.at = Some(vec![0; n]);
            return (0..n).all(|dimension| self.arrive(dimension));
        };
        for dimension in slow_to_fast(n, self.tiles.order).rev() {
            let (Some(place), Some(axis)) = (at.get_mut(dimension), self.tiles.axes.get(dimension))
            else {
                return false;
            };
            *place += 1;
            let is_within = *place < axis.tiles.len();
            if !is_within {
                *place = 0;
            }
            if let (Some(tile), Some((number, _))) =
                (self.tile.get_mut(dimension), axis.tiles.get(*place))
            {
                *tile = *number;
            }
            if is_within {
                return true;
            }
        }
        false
    }

    /// Goes to the first tile along a dimension; returns false if there is none.
    fn arrive(&mut self, dimension: usize) -> bool {
        let first = self
            .tiles
            .axes
            .get(dimension)
            .and_then(|axis| axis.tiles.first());
        match (self.tile.get_mut(dimension), first) {
            (Some(tile), Some((number, _))) => {
                *tile = *number;
                true
            }
            _ => false,
        }
    }

    /// Coordinates of the current tile.
    #[must_use]
    pub(crate) fn tile(&self) -> &[u64] {
        &self.tile
    }

    /// The segments of the current tile that are needed along a dimension: ascending, without overlap, never empty.
    #[must_use]
    pub(crate) fn segments(&self, dimension: usize) -> &'a [AxisSegment] {
        let place = self
            .at
            .as_ref()
            .and_then(|at| at.get(dimension))
            .copied()
            .unwrap_or(0);
        let axis = self.tiles.axes.get(dimension);
        axis.and_then(|axis| axis.segments.get(axis.tiles.get(place)?.1.clone()))
            .unwrap_or(&[])
    }
}
