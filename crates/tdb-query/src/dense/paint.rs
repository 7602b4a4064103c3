//! Writes the cells of all visible fragments into the result, tile by tile, oldest fragment first.

use tdb_cells::dense::slow_to_fast;
use tdb_fragment::TileNumber;
use tdb_schema::grid::CellBox;
use tdb_tile::Bug;

use super::layers::{Layer, LayerIndex, LayerSource, Near, meets, numbered, visible};
use super::sparse_cells::SparseCells;
use super::tile_shape::TileShape;
use super::visits::{BlockTiles, Visits};
use crate::QueryError;
use crate::scatter::{AxisSegment, Pass};

/// Operation on the cells of one field, called by [`paint`] for each source.
pub(crate) trait Brush {
    /// Whether a fragment has the field. If it does not, older cells show through.
    fn has(&self, layer: LayerIndex) -> bool;
    /// Handles cells that were never written; usually gives them the fill value.
    fn fill(&mut self, pass: &mut Pass) -> Result<(), QueryError>;
    /// Copies cells of a tile of a fragment that has the field.
    fn copy(
        &mut self,
        layer: LayerIndex,
        tile: TileNumber,
        pass: &mut Pass,
    ) -> Result<(), QueryError>;
    /// Handles cells of a tile that the condition rules out. Their values do not matter: they are not part of the
    /// result.
    fn pass_over(&mut self, pass: &mut Pass) -> Result<(), QueryError> {
        self.fill(pass)
    }
    /// Copies single cells of a sparse fragment that has the field.
    fn place(&mut self, layer: LayerIndex, cells: &[PlacedCell]) -> Result<(), QueryError>;
}

/// Cell of a sparse fragment, with its destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PlacedCell {
    /// Index among the cells of the fragment.
    pub(crate) cell: usize,
    /// Row in the block.
    pub(crate) dest: u64,
}

/// Paints all cells of a block.
///
/// Per tile, only the newest layers down to the first that covers all wanted cells are painted, oldest first: a later
/// layer overwrites the cells of an earlier one, so no test per cell is needed. The fill value is painted only if no
/// layer covers the tile.
pub(crate) fn paint(
    shape: &TileShape,
    layers: &[Layer],
    block: &BlockTiles,
    brush: &mut impl Brush,
) -> Result<(), QueryError> {
    let near = near(layers, block);
    let (mut seen, mut painted, mut pass) = (Vec::new(), Vec::new(), Pass::default());
    let mut placed = Vec::new();
    let mut visits = block.visits();
    while visits.advance() {
        let tile = shape.grid.tile_cells(visits.tile());
        let wanted = wanted(&visits, &tile);
        visible(&near, &tile, &mut seen);
        painted.clear();
        let mut is_covered = false;
        for &(at, layer) in seen.iter().filter(|(at, _)| brush.has(*at)) {
            painted.push((at, layer));
            is_covered = layer.covers(&wanted);
            if is_covered {
                break;
            }
        }
        if !is_covered {
            plan_fill(block, &visits, &mut pass);
            brush.fill(&mut pass)?;
        }
        for &(at, layer) in painted.iter().rev() {
            match &layer.stored {
                LayerSource::Tiles(tiles) => {
                    plan_copy(shape, block, &visits, &tile, &layer.cells, &mut pass);
                    if !pass.is_empty() {
                        let number = tiles.position(visits.tile());
                        let outside = Bug::new("a fragment without a tile that has cells of it");
                        let number = TileNumber::new(number.ok_or(outside)?);
                        if layer.ruled_out.contains(number.get()) {
                            brush.pass_over(&mut pass)?;
                        } else {
                            brush.copy(at, number, &mut pass)?;
                        }
                    }
                }
                LayerSource::Cells(cells) => {
                    plan_cells(shape, block, &visits, &tile, cells, &mut placed);
                    brush.place(at, &placed)?;
                }
            }
        }
    }
    Ok(())
}

/// Returns the layers whose boxes meet the block, newest first.
fn near<'a>(layers: &'a [Layer], block: &BlockTiles) -> Vec<Near<'a>> {
    let Some(bounds) = block.bounds() else {
        return Vec::new();
    };
    let layers = numbered(layers);
    layers
        .filter(|(_, layer)| meets(&layer.cells, &bounds))
        .collect()
}

