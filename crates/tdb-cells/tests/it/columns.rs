//! Columns of results, and batches of them.
#![expect(clippy::unwrap_used, reason = "helpers of tests, which may fail so")]

use bytes::Bytes;
use proptest::prelude::*;
use tdb_cells::{Batch, CellsError, Column};
use tdb_schema::CellValNum;
use tdb_tile::{Datatype, ErrorKind, Physical};

use crate::support::{cases, joined, set_of};

fn column(datatype: Datatype, cell_val_num: CellValNum, values: Vec<u8>) -> Column {
    Column {
        name: "a".to_owned(),
        datatype,
        cell_val_num,
        nullable: false,
        values: values.into(),
        offsets: None,
        validity: None,
        enumeration: None,
    }
}

fn offsets_of(offsets: &[u64]) -> Option<Bytes> {
    let bytes: Vec<u8> = offsets.iter().flat_map(|o| o.to_le_bytes()).collect();
    Some(bytes.into())
}

fn numbers(numbers: &[i32]) -> Column {
    let bytes = numbers.iter().flat_map(|number| number.to_le_bytes());
    column(Datatype::Int32, CellValNum::Fixed(1), bytes.collect())
}

fn texts(texts: &[Vec<u8>]) -> Column {
    let (values, offsets) = joined(texts);
    let mut column = column(Datatype::StringUtf8, CellValNum::Var, values);
    column.offsets = offsets_of(&offsets);
    column
}

fn with_nulls(mut column: Column, valid: &[bool]) -> Column {
    column.nullable = true;
    column.validity = Some(set_of(valid).to_bitmap().unwrap().freeze());
    column
}

/// Cells with a number, a text and whether they are null.
fn cells() -> impl Strategy<Value = Vec<(i32, Vec<u8>, bool)>> {
    let cell = (
        any::<i32>(),
        prop::collection::vec(any::<u8>(), 0..5),
        any::<bool>(),
    );
    prop::collection::vec(cell, 0..30)
}

fn batch_of(cells: &[(i32, Vec<u8>, bool)]) -> Batch {
    let valid: Vec<bool> = cells.iter().map(|cell| cell.2).collect();
    let all: Vec<i32> = cells.iter().map(|cell| cell.0).collect();
    let all = with_nulls(numbers(&all), &valid);
    let named: Vec<Vec<u8>> = cells.iter().map(|cell| cell.1.clone()).collect();
    let mut named = with_nulls(texts(&named), &valid);
    named.name = "b".to_owned();
    Batch {
        rows: cells.len(),
        columns: vec![all, named],
    }
}

proptest! {
    #![proptest_config(cases(150))]

    #[test]
    fn cells_are_where_they_were_put(cells in cells()) {
        let batch = batch_of(&cells);
        let (numbers, texts) = (batch.column("a").unwrap(), batch.column("b").unwrap());
        prop_assert!(batch.column("c").is_none());
        for (row, (number, text, is_valid)) in cells.iter().enumerate() {
            prop_assert_eq!(numbers.cell(row), Some(&number.to_le_bytes()[..]));
            prop_assert_eq!(texts.cell(row), Some(&text[..]));
            prop_assert_eq!((numbers.is_valid(row), texts.is_valid(row)), (*is_valid, *is_valid));
        }
        prop_assert_eq!((numbers.cell(cells.len()), texts.cell(cells.len())), (None, None));
        prop_assert!(numbers.cell(usize::MAX).is_none() && texts.cell(usize::MAX).is_none());
        let all: Vec<i32> = cells.iter().map(|cell| cell.0).collect();
        prop_assert_eq!(numbers.numbers::<i32>().unwrap().collect::<Vec<_>>(), all);
        prop_assert_eq!(texts.offset_values().len(), cells.len() + 1);
        prop_assert!(numbers.offset_values().is_empty());
    }

    #[test]
    fn the_first_cells_are_those_of_a_shorter_batch(cells in cells(), rows in 0_usize..40) {
        let found = batch_of(&cells).first(rows as u64).unwrap();
        let model = batch_of(&cells[..rows.min(cells.len())]);
        prop_assert_eq!(found.rows, model.rows);
        for (found, model) in found.columns.iter().zip(&model.columns) {
            prop_assert_eq!(&found.values, &model.values);
            prop_assert_eq!(&found.offsets, &model.offsets);
            for row in 0..model.values.len().min(rows) {
                prop_assert_eq!(found.is_valid(row), model.is_valid(row));
            }
            let bytes = |column: &Column| column.validity.as_ref().map(Bytes::len);
            prop_assert_eq!(bytes(found), bytes(model));
        }
    }
}

