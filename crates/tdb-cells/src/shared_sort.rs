//! Sorts numbers in place, on all threads of a session.
//!
//! This is quicksort with each step shared. Every thread partitions its share of the numbers into those below a pivot
//! and the others. Then numbers on the wrong side of the overall boundary are swapped. Each side is sorted in turn, by
//! a number of threads in proportion to its size. rayon's unstable sort partitions on one thread instead, so its first
//! steps, which handle all numbers, are not parallel.

use std::cell::Cell;

use tdb_tile::{Bug, Exact, length};

use crate::share::share as share_of;
use crate::threads;

/// Number of elements below which a single thread sorts them.
const FEW: usize = 1 << 14;

/// Sample size for the pivot, its median: with this many, the pivot is rarely far from the median of all numbers.
const SAMPLE: usize = 511;

/// Sorts numbers in place, on all threads.
///
/// # Errors
/// A bug in the partitioning.
pub fn sort<T: Copy + Ord + Send + Sync>(numbers: &mut [T]) -> Result<(), Bug> {
    sort_among(numbers, threads::count())
}

#[expect(
    clippy::arithmetic_side_effects,
    reason = "there are two threads at least, and the first side gets all but one at most"
)]
fn sort_among<T: Copy + Ord + Send + Sync>(numbers: &mut [T], threads: usize) -> Result<(), Bug> {
    if threads < 2 || numbers.len() < FEW {
        numbers.sort_unstable();
        return Ok(());
    }
    let pivot = pivot(numbers)?;
    let share = numbers.len().div_ceil(threads);
    let shares = numbers.chunks_mut(share).collect();
    let shares = threads::map(shares, |share| {
        Ok::<_, Bug>(Share {
            below: part(share, pivot),
            all: share.len(),
        })
    })?;
    let below = exchange(numbers, &shares)?;
    // Each side gets threads in proportion to its size.
    let for_first = share_of(threads as u64, below as u64, numbers.len() as u64);
    let for_first = length(for_first)
        .map_err(|_| missing())?
        .clamp(1, threads - 1);
    let (first, second) = numbers.split_at_mut(below);
    let (first, second) = threads::both(
        || sort_among(first, for_first),
        || sort_among(second, threads - for_first),
    );
    first.and(second)
}

/// One thread's share after partitioning: its number of elements, and how many of them, at its front, are below the
/// pivot.
struct Share {
    below: usize,
    all: usize,
}

/// Returns the median of a sample from pseudo-random places. Evenly spaced places could all hold the first numbers of
/// sorted runs, which would give a poor pivot.
fn pivot<T: Copy + Ord>(numbers: &[T]) -> Result<T, Bug> {
    const SCATTER: u64 = 0x9e37_79b9_7f4a_7c15;
    let len = numbers.len() as u64;
    // A hash: what leaves its 64 bits is left out.
    let place = |i: u64| length(i.wrapping_mul(SCATTER).checked_rem(len)?).ok();
    let mut sample = (0..SAMPLE as u64)
        .map(|i| numbers.get(place(i)?).copied())
        .collect::<Option<Vec<T>>>()
        .ok_or_else(missing)?;
    let (_, pivot, _) = sample.select_nth_unstable(SAMPLE / 2);
    Ok(*pivot)
}

/// Moves the numbers below the pivot to the front and returns how many there are. Every number is swapped, needed or
/// not, so that no branch depends on the numbers.
#[expect(
    clippy::arithmetic_side_effects,
    reason = "no more numbers are below the pivot than there are"
)]
fn part<T: Copy + Ord>(numbers: &mut [T], pivot: T) -> usize {
    let numbers = Cell::from_mut(numbers).as_slice_of_cells();
    let mut below = 0_usize;
    for number in numbers {
        if let Some(place) = numbers.get(below) {
            number.swap(place);
            below += usize::from(place.get() < pivot);
        }
    }
    below
}

/// Moves all numbers below the pivot before all others, given partitioned shares; returns how many are below.
fn exchange<T>(numbers: &mut [T], shares: &[Share]) -> Result<usize, Bug> {
    let below = shares.iter().map(|share| share.below).sum::<usize>();
    let (mut front, mut back) = numbers.split_at_mut_checked(below).ok_or_else(missing)?;
    let (mut too_early, mut too_late) = (Vec::new(), Vec::new());
    for share in shares {
        for (len, is_below) in [
            (share.below, true),
            (share.all.exact_sub(share.below)?, false),
        ] {
            let early = len.min(front.len());
            let early_ones = front.split_off_mut(..early).ok_or_else(missing)?;
            let late = len.exact_sub(early)?;
            let late_ones = back.split_off_mut(..late).ok_or_else(missing)?;
            if is_below {
                too_late.push(late_ones);
            } else {
                too_early.push(early_ones);
            }
        }
    }
    let mut late_ones = too_late.into_iter();
    let mut late: &mut [T] = &mut [];
    for mut early in too_early {
        while !early.is_empty() {
            if late.is_empty() {
                late = late_ones.next().ok_or_else(missing)?;
            }
            let both = early.len().min(late.len());
            let one = early.split_off_mut(..both).ok_or_else(missing)?;
            let other = late.split_off_mut(..both).ok_or_else(missing)?;
            one.swap_with_slice(other);
        }
    }
    Ok(below)
}

#[track_caller]
fn missing() -> Bug {
    Bug::new("numbers that are sorted are not there")
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use super::*;
    use crate::{Session, SessionOptions};

    fn scattered(i: u64) -> u64 {
        i.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
    }

    #[test]
    fn numbers_are_sorted_as_one_thread_sorts_them() {
        let many = 3 * FEW as u64 + 7;
        let kinds: [fn(u64) -> u64; 9] = [
            scattered,
            |i| scattered(i) % 3,
            |_| 5,
            |i| i,
            |i| u64::MAX - i,
            |i| i % 1000,
            // Almost all numbers are on one side of the pivot.
            |i| if i == 0 { 1 } else { u64::MAX },
            |i| u64::from(i % 1000 == 999),
            // Overlapping sorted runs.
            |i| (i % 33) << 20 | i,
        ];
        for threads in 1..=5 {
            let session = Session::new(SessionOptions {
                threads: NonZeroUsize::new(threads),
                ..SessionOptions::default()
            });
            for (kind, number) in kinds.iter().enumerate() {
                for count in [0, 1, FEW as u64 - 1, FEW as u64, many] {
                    let mut numbers: Vec<u64> = (0..count).map(number).collect();
                    let mut model = numbers.clone();
                    model.sort_unstable();
                    session.install(|| sort(&mut numbers)).unwrap();
                    assert!(
                        numbers == model,
                        "{threads} threads, kind {kind}, {count} numbers"
                    );
                }
            }
        }
    }

    #[test]
    fn shares_are_parted_at_the_pivot() {
        let mut numbers = [5, 1, 9, 3, 7, 2, 8, 0, 6, 4, 5, 5];
        let shares = numbers.chunks_mut(5).map(|share| Share {
            below: part(share, 5),
            all: share.len(),
        });
        let shares: Vec<Share> = shares.collect();
        assert_eq!(exchange(&mut numbers, &shares).unwrap(), 5);
        let (below, others) = numbers.split_at(5);
        assert!(below.iter().all(|n| *n < 5) && others.iter().all(|n| *n >= 5));
    }
}
