//! Space tiles, compared with computations cell by cell.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::common::{dense, dimension, plane};
use proptest::prelude::*;
use tdb_schema::grid::{CellBox, CellLayout, SpaceTileGrid, TileBox, copies};
use tdb_schema::{ArraySchema, CellOrder, Order};
use tdb_tile::{Datatype, Range};

fn grid(schema: &ArraySchema) -> SpaceTileGrid {
    SpaceTileGrid::new(schema).unwrap()
}

#[test]
fn cells_are_counted_from_the_start_of_the_domain() {
    let grid = grid(&plane());
    let all = grid.domain();
    assert_eq!(all.hi, [9, 10]);
    assert_eq!(
        grid.ranges(&all).unwrap(),
        [Range::of(1, 10), Range::of(-5, 5)]
    );
    assert_eq!(grid.tiles_of(&all).count(), Some(12));
    assert_eq!(grid.cells_per_tile(), Some(12));
    assert!(grid.cell_box(&[Range::of(0, 3), Range::of(0, 0)]).is_none());
    assert_eq!(
        grid.clipped_box(&[Range::of(-7, 3), Range::of(4, 99)]),
        Some(CellBox {
            lo: vec![0, 9],
            hi: vec![2, 10]
        })
    );
    assert!(
        grid.clipped_box(&[Range::of(-7, 0), Range::of(4, 99)])
            .is_none()
    );
}

#[test]
fn tiles_follow_each_other_in_tile_order() {
    let tiles = |order| TileBox::new(vec![1, 5], vec![2, 6], order);
    let row: Vec<_> = tiles(Order::RowMajor).iter().collect();
    assert_eq!(row, [[1, 5], [1, 6], [2, 5], [2, 6]]);
    let column: Vec<_> = tiles(Order::ColumnMajor).iter().collect();
    assert_eq!(column, [[1, 5], [2, 5], [1, 6], [2, 6]]);
    assert_eq!(tiles(Order::ColumnMajor).position(&[1, 6]), Some(2));
    assert_eq!(tiles(Order::ColumnMajor).position(&[3, 6]), None);
    assert_eq!(tiles(Order::ColumnMajor).position(&[0, 6]), None);
}

#[test]
fn the_widest_domains_have_tiles() {
    let schema = dense(vec![
        dimension("x", Datatype::UInt64, 0_u64, u64::MAX, 1 << 40),
        dimension("y", Datatype::UInt64, 0_u64, u64::MAX, 1),
    ]);
    let grid = grid(&schema);
    let all = grid.domain();
    assert_eq!(all.cells(), None);
    let tiles = grid.tiles_of(&all);
    assert_eq!(tiles.count(), None);
    assert_eq!(grid.axes()[1].tiles(), 1 << 64);
    assert_eq!(tiles.last(), [(1 << 24) - 1, u64::MAX]);
    assert_eq!(tiles.position(&[0, u64::MAX]), Some(u64::MAX));
    assert_eq!(tiles.position(&[1, 0]), None);
    assert_eq!(tiles.tile(u64::MAX), Some(vec![0, u64::MAX]));
    assert_eq!(grid.tile_cells(tiles.last()).hi, [u64::MAX, u64::MAX]);
}

#[test]
fn a_dimension_without_extent_is_one_tile() {
    let mut schema = dense(vec![dimension("x", Datatype::UInt64, 0_u64, u64::MAX, 1)]);
    schema.dimensions[0].extent = None;
    let grid = grid(&schema);
    assert_eq!(grid.tiles_of(&grid.domain()).count(), Some(1));
    assert_eq!(grid.cells_per_tile(), None);
}

#[test]
fn an_extent_beyond_the_signed_maximum_looks_negative() {
    // If no extent was given, TileDB stores the width of the domain: 2^63 + 1.
    let (lo, hi) = (-(1_i64 << 62), 1 << 62);
    let schema = dense(vec![dimension("x", Datatype::Int64, lo, hi, i64::MIN + 1)]);
    schema.check().unwrap();
    assert_eq!(grid(&schema).axes()[0].extent(), (1 << 63) + 1);
    let mut without = schema.clone();
    without.dimensions[0].extent = None;
    assert_eq!(without.with_extents(), schema);
}

#[test]
fn the_last_tile_may_go_beyond_the_datatype() {
    let schema = dense(vec![dimension("x", Datatype::Int8, -128_i8, 126, 20)]);
    let grid = grid(&schema);
    let tiles = grid.tiles_of(&grid.domain());
    assert_eq!(tiles.count(), Some(13));
    let last = grid.tile_cells(&[12]);
    assert_eq!(grid.ranges(&last).unwrap(), [Range::of(112_i8, 126)]);
    assert_eq!(grid.tile_layout(&[12]).unwrap().cells(), Some(20));
}

#[test]
fn a_box_in_one_piece_is_one_run() {
    let cells = CellBox {
        lo: vec![2, 0, 0],
        hi: vec![3, 3, 4],
    };
    let layout = CellLayout::new(vec![0, 0, 0], vec![9, 4, 5], Order::RowMajor).unwrap();
    let to = CellLayout::of_box(&cells, Order::RowMajor).unwrap();
    let runs = copies(&cells, &layout, &to).unwrap();
    assert_eq!(runs.run(), 40);
    assert_eq!(runs.collect::<Vec<_>>(), [(40, 0)]);
    let outside = CellBox {
        lo: vec![2, 0, 0],
        hi: vec![9, 3, 4],
    };
    assert!(copies(&outside, &layout, &to).is_none());
}