#[test]
fn values_are_numbers_of_their_own_type_alone() {
    let column = numbers(&[1, -2]);
    let Err(error) = column.numbers::<u32>() else {
        panic!("numbers without a sign");
    };
    let text = r#"the values of column "a" are int32, which is read as i32, not as u32"#;
    assert_eq!(error.to_string(), text);
    assert_eq!((error.kind(), error.hint()), (ErrorKind::Invalid, None));
    let CellsError::NumberType {
        datatype,
        found,
        wanted,
        ..
    } = error
    else {
        panic!("another error");
    };
    assert_eq!(
        (datatype, found, wanted),
        (Datatype::Int32, Physical::I32, Physical::U32)
    );
    let times = self::column(Datatype::DateTimeDay, CellValNum::Fixed(1), vec![1; 8]);
    assert!(times.numbers::<i64>().is_ok() && times.numbers::<u64>().is_err());
    let flags = self::column(Datatype::Bool, CellValNum::Fixed(1), vec![1, 0]);
    assert_eq!(flags.numbers::<u8>().unwrap().collect::<Vec<_>>(), [1, 0]);
}

#[test]
fn cells_of_several_values_are_as_large_as_these() {
    let pairs = column(Datatype::Int16, CellValNum::Fixed(2), (1..=8).collect());
    assert_eq!(pairs.cell_size(), Some(4));
    assert_eq!(pairs.cell(1), Some(&[5, 6, 7, 8][..]));
    assert_eq!(pairs.cell(2), None);
    assert_eq!(texts(&[]).cell_size(), None);
}

#[test]
fn offsets_that_do_not_hold_together_give_no_cell() {
    let mut column = texts(&[b"one".to_vec(), b"two".to_vec()]);
    for (offsets, second) in [
        (vec![0, 3, 6], Some(&b"two"[..])),
        (vec![0, 3, 7], None),
        (vec![0, 4, 3], None),
        (vec![0, 3, u64::MAX], None),
        (vec![0, 3], None),
    ] {
        column.offsets = offsets_of(&offsets);
        assert_eq!(column.cell(1), second, "{offsets:?}");
    }
    column.offsets = Some(Bytes::from_static(&[0; 23]));
    assert!(column.offset_values().is_empty() && column.cell(0).is_none());
    column.offsets = None;
    assert!(column.cell(0).is_none());
}

#[test]
fn cells_are_valid_where_nothing_is_told_and_null_behind_what_is_told() {
    let column = numbers(&[1, 2]);
    assert!(column.is_valid(0) && column.is_valid(1_000));
    let column = with_nulls(column, &[true; 8]);
    assert!(column.is_valid(7) && !column.is_valid(8));
}

#[test]
fn a_batch_of_more_rows_than_its_columns_have_is_refused() {
    let mut batch = batch_of(&[(1, b"x".to_vec(), true), (2, b"yy".to_vec(), false)]);
    batch.rows = 9;
    let what = "a column has fewer cells than its batch";
    assert_eq!(batch.clone().first(3).unwrap_err().what, what);
    assert_eq!(batch.clone().first(2).unwrap().rows, 2);
    // For all rows, nothing is cut.
    assert_eq!(batch.clone().first(9).unwrap().rows, 9);
    assert_eq!(batch.clone().first(u64::MAX).unwrap().rows, 9);
    batch.columns.remove(0);
    batch.columns[0].offsets = offsets_of(&[0, 1, 4]);
    assert!(batch.clone().first(2).is_err());
    assert_eq!(batch.first(1).unwrap().columns[0].values, "x");
    assert_eq!(Batch::default().rows, 0);
}
