//! Boxes of a dense array, read from tiles block by block, compared with picking each cell.

use proptest::prelude::*;
use tdb_cells::dense::{Block, Runs, Share, TileSet, slow_to_fast};
use tdb_schema::grid::SpaceTileGrid;
use tdb_schema::{ArraySchema, ArrayType, CellOrder, Dimension, Order};
use tdb_tile::Datatype;

use super::Walk;
use crate::dense::coordinates::fill_coordinates;
use crate::dense::tile_shape::TileShape;
use crate::dense::visits::{BlockTiles, Visits};
use crate::scatter::{Pass, Scatter};
use crate::test_support::{cases, cells_of, order};

/// Start of the domain along each dimension.
const START: i16 = -4;

/// A dense array: number of cells and tile extent along each dimension, and its orders.
#[derive(Clone, Debug)]
struct Array {
    lens: Vec<u64>,
    extents: Vec<u64>,
    tile_order: Order,
    cell_order: Order,
}

/// One dimension: number of cells, tile extent, and requested ranges of cells.
type Axis = (u64, u64, Vec<(u64, u64)>);

fn axis() -> impl Strategy<Value = Axis> {
    (1_u64..9, 1_u64..5).prop_flat_map(|(len, extent)| {
        let ends = (0..len, 0..len).prop_map(|(a, b)| (a.min(b), a.max(b)));
        (Just(len), Just(extent), prop::collection::vec(ends, 1..3))
    })
}

/// An array, and the requested cells along each dimension.
fn array() -> impl Strategy<Value = (Array, Vec<Vec<u64>>)> {
    let axes = prop::collection::vec(axis(), 1..4);
    (axes, order(), order()).prop_map(|(axes, tile_order, cell_order)| {
        let array = Array {
            lens: axes.iter().map(|axis| axis.0).collect(),
            extents: axes.iter().map(|axis| axis.1).collect(),
            tile_order,
            cell_order,
        };
        let asked = |axis: Axis| axis.2.into_iter().flat_map(|(a, b)| a..=b).collect();
        (array, axes.into_iter().map(asked).collect())
    })
}

impl Array {
    fn grid(&self) -> SpaceTileGrid {
        let dimension = |(len, extent): (&u64, &u64)| {
            let last = START + i16::try_from(*len).unwrap() - 1;
            let extent = i16::try_from(*extent).unwrap();
            Dimension::numbers("x", Datatype::Int16, (START, last), extent)
        };
        let dimensions = self.lens.iter().zip(&self.extents).map(dimension);
        let mut schema = ArraySchema::new(ArrayType::Dense, dimensions.collect(), vec![]);
        schema.tile_order = self.tile_order;
        if self.cell_order == Order::ColumnMajor {
            schema.cell_order = CellOrder::ColumnMajor;
        }
        SpaceTileGrid::new(&schema).unwrap()
    }

    /// The stored bytes of a tile: each cell, also beyond the domain, contains its own number in three bytes.
    fn tile(&self, tile: &[u64]) -> Vec<u8> {
        let cells = cells_of(&self.extents, self.cell_order).into_iter();
        let starts = tile
            .iter()
            .zip(&self.extents)
            .map(|(tile, extent)| tile * extent);
        let starts: Vec<u64> = starts.collect();
        let number = |cell: Vec<u64>| {
            let cell: Vec<u64> = cell.iter().zip(&starts).map(|(a, b)| a + b).collect();
            number_of(&cell)
        };
        cells.flat_map(number).collect()
    }
}

/// The value of a cell: its position along each dimension.
fn number_of(cell: &[u64]) -> [u8; 3] {
    let mut number = [0; 3];
    for (place, at) in number.iter_mut().zip(cell) {
        *place = u8::try_from(*at).unwrap();
    }
    number
}

fn runs_of(asked: &[Vec<u64>]) -> Vec<Runs> {
    let runs = |cells: &Vec<u64>| Runs::new(cells.iter().map(|cell| (*cell, *cell)));
    asked.iter().map(|cells| runs(cells).unwrap()).collect()
}

/// The cells of a block, in its order.
fn cells_of_block(block: &Block, asked: &[Vec<u64>]) -> Vec<Vec<u64>> {
    let starts: Vec<u64> = block.positions.iter().map(|range| range.start).collect();
    let shape: Vec<u64> = block
        .positions
        .iter()
        .map(|range| range.end - range.start)
        .collect();
    let cell = |at: Vec<u64>| {
        let along = at.iter().zip(&starts).zip(asked);
        let along = along.map(|((at, start), asked)| asked[usize::try_from(at + start).unwrap()]);
        along.collect()
    };
    cells_of(&shape, block.order)
        .into_iter()
        .map(cell)
        .collect()
}

