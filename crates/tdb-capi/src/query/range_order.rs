//! Several ranges of a sparse array, read in row- or column-major order.
//!
//! TileDB returns the cells range by range, in the order in which ranges were added: first those of the first range of
//! each dimension, then those of the next combination. Cells of several combinations come with each. The engine gives
//! each cell once, in the order of coordinates, and the rows are then put in their places.

use std::cmp::Ordering;

use tdb::engine::tile::Range;
use tdb::{Batch, Datatype};

use crate::border::{Error, Result};

/// The ranges of a dimension that was asked for.
#[derive(Debug)]
pub(crate) struct DimensionRanges {
    pub(crate) name: String,
    pub(crate) datatype: Datatype,
    /// As they were added; none stands for the whole dimension.
    pub(crate) ranges: Vec<Range>,
}

impl DimensionRanges {
    /// Returns the ranges without overlaps, in ascending order.
    pub(crate) fn merged(&self) -> Vec<Range> {
        let mut sorted = self.ranges.clone();
        sorted.retain(|range| range.is_ordered(self.datatype));
        sorted.sort_by(|a, b| self.datatype.total_order(&a.lo, &b.lo));
        let mut merged: Vec<Range> = Vec::new();
        for range in sorted {
            match merged.last_mut() {
                Some(last) if self.datatype.total_order(&last.hi, &range.lo).is_ge() => {
                    if self.datatype.total_order(&last.hi, &range.hi).is_lt() {
                        last.hi = range.hi;
                    }
                }
                _ => merged.push(range),
            }
        }
        merged
    }

    /// True if the ranges ascend without overlaps.
    fn ascends(&self) -> bool {
        self.ranges.windows(2).all(|pair| match pair {
            [before, after] => self.datatype.total_order(&before.hi, &after.lo) == Ordering::Less,
            _ => true,
        })
    }
}

/// The ranges of all dimensions, the one whose ranges change last first.
#[derive(Debug)]
pub(crate) struct RangeOrder {
    slowest_first: Vec<Lookup>,
}

/// Finds the ranges of a dimension that contain a coordinate.
#[derive(Debug)]
struct Lookup {
    name: String,
    datatype: Datatype,
    /// The ranges in ascending order of their begins, with their numbers.
    sorted: Vec<(usize, Range)>,
    count: usize,
    is_disjoint: bool,
}

impl Lookup {
    fn new(dimension: DimensionRanges) -> Self {
        let is_disjoint = dimension.merged().len() == dimension.ranges.len();
        let DimensionRanges {
            name,
            datatype,
            ranges,
        } = dimension;
        let count = ranges.len().max(1);
        let mut sorted: Vec<(usize, Range)> = ranges.into_iter().enumerate().collect();
        sorted.sort_by(|(_, a), (_, b)| datatype.total_order(&a.lo, &b.lo));
        Self {
            name,
            datatype,
            sorted,
            count,
            is_disjoint,
        }
    }

    /// Returns the numbers of the ranges that contain a coordinate.
    fn numbers<'a>(&'a self, coordinate: &'a [u8]) -> impl Iterator<Item = usize> + 'a {
        let begun = self
            .sorted
            .partition_point(|(_, range)| self.datatype.total_order(&range.lo, coordinate).is_le());
        let first = if self.is_disjoint {
            begun.saturating_sub(1)
        } else {
            0
        };
        let candidates = self.sorted.get(first..begun).into_iter().flatten();
        let whole = self.sorted.is_empty().then_some(0);
        let within = candidates
            .filter(|(_, range)| self.datatype.total_order(coordinate, &range.hi).is_le())
            .map(|(number, _)| *number);
        whole.into_iter().chain(within)
    }
}

impl RangeOrder {
    /// Returns the order in which cells come; `None` if it is that of their coordinates.
    pub(crate) fn of(mut dimensions: Vec<DimensionRanges>, is_row_major: bool) -> Option<Self> {
        if !is_row_major {
            dimensions.reverse();
        }
        let mut slowest_first = dimensions.iter();
        let is_plain = slowest_first.next().is_none_or(DimensionRanges::ascends)
            && slowest_first.all(|dimension| dimension.ranges.len() <= 1);
        let slowest_first = dimensions.into_iter().map(Lookup::new).collect();
        (!is_plain).then_some(Self { slowest_first })
    }

    /// Returns the rows of a batch in the order in which they come.
    ///
    /// # Errors
    /// Fails for more rows than can be put in order in memory, and if the batch lacks a dimension.
    pub(crate) fn rows(&self, batch: &Batch) -> Result<Vec<u32>> {
        let mut placed: Vec<(u64, u32)> = Vec::new();
        for row in 0..batch.rows {
            let number = u32::try_from(row).map_err(|_| too_many())?;
            let mut combinations = vec![0_u64];
            for lookup in &self.slowest_first {
                let column = batch.column(&lookup.name);
                let cell = column.and_then(|column| column.cell(row));
                let cell = cell.ok_or_else(|| Error::new("Query", "a dimension was not read"))?;
                combinations = lookup.combined(&combinations, cell)?;
            }
            placed.extend(combinations.into_iter().map(|place| (place, number)));
        }
        placed.sort_by_key(|(place, _)| *place);
        Ok(placed.into_iter().map(|(_, row)| row).collect())
    }
}

impl Lookup {
    /// Returns the numbers of combinations of ranges, this dimension's added.
    fn combined(&self, combinations: &[u64], coordinate: &[u8]) -> Result<Vec<u64>> {
        let mut combined = Vec::new();
        for combination in combinations {
            let first = combination.checked_mul(self.count as u64);
            for number in self.numbers(coordinate) {
                let place = first.and_then(|first| first.checked_add(number as u64));
                combined.push(place.ok_or_else(too_many)?);
            }
        }
        Ok(combined)
    }
}

fn too_many() -> Error {
    let text = "there are too many cells or ranges to be put in the order of the ranges; ask for less at once, or in no order";
    Error::new("Query", text)
}
