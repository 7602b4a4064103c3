//! Sort keys of the rows of a table, and corners of its cells, compared with a sort by coordinates.

use proptest::prelude::*;
use tdb_cells::{CellTable, Segment, TableColumn};
use tdb_fragment::FragmentIndex;
use tdb_schema::order::{CellComparator, Column, SortOrder};
use tdb_schema::{ArraySchema, ArrayType, Attribute, Dimension, FieldKind};
use tdb_tile::Datatype;

use super::{Coordinates, dimension_types, row_keys};
use crate::sparse::corner::Corner;
use crate::test_support::{buffer, cases, first, joined, places, row, session};

/// First and last number of the domain.
const DOMAIN: (i32, i32) = (-10, 9);

fn schema(dimensions: Vec<Dimension>) -> ArraySchema {
    let attribute = Attribute::new("a", Datatype::Int32);
    ArraySchema::new(ArrayType::Sparse, dimensions, vec![attribute])
}

fn numbers(name: &str, extent: i32) -> Dimension {
    Dimension::numbers(name, Datatype::Int32, DOMAIN, extent)
}

fn sort_order() -> impl Strategy<Value = SortOrder> {
    prop_oneof![
        Just(SortOrder::Global),
        Just(SortOrder::RowMajor),
        Just(SortOrder::ColumnMajor)
    ]
}

/// A table of these coordinates: numbers along `y`, texts along `x`.
fn table(cells: &[(i32, Vec<u8>)]) -> CellTable {
    let segment = Segment {
        fragment: FragmentIndex::new(0),
        rows: first(cells.len()),
        tiles: Vec::new(),
    };
    let mut table = CellTable::new(vec![segment]);
    let values: Vec<u8> = cells.iter().flat_map(|cell| cell.0.to_le_bytes()).collect();
    let fixed = TableColumn {
        values: buffer(&values),
        cell_size: 4,
        ..TableColumn::default()
    };
    let texts: Vec<Vec<u8>> = cells.iter().map(|cell| cell.1.clone()).collect();
    let (values, offsets) = joined(&texts);
    let var = TableColumn {
        values: buffer(&values),
        cell_size: 1,
        offsets: Some(offsets),
        ..TableColumn::default()
    };
    table.insert(FieldKind::Dimension(0), fixed);
    table.insert(FieldKind::Dimension(1), var);
    table
}

/// Rows in the order of a stable sort by these keys.
fn model<K: Ord>(count: usize, key: impl Fn(usize) -> K) -> Vec<usize> {
    let mut model: Vec<usize> = (0..count).collect();
    model.sort_by_key(|row| key(*row));
    model
}

proptest! {
    #![proptest_config(cases(150))]

    #[test]
    fn rows_of_numbers_and_texts_are_sorted_as_comparing_them_does(
        cells in prop::collection::vec((-3_i32..3, "[ab\u{e9}]{0,14}"), 0..80),
        extent in 1_i32..5,
        sort_order in sort_order(),
    ) {
        let cells: Vec<(i32, Vec<u8>)> = cells.into_iter().map(|(y, x)| (y, x.into_bytes())).collect();
        let dimensions = vec![numbers("y", extent), Dimension::strings("x")];
        let schema = schema(dimensions);
        prop_assert_eq!(dimension_types(&schema), [Datatype::Int32, Datatype::StringAscii]);
        let table = table(&cells);
        let coordinates = Coordinates::new(&table, 2).unwrap();
        let keys = row_keys(&schema, &table, &coordinates, sort_order).unwrap();
        let key = |row: usize| {
            let (y, text) = (cells[row].0, &cells[row].1);
            // In global order, bytes are signed.
            let signed = |byte: &u8| i16::from(byte.cast_signed());
            let plain: Vec<i16> = text.iter().map(|byte| i16::from(*byte)).collect();
            match sort_order {
                SortOrder::Global => ((y - DOMAIN.0) / extent, y, text.iter().map(signed).collect(), 0),
                SortOrder::RowMajor => (0, y, plain, 0),
                SortOrder::ColumnMajor => (0, 0, plain, y),
            }
        };
        let model = model(cells.len(), key);
        let comparator = CellComparator::new(&schema, sort_order);
        for pair in model.windows(2) {
            let wanted = key(pair[0]).cmp(&key(pair[1]));
            prop_assert_eq!(keys.compare(row(pair[0]), row(pair[1])), wanted);
            let corner = |place: usize| Corner::of(&table, row(place), 2).unwrap();
            prop_assert_eq!(corner(pair[0]).compare(&corner(pair[1]), &comparator), wanted);
        }
        let sorted = keys.sorted(first(cells.len())).unwrap();
        prop_assert_eq!(sorted.are_distinct(), model.windows(2).all(|pair| cells[pair[0]] != cells[pair[1]]));
        prop_assert_eq!(places(sorted.rows()), model);
    }
}

#[test]
fn many_texts_are_sorted_on_all_threads() {
    // All texts share a long prefix, so that numbers cannot decide their order.
    let text = |i: u64| format!("of a long beginning {:05}", i.wrapping_mul(48_271) % 20_011);
    let cells: Vec<(i32, Vec<u8>)> = (0..40_000).map(|i| (0, text(i).into_bytes())).collect();
    let dimensions = vec![numbers("y", 5), Dimension::strings("x")];
    let schema = schema(dimensions);
    let table = table(&cells);
    let coordinates = Coordinates::new(&table, 2).unwrap();
    let sorted = session(2).install(|| {
        let keys = row_keys(&schema, &table, &coordinates, SortOrder::Global)?;
        keys.sorted(table.rows())
    });
    let model = model(cells.len(), |row| &cells[row].1);
    assert!(places(sorted.unwrap().rows()) == model);
}

#[test]
fn coordinates_that_are_not_loaded_are_told() {
    let cells = [(1, b"x".to_vec()), (-1, b"yz".to_vec())];
    let mut table = table(&cells);
    let corner = Corner::of(&table, row(1), 2).unwrap();
    assert_eq!(corner.value(0), Some(&(-1_i32).to_le_bytes()[..]));
    assert_eq!((corner.value(1), corner.value(2)), (Some(&b"yz"[..]), None));
    assert_eq!(corner.columns().len(), 2);
    assert!(Corner::of(&table, row(2), 2).is_err());
    let coordinates = Coordinates::new(&table, 2).unwrap();
    table.take(FieldKind::Dimension(1)).unwrap();
    let what = "cells are compared whose coordinates are not loaded";
    assert_eq!(coordinates.columns(&table).unwrap_err().what, what);
    assert_eq!(Coordinates::new(&table, 2).unwrap_err().what, what);
    assert_eq!(Corner::of(&table, row(0), 2).unwrap_err().what, what);
    assert!(Coordinates::new(&table, 1).is_ok());
}

#[test]
fn corners_are_columns_of_one_row() {
    let corner = Corner::new(vec![(vec![1, 2], false), (b"text".to_vec(), true)]);
    let columns = corner.columns();
    assert!(matches!(columns[0], Column::Fixed(&[1, 2])));
    assert_eq!(columns[1].cell(0), Some(&b"text"[..]));
    assert_eq!(columns[1].cell(1), None);
}
