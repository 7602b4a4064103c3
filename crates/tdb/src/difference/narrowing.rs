//! Finding the part of an array that can differ between two times.

use std::collections::HashSet;

use tdb_array::Fragment;
use tdb_query::ReadOptions;
use tdb_schema::Dimension;
use tdb_tile::Range;

use crate::Array;

/// The part of an array in which cells can differ between two times.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Changed {
    /// Nothing can differ.
    Nothing,
    /// Only cells in this box can differ.
    Box(Vec<Range>),
    /// All cells can differ.
    Anything,
}

/// Returns where cells can differ: in the box of the fragments that only one of the two has, unless deletes or schemas
/// differ.
pub(crate) fn changed(before: &tdb_array::Array, after: &tdb_array::Array) -> Changed {
    if before.deletes() != after.deletes() || before.schema() != after.schema() {
        return Changed::Anything;
    }
    // If a merged fragment reaches beyond the time of the read, only a part of its cells is read, so it cannot be
    // compared by name.
    let whole = |array: &tdb_array::Array| -> HashSet<String> {
        let window = array.window();
        let is_whole = |fragment: &&Fragment| {
            let (from, to) = fragment.timestamps();
            window.since <= from && to <= window.at
        };
        let fragments = array.fragments().iter().filter(is_whole);
        fragments
            .map(|fragment| fragment.name.as_str().to_owned())
            .collect()
    };
    let (old, new) = (whole(before), whole(after));
    let is_shared = |name: &str| old.contains(name) && new.contains(name);
    let of_one = |fragment: &Fragment| !is_shared(fragment.name.as_str());
    let old_part = before.with_fragments(of_one).non_empty_domain();
    let new_part = after.with_fragments(of_one).non_empty_domain();
    let domain = union(&after.schema().dimensions, old_part, new_part);
    domain.map_or(Changed::Nothing, Changed::Box)
}

/// Returns the bounding box of two boxes; `None` if both are absent.
pub(crate) fn union(
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

/// Converts a box to the named ranges of a read.
pub(crate) fn ranges_of(dimensions: &[Dimension], domain: &[Range]) -> Vec<(String, Range)> {
    let ranges = dimensions.iter().zip(domain);
    let ranges = ranges.map(|(dimension, range)| (dimension.name.clone(), range.clone()));
    ranges.collect()
}

/// Restricts both reads to the part that can differ, if they read the same array without ranges or points and with
/// equal conditions.
pub(crate) fn narrow(
    old: &Array,
    new: &Array,
    old_options: &mut ReadOptions,
    new_options: &mut ReadOptions,
) {
    let has_ranges =
        |options: &ReadOptions| !options.ranges.is_empty() || !options.label_ranges.is_empty();
    let is_asked_alike = old_options.condition == new_options.condition
        && old_options.points.is_none()
        && new_options.points.is_none()
        && !has_ranges(old_options)
        && !has_ranges(new_options);
    if old.uri() != new.uri() || !is_asked_alike {
        return;
    }
    let changed = changed(old.engine(), new.engine());
    for options in [old_options, new_options] {
        match &changed {
            Changed::Nothing => options.reads_nothing = true,
            Changed::Box(domain) => options.ranges = ranges_of(&new.schema().dimensions, domain),
            Changed::Anything => {}
        }
    }
}
