//! Finding the part of an array that can differ between two times.

use std::collections::HashSet;

use tdb_array::Fragment;
use tdb_open::{Array, Result};
use tdb_query::{ReadOptions, Walk, WalkNarrowing, bounding_box, named_ranges, narrow_walks};
use tdb_tile::Range;

use super::selected_cells::SelectedCells;

/// The part of an array in which cells can differ between two times.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ChangedRegion {
    /// Nothing can differ.
    Nothing,
    /// Only cells in this box can differ.
    Box(Vec<Range>),
    /// All cells can differ.
    Anything,
}

/// Returns where cells can differ: in the box of the fragments that only one of the two has, unless deletes or schemas
/// differ.
pub(crate) fn changed(before: &tdb_array::Array, after: &tdb_array::Array) -> ChangedRegion {
    if before.deletes() != after.deletes() || before.schema() != after.schema() {
        return ChangedRegion::Anything;
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
    let domain = bounding_box(&after.schema().dimensions, old_part, new_part);
    domain.map_or(ChangedRegion::Nothing, ChangedRegion::Box)
}

/// Restricts both reads to the part that can differ, if they read the same array without ranges or points and with
/// equal conditions.
pub(super) fn narrow(
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
            ChangedRegion::Nothing => options.reads_nothing = true,
            ChangedRegion::Box(domain) => {
                options.ranges = named_ranges(&new.schema().dimensions, domain)
            }
            ChangedRegion::Anything => {}
        }
    }
}

/// Narrows two reads that are to be compared. Reads of the same array are narrowed to what can differ. If they would
/// still visit more than `most` cells of a dense array, both are narrowed to the bounding box of the written cells,
/// which the result describes. With `ticks`, the description shows dates and times as raw numbers.
///
/// # Errors
/// As for [`narrow_walk`](tdb_query::narrow_walk).
pub fn narrow_comparison<'a>(
    old: &mut SelectedCells<'a>,
    new: &mut SelectedCells<'a>,
    most: u64,
    ticks: bool,
) -> Result<Option<WalkNarrowing>> {
    narrow(old.array, new.array, &mut old.options, &mut new.options);
    let walks = &mut [old, new].map(|cells| Walk {
        array: cells.array.engine(),
        options: &mut cells.options,
    });
    Ok(narrow_walks(walks, most, ticks)?)
}
