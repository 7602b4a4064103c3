//! Sorts numbers in place, on all threads of a session.
//!
//! As quicksort does, but with each step shared: every thread parts its share of the numbers into those below a pivot and the
//! others, then what stands on the wrong side of the whole changes places, and each side is gone on with by threads according to
//! its size.

use std::cell::Cell;

use tdb_tile::{Bug, length};

use crate::share::share as share_of;
use crate::threads;

/// Numbers below which one thread sorts them.
const FEW: usize = 1 << 14;

/// Numbers of which the one in the middle is the pivot: among so many, it is hardly ever far from the middle of all.
const SAMPLE: usize = 511;

/// Sorts numbers in place; equal ones are alike.
///
/// # Errors
/// A bug in how they are shared.
pub fn sort<T: Copy + Ord + Send + Sync>(numbers: &mut [T]) -> Result<(), Bug> {
    sort_among(numbers, threads::count())
}

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
    // Each side has threads by its size.
    let for_first = share_of(threads as u64, below as u64, numbers.len() as u64);
    let for_first = length(for_first).map_err(|_| missing())?;
    let for_first = for_first.clamp(1, threads.saturating_sub(1));
    let (first, second) = numbers.split_at_mut(below);
    let (first, second) = threads::both(
        || sort_among(first, for_first),
        || sort_among(second, threads.saturating_sub(for_first)),
    );
    first.and(second)
}

/// How many of the numbers of a thread there are, and how many of these are below the pivot: they come first.
struct Share {
    below: usize,
    all: usize,
}

/// The one in the middle of numbers from scattered places: at even distances, they could all be the first ones of sorted runs.
fn pivot<T: Copy + Ord>(numbers: &[T]) -> Result<T, Bug> {
    const SCATTER: u64 = 0x9e37_79b9_7f4a_7c15;
    let len = numbers.len() as u64;
    let place = |i: u64| length(i.wrapping_mul(SCATTER).checked_rem(len)?).ok();
    let sample = (0..SAMPLE as u64).map(|i| numbers.get(place(i)?).copied());
    let sample: Option<Vec<T>> = sample.collect();
    let mut sample = sample.ok_or_else(missing)?;
    let (_, pivot, _) = sample.select_nth_unstable(SAMPLE / 2);
    Ok(*pivot)
}

/// Brings the numbers below the pivot to the front, and gives how many they are. Each number changes places, whether it must or
/// not: no branch depends on them.
fn part<T: Copy + Ord>(numbers: &mut [T], pivot: T) -> usize {
    let numbers = Cell::from_mut(numbers).as_slice_of_cells();
    let mut below = 0_usize;
    for number in numbers {
        if let Some(place) = numbers.get(below) {
            number.swap(place);
            below = below.saturating_add(usize::from(place.get() < pivot));
        }
    }
    below
}

/// Brings what is below the pivot before all that is not, where each share is in that order already; gives how many are below.
fn exchange<T>(numbers: &mut [T], shares: &[Share]) -> Result<usize, Bug> {
    let below = shares
        .iter()
        .fold(0_usize, |sum, share| sum.saturating_add(share.below));
    let (mut front, mut back) = numbers.split_at_mut_checked(below).ok_or_else(missing)?;
    let (mut too_early, mut too_late) = (Vec::new(), Vec::new());
    for share in shares {
        for (len, is_below) in [
            (share.below, true),
            (share.all.saturating_sub(share.below), false),
        ] {
            let early = len.min(front.len());
            let early_ones = front.split_off_mut(..early).ok_or_else(missing)?;
            let late = len.saturating_sub(early);
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
            // Hardly any is below the pivot, or hardly any is not.
            |i| if i == 0 { 1 } else { u64::MAX },
            |i| u64::from(i % 1000 == 999),
            // Sorted runs that reach over each other.
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
