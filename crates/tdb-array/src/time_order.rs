//! The order of timestamped objects, including ties.
//!
//! TileDB sorts by the first time only, with the unstable sort of libstdc++. So the order of equal times depends on
//! the moves of that sort: up to 16 elements it is stable, above it is not. To return the same cells as TileDB, this
//! module makes the same moves (see `docs/format/directory.md`, "Order of fragments").

use tdb_tile::{Bug, Exact};

/// Maximum number of elements for which the sort is stable.
const SMALL: usize = 16;

/// Sorts by `time`, with the same order of equal times as `std::sort` of libstdc++.
///
/// # Errors
/// [`Bug`] if an index leads out of the items.
pub(crate) fn sort_by_time<T>(items: &mut [T], time: impl Fn(&T) -> u64) -> Result<(), Bug> {
    // Without equal times there is only one order, and usually the items already have it.
    if items.is_sorted_by(|a, b| time(a) < time(b)) {
        return Ok(());
    }
    let mut order: Vec<TimePosition> = items.iter().map(time).zip(0..).collect();
    if order.len() > SMALL {
        let depth = order.len().ilog2().exact_mul(2)?;
        partition_large(&mut order, depth)?;
    }
    // Within the small runs that are left, equal times keep their order, so a stable sort completes the order.
    order.sort_by_key(|(time, _)| *time);
    permute(items, &order)
}

/// A time, and the original index of its item.
type TimePosition = (u64, usize);

/// Quicksort that leaves small runs unsorted. At the maximum depth it stops, and the stable sort does the rest.
fn partition_large(mut order: &mut [TimePosition], mut depth: u32) -> Result<(), Bug> {
    while order.len() > SMALL && depth > 0 {
        depth = depth.exact_sub(1)?;
        move_median_first(order)?;
        let cut = partition(order)?;
        let (left, right) = order.split_at_mut(cut);
        partition_large(right, depth)?;
        order = left;
    }
    Ok(())
}

/// Returns the time at an index.
fn time_at(order: &[TimePosition], index: usize) -> Result<u64, Bug> {
    let place = order.get(index);
    place.map(|(time, _)| *time).ok_or_else(outside)
}

#[track_caller]
fn outside() -> Bug {
    Bug::new("an index outside the objects to sort")
}

/// Swaps the median of the second, the middle and the last element to the front.
fn move_median_first(order: &mut [TimePosition]) -> Result<(), Bug> {
    let (middle, last) = (order.len() / 2, order.len().exact_sub(1)?);
    let at = |index| time_at(order, index);
    let (a, b, c) = (at(1)?, at(middle)?, at(last)?);
    let median = if a < b {
        match () {
            () if b < c => middle,
            () if a < c => last,
            () => 1,
        }
    } else {
        match () {
            () if a < c => 1,
            () if b < c => last,
            () => middle,
        }
    };
    order.swap(0, median);
    Ok(())
}

/// Moves elements less than the first one before those greater; returns where the latter begin.
///
/// The first element is the median of three others, so both searches end within the elements.
fn partition(order: &mut [TimePosition]) -> Result<usize, Bug> {
    let pivot = time_at(order, 0)?;
    let (mut first, mut last) = (1_usize, order.len());
    loop {
        while time_at(order, first)? < pivot {
            first = first.exact_add(1)?;
        }
        last = last.exact_sub(1)?;
        while pivot < time_at(order, last)? {
            last = last.exact_sub(1)?;
        }
        if first >= last {
            return Ok(first);
        }
        order.swap(first, last);
        first = first.exact_add(1)?;
    }
}

/// Moves each item to the position at which `order` contains its original index.
fn permute<T>(items: &mut [T], order: &[TimePosition]) -> Result<(), Bug> {
    let mut target = vec![0; order.len()];
    for (new, (_, old)) in order.iter().enumerate() {
        *target.get_mut(*old).ok_or_else(outside)? = new;
    }
    for index in 0..items.len() {
        while let Some(&goal) = target.get(index).filter(|&&goal| goal != index) {
            items.swap(index, goal);
            target.swap(index, goal);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
