//! Finding the pixels that some fragment covers, since 255 in an 8-bit field may be white or unwritten.

use tdb_array::Array;
use tdb_open::Result;
use tdb_schema::grid::{CellBox, SpaceTileGrid};
use tdb_tile::{Bug, Exact};

use super::slice::{Side, Slice};

/// Returns for each pixel, row by row, whether it lies in the box of a fragment.
///
/// Each box adds its four corners to a grid of differences, with sign; running sums along both axes then give the
/// number of boxes over each pixel. That takes time proportional to boxes plus pixels, not to their product.
pub(super) fn mask(array: &Array, slice: &Slice) -> Result<Vec<bool>> {
    let columns = slice
        .sides
        .get(slice.columns)
        .ok_or_else(|| Bug::new("a slice without columns"))?;
    let rows = slice.rows.and_then(|at| slice.sides.get(at));
    let width = columns.positions.len();
    let height = rows.map_or(1, |side| side.positions.len());
    let grid = SpaceTileGrid::new(array.schema())
        .ok_or_else(|| Bug::new("a dense array without a grid of tiles"))?;
    // All sums below are at most the number of fragments.
    let many = || Bug::new("more fragments than can be counted");
    i32::try_from(array.fragments().len()).map_err(|_| many())?;
    // Differences of the number of boxes; the prefix sums are the number of boxes over each pixel.
    let stride = width.exact_add(1)?;
    let mut steps = vec![0_i32; stride.exact_mul(height.exact_add(1)?)?];
    for fragment in array.fragments() {
        let cells = grid.clipped_box(&fragment.metadata.non_empty_domain);
        let Some((down, across)) = cells.and_then(|cells| pixels_of(&cells, slice)) else {
            continue;
        };
        for (row, by_row) in [(down.start, 1), (down.end, -1)] {
            for (column, by_column) in [(across.start, 1), (across.end, -1)] {
                let at = row * stride + column;
                let corner = steps
                    .get_mut(at)
                    .ok_or_else(|| Bug::new("a box beyond the picture"))?;
                *corner += by_row * by_column;
            }
        }
    }
    let mut above = vec![0_i32; width];
    let mut mask = Vec::new();
    for row in steps.chunks(stride).take(height) {
        let mut sum = 0_i32;
        for (above, step) in above.iter_mut().zip(row) {
            sum += *step;
            *above += sum;
            mask.push(*above > 0);
        }
    }
    Ok(mask)
}

/// Returns the rows and columns of pixels that a box covers; `None` if it has no cell of the slice.
fn pixels_of(
    cells: &CellBox,
    slice: &Slice,
) -> Option<(std::ops::Range<usize>, std::ops::Range<usize>)> {
    let covered = |side: &Side, at: usize| {
        let (lo, hi) = (*cells.lo.get(at)?, *cells.hi.get(at)?);
        let start = side.positions.partition_point(|cell| *cell < lo);
        let end = side.positions.partition_point(|cell| *cell <= hi);
        (start < end).then_some(start..end)
    };
    let mut found = (0..1, 0..1);
    for (at, side) in slice.sides.iter().enumerate() {
        let pixels = covered(side, at)?;
        if slice.rows == Some(at) {
            found.0 = pixels;
        } else if slice.columns == at {
            found.1 = pixels;
        }
    }
    Some(found)
}
