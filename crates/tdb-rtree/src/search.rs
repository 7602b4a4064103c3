use tdb_tile::{Bug, Range, Scalar, with_scalar};

use crate::column::{Column, Strings};
use crate::rtree::check_range;
use crate::{RTree, RTreeError};

/// A tile that may contain cells within the searched ranges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TileOverlap {
    /// The index of the tile in its fragment.
    pub tile: u64,
    /// True if every cell of the tile lies within the ranges; otherwise each cell must be checked.
    pub full: bool,
}

/// The overlap of a tile with a search. The smallest number over all dimensions is the overlap of
/// the tile.
const NONE: u8 = 0;
const PARTIAL: u8 = 1;
const FULL: u8 = 2;

impl RTree {
    /// Returns the tiles whose MBRs intersect at least one range on every dimension, in tile order.
    ///
    /// `ranges` has one list per dimension; an empty list means all coordinates. Ranges may overlap
    /// and need not be sorted; a range whose lower end is above its upper end is empty.
    ///
    /// Only the leaves are searched, in one pass per dimension over flat arrays, because inner
    /// nodes of formats 5 to 9 may be too small. Bounds that are out of order (dates across 1970 in
    /// formats 1 to 4, NaN) count as unbounded, and so does, in formats 5 to 9, an upper bound
    /// whose lower bound is the empty string.
    ///
    /// # Errors
    /// Fails if the ranges do not fit the dimensions.
    pub fn search(&self, ranges: &[Vec<Range>]) -> Result<Vec<TileOverlap>, RTreeError> {
        self.check_search(ranges)?;
        let Some(leaves) = self.leaves() else {
            return Ok(Vec::new());
        };
        let mut overlaps = vec![FULL; leaves.len];
        for (column, ranges) in leaves.columns.iter().zip(ranges) {
            // Tiles for which a column has no bounds would keep `FULL`, a wrong answer.
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
            // The tile may contain any strings from the empty one on.
            if ranges.is_empty() { NONE } else { PARTIAL }
        } else {
            overlap_of(lo, hi, &ranges)
        };
        *overlap = (*overlap).min(found);
    }
}

/// Sorts ranges and joins those that overlap; empty ranges are dropped.
///
/// The result is disjoint and ascending, so at most one range can cover the bounds of a tile, and
/// the first range that does not end before the bounds decides whether any intersects them.
fn merge<T: PartialOrd + Copy>(mut ranges: Vec<(T, T)>) -> Vec<(T, T)> {
    // NaN is not equal to itself, so this removes NaN before the sort.
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
    // `PARTIAL` is the first bit, `FULL` the second; a range that is within also meets.
    u8::from((meets & !within) | unbounded) | (u8::from(within) << 1)
}

fn overlap_of<T: PartialOrd + Copy>(lo: T, hi: T, ranges: &[(T, T)]) -> u8 {
    if ranges.is_empty() {
        return NONE;
    }
    // Bounds out of order restrict nothing.
    if !matches!(lo.partial_cmp(&hi), Some(order) if order.is_le()) {
        return PARTIAL;
    }
    let first = ranges.partition_point(|range| range.1 < lo);
    ranges
        .get(first)
        .map_or(NONE, |range| overlap_of_one(lo, hi, *range))
}
