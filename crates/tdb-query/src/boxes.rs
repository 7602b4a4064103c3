//! Boxes of cells, one range for each dimension.

use tdb_schema::Dimension;
use tdb_tile::Range;

/// Returns the bounding box of two boxes; `None` if both are absent.
#[must_use]
pub fn bounding_box(
    dimensions: &[Dimension],
    one: Option<Vec<Range>>,
    other: Option<Vec<Range>>,
) -> Option<Vec<Range>> {
    match (one, other) {
        (Some(one), Some(other)) => {
            let pairs = one.iter().zip(&other).zip(dimensions);
            Some(pairs.map(|((a, b), d)| a.union(d.datatype, b)).collect())
        }
        (one, other) => one.or(other),
    }
}

/// Converts a box to the named ranges of a read: [`ReadOptions::ranges`](crate::ReadOptions::ranges).
#[must_use]
pub fn named_ranges(dimensions: &[Dimension], domain: &[Range]) -> Vec<(String, Range)> {
    let sides = dimensions.iter().zip(domain);
    let ranges = sides.map(|(dimension, range)| (dimension.name.clone(), range.clone()));
    ranges.collect()
}
