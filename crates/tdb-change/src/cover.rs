//! Covering cells of a dense array with a few boxes.
//!
//! A write into a dense array is a box, so every other cell of the box has to be written back unchanged. One box
//! around scattered cells can be most of the array. Therefore each run of adjacent cells becomes a box of its own, up
//! to the number of fragments a commit should have; beyond that number, the two boxes whose union adds the fewest
//! cells are joined, again and again.

use std::cmp::Ordering;

use bytes::Bytes;
use tdb_cells::Batch;
use tdb_schema::{ArraySchema, Dimension};
use tdb_tile::{Bug, FormatVersion, Range};

/// Maximum number of boxes compared pairwise. With more boxes, only neighbours in row-major order are compared.
const COMPARED: usize = 192;

/// Maximum number of fragments per commit.
const MOST_BOXES: usize = 64;

/// Coordinates of a cell, as integers that sort like the coordinates.
pub(crate) type Place = Box<[i128]>;

/// A box: its smallest and its largest coordinates, inclusive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CellBox {
    lo: Place,
    hi: Place,
}

/// Returns the coordinates of a cell of a dense array.
pub(crate) fn place_of(schema: &ArraySchema, batch: &Batch, row: usize) -> Result<Place, Bug> {
    let sides = schema.dimensions.iter().map(|dimension| {
        let column = batch.column(&dimension.name);
        let cell = column
            .and_then(|column| column.cell(row))
            .ok_or_else(|| Bug::new("a batch of dense cells without coordinates"))?;
        number(dimension, cell)
    });
    sides.collect()
}

/// Returns the boxes in which one commit writes the cells at these sorted places.
pub(crate) fn boxes_of_commit(places: &[Place], version: FormatVersion) -> Vec<CellBox> {
    // Format versions without a fragments folder cannot commit several fragments at once.
    let most = if version.has_fragment_folder() {
        MOST_BOXES
    } else {
        1
    };
    cover(places, most)
}

/// Returns at most `most` boxes that contain all places. The places are sorted and distinct.
fn cover(places: &[Place], most: usize) -> Vec<CellBox> {
    let mut boxes: Vec<CellBox> = Vec::new();
    for place in places {
        match boxes.last_mut() {
            Some(last) if last.is_followed_by(place) => last.hi.clone_from(place),
            _ => boxes.push(CellBox {
                lo: place.clone(),
                hi: place.clone(),
            }),
        }
    }
    let dimensions = places.first().map_or(0, |place| place.len());
    for dimension in (0..dimensions).rev().skip(1) {
        boxes = stacked(boxes, dimension);
    }
    while boxes.len() > most.max(COMPARED) {
        boxes.sort_by(|a, b| a.lo.cmp(&b.lo));
        boxes = halved(boxes, most.max(COMPARED));
    }
    while boxes.len() > most.max(1) {
        join_cheapest(&mut boxes);
    }
    boxes
}

impl CellBox {
    /// Returns the ranges of the box, one per dimension.
    pub(crate) fn ranges(&self, dimensions: &[Dimension]) -> Result<Vec<(String, Range)>, Bug> {
        let ends = self.lo.iter().zip(&self.hi);
        let sides = dimensions.iter().zip(ends).map(|(dimension, (lo, hi))| {
            let range = Range {
                lo: stored(dimension, *lo)?,
                hi: stored(dimension, *hi)?,
            };
            Ok((dimension.name.clone(), range))
        });
        sides.collect()
    }

    /// True if the place directly follows the end of this box along the last dimension, in the same row.
    fn is_followed_by(&self, place: &Place) -> bool {
        let (Some((last, row)), Some((next, other))) = (self.hi.split_last(), place.split_last())
        else {
            return false;
        };
        row == other && last.checked_add(1) == Some(*next)
    }

    /// Iterates over the sides of all dimensions except `dimension`.
    fn others(&self, dimension: usize) -> impl Iterator<Item = (i128, i128)> + '_ {
        let sides = self
            .lo
            .iter()
            .copied()
            .zip(self.hi.iter().copied())
            .enumerate()
            .filter(move |(at, _)| *at != dimension);
        sides.map(|(_, side)| side)
    }

    fn around(&self, other: &Self) -> Self {
        let least = self.lo.iter().zip(&other.lo).map(|(a, b)| *a.min(b));
        let greatest = self.hi.iter().zip(&other.hi).map(|(a, b)| *a.max(b));
        Self {
            lo: least.collect(),
            hi: greatest.collect(),
        }
    }

    /// Returns the number of cells in the box, or `i128::MAX` if it is larger.
    fn cells(&self) -> i128 {
        let sides = self.lo.iter().zip(&self.hi).map(|(lo, hi)| hi - lo + 1);
        sides.fold(1, i128::saturating_mul)
    }

    /// Returns how many cells the bounding box of both boxes adds to them.
    fn cost(&self, other: &Self) -> i128 {
        // The box around both has at least the cells of each: the differences cannot overflow.
        self.around(other).cells() - self.cells() - other.cells()
    }
}