/// Calls `each` for every stored tile that is visible in the block.
pub(crate) fn for_each_source(
    shape: &TileShape,
    layers: &[Layer],
    block: &BlockTiles,
    each: &mut dyn FnMut(LayerIndex, TileNumber),
) {
    let near = near(layers, block);
    let mut seen = Vec::new();
    let mut visits = block.visits();
    while visits.advance() {
        let tile = shape.grid.tile_cells(visits.tile());
        visible(&near, &tile, &mut seen);
        for (at, layer) in &seen {
            if let LayerSource::Tiles(tiles) = &layer.stored
                && let Some(number) = tiles.position(visits.tile())
            {
                each(*at, TileNumber::new(number));
            }
        }
    }
}

/// Returns the smallest box around the wanted cells of a tile.
fn wanted(visits: &Visits<'_>, tile: &CellBox) -> CellBox {
    let ends = (0..)
        .zip(&tile.lo)
        .map(|(dimension, &start)| match visits.segments(dimension) {
            [first, .., last] => (start + first.source, start + last.source + last.len - 1),
            [only] => (start + only.source, start + only.source + only.len - 1),
            [] => (start, start),
        });
    let (lo, hi) = ends.unzip();
    CellBox { lo, hi }
}

/// Plans the copy of all wanted cells of a tile, in the order of the result.
fn plan_fill(block: &BlockTiles, visits: &Visits<'_>, pass: &mut Pass) {
    pass.begin();
    for dimension in slow_to_fast(block.strides().len(), block.result_order()) {
        let stride = block.strides().get(dimension).copied().unwrap_or(1);
        let segments = visits.segments(dimension).iter();
        // The result is its own source: cells that are contiguous there are filled in one run.
        pass.push(
            stride,
            stride,
            segments.map(|s| AxisSegment { source: 0, ..*s }),
        );
    }
}

/// Plans the copy of the wanted cells of a tile that a fragment wrote, in the order of the tile.
fn plan_copy(
    shape: &TileShape,
    block: &BlockTiles,
    visits: &Visits<'_>,
    tile: &CellBox,
    cells: &CellBox,
    pass: &mut Pass,
) {
    pass.begin();
    let at = |list: &[u64], dimension: usize| list.get(dimension).copied().unwrap_or(0);
    for dimension in slow_to_fast(tile.lo.len(), shape.grid.cell_order()) {
        let start = at(&tile.lo, dimension);
        // Part of the tile that was written, counted from the start of the tile.
        let lo = at(&cells.lo, dimension).max(start) - start;
        let end = at(&cells.hi, dimension).max(start) - start + 1;
        let clipped = visits.segments(dimension).iter().filter_map(|segment| {
            let first = segment.source.max(lo);
            let last = (segment.source + segment.len).min(end);
            (first < last).then(|| AxisSegment {
                source: first,
                len: last - first,
                dest: segment.dest + (first - segment.source),
            })
        });
        pass.push(
            at(&shape.strides, dimension),
            at(block.strides(), dimension),
            clipped,
        );
    }
}

/// Collects the cells of a sparse fragment that are wanted in a tile.
fn plan_cells(
    shape: &TileShape,
    block: &BlockTiles,
    visits: &Visits<'_>,
    tile: &CellBox,
    cells: &SparseCells,
    placed: &mut Vec<PlacedCell>,
) {
    placed.clear();
    for cell in cells.in_tile(&shape.grid, visits.tile()) {
        let starts = tile.lo.iter().zip(block.strides()).enumerate();
        let dest = starts
            .map(|(dimension, (&start, &stride))| {
                let within = cells.coordinate(dimension, cell)?.checked_sub(start)?;
                let segments = visits.segments(dimension);
                let next = segments.partition_point(|segment| segment.source <= within);
                let segment = segments.get(next.checked_sub(1)?)?;
                let along = within - segment.source;
                (along < segment.len).then_some((segment.dest + along) * stride)
            })
            .sum::<Option<u64>>();
        placed.extend(dest.map(|dest| PlacedCell { cell, dest }));
    }
}
