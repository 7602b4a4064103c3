//! The borders of space tiles along the dimensions of a result.

use tdb_schema::grid::SpaceTileGrid;

use super::runs::Runs;

/// Returns the nearest borders of space tiles or ranges along a dimension: one at or before `position`, one at or
/// after it.
#[must_use]
pub fn borders(grid: &SpaceTileGrid, runs: &[Runs], dimension: usize, position: u64) -> (u64, u64) {
    nearest(grid, runs, dimension, position, |tile, _| tile)
}

/// Like [`borders`], but also counts the ends of every `chunk` cells along the dimension, from the first cell of each
/// tile.
#[must_use]
pub fn chunk_borders(
    grid: &SpaceTileGrid,
    runs: &[Runs],
    dimension: usize,
    position: u64,
    chunk: u64,
) -> (u64, u64) {
    nearest(grid, runs, dimension, position, |(first, last), cell| {
        let begun = first + (cell - first) / chunk.max(1) * chunk.max(1);
        (begun, begun + (chunk.max(1) - 1).min(last - begun))
    })
}

/// Start and end of the part of a tile that contains `position`, clipped to the surrounding range. `part` gets the
/// first and last cell of the tile and the cell at `position`, and returns the first and last cell of the part.
fn nearest(
    grid: &SpaceTileGrid,
    runs: &[Runs],
    dimension: usize,
    position: u64,
    part: impl Fn((u64, u64), u64) -> (u64, u64),
) -> (u64, u64) {
    let run = runs.get(dimension).and_then(|runs| runs.at(position));
    let (Some(run), Some(axis)) = (run, grid.axes().get(dimension)) else {
        return (position, position);
    };
    let cell = run.first + (position - run.position);
    let (first, last) = part(axis.cells_of_tile(axis.tile_of(cell)), cell);
    if cell == first.max(run.first) {
        return (position, position);
    }
    let position_of = |cell: u64| run.position + (cell - run.first);
    let after = (last - run.first).min(run.len - 1) + 1;
    (position_of(first.max(run.first)), run.position + after)
}
