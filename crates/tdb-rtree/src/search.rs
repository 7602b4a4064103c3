use tdb_tile::{Bug, Range, Scalar, with_scalar};

use crate::column::{Column, Strings};
use crate::rtree::check_range;
use crate::{RTree, RTreeError};

/// A tile that may hold cells of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TileOverlap {
    /// Index of the tile in its fragment.
    pub tile: u64,
    /// Whether every cell of the tile lies within the ranges; where not, each has to be looked at.
    pub full: bool,
}

/// How a tile overlaps a search, so that the least over all dimensions holds for the tile.
const NONE: u8 = 0;
const PARTIAL: u8 = 1;
const FULL: u8 = 2;

impl RTree {
    /// The tiles whose rectangles meet a range on every dimension, in their order.
    ///
    /// `ranges` has a list for each dimension; an empty list means all coordinates. Ranges
    /// may overlap and come in any order; those with the lower end above the upper hold nothing.
    ///
    /// Only leaves are asked, each dimension in one pass over flat numbers: inner nodes of
    /// formats 5 to 9 may be too small. Bounds out of order (dates across 1970 in
    /// formats 1 to 4, NaN) count as no bounds, and so does, in formats 5 to 9, the
    /// upper bound beside an empty string.
    ///
    /// # Errors
    /// Where the ranges do not fit the dimensions.
    pub fn search(&self, ranges: &[Vec<Range>]) -> Result<Vec<TileOverlap>, RTreeError> {
        self.check_search(ranges)?;
        let Some(leaves) = self.leaves() else {
            return Ok(Vec::new());
        };
        let mut overlaps = vec![FULL; leaves.len];
        for (column, ranges) in leaves.columns.iter().zip(ranges) {
            // A tile without bounds would count as one that lies within the ranges.
            if column.len() != Some(leaves.len) {
                return Err(Bug::new("a dimension has bounds of other tiles").into());
            }
            if !ranges.is_empty() {
                narrow(&mut overlaps, column, ranges, self.doubts_empty_strings());
            }
        }
        Ok((0_u64..)
            .zip(overlaps)
            .filter(|(_, overlap)| *overlap != NONE)
            .map(|(tile, overlap)| TileOverlap {
                tile,
                full: overlap == FULL,
            })
            .collect())
    }

    fn check_search(&self, ranges: &[Vec<Range>]) -> Result<(), RTreeError> {
        let dimensions = self.dimensions();
        if ranges.len() != dimensions.len() {
            return Err(RTreeError::DimensionCount {
                wanted: dimensions.len(),
                found: ranges.len(),
            });
        }
        for (index, (ranges, dimension)) in ranges.iter().zip(dimensions).enumerate() {
            for range in ranges {
                check_range(index, *dimension, range)?;
            }
        }
        Ok(())
    }
}

fn narrow(overlaps: &mut [u8], column: &Column, ranges: &[Range], doubts_empty: bool) {
    match column {
        Column::Fixed { datatype, lo, hi } => {
            with_scalar!(*datatype, T => narrow_numbers::<T>(overlaps, lo, hi, ranges));
        }
        Column::Var { lo, hi } => narrow_strings(overlaps, lo, hi, ranges, doubts_empty),
    }
}

fn narrow_numbers<T: Scalar>(overlaps: &mut [u8], lo: &[u8], hi: &[u8], ranges: &[Range]) {
    let ranges = merge(ranges.iter().filter_map(Range::ends::<T>).collect());
    let lo = lo.chunks_exact(T::SIZE).filter_map(T::read);
    let hi = hi.chunks_exact(T::SIZE).filter_map(T::read);
    let leaves = overlaps.iter_mut().zip(lo.zip(hi));
    if let &[range] = ranges.as_slice() {
        for (overlap, (lo, hi)) in leaves {
            *overlap = (*overlap).min(overlap_of_one(lo, hi, range));
        }
    } else {
        for (overlap, (lo, hi)) in leaves {
            *overlap = (*overlap).min(overlap_of(lo, hi, &ranges));
        }
    }
}

fn narrow_strings(
    overlaps: &mut [u8],
    lo: &Strings,
    hi: &Strings,
    ranges: &[Range],
    doubts_empty: bool,
) {
    let ranges = merge(ranges.iter().map(|r| (&r.lo[..], &r.hi[..])).collect());
    for (overlap, (lo, hi)) in overlaps.iter_mut().zip(lo.iter().zip(hi.iter())) {
        let found = if doubts_empty && lo.is_empty() {
            // Cells from the empty string up to anywhere.
            if ranges.is_empty() { NONE } else { PARTIAL }
        } else {
            overlap_of(lo, hi, &ranges)
        };
        *overlap = (*overlap).min(found);
    }
}

/// Sorts ranges and joins those that overlap; those that hold nothing go.
fn merge<T: PartialOrd + Copy>(mut ranges: Vec<(T, T)>) -> Vec<(T, T)> {
    // A NaN is not ordered with itself, so none is left to be sorted.
    ranges.retain(|(lo, hi)| lo <= hi);
    ranges.sort_by(|a, b| a.0.partial_cmp(&b.0).unwrap_or(std::cmp::Ordering::Equal));
    let mut merged: Vec<(T, T)> = Vec::new();
    for (lo, hi) in ranges {
        match merged.last_mut() {
            Some(last) if lo <= last.1 => {
                if hi > last.1 {
                    last.1 = hi;
                }
            }
            _ => merged.push((lo, hi)),
        }
    }
    merged
}

#[inline]
#[expect(
    clippy::neg_cmp_op_on_partial_ord,
    reason = "NaN is meant to count as unbounded, and a loop over this to stay without branches"
)]
fn overlap_of_one<T: PartialOrd + Copy>(lo: T, hi: T, range: (T, T)) -> u8 {
    let unbounded = !(lo <= hi);
    let meets = (range.0 <= hi) & (lo <= range.1);
    let within = (range.0 <= lo) & (hi <= range.1) & !unbounded;
    u8::from(meets | unbounded).saturating_add(u8::from(within))
}

fn overlap_of<T: PartialOrd + Copy>(lo: T, hi: T, ranges: &[(T, T)]) -> u8 {
    if ranges.is_empty() {
        return NONE;
    }
    // Bounds out of order say nothing.
    if !matches!(lo.partial_cmp(&hi), Some(order) if order.is_le()) {
        return PARTIAL;
    }
    let first = ranges.partition_point(|range| range.1 < lo);
    ranges
        .get(first)
        .map_or(NONE, |range| overlap_of_one(lo, hi, *range))
}
