//! Computes the columns of dimensions, which dense arrays do not store.

use std::ops::Range;

use tdb_cells::dense::{Block, Runs};
use tdb_schema::grid::GridAxis;
use tdb_tile::{Bug, Exact};

use crate::scatter::{index, repeat};

/// Writes the coordinates along `dimension` of all cells of a block.
///
/// # Errors
/// The block has fewer dimensions, or more cells than memory can hold.
pub(crate) fn fill_coordinates(
    axis: &GridAxis,
    runs: &Runs,
    block: &Block,
    dimension: usize,
    out: &mut [u8],
) -> Result<(), Bug> {
    let size = axis.datatype().size();
    let strides = block.strides();
    let along = strides.get(dimension).zip(block.positions.get(dimension));
    let (stride, positions) = along.ok_or_else(|| Bug::new("a block of fewer dimensions"))?;
    let times = index(*stride)?;
    let values = values(axis, runs, positions.clone());
    let cycle = values.len().exact_mul(times)?.min(out.len());
    let (first, rest) = out.split_at_mut(cycle);
    if times == 1 {
        first.copy_from_slice(values.split_at(cycle).0);
    } else {
        for (place, value) in first
            .chunks_mut(times * size)
            .zip(values.chunks_exact(size))
        {
            repeat(value, place);
        }
    }
    for place in rest.chunks_mut(cycle.max(1)) {
        place.copy_from_slice(first.split_at(place.len()).0);
    }
    Ok(())
}

/// Returns the coordinates at these positions, one after the other.
fn values(axis: &GridAxis, runs: &Runs, positions: Range<u64>) -> Vec<u8> {
    let mut out = Vec::new();
    for run in runs.within(positions) {
        axis.append_values(run.first, run.first + (run.len - 1), 1, &mut out);
    }
    out
}

#[cfg(test)]
mod tests {
    use tdb_schema::{Dimension, Order};
    use tdb_tile::Datatype;

    use super::*;

    /// A one-dimensional block.
    fn line(positions: Range<u64>) -> Block {
        Block {
            positions: vec![positions],
            order: Order::RowMajor,
        }
    }

    #[test]
    fn coordinates_of_a_dimension_that_a_block_lacks_are_refused() {
        let dimension = Dimension::numbers("x", Datatype::Int32, (-5, 4), 3);
        let axis = GridAxis::new(&dimension).unwrap();
        let runs = Runs::new([(0, 2)]).unwrap();
        let block = line(0..3);
        let mut out = [0; 12];
        fill_coordinates(&axis, &runs, &block, 0, &mut out).unwrap();
        assert_eq!(
            out.as_chunks::<4>().0,
            [-5_i32, -4, -3].map(i32::to_le_bytes)
        );
        assert!(fill_coordinates(&axis, &runs, &block, 1, &mut out).is_err());
    }
}
