//! Copying cells of tiles to their places in a result, compared with copying them one by one.

use std::collections::BTreeMap;

use proptest::prelude::*;
use tdb_schema::Order;

use super::pass::PassRun;
use super::{
    AxisSegment, Pass, Scatter, fill, fill_numbers, index as index_of, number, outside, repeat,
};
use crate::test_support::{cases, index, order, strides};

/// Byte in the result where nothing was written.
const UNTOUCHED: u8 = 0xee;

/// One dimension: cells of the tile, cells of the result, and the segments to copy.
#[derive(Clone, Debug)]
struct Axis {
    tile: u64,
    result: u64,
    segments: Vec<AxisSegment>,
}

/// All cells of a tile, which are all of the result.
fn whole(len: u64) -> Axis {
    let segments = vec![AxisSegment {
        source: 0,
        len,
        dest: 0,
    }];
    Axis {
        tile: len,
        result: len,
        segments,
    }
}

/// Some cells of a tile. Adjacent cells form a segment; the segments are in the result in this order or reversed, with
/// gaps before and between them.
fn part((mask, gap, is_reversed): (Vec<bool>, u64, bool)) -> Axis {
    let mut segments: Vec<AxisSegment> = Vec::new();
    for (source, _) in (0_u64..).zip(&mask).filter(|(_, is_wanted)| **is_wanted) {
        match segments.last_mut() {
            Some(last) if last.source + last.len == source => last.len += 1,
            _ => segments.push(AxisSegment {
                source,
                len: 1,
                dest: 0,
            }),
        }
    }
    let mut end = gap;
    let mut place = |segment: &mut AxisSegment| {
        segment.dest = end;
        end += segment.len + gap;
    };
    if is_reversed {
        segments.iter_mut().rev().for_each(&mut place);
    } else {
        segments.iter_mut().for_each(&mut place);
    }
    Axis {
        tile: mask.len() as u64,
        result: end.max(1),
        segments,
    }
}

fn axis() -> impl Strategy<Value = Axis> {
    let mask = prop::collection::vec(any::<bool>(), 1..6);
    prop_oneof![
        (1_u64..5).prop_map(whole),
        (mask, 0_u64..3, any::<bool>()).prop_map(part),
        (
            prop::collection::vec(Just(true), 1..4),
            0_u64..2,
            Just(false)
        )
            .prop_map(part),
    ]
}

/// A tile and a result, each with its order.
#[derive(Clone, Debug)]
struct Plan {
    axes: Vec<Axis>,
    tile_order: Order,
    result_order: Order,
}

fn plan() -> impl Strategy<Value = Plan> {
    let axes = prop::collection::vec(axis(), 1..4);
    (axes, order(), order()).prop_map(|(axes, tile_order, result_order)| Plan {
        axes,
        tile_order,
        result_order,
    })
}

impl Plan {
    fn strides(&self) -> (Vec<u64>, Vec<u64>) {
        let tile: Vec<u64> = self.axes.iter().map(|axis| axis.tile).collect();
        let result: Vec<u64> = self.axes.iter().map(|axis| axis.result).collect();
        (
            strides(&tile, self.tile_order),
            strides(&result, self.result_order),
        )
    }

    fn tile_cells(&self) -> u64 {
        self.axes.iter().map(|axis| axis.tile).product()
    }

    fn result_cells(&self) -> u64 {
        self.axes.iter().map(|axis| axis.result).product()
    }

    /// Plans the copy, dimension by dimension.
    fn follow(&self, pass: &mut Pass) {
        let (tile, result) = self.strides();
        let along = self.axes.iter().zip(tile.into_iter().zip(result));
        let mut along: Vec<_> = along.collect();
        if self.tile_order == Order::ColumnMajor {
            along.reverse();
        }
        pass.begin();
        for (axis, (from, to)) in along {
            pass.push(from, to, axis.segments.iter().copied());
        }
    }

    /// The number in the tile of each wanted cell, and its destination.
    fn model(&self) -> BTreeMap<u64, u64> {
        let (tile, result) = self.strides();
        let mut cells = vec![(0, 0)];
        for (axis, (from, to)) in self.axes.iter().zip(tile.into_iter().zip(result)) {
            let along = |(source, dest): (u64, u64)| {
                let segments = axis.segments.iter();
                segments.flat_map(move |segment| {
                    let place = move |i| {
                        (
                            source + (segment.source + i) * from,
                            dest + (segment.dest + i) * to,
                        )
                    };
                    (0..segment.len).map(place)
                })
            };
            cells = cells.into_iter().flat_map(along).collect();
        }
        cells.into_iter().collect()
    }
}

