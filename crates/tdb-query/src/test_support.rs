//! Helpers of several test modules.

use std::num::NonZeroUsize;

use proptest::prelude::*;
use proptest::test_runner::Config;
use tdb_cells::{Buffer, Row, RowRange, Session, SessionOptions};
use tdb_schema::Order;

/// Configuration of a property test with this many cases; failures are printed but not saved to a file.
pub(crate) fn cases(cases: u32) -> Config {
    Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    }
}

pub(crate) fn index(number: u64) -> usize {
    usize::try_from(number).unwrap()
}

pub(crate) fn row(index: usize) -> Row {
    Row::new(index).unwrap()
}

pub(crate) fn places(rows: &[Row]) -> Vec<usize> {
    rows.iter().map(|row| row.index()).collect()
}

pub(crate) fn first(count: usize) -> RowRange {
    RowRange::first(count).unwrap()
}

pub(crate) fn buffer(bytes: &[u8]) -> Buffer {
    let mut buffer = Buffer::zeroed(bytes.len()).unwrap();
    buffer.as_mut_slice().copy_from_slice(bytes);
    buffer
}

pub(crate) fn session(threads: usize) -> Session {
    Session::new(SessionOptions::default().threads(NonZeroUsize::new(threads)))
}

/// A session of one thread with a memory budget of this many bytes.
pub(crate) fn session_of_memory(bytes: u64) -> Session {
    Session::new(
        SessionOptions::default()
            .threads(NonZeroUsize::new(1))
            .memory(Some(bytes)),
    )
}

pub(crate) fn order() -> impl Strategy<Value = Order> {
    prop_oneof![Just(Order::RowMajor), Just(Order::ColumnMajor)]
}

/// Distance between neighbours along each dimension, for cells in this order without gaps.
pub(crate) fn strides(shape: &[u64], order: Order) -> Vec<u64> {
    let faster = |dimension: usize| match order {
        Order::RowMajor => shape.iter().skip(dimension + 1).product(),
        Order::ColumnMajor => shape.iter().take(dimension).product(),
    };
    (0..shape.len()).map(faster).collect()
}

/// All cells of a box that begins at 0, in this order.
pub(crate) fn cells_of(shape: &[u64], order: Order) -> Vec<Vec<u64>> {
    let strides = strides(shape, order);
    let count: u64 = shape.iter().product();
    let cell = |number: u64| {
        let along = shape.iter().zip(&strides);
        along.map(|(len, stride)| number / stride % len).collect()
    };
    (0..count).map(cell).collect()
}

/// The concatenated texts, the start of each, and the end.
pub(crate) fn joined(texts: &[Vec<u8>]) -> (Vec<u8>, Vec<u64>) {
    let mut offsets = vec![0];
    for text in texts {
        let end = offsets.last().copied().unwrap_or(0) + text.len() as u64;
        offsets.push(end);
    }
    (texts.concat(), offsets)
}