/// Plans the copy of a tile's cells into a block.
fn follow(shape: &TileShape, block: &BlockTiles, visits: &Visits<'_>, pass: &mut Pass) {
    pass.begin();
    for dimension in slow_to_fast(shape.strides.len(), shape.grid.cell_order()) {
        let segments = visits.segments(dimension).iter().copied();
        pass.push(
            shape.strides[dimension],
            block.strides()[dimension],
            segments,
        );
    }
}

/// Reads a block from the tiles of an array; also returns the tiles in the order of the visits.
fn read(array: &Array, runs: &[Runs], block: &Block) -> (Vec<u8>, Vec<Vec<u64>>) {
    let shape = TileShape::new(array.grid()).unwrap();
    let tiles = BlockTiles::new(shape.grid.axes(), array.tile_order, runs, block);
    let mut out = vec![0xee; usize::try_from(tiles.rows()).unwrap() * 3];
    let (mut visits, mut pass, mut visited) = (tiles.visits(), Pass::default(), Vec::new());
    while visits.advance() {
        follow(&shape, &tiles, &visits, &mut pass);
        let stored = array.tile(visits.tile());
        assert_eq!(stored.len() as u64, shape.cells * 3);
        let mut scatter = Scatter::new(&mut pass, 3, &mut out).unwrap();
        scatter.take(0, &stored);
        scatter.finish().unwrap();
        visited.push(visits.tile().to_vec());
    }
    (out, visited)
}

/// Consecutive blocks of a walk.
fn blocks(walk: &mut Walk, array: &Array, runs: &[Runs], share: Share) -> Vec<Block> {
    let (grid, mut all) = (array.grid(), Vec::new());
    loop {
        let blocks = walk.next(&grid, runs, share);
        if blocks.is_empty() {
            return all;
        }
        assert!(blocks.iter().all(|block| block.rows() <= share.most));
        let rows: u64 = blocks.iter().map(Block::rows).sum();
        assert!(blocks.len() == 1 || rows <= share.aim);
        all.extend(blocks);
    }
}

proptest! {
    #![proptest_config(cases(150))]

    #[test]
    fn blocks_of_a_result_are_read_out_of_tiles(
        (array, asked) in array(), result_order in order(), aim in 1_u64..60, more in 0_u64..60,
    ) {
        let (runs, share) = (runs_of(&asked), Share { aim, most: aim + more });
        let positions = asked.iter().map(|cells| 0..cells.len() as u64).collect();
        let all = Block { positions, order: result_order };
        let model: Vec<u8> = cells_of_block(&all, &asked).iter().flat_map(|cell| number_of(cell)).collect();
        let mut found = Vec::new();
        for block in blocks(&mut Walk::cells(&runs, result_order), &array, &runs, share) {
            let (cells, visited) = read(&array, &runs, &block);
            // If each cell is requested once, each tile is visited once, in tile order.
            let is_before = |a: &Vec<u64>, b: &Vec<u64>| match array.tile_order {
                Order::RowMajor => a < b,
                Order::ColumnMajor => a.iter().rev().lt(b.iter().rev()),
            };
            let are_in_order = visited.windows(2).all(|pair| is_before(&pair[0], &pair[1]));
            prop_assert!(are_in_order || !runs.iter().all(Runs::is_ascending));
            found.extend(cells);
        }
        prop_assert_eq!(found, model);
    }

    #[test]
    fn coordinates_of_a_block_are_those_of_its_cells(
        (array, asked) in array(), result_order in order(), aim in 1_u64..60,
    ) {
        let (runs, grid) = (runs_of(&asked), array.grid());
        let share = Share { aim, most: aim };
        for block in blocks(&mut Walk::cells(&runs, result_order), &array, &runs, share) {
            let cells = cells_of_block(&block, &asked);
            let tiles = BlockTiles::new(grid.axes(), array.tile_order, &runs, &block);
            prop_assert_eq!((tiles.rows(), tiles.result_order()), (cells.len() as u64, result_order));
            let bounds = tiles.bounds().unwrap();
            for (dimension, axis) in grid.axes().iter().enumerate() {
                let along: Vec<u64> = cells.iter().map(|cell| cell[dimension]).collect();
                let ends = (along.iter().min(), along.iter().max());
                prop_assert_eq!(ends, (Some(&bounds.lo[dimension]), Some(&bounds.hi[dimension])));
                let value = |cell: &u64| (START + i16::try_from(*cell).unwrap()).to_le_bytes();
                let model: Vec<u8> = along.iter().flat_map(value).collect();
                let mut out = vec![0xee; model.len()];
                fill_coordinates(axis, &runs[dimension], &block, dimension, &mut out).unwrap();
                prop_assert_eq!(out, model);
            }
        }
    }

    #[test]
    fn a_walk_over_tiles_gives_the_cells_tile_by_tile(
        (array, mut asked) in array(),
        aim in 1_u64..60,
        more in 0_u64..60,
        left_out in prop::collection::vec(0_u64..20, 0..4),
        stop in prop_oneof![Just(u64::MAX), 0_u64..12],
    ) {
        for cells in &mut asked {
            cells.sort_unstable();
            cells.dedup();
        }
        let (runs, share) = (runs_of(&asked), Share { aim, most: aim + more });
        let Some(Walk::Tiles(mut tiles)) = Walk::tiles(&array.grid(), &runs) else {
            panic!("cells that ascend");
        };
        prop_assert_eq!((tiles.next_tile(), tiles.leaves_out()), (Some(0), false));
        tiles.leave_out(TileSet::of(left_out.clone()));
        tiles.stop_at(stop);
        prop_assert_eq!(tiles.leaves_out(), !left_out.is_empty());
        let found = blocks(&mut Walk::Tiles(tiles), &array, &runs, share);
        let found: Vec<Vec<u64>> = found.iter().flat_map(|block| cells_of_block(block, &asked)).collect();
        prop_assert_eq!(found, tile_by_tile(&array, &asked, |tile| tile < stop && !left_out.contains(&tile)));
    }
}

