//! Runs of ranges along a dimension, sets of tiles, blocks, and the borders of tiles.
#![expect(clippy::unwrap_used, reason = "helpers of tests, which may fail so")]

use std::collections::BTreeSet;
use std::ops::Range;
use std::slice;

use proptest::prelude::*;
use tdb_cells::dense::{
    Block, Cursor, Run, Runs, Share, TileSet, borders, chunk_borders, slow_to_fast,
};
use tdb_schema::grid::SpaceTileGrid;
use tdb_schema::{ArraySchema, ArrayType, Dimension, Order};
use tdb_tile::Datatype;

use crate::support::{cases, index, order, strides};

/// All cells from the first to the last of each range.
fn listed(ranges: &[(u64, u64)]) -> Vec<u64> {
    ranges
        .iter()
        .flat_map(|(first, last)| *first..=*last)
        .collect()
}

fn ranges() -> impl Strategy<Value = Vec<(u64, u64)>> {
    let range = (0_u64..30, 0_u64..6).prop_map(|(first, more)| (first, first + more));
    prop::collection::vec(range, 0..5)
}

/// The cells of some runs, each with its position.
fn expanded(runs: impl Iterator<Item = Run>) -> Vec<(u64, u64)> {
    let cells = |run: Run| (0..run.len).map(move |i| (run.position + i, run.first + i));
    runs.flat_map(cells).collect()
}

/// A one-dimensional grid whose domain begins at -5.
fn grid_of(len: u64, extent: i32) -> SpaceTileGrid {
    let last = i32::try_from(len).unwrap() - 6;
    let dimension = Dimension::numbers("x", Datatype::Int32, (-5, last), extent);
    SpaceTileGrid::new(&ArraySchema::new(ArrayType::Dense, vec![dimension], vec![])).unwrap()
}

/// The nearest place at or before a position and the nearest at or after it where something ends; `all` is always an
/// end.
fn nearest(is_end: impl Fn(usize) -> bool, position: usize, all: usize) -> (u64, u64) {
    let before = (0..=position).rev().find(|place| is_end(*place)).unwrap();
    let after = (position..all).find(|place| is_end(*place)).unwrap_or(all);
    (before as u64, after as u64)
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn runs_are_the_list_of_their_cells(ranges in ranges(), from in 0_u64..30, len in 0_u64..12) {
        let (runs, model) = (Runs::new(ranges.iter().copied()).unwrap(), listed(&ranges));
        let all = model.len() as u64;
        prop_assert_eq!((runs.len(), runs.is_empty()), (all, model.is_empty()));
        let (start, end) = (from.min(all), (from + len).min(all));
        let wanted: Vec<(u64, u64)> = (start..end).map(|at| (at, model[index(at)])).collect();
        prop_assert_eq!(expanded(runs.within(start..end)), wanted);
        let at = runs.at(from);
        prop_assert_eq!(at.map(|run| run.first + (from - run.position)), model.get(index(from)).copied());
        let ends = model.iter().min().copied().zip(model.iter().max().copied());
        prop_assert_eq!(runs.bounds(), ends);
        let meets = model.iter().any(|cell| (from..=from + len).contains(cell));
        prop_assert_eq!(runs.meets(from, from + len), meets);
        prop_assert_eq!(runs.is_ascending(), model.windows(2).all(|pair| pair[0] < pair[1]));
        let is_one = !model.is_empty() && model.windows(2).all(|pair| pair[0] + 1 == pair[1]);
        prop_assert_eq!(runs.single().map(|run| (run.first, run.len)), is_one.then(|| (model[0], all)));
    }

    #[test]
    fn cells_in_any_order_are_asked_for_once_each(
        cells in prop::collection::vec(0_u64..40, 0..30), from in 0_u64..40, len in 0_u64..10,
    ) {
        let runs = Runs::of_cells(cells.clone()).unwrap();
        let model: BTreeSet<u64> = cells.into_iter().collect();
        let found = expanded(runs.within(0..runs.len())).into_iter().map(|(_, cell)| cell);
        prop_assert!(found.eq(model.iter().copied()) && runs.is_ascending());
        let before = |end: u64| model.range(..end).count() as u64;
        prop_assert_eq!(runs.positions(from, from + len), before(from)..before(from + len + 1));
        prop_assert_eq!(runs.positions(from, u64::MAX), before(from)..runs.len());
    }

    #[test]
    fn a_set_of_tiles_is_the_set_of_their_numbers(tiles in prop::collection::vec(0_u64..25, 0..20)) {
        let (set, model) = (TileSet::of(tiles.clone()), BTreeSet::from_iter(tiles));
        let others = set.others();
        for tile in 0..30 {
            prop_assert_eq!(set.contains(tile), model.contains(&tile));
            prop_assert_eq!(others.contains(tile), !model.contains(&tile));
            prop_assert_eq!(set.first_other(tile), (tile..).find(|tile| !model.contains(tile)).unwrap());
        }
        prop_assert_eq!(set.is_empty(), model.is_empty());
        prop_assert_eq!(others.others(), set.clone());
        let mut pushed = TileSet::default();
        model.into_iter().for_each(|tile| pushed.push(tile));
        prop_assert_eq!(pushed, set);
    }

    #[test]
    fn borders_are_where_tiles_or_ranges_meet(ranges in ranges(), extent in 1_i32..7, chunk in 1_u64..5) {
        let (grid, model) = (grid_of(40, extent), listed(&ranges));
        let runs = [Runs::new(ranges).unwrap()];
        let extent = u64::try_from(extent).unwrap();
        let meet = |part: u64, at: usize| {
            let Some(before) = at.checked_sub(1) else { return true };
            let (before, cell) = (model[before], model[at]);
            // Parts of a tile are counted from its first cell.
            let part_of = |cell: u64| (cell / extent, cell % extent / part);
            cell != before + 1 || part_of(before) != part_of(cell)
        };
        for position in 0..model.len() {
            let place = position as u64;
            let found = borders(&grid, &runs, 0, place);
            prop_assert_eq!(found, nearest(|at| meet(extent, at), position, model.len()));
            let found = chunk_borders(&grid, &runs, 0, place, chunk);
            prop_assert_eq!(found, nearest(|at| meet(chunk, at), position, model.len()));
        }
        let end = model.len() as u64;
        prop_assert_eq!(borders(&grid, &runs, 0, end), (end, end));
        prop_assert_eq!(borders(&grid, &runs, 1, 3), (3, 3));
    }

    #[test]
    fn the_strides_of_a_block_are_those_of_its_shape(
        shape in prop::collection::vec(1_u64..5, 1..4), starts in 0_u64..9, order in order(),
    ) {
        let positions = shape.iter().map(|len| starts..starts + len).collect();
        let block = Block { positions, order };
        prop_assert_eq!(block.rows(), shape.iter().product::<u64>());
        prop_assert_eq!(block.strides(), strides(&shape, order));
        let mut axes: Vec<usize> = (0..shape.len()).collect();
        if order == Order::ColumnMajor {
            axes.reverse();
        }
        prop_assert_eq!(slow_to_fast(shape.len(), order).collect::<Vec<_>>(), axes);
    }
}

