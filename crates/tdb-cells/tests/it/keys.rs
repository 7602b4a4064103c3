//! Sort keys of cells, compared with a sort by coordinates.

use proptest::prelude::*;
use tdb_cells::cell_keys;
use tdb_schema::order::{Column, SortOrder};
use tdb_schema::{ArraySchema, ArrayType, Attribute, CellOrder, Dimension, Order};
use tdb_tile::Datatype;

use crate::support::{cases, first, order, places, row};

/// First and last number of the domain.
const DOMAIN: (i32, i32) = (-10, 9);

fn schema(dimensions: Vec<Dimension>, tile_order: Order, cell_order: Order) -> ArraySchema {
    let attribute = Attribute::new("a", Datatype::Int32);
    let mut schema = ArraySchema::new(ArrayType::Sparse, dimensions, vec![attribute]);
    schema.tile_order = tile_order;
    schema.cell_order = match cell_order {
        Order::RowMajor => CellOrder::RowMajor,
        Order::ColumnMajor => CellOrder::ColumnMajor,
    };
    schema
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

/// Rows in the order of a stable sort by these keys.
fn model<K: Ord>(count: usize, key: impl Fn(usize) -> K) -> Vec<usize> {
    let mut model: Vec<usize> = (0..count).collect();
    model.sort_by_key(|row| key(*row));
    model
}

/// The pair with the slowest dimension first.
fn slow_first<T>(order: Order, y: T, x: T) -> (T, T) {
    match order {
        Order::RowMajor => (y, x),
        Order::ColumnMajor => (x, y),
    }
}

proptest! {
    #![proptest_config(cases(150))]

    #[test]
    fn cells_of_numbers_are_sorted_tile_by_tile_or_by_coordinates(
        cells in prop::collection::vec((DOMAIN.0..=DOMAIN.1, DOMAIN.0..=DOMAIN.1), 0..120),
        extents in (1_i32..8, 1_i32..8),
        tile_order in order(),
        cell_order in order(),
        sort_order in sort_order(),
        is_outside: bool,
    ) {
        let mut cells = cells;
        // Cells outside the domain have no number and are compared directly.
        if is_outside {
            cells.push((DOMAIN.1 + 30, DOMAIN.0));
        }
        let dimensions = vec![numbers("y", extents.0), numbers("x", extents.1)];
        let schema = schema(dimensions, tile_order, cell_order);
        let y: Vec<u8> = cells.iter().flat_map(|cell| cell.0.to_le_bytes()).collect();
        let x: Vec<u8> = cells.iter().flat_map(|cell| cell.1.to_le_bytes()).collect();
        let columns = vec![Column::Fixed(&y), Column::Fixed(&x)];
        let keys = cell_keys(&schema, columns, cells.len(), sort_order).unwrap();
        let tile = |row: usize| {
            let (y, x) = cells[row];
            let tiles = ((y - DOMAIN.0) / extents.0, (x - DOMAIN.0) / extents.1);
            slow_first(tile_order, tiles.0, tiles.1)
        };
        let cell = |row: usize, order| slow_first(order, cells[row].0, cells[row].1);
        let key = |row: usize| match sort_order {
            SortOrder::Global => (tile(row), cell(row, cell_order)),
            SortOrder::RowMajor => ((0, 0), cell(row, Order::RowMajor)),
            SortOrder::ColumnMajor => ((0, 0), cell(row, Order::ColumnMajor)),
        };
        let model = model(cells.len(), key);
        for pair in model.windows(2) {
            let found = keys.compare(row(pair[0]), row(pair[1]));
            prop_assert_eq!(found, key(pair[0]).cmp(&key(pair[1])));
        }
        let sorted = keys.sorted(first(cells.len())).unwrap();
        prop_assert_eq!(places(sorted.rows()), &model[..]);
        let repeats = model.windows(2).filter(|pair| cells[pair[0]] == cells[pair[1]]);
        prop_assert_eq!(sorted.repeated().count(), repeats.count());
    }

}

#[test]
fn columns_that_are_none_of_the_dimensions_are_refused() {
    let schema = schema(vec![numbers("y", 5)], Order::RowMajor, Order::RowMajor);
    let keys = |columns, rows| cell_keys(&schema, columns, rows, SortOrder::Global).map(|_| ());
    assert!(keys(vec![Column::Fixed(&[0; 8])], 2).is_ok());
    let what = "coordinates that are none of the dimensions";
    for columns in [
        vec![Column::Fixed(&[0; 7])],
        vec![],
        vec![Column::Fixed(&[])],
    ] {
        assert_eq!(keys(columns, 2).unwrap_err().what, what);
    }
}
