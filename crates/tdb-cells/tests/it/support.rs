//! Helpers of several test modules.
#![expect(clippy::unwrap_used, reason = "helpers of tests, which may fail so")]

use std::num::NonZeroUsize;

use proptest::prelude::*;
use proptest::test_runner::Config;
use tdb_cells::{Buffer, CellSet, FieldInfo, Row, RowRange, Session, SessionOptions};
use tdb_schema::{CellValNum, FieldKind, Order};
use tdb_tile::{Bug, Datatype};

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

pub(crate) fn rows(indices: &[usize]) -> Vec<Row> {
    indices.iter().map(|index| row(*index)).collect()
}

pub(crate) fn places(rows: &[Row]) -> Vec<usize> {
    rows.iter().map(|row| row.index()).collect()
}

pub(crate) fn first(count: usize) -> RowRange {
    RowRange::first(count).unwrap()
}

/// The set of the rows that are `true`, built row by row.
pub(crate) fn set_of(model: &[bool]) -> CellSet {
    let holds = |row: Row| Ok::<_, Bug>(model.get(row.index()) == Some(&true));
    CellSet::of_rows(first(model.len()), holds).unwrap()
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

/// The field of the first attribute, with one number per cell.
pub(crate) fn field(name: &str, datatype: Datatype) -> FieldInfo {
    FieldInfo {
        name: name.to_owned(),
        datatype,
        cell_val_num: CellValNum::Fixed(1),
        nullable: false,
        enumeration: None,
        field: FieldKind::Attribute(0),
    }
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

/// The concatenated texts, the start of each, and the end.
pub(crate) fn joined(texts: &[Vec<u8>]) -> (Vec<u8>, Vec<u64>) {
    let mut offsets = vec![0];
    for text in texts {
        let end = offsets.last().copied().unwrap_or(0) + text.len() as u64;
        offsets.push(end);
    }
    (texts.concat(), offsets)
}
