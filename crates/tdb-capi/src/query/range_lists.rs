//! Several ranges of dimensions of a dense array.
//!
//! TileDB returns the cells of a dense array by the ranges as they were given: the coordinates of a dimension are those
//! of its ranges one after the other, in the order given and as often as ranges contain them, and the result has the
//! combinations of these lists. The engine reads each cell once, by increasing coordinates. So where ranges overlap or
//! go backwards, the cells are read by increasing coordinates and then put in their places.

use std::collections::BTreeMap;

use tdb::Datatype;
use tdb::engine::tile::Range;

use crate::border::{Error, Result};
use crate::datatypes::integer;

/// The coordinates of each dimension of a result.
#[derive(Debug)]
pub(crate) struct RangeLists {
    dimensions: Vec<CoordinateList>,
}

/// The coordinates of a dimension.
#[derive(Debug)]
struct CoordinateList {
    /// For each coordinate of the result, its place among those that are read.
    places: Vec<usize>,
    /// Number of coordinates that are read.
    read: usize,
    /// The coordinates that are read, as increasing ranges.
    ranges: Vec<Range>,
}

/// True if the ranges increase and have no coordinate in common.
pub(crate) fn is_increasing(datatype: Datatype, ranges: &[Range]) -> bool {
    ranges.windows(2).all(|pair| match pair {
        [before, after] => {
            datatype.compare(&before.hi, &after.lo) == Some(std::cmp::Ordering::Less)
        }
        _ => true,
    })
}

impl RangeLists {
    /// Lists the coordinates of the ranges of each dimension.
    ///
    /// # Errors
    /// Fails for more coordinates than can be put in order in memory.
    pub(crate) fn new(dimensions: &[(Datatype, Vec<Range>)]) -> Result<Self> {
        let lists = dimensions
            .iter()
            .map(|(datatype, ranges)| list(*datatype, ranges));
        let dimensions = lists.collect::<Result<Vec<_>>>()?;
        let mut sizes = dimensions.iter().map(|list| list.places.len() as u64);
        let cells = sizes.try_fold(1_u64, u64::checked_mul);
        if cells.is_none_or(|cells| cells > u64::from(u32::MAX)) {
            return Err(too_many());
        }
        Ok(Self { dimensions })
    }

    /// Returns the ranges that are read of each dimension: increasing, and without a coordinate in common.
    pub(crate) fn ranges(&self) -> impl Iterator<Item = &[Range]> {
        self.dimensions.iter().map(|list| list.ranges.as_slice())
    }

    /// Returns the cells of the result as places among the cells that were read, both in row-major order or both in
    /// column-major order.
    ///
    /// # Errors
    /// Fails for more cells than can be put in order in memory.
    pub(crate) fn rows(&self, is_row_major: bool) -> Result<Vec<u32>> {
        let mut slowest_first: Vec<&CoordinateList> = self.dimensions.iter().collect();
        if !is_row_major {
            slowest_first.reverse();
        }
        let mut rows = vec![0_u32];
        for list in slowest_first {
            let size = u32::try_from(list.read).map_err(|_| too_many())?;
            let mut next = Vec::new();
            for row in rows {
                let start = row.checked_mul(size).ok_or_else(too_many)?;
                for place in &list.places {
                    let place = u32::try_from(*place).ok();
                    let row = place.and_then(|place| start.checked_add(place));
                    next.push(row.ok_or_else(too_many)?);
                }
            }
            rows = next;
        }
        Ok(rows)
    }
}

fn list(datatype: Datatype, ranges: &[Range]) -> Result<CoordinateList> {
    let mut coordinates: Vec<i128> = Vec::new();
    for range in ranges {
        let ends = (integer(datatype, &range.lo), integer(datatype, &range.hi));
        let (Some(lo), Some(hi)) = ends else {
            return Err(Error::new(
                "Query",
                "a dimension of a dense array is not an integer",
            ));
        };
        if hi - lo > i128::from(u32::MAX) || coordinates.len() > u32::MAX as usize {
            return Err(too_many());
        }
        coordinates.extend(lo..=hi);
    }
    let mut places: BTreeMap<i128, usize> = coordinates.iter().map(|at| (*at, 0)).collect();
    for (number, place) in places.values_mut().enumerate() {
        *place = number;
    }
    Ok(CoordinateList {
        places: coordinates
            .iter()
            .filter_map(|at| places.get(at).copied())
            .collect(),
        read: places.len(),
        ranges: runs(datatype, places.keys().copied()),
    })
}

/// Joins increasing coordinates to ranges.
fn runs(datatype: Datatype, coordinates: impl Iterator<Item = i128>) -> Vec<Range> {
    let mut runs: Vec<(i128, i128)> = Vec::new();
    for at in coordinates {
        match runs.last_mut() {
            Some((_, end)) if *end + 1 == at => *end = at,
            _ => runs.push((at, at)),
        }
    }
    let stored = |number: i128| -> Vec<u8> {
        let bytes = number.to_le_bytes();
        bytes.into_iter().take(datatype.size()).collect()
    };
    let ranges = runs.iter();
    ranges
        .map(|(lo, hi)| Range::new(stored(*lo), stored(*hi)))
        .collect()
}

fn too_many() -> Error {
    let text = "the ranges overlap or go backwards, and have too many cells to be put in order in memory; ask for less at once";
    Error::new("Query", text)
}