/// Joins boxes that are adjacent along a dimension and agree in all other sides.
fn stacked(mut boxes: Vec<CellBox>, dimension: usize) -> Vec<CellBox> {
    let along = |place: &Place| place.get(dimension).copied();
    let order = |a: &CellBox, b: &CellBox| -> Ordering {
        let others = a.others(dimension).cmp(b.others(dimension));
        others.then_with(|| along(&a.lo).cmp(&along(&b.lo)))
    };
    boxes.sort_by(order);
    let mut stacked: Vec<CellBox> = Vec::new();
    for next in boxes {
        let joined = stacked.last_mut().filter(|last| {
            let end = along(&last.hi).and_then(|end| end.checked_add(1));
            end.is_some()
                && end == along(&next.lo)
                && last.others(dimension).eq(next.others(dimension))
        });
        match joined {
            Some(last) => last.hi = next.hi,
            None => stacked.push(next),
        }
    }
    stacked
}

/// Joins boxes with their next neighbour if that costs at most the median, down to no fewer than `most` boxes.
fn halved(boxes: Vec<CellBox>, most: usize) -> Vec<CellBox> {
    let pairs = boxes.iter().zip(boxes.iter().skip(1));
    let mut costs: Vec<i128> = pairs.map(|(a, b)| a.cost(b)).collect();
    let middle = costs.len() / 2;
    let limit = if costs.is_empty() {
        0
    } else {
        *costs.select_nth_unstable(middle).1
    };
    let mut spare = boxes.len().saturating_sub(most);
    let mut joined: Vec<CellBox> = Vec::with_capacity(boxes.len());
    let mut is_joined = false;
    for next in boxes {
        let last = joined
            .last_mut()
            .filter(|last| !is_joined && spare > 0 && last.cost(&next) <= limit);
        match last {
            Some(last) => {
                *last = last.around(&next);
                spare -= 1;
                is_joined = true;
            }
            None => {
                joined.push(next);
                is_joined = false;
            }
        }
    }
    joined
}

/// Joins the two boxes whose bounding box adds the fewest cells.
fn join_cheapest(boxes: &mut Vec<CellBox>) {
    let mut cheapest: Option<(i128, usize, usize)> = None;
    for (first, a) in boxes.iter().enumerate() {
        for (second, b) in boxes.iter().enumerate().skip(first + 1) {
            let cost = a.cost(b);
            if cheapest.is_none_or(|(least, _, _)| cost < least) {
                cheapest = Some((cost, first, second));
            }
        }
    }
    let Some((_, first, second)) = cheapest else {
        return;
    };
    let other = boxes.swap_remove(second);
    if let Some(one) = boxes.get_mut(first) {
        *one = one.around(&other);
    }
}

/// Decodes a coordinate of an integer dimension.
fn number(dimension: &Dimension, cell: &[u8]) -> Result<i128, Bug> {
    let lost = || Bug::new("a coordinate of a dense array that is no whole number");
    let mut bytes = [0_u8; 16];
    let is_negative =
        dimension.datatype.is_signed() && cell.last().is_some_and(|last| *last >= 0x80);
    if is_negative {
        bytes = [0xff; 16];
    }
    let part = bytes.get_mut(..cell.len()).ok_or_else(lost)?;
    part.copy_from_slice(cell);
    Ok(i128::from_le_bytes(bytes))
}

fn stored(dimension: &Dimension, number: i128) -> Result<Bytes, Bug> {
    let wide = number.to_le_bytes();
    let bytes = wide
        .get(..dimension.datatype.size())
        .ok_or_else(|| Bug::new("a coordinate of more than 16 bytes"))?;
    Ok(Bytes::copy_from_slice(bytes))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn place(sides: &[i128]) -> Place {
        sides.into()
    }

    fn holds(cell_box: &CellBox, place: &Place) -> bool {
        let sides = cell_box.lo.iter().zip(&cell_box.hi).zip(place);
        sides.into_iter().all(|((lo, hi), at)| lo <= at && at <= hi)
    }

    #[test]
    fn neighbours_are_one_box() {
        let places: Vec<Place> = (0..6).map(|at| place(&[at / 3, at % 3])).collect();
        let boxes = cover(&places, 64);
        assert_eq!(boxes.len(), 1);
        assert_eq!(boxes[0].cells(), 6);
    }

    #[test]
    fn corners_are_boxes_of_their_own() {
        let places = [place(&[1, 1]), place(&[8, 8])];
        let cells: Vec<i128> = cover(&places, 64).iter().map(CellBox::cells).collect();
        assert_eq!(cells, [1, 1]);
        let cells: Vec<i128> = cover(&places, 1).iter().map(CellBox::cells).collect();
        assert_eq!(cells, [64]);
    }

    #[test]
    fn those_that_cost_least_are_joined() {
        let places = [place(&[0]), place(&[2]), place(&[100])];
        let boxes = cover(&places, 2);
        let mut cells: Vec<i128> = boxes.iter().map(CellBox::cells).collect();
        cells.sort();
        assert_eq!(cells, [1, 3]);
    }

    proptest! {
        #[test]
        fn all_places_are_held_by_few_boxes(
            places in prop::collection::btree_set((0_i128..40, -20_i128..20), 1..600),
            most in 1_usize..80,
        ) {
            let places: Vec<Place> = places.into_iter().map(|(x, y)| place(&[x, y])).collect();
            let boxes = cover(&places, most);
            prop_assert!(boxes.len() <= most);
            for place in &places {
                prop_assert!(boxes.iter().any(|cell_box| holds(cell_box, place)));
            }
            if most >= places.len() {
                let cells: i128 = boxes.iter().map(CellBox::cells).sum();
                prop_assert_eq!(cells, places.len() as i128);
            }
        }
    }
}
