//! Boxes that are written over each other into a dense array of two dimensions, and what a box of it holds then.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "helpers of tests, which may fail so"
)]

use std::num::NonZeroUsize;
use std::ops::RangeInclusive;

use proptest::prelude::*;
use tdb::{Context, Order, Session, SessionOptions};

/// First and last row, first and last column.
pub(crate) type Rectangle = [RangeInclusive<i32>; 2];

/// All of so many cells along a dimension, or a part of them.
pub(crate) fn interval(cells: i32) -> impl Strategy<Value = RangeInclusive<i32>> {
    let part = (0..cells, 0..cells).prop_map(|(a, b)| a.min(b)..=a.max(b));
    prop_oneof![Just(0..=cells - 1), part]
}

pub(crate) fn order() -> impl Strategy<Value = Order> {
    prop_oneof![Just(Order::Row), Just(Order::Col)]
}

/// Rows and columns, in row-major order.
pub(crate) fn places([y, x]: &Rectangle) -> impl Iterator<Item = (i32, i32)> {
    let x = x.clone();
    y.clone()
        .flat_map(move |row| x.clone().map(move |column| (row, column)))
}

/// The cells of the box `wanted`, in row-major order, of an array of so many rows and columns: of what was written, the oldest
/// first, or `fill`.
pub(crate) fn expected<T: Clone>(
    cells: [i32; 2],
    fill: T,
    written: impl Iterator<Item = (Rectangle, Vec<T>)>,
    wanted: &Rectangle,
) -> Vec<T> {
    let [rows, columns] = cells.map(|cells| usize::try_from(cells).unwrap());
    let mut all = vec![fill; rows * columns];
    let index = |(y, x): (i32, i32)| usize::try_from(y * cells[1] + x).unwrap();
    for (rectangle, values) in written {
        for (place, value) in places(&rectangle).zip(values) {
            all[index(place)] = value;
        }
    }
    let wanted = places(wanted).map(|place| all[index(place)].clone());
    wanted.collect()
}

/// A context whose threads share all work, however little.
pub(crate) fn context(threads: usize) -> Context {
    Context::new().session(Session::new(SessionOptions {
        threads: NonZeroUsize::new(threads),
        share_from: Some(0),
        ..SessionOptions::default()
    }))
}