/// The requested cells, tile by tile, of those tiles whose number among the tiles around all cells is taken.
fn tile_by_tile(
    array: &Array,
    asked: &[Vec<u64>],
    is_taken: impl Fn(u64) -> bool,
) -> Vec<Vec<u64>> {
    let along = asked.iter().zip(&array.extents);
    let ends = along.map(|(cells, extent)| (cells[0] / extent, cells[cells.len() - 1] / extent));
    let (first, last): (Vec<u64>, Vec<u64>) = ends.unzip();
    let counts: Vec<u64> = first.iter().zip(&last).map(|(a, b)| b - a + 1).collect();
    let mut all = Vec::new();
    for (_, tile) in (0..)
        .zip(cells_of(&counts, array.tile_order))
        .filter(|(n, _)| is_taken(*n))
    {
        for within in cells_of(&array.extents, array.cell_order) {
            let at = |d: usize| (first[d] + tile[d]) * array.extents[d] + within[d];
            let cell: Vec<u64> = (0..tile.len()).map(at).collect();
            if cell.iter().zip(asked).all(|(at, asked)| asked.contains(at)) {
                all.push(cell);
            }
        }
    }
    all
}

/// An array of two by three tiles, of which those of the last column are partial.
fn small() -> (Array, Vec<Vec<u64>>) {
    let array = Array {
        lens: vec![4, 7],
        extents: vec![2, 3],
        tile_order: Order::RowMajor,
        cell_order: Order::RowMajor,
    };
    (array, vec![(0..4).collect(), (0..7).collect()])
}

#[test]
fn only_cells_that_ascend_are_walked_over_by_tiles() {
    let (array, mut asked) = small();
    asked[1] = vec![3, 2];
    assert!(Walk::tiles(&array.grid(), &runs_of(&asked)).is_none());
    asked[1] = vec![];
    let runs = runs_of(&asked);
    let mut walk = Walk::tiles(&array.grid(), &runs).unwrap();
    let share = Share { aim: 9, most: 9 };
    assert!(blocks(&mut walk, &array, &runs, share).is_empty());
    let nothing = Block {
        positions: vec![0..4, 0..0],
        order: Order::RowMajor,
    };
    let tiles = BlockTiles::new(array.grid().axes(), array.tile_order, &runs, &nothing);
    assert_eq!((tiles.rows(), tiles.bounds()), (0, None));
    assert!(!tiles.visits().advance());
}

#[test]
fn a_walk_over_tiles_goes_on_where_it_is_told_to() {
    let (array, asked) = small();
    let (grid, runs) = (array.grid(), runs_of(&asked));
    let Some(Walk::Tiles(mut tiles)) = Walk::tiles(&grid, &runs) else {
        panic!("cells that ascend");
    };
    assert_eq!(
        (tiles.tiles().first(), tiles.tiles().last()),
        (&[0, 0][..], &[1, 2][..])
    );
    tiles.go_on_at(4);
    let mut walk = Walk::Tiles(tiles);
    // A tile of six cells is too large for a block of four.
    let pieces = walk.next(&grid, &runs, Share { aim: 4, most: 4 });
    assert_eq!(
        pieces
            .iter()
            .map(|block| block.positions.clone())
            .collect::<Vec<_>>(),
        [[2..3, 3..6]]
    );
    let Walk::Tiles(tiles) = &walk else {
        panic!("a walk over tiles");
    };
    assert_eq!(tiles.next_tile(), None);
    let rest = walk.next(&grid, &runs, Share { aim: 9, most: 9 });
    assert_eq!(rest[0].positions, [3..4, 3..6]);
    let last = walk.next(&grid, &runs, Share { aim: 9, most: 9 });
    assert_eq!(last[0].positions, [2..4, 6..7]);
    assert!(
        walk.next(&grid, &runs, Share { aim: 9, most: 9 })
            .is_empty()
    );
}
