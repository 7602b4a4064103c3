//! The order of timestamped objects, including ties.
//!
//! TileDB sorts by the first time only, with the unstable sort of libstdc++. So the order of equal times depends on
//! the moves of that sort: up to 16 elements it is stable, above it is not. To return the same cells as TileDB, this
//! module makes the same moves (see `docs/format/directory.md`, "Order of fragments").

/// Maximum number of elements for which the sort is stable.
const SMALL: usize = 16;

/// Sorts by `time`, with the same order of equal times as `std::sort` of libstdc++.
pub(crate) fn sort_by_time<T>(items: &mut [T], time: impl Fn(&T) -> u64) {
    // Without equal times there is only one order, and usually the items already have it.
    if items.is_sorted_by(|a, b| time(a) < time(b)) {
        return;
    }
    let mut order: Vec<TimePosition> = items.iter().map(time).zip(0..).collect();
    if order.len() > SMALL {
        let depth = order.len().ilog2().saturating_mul(2);
        partition_large(&mut order, depth);
    }
    // Within the small runs that are left, equal times keep their order, so a stable sort completes the order.
    order.sort_by_key(|(time, _)| *time);
    permute(items, &order);
}

/// A time, and the original index of its item.
type TimePosition = (u64, usize);

/// Quicksort that leaves small runs unsorted. At the maximum depth it stops, and the stable sort does the rest.
fn partition_large(mut order: &mut [TimePosition], mut depth: u32) {
    while order.len() > SMALL && depth > 0 {
        depth = depth.saturating_sub(1);
        move_median_first(order);
        let cut = partition(order);
        let (left, right) = order.split_at_mut(cut);
        partition_large(right, depth);
        order = left;
    }
}

/// Swaps the median of the second, the middle and the last element to the front.
fn move_median_first(order: &mut [TimePosition]) {
    let (middle, last) = (order.len() / 2, order.len().saturating_sub(1));
    let at = |index: usize| order.get(index).map_or(0, |(time, _)| *time);
    let (a, b, c) = (at(1), at(middle), at(last));
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
}

/// Moves elements less than the first one before those greater; returns where the latter begin.
fn partition(order: &mut [TimePosition]) -> usize {
    let pivot = order.first().map_or(0, |(time, _)| *time);
    let smaller = |place: &TimePosition| place.0 < pivot;
    let larger = |place: &TimePosition| pivot < place.0;
    let (mut first, mut last) = (1, order.len());
    loop {
        while order.get(first).is_some_and(smaller) {
            first = first.saturating_add(1);
        }
        last = last.saturating_sub(1);
        while order.get(last).is_some_and(larger) {
            last = last.saturating_sub(1);
        }
        if first >= last {
            return first;
        }
        order.swap(first, last);
        first = first.saturating_add(1);
    }
}

/// Moves each item to the position at which `order` contains its original index.
fn permute<T>(items: &mut [T], order: &[TimePosition]) {
    let mut target = vec![0; order.len()];
    for (new, (_, old)) in order.iter().enumerate() {
        if let Some(slot) = target.get_mut(*old) {
            *slot = new;
        }
    }
    for index in 0..items.len() {
        while let Some(&goal) = target.get(index).filter(|&&goal| goal != index) {
            items.swap(index, goal);
            target.swap(index, goal);
        }
    }
}

#[cfg(test)]
mod tests;