#[test]
fn coordinates_of_cells_are_made() {
    let grid = grid(&plane());
    let mut out = Vec::new();
    grid.axes()[1].append_values(3, 5, 2, &mut out);
    let values: Vec<i32> = out
        .chunks(4)
        .map(|b| i32::from_le_bytes(b.try_into().unwrap()))
        .collect();
    assert_eq!(values, [-2, -2, -1, -1, 0, 0]);
}

#[test]
fn coordinates_at_the_end_of_the_widest_domain_are_made() {
    let (start, end) = (i64::MIN, i64::MAX - 1);
    let grid = grid(&dense(vec![dimension("x", Datatype::Int64, start, end, 1)]));
    let mut out = Vec::new();
    grid.axes()[0].append_values(u64::MAX - 3, u64::MAX - 1, 1, &mut out);
    let values: Vec<i64> = out
        .chunks(8)
        .map(|b| i64::from_le_bytes(b.try_into().unwrap()))
        .collect();
    assert_eq!(values, [end - 2, end - 1, end]);
}

fn orders() -> impl Strategy<Value = Order> {
    prop_oneof![Just(Order::RowMajor), Just(Order::ColumnMajor)]
}

/// A dimension of at most 40 cells.
fn axis() -> impl Strategy<Value = (i64, i64, i64)> {
    (-30_i64..30, 0_i64..40)
        .prop_flat_map(|(lo, width)| (Just(lo), Just(lo + width), 1..=width + 1))
}

proptest! {
    #[test]
    fn every_cell_is_in_the_tile_that_division_says(
        axes in prop::collection::vec(axis(), 1..4),
        tile_order in orders(),
        picks in prop::collection::vec(any::<prop::sample::Index>(), 3),
    ) {
        let mut schema = dense(axes.iter().enumerate().map(|(i, &(lo, hi, extent))| {
            dimension(&i.to_string(), Datatype::Int64, lo, hi, extent)
        }).collect());
        schema.tile_order = tile_order;
        schema.cell_order = CellOrder::ColumnMajor;
        let grid = grid(&schema);
        let coordinates: Vec<i64> = axes.iter().zip(&picks)
            .map(|(&(lo, hi, _), pick)| lo + pick.index(usize::try_from(hi - lo + 1).unwrap()) as i64)
            .collect();
        let ranges: Vec<Range> = coordinates.iter().map(|&v| Range::of(v, v)).collect();
        let cell = grid.cell_box(&ranges).unwrap();
        prop_assert_eq!(grid.ranges(&cell).unwrap(), ranges);
        let tile: Vec<u64> = axes.iter().zip(&coordinates)
            .map(|(&(lo, _, extent), v)| ((v - lo) / extent) as u64).collect();
        let tiles = grid.tiles_of(&cell);
        prop_assert_eq!(tiles.first(), &tile[..]);
        prop_assert!(grid.tile_cells(&tile).covers(&cell));
        let all = grid.tiles_of(&grid.domain());
        let position = all.position(&tile).unwrap();
        prop_assert_eq!(all.tile(position), Some(tile.clone()));
        let order: Vec<_> = all.iter().collect();
        prop_assert_eq!(&order[usize::try_from(position).unwrap()], &tile);
        prop_assert_eq!(order.len() as u64, all.count().unwrap());
        // The tiles cut the domain into disjoint pieces.
        let cells: u64 = order.iter().map(|tile| grid.tile_cells(tile).cells().unwrap()).sum();
        prop_assert_eq!(Some(cells), grid.domain().cells());
    }

    #[test]
    fn copies_take_every_cell_to_its_place(
        axes in prop::collection::vec((0_u64..4, 1_u64..5, 0_u64..4), 1..4),
        from_order in orders(),
        to_order in orders(),
    ) {
        // For each axis: the start of the box in its layout, its length, and the number of cells
        // after it.
        let cells = CellBox {
            lo: axes.iter().map(|a| 10 + a.0).collect(),
            hi: axes.iter().map(|a| 10 + a.0 + a.1 - 1).collect(),
        };
        let shape = axes.iter().map(|a| a.0 + a.1 + a.2).collect();
        let from = CellLayout::new(vec![10; axes.len()], shape, from_order).unwrap();
        let to = CellLayout::of_box(&cells, to_order).unwrap();
        let runs = copies(&cells, &from, &to).unwrap();
        let (len, from_step, to_step) = (runs.run(), runs.from_step(), runs.to_step());
        let mut seen: Vec<(u64, u64)> = runs
            .flat_map(|(a, b)| (0..len).map(move |i| (a + i * from_step, b + i * to_step)))
            .collect();
        seen.sort_unstable_by_key(|pair| pair.1);
        let each = TileBox::new(cells.lo.clone(), cells.hi.clone(), to_order);
        let wanted: Vec<(u64, u64)> = each.iter()
            .map(|cell| (from.position(&cell).unwrap(), to.position(&cell).unwrap()))
            .collect();
        prop_assert_eq!(seen, wanted);
    }
}
