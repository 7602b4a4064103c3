//! The Hilbert curve through the domain of a sparse array.
//!
//! Each coordinate is first mapped to one of 2^bits *buckets* along its dimension; the buckets of
//! all dimensions then determine the position on the curve. The curve is that of John Skilling,
//! *Programming the Hilbert curve* (2004), which TileDB uses.
//!
//! Format: `docs/format/orders.md`, "Hilbert order".

mod bucket;
mod curve;

use bucket::Axis;
pub use curve::HilbertCurve;

use tdb_tile::Bug;

use crate::ArraySchema;
use crate::order::{Column, WriterRule};

/// The mapping from the cells of an array to positions on its Hilbert curve.
#[derive(Clone, Debug)]
pub struct HilbertSpace {
    curve: HilbertCurve,
    axes: Vec<Axis>,
}

/// Number of cells whose positions are computed together.
const BLOCK: usize = 256;

impl HilbertSpace {
    /// Creates the curve through the domain of a schema; `None` if there are no dimensions or too
    /// many.
    ///
    /// Writers of format versions 7 and 8 used another mapping to buckets, which `rule` selects.
    #[must_use]
    pub fn new(schema: &ArraySchema, rule: WriterRule) -> Option<Self> {
        let curve = HilbertCurve::new(schema.dimensions.len())?;
        let axes = schema
            .dimensions
            .iter()
            .map(|dimension| Axis::new(dimension, curve.bits(), rule))
            .collect::<Option<_>>()?;
        Some(Self { curve, axes })
    }

    /// The curve itself.
    #[must_use]
    pub fn curve(&self) -> &HilbertCurve {
        &self.curve
    }

    /// Returns the position of one cell, given the stored form of its coordinates.
    ///
    /// # Errors
    /// [`Bug`] if a coordinate is missing or too short.
    pub fn place(&self, cell: &[&[u8]]) -> Result<u64, Bug> {
        let mut axes = self.axes.iter().zip(cell);
        if cell.len() < self.axes.len() || !axes.all(|(axis, value)| axis.holds(value)) {
            return Err(Bug::new("a cell that has no coordinate to place it by"));
        }
        Ok(self.place_by(&|i| cell.get(i).copied()))
    }

    /// Like [`HilbertSpace::place`], for cells known to have all coordinates: the offsets of a tile
    /// are checked when it is read.
    pub(crate) fn place_by<'a>(&self, cell: &impl Fn(usize) -> Option<&'a [u8]>) -> u64 {
        let mut point = [0_u64; curve::MAX_DIMENSIONS];
        for (i, (bucket, axis)) in point.iter_mut().zip(&self.axes).enumerate() {
            *bucket = axis.bucket(cell(i).unwrap_or(&[]));
        }
        self.curve.index(&mut point)
    }

    /// True if different cells surely have different positions.
    pub(crate) fn is_injective(&self) -> bool {
        self.axes.iter().all(Axis::is_injective)
    }

    /// Computes the positions of many cells and passes them to `take`, block by block, with the
    /// index of the first cell.
    ///
    /// # Errors
    /// The index of a dimension with a coordinate outside the domain.
    pub(crate) fn for_each_block(
        &self,
        columns: &[Column<'_>],
        rows: usize,
        mut take: impl FnMut(usize, &[u64]),
    ) -> Result<(), usize> {
        let mut buckets = vec![[0_u64; BLOCK]; self.axes.len()];
        let mut places = [0_u64; BLOCK];
        for first in (0..rows).step_by(BLOCK) {
            let n = (first..rows).len().min(BLOCK);
            let axes = self.axes.iter().zip(columns).zip(&mut buckets);
            for (dimension, ((axis, column), block)) in axes.enumerate() {
                let (block, _) = block.split_at_mut(n);
                if !axis.fill(column, first, block) {
                    return Err(dimension);
                }
            }
            let (places, _) = places.split_at_mut(n);
            self.curve
                .indices(buckets.as_flattened_mut(), BLOCK, places);
            take(first, places);
        }
        Ok(())
    }
}
