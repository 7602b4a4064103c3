//! Finds fragments that share no coordinates with any other fragment.

use std::cmp::Ordering;

use tdb_fragment::FragmentIndex;
use tdb_schema::Dimension;
use tdb_tile::{Bug, Range};

use crate::Snapshot;

/// Maximum number of passes over all dimensions. Fragments that form a grid are separated in the first pass.
const ROUNDS: usize = 4;

/// For each of the given fragments of a sparse array: whether the bounding boxes of the fragments prove that it has no
/// coordinates in common with any other of them.
///
/// The boxes are sorted by one dimension after the other, and each group is cut wherever the ranges so far end before
/// all later ones begin. A gap in one dimension can expose gaps in another, so the passes are repeated a few times.
/// Some arrangements of disjoint boxes have no such cuts and are not recognized; in return the time is nearly linear
/// in the number of fragments, where comparing all pairs is not.
///
/// # Errors
/// An index that is not one of the array's fragments.
pub fn fragments_apart(array: &Snapshot, among: &[FragmentIndex]) -> Result<Vec<bool>, Bug> {
    let mut apart = vec![among.len() < 2; among.len()];
    let dimensions = &array.schema().dimensions;
    let boxes = among
        .iter()
        .map(|index| {
            let metadata = &array.fragment(*index)?.metadata;
            let strings = dimensions.iter().any(|d| d.cell_val_num.is_var());
            let is_doubtful = metadata.version.misstates_empty_string_bounds() && strings;
            Ok((&metadata.non_empty_domain[..], !is_doubtful))
        })
        .collect::<Result<Vec<(&[Range], bool)>, Bug>>()?;
    let is_known = |(ranges, is_known): &(&[Range], bool)| {
        let mut ends = ranges.iter().zip(dimensions);
        *is_known
            && ranges.len() == dimensions.len()
            && ends.all(|(range, dimension)| range.is_ordered(dimension.datatype))
    };
    if !boxes.iter().all(is_known) {
        return Ok(apart);
    }
    let mut groups: Vec<Vec<usize>> = vec![(0..among.len()).collect()];
    for _ in 0..ROUNDS {
        let before = groups.len();
        for (axis, dimension) in dimensions.iter().enumerate() {
            let split = groups.into_iter().map(|group| {
                let range = |place: &usize| boxes.get(*place)?.0.get(axis);
                split(dimension, group, &range)
            });
            groups = split.flatten().collect();
        }
        if groups.len() == before {
            break;
        }
    }
    for group in groups {
        if let [alone] = group[..]
            && let Some(place) = apart.get_mut(alone)
        {
            *place = true;
        }
    }
    Ok(apart)
}

/// Cuts a group wherever no range of the dimension continues.
fn split<'a>(
    dimension: &Dimension,
    mut group: Vec<usize>,
    range: &dyn Fn(&usize) -> Option<&'a Range>,
) -> Vec<Vec<usize>> {
    if group.len() < 2 {
        return vec![group];
    }
    let compare = |a: &[u8], b: &[u8]| {
        let order = dimension.datatype.compare(a, b);
        order.unwrap_or(Ordering::Equal)
    };
    group.sort_by(|a, b| match (range(a), range(b)) {
        (Some(a), Some(b)) => compare(&a.lo, &b.lo),
        _ => Ordering::Equal,
    });
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut end: Option<&[u8]> = None;
    for place in group {
        let Some(range) = range(&place) else {
            // Fragments without a range are not separated.
            end = None;
            continue;
        };
        let goes_on = end.is_some_and(|end| compare(&range.lo, end).is_le());
        match groups.last_mut().filter(|_| goes_on) {
            Some(group) => group.push(place),
            None => groups.push(vec![place]),
        }
        end = match end {
            Some(end) if goes_on && compare(end, &range.hi).is_ge() => Some(end),
            _ => Some(&range.hi),
        };
    }
    groups
}
