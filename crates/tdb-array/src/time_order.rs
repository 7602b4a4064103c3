//! The order of objects with times, ties included.
//!
//! TileDB sorts by the first time alone, with the unstable sort of libstdc++, so what wins among equal times
//! depends on how that sort moves things: up to 16 it is stable, above it is not. The same answers
//! need the same moves (`docs/format/directory.md`, "Order of fragments").

/// Up to so many elements the sort is stable.
const SMALL: usize = 16;

/// Sorts by `time` as libstdc++ does.
pub(crate) fn sort_by_time<T>(items: &mut [T], time: impl Fn(&T) -> u64) {
    // Without equal times there is one order, and most often it is there already.
    if items.is_sorted_by(|a, b| time(a) < time(b)) {
        return;
    }
    let mut order: Vec<TimePosition> = items.iter().map(time).zip(0..).collect();
    if order.len() > SMALL {
        let depth = order.len().ilog2().saturating_mul(2);
        partition_large(&mut order, depth);
    }
    // What is left is out of place by less than a small run, within which equal times stay in turn.
    order.sort_by_key(|(time, _)| *time);
    permute(items, &order);
}

/// A time, and where its item stood at first.
type TimePosition = (u64, usize);

/// Quicksort that leaves small runs alone. Too deep, it gives up, and the stable sort does the rest.
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

/// Moves what is smaller than the first element before what is larger; where the latter begin.
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

/// Puts items into the order of the places they stood at.
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
