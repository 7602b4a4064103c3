//! Where cells of one array can differ at two times.

use std::collections::HashSet;

use tdb_array::Fragment;
use tdb_query::ReadOptions;
use tdb_schema::Dimension;
use tdb_tile::Range;

use crate::Array;

/// Of one array at two times, where cells can differ.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Changed {
    /// Nowhere.
    Nothing,
    /// In this box.
    Box(Vec<Range>),
    /// Anywhere.
    Anything,
}

/// Only the box of the fragments that one of them lacks can differ, unless there were deletes.
pub(crate) fn changed(before: &tdb_array::Array, after: &tdb_array::Array) -> Changed {
    if before.deletes() != after.deletes() || before.schema() != after.schema() {
        return Changed::Anything;
    }
    // Of a merged fragment that reaches beyond a time, not all cells are read.
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

/// The box around two boxes.
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

/// The ranges of a box, as a read takes them.
pub(crate) fn ranges_of(dimensions: &[Dimension], domain: &[Range]) -> Vec<(String, Range)> {
    let ranges = dimensions.iter().zip(domain);
    let ranges = ranges.map(|(dimension, range)| (dimension.name.clone(), range.clone()));
    ranges.collect()
}

/// Leaves out what cannot differ, where both reads are of one array and ask for the same.
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