/// Bytes that differ from those near them.
fn bytes(count: u64) -> Vec<u8> {
    (0..count)
        .map(|i| (i * 89 % 233).to_le_bytes()[0])
        .collect()
}

/// The expected result, copied cell by cell.
fn copied(plan: &Plan, size: usize, tile: &[u8]) -> Vec<u8> {
    let mut out = vec![UNTOUCHED; index(plan.result_cells()) * size];
    for (source, dest) in plan.model() {
        let cell = tile.chunks(size).nth(index(source));
        let place = out.chunks_mut(size).nth(index(dest));
        let (cell, place) = cell
            .zip(place)
            .expect("cells of the tile and of the result");
        place.copy_from_slice(cell);
    }
    out
}

proptest! {
    #![proptest_config(cases(600))]

    #[test]
    fn pieces_of_a_tile_are_scattered_as_its_cells_one_by_one(
        plan in plan(),
        size in 1_usize..10,
        cuts in prop::collection::vec(1_usize..40, 1..5),
        is_skipping: bool,
    ) {
        let mut pass = Pass::default();
        plan.follow(&mut pass);
        let model = plan.model();
        prop_assert_eq!(pass.is_empty(), model.is_empty());
        let tile = bytes(plan.tile_cells() * size as u64);
        let mut out = vec![UNTOUCHED; index(plan.result_cells()) * size];
        let mut scatter = Scatter::new(&mut pass, size, &mut out).unwrap();
        let size = size as u64;
        if let (Some((first, _)), Some((last, _))) = (model.first_key_value(), model.last_key_value()) {
            prop_assert_eq!(scatter.wanted(), first * size..(last + 1) * size);
        }
        // The first byte at or after `byte` that belongs to a wanted cell.
        let wanted_from = |byte: u64| {
            let cell = model.range(byte / size..).next();
            cell.map_or(u64::MAX, |(cell, _)| (cell * size).max(byte))
        };
        let (mut at, mut next, mut cuts) = (0, wanted_from(0), cuts.into_iter().cycle());
        while at < tile.len() {
            let end = tile.len().min(at + cuts.next().unwrap());
            // Pieces before the next wanted byte may be skipped.
            if !is_skipping || end as u64 > next {
                next = scatter.take(at as u64, &tile[at..end]);
            }
            prop_assert_eq!(next, wanted_from(end as u64));
            at = end;
        }
        scatter.finish().unwrap();
        prop_assert_eq!(out, copied(&plan, index(size), &tile));
    }

    #[test]
    fn runs_lead_each_cell_to_its_place_in_the_order_of_the_tile(plan in plan()) {
        let mut pass = Pass::default();
        // `begin` removes what was planned before.
        pass.push(7, 9, [AxisSegment { source: 3, len: 1, dest: 5 }].into_iter());
        plan.follow(&mut pass);
        let (stride, single, bounds) = (pass.dest_stride(), pass.single(), pass.bounds());
        let (mut runs, mut found) = (pass.runs(), Vec::new());
        while let Some(run) = runs.current() {
            prop_assert_eq!(runs.current(), Some(run));
            found.push(run);
            runs.advance();
        }
        let cells = |run: &PassRun| {
            let PassRun { source, len, dest } = *run;
            (0..len).map(move |i| (source + i, dest + i * stride))
        };
        let all: Vec<(u64, u64)> = found.iter().flat_map(cells).collect();
        let model: Vec<(u64, u64)> = plan.model().into_iter().collect();
        prop_assert_eq!(&all, &model);
        if let Some(single) = single {
            prop_assert_eq!(&found, &[single]);
            prop_assert_eq!(stride, 1);
        }
        if let (Some((first, _)), Some((last, _))) = (model.first(), model.last()) {
            prop_assert_eq!(bounds, (*first, last + 1));
        }
    }

    #[test]
    fn cells_are_filled_and_numbered_where_they_would_be_copied_to(plan in plan(), size in 1_usize..10) {
        let mut pass = Pass::default();
        plan.follow(&mut pass);
        let value = bytes(size as u64 + 3)[3..].to_vec();
        let cells = index(plan.result_cells());
        let (mut filled, mut model) = (vec![UNTOUCHED; cells * size], vec![UNTOUCHED; cells * size]);
        let (mut numbered, mut numbers) = (vec![u64::MAX; cells], vec![u64::MAX; cells]);
        let (mut marked, mut marks) = (vec![u64::MAX; cells], vec![u64::MAX; cells]);
        for (source, dest) in plan.model() {
            let dest = index(dest);
            model[dest * size..][..size].copy_from_slice(&value);
            numbers[dest] = 1000 + source;
            marks[dest] = 77;
        }
        fill(&mut pass, &value, &mut filled).unwrap();
        number(&mut pass, 1000, &mut numbered).unwrap();
        fill_numbers(&mut pass, 77, &mut marked).unwrap();
        prop_assert_eq!(filled, model);
        prop_assert_eq!(numbered, numbers);
        prop_assert_eq!(marked, marks);
    }
}

