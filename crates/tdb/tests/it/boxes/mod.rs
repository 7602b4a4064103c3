//! A model of boxes written over each other in a dense array of two dimensions.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "helpers of tests, which may fail so"
)]

use std::num::NonZeroUsize;
use std::ops::RangeInclusive;

use proptest::prelude::*;
use tdb::{Context, Order, Session, SessionOptions};

/// Ranges of rows and of columns, both inclusive.
pub(crate) type Rectangle = [RangeInclusive<i32>; 2];

/// Generates a whole dimension of `cells` cells, or a part of it.
pub(crate) fn interval(cells: i32) -> impl Strategy<Value = RangeInclusive<i32>> {
    let part = (0..cells, 0..cells).prop_map(|(a, b)| a.min(b)..=a.max(b));
    prop_oneof![Just(0..=cells - 1), part]
}

pub(crate) fn order() -> impl Strategy<Value = Order> {
    prop_oneof![Just(Order::Row), Just(Order::Col)]
}

/// Iterates over the rows and columns of a rectangle in row-major order.
pub(crate) fn places([y, x]: &Rectangle) -> impl Iterator<Item = (i32, i32)> {
    let x = x.clone();
    y.clone()
        .flat_map(move |row| x.clone().map(move |column| (row, column)))
}

/// Returns the cells of the box `wanted` in row-major order, for an array of `cells` rows and columns. `written` is
/// oldest first; other cells are `fill`.
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

/// Creates a context whose threads share all work, even small amounts.
pub(crate) fn context(threads: usize) -> Context {
    Context::new().session(Session::new(
        SessionOptions::default()
            .threads(NonZeroUsize::new(threads))
            .share_from(Some(0)),
    ))
}