#[test]
fn more_cells_than_can_be_counted_are_refused() {
    assert_eq!(Runs::new([(0, u64::MAX)]), None);
    assert_eq!(Runs::new([(0, u64::MAX - 1), (3, 3)]), None);
    assert_eq!(Runs::new([(4, 3)]), None);
    let last = Runs::new([(u64::MAX - 1, u64::MAX - 1)]).unwrap();
    assert_eq!(last.bounds(), Some((u64::MAX - 1, u64::MAX - 1)));
}

#[test]
fn a_share_is_halved_to_one_row_at_least() {
    let share = Share { aim: 10, most: 100 };
    let halves = [200, 50, 9, 1, 0].map(|rows| {
        let half = share.halved(rows);
        (half.aim, half.most)
    });
    assert_eq!(halves, [(10, 100), (10, 25), (4, 4), (1, 1), (1, 1)]);
}

/// A one-dimensional block.
fn line(positions: Range<u64>) -> Block {
    Block {
        positions: vec![positions],
        order: Order::RowMajor,
    }
}

/// Borders of tiles of four positions along each dimension.
fn fours(_: usize, position: u64) -> (u64, u64) {
    (position / 4 * 4, position.next_multiple_of(4))
}

#[test]
fn pieces_of_a_block_end_between_tiles_if_they_can() {
    let block = Block {
        positions: vec![0..1, 2..12],
        order: Order::RowMajor,
    };
    let cut = |pieces: &[Block]| -> Vec<u64> {
        pieces.iter().map(|piece| piece.positions[1].end).collect()
    };
    // Even pieces would end at 7 and 12, or at 6, 10 and 12.
    let pieces = block.clone().split(2, &fours, None);
    assert_eq!(cut(&pieces), [4, 8, 12]);
    assert!(pieces.iter().all(|piece| piece.positions[0] == (0..1)));
    let twos = |_: usize, position: u64| (position / 2 * 2, position.next_multiple_of(2));
    assert_eq!(
        cut(&block.clone().split(5, &fours, Some(&twos))),
        [4, 6, 8, 10, 12]
    );
    assert_eq!(
        block.clone().split(1, &fours, None),
        slice::from_ref(&block)
    );
    let ends = |end: u64| {
        let piece = |range| Block {
            positions: vec![0..1, range],
            order: Order::RowMajor,
        };
        piece(2..end).ends_between_tiles(&piece(end..12), &fours)
    };
    assert_eq!([4, 5, 7, 8].map(ends), [true, false, false, true]);
    assert_eq!(line(5..6).split(9, &fours, None), [line(5..6)]);
}

#[test]
fn a_walk_through_a_box_without_cells_is_done() {
    let share = Share { aim: 5, most: 5 };
    let mut cursor = Cursor::new(vec![0..3, 4..4], Order::RowMajor);
    assert!(cursor.is_done() && cursor.next(share, &fours).is_none());
    let mut cursor = Cursor::new(vec![0..1, 4..6], Order::RowMajor);
    assert!(!cursor.is_done());
    assert_eq!(cursor.next(share, &fours).unwrap().positions, [0..1, 4..6]);
    assert!(cursor.is_done() && cursor.next(share, &fours).is_none());
}