/// The two middle columns of a tile of three rows; each cell goes two places after the one above it.
fn spread() -> Pass {
    let mut pass = Pass::default();
    pass.begin();
    let rows = AxisSegment {
        source: 0,
        len: 3,
        dest: 1,
    };
    let columns = AxisSegment {
        source: 1,
        len: 2,
        dest: 0,
    };
    pass.push(4, 2, [rows].into_iter());
    pass.push(1, 6, [columns].into_iter());
    pass
}

#[test]
fn a_whole_tile_is_a_single_run() {
    let mut pass = Pass::default();
    for lens in [&[6][..], &[2, 3], &[4, 1, 5]] {
        let plan = Plan {
            axes: lens.iter().map(|len| whole(*len)).collect(),
            tile_order: Order::ColumnMajor,
            result_order: Order::ColumnMajor,
        };
        plan.follow(&mut pass);
        let len = lens.iter().product();
        let all = PassRun {
            source: 0,
            len,
            dest: 0,
        };
        assert_eq!(pass.single(), Some(all));
    }
}

#[test]
fn what_does_not_hold_together_is_told() {
    let told = |shown: &[(u64, usize)], room: usize| {
        let (mut pass, mut out) = (spread(), vec![0; room]);
        let mut scatter = Scatter::new(&mut pass, 2, &mut out).unwrap();
        for &(first, len) in shown {
            scatter.take(first, &bytes(len as u64));
        }
        scatter.finish().err().map(|bug| bug.what)
    };
    // Cells 1 and 2, 5 and 6, 9 and 10 of the tile; the last goes to place 12.
    assert_eq!(told(&[(0, 24)], 26), None);
    assert_eq!(told(&[(0, 22)], 26), None);
    let early = Some("a tile ended before the cells that are wanted of it");
    assert_eq!(told(&[(0, 21)], 26), early);
    assert_eq!(told(&[], 26), early);
    let late = Some("a piece of a tile came before those in front of it");
    assert_eq!(told(&[(3, 21)], 26), late);
    assert_eq!(told(&[(0, 4), (5, 19)], 26), late);
    let beyond = Some("cells outside of the part of a result that they belong to");
    assert_eq!(told(&[(0, 24)], 25), beyond);
    assert_eq!(told(&[(0, 24)], 3), beyond);
    assert_eq!(Some(outside().what), beyond);
}

#[test]
fn nothing_is_filled_outside_of_the_result() {
    let cells = 13;
    let values = |room: usize| fill(&mut spread(), &[1, 2, 3], &mut vec![0; room]);
    assert!(values(cells * 3).is_ok() && values(cells * 3 - 1).is_err());
    let numbers = |room: usize| number(&mut spread(), 0, &mut vec![0; room]);
    assert!(numbers(cells).is_ok() && numbers(cells - 1).is_err());
    let same = |room: usize| fill_numbers(&mut spread(), 0, &mut vec![0; room]);
    assert!(same(cells).is_ok() && same(cells - 1).is_err());
    assert_eq!(index_of(13).unwrap(), cells);
}

#[test]
fn a_value_of_any_size_is_repeated() {
    for size in 0..20_usize {
        let value = bytes(size as u64);
        for count in [0, 1, 2, 7] {
            let mut out = vec![UNTOUCHED; size * count];
            repeat(&value, &mut out);
            assert_eq!(out, value.repeat(count));
        }
    }
    let mut untouched = [UNTOUCHED; 3];
    repeat(&[], &mut untouched);
    assert_eq!(untouched, [UNTOUCHED; 3]);
}
