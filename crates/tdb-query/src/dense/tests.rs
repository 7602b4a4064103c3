//! Compares planning and painting with a naive reading of the same cells, without files.

use proptest::prelude::*;
use proptest::sample::Index;
use tdb_cells::dense::{Block, Runs, Share, borders, chunk_borders, slow_to_fast};
use tdb_fragment::{FragmentIndex, TileNumber};
use tdb_schema::grid::{CellBox, SpaceTileGrid};
use tdb_schema::{ArraySchema, ArrayType, Attribute, CellOrder, Dimension, Order};
use tdb_tile::Datatype;

use super::coordinates::fill_coordinates;
use super::layers::{Layer, LayerIndex, LayerSource};
use super::paint::{Brush, PlacedCell, paint};
use super::tile_shape::TileShape;
use super::visits::BlockTiles;
use super::walk::Walk;
use crate::QueryError;
use crate::scatter::{Pass, Scatter, fill, fill_numbers, number};

const FILL: u32 = 0xffff_ffff;
/// Value of the cells of a stored tile that the fragment did not write; must never be seen.
const PADDING: u32 = 0xdead_beef;

/// An array, the fragments written to it, and a request.
#[derive(Debug, Clone)]
struct Case {
    grid: SpaceTileGrid,
    /// Fragments, oldest first: the box, and whether the fragment has the field.
    fragments: Vec<(CellBox, bool)>,
    ranges: Vec<Vec<(u64, u64)>>,
    order: Option<Order>,
    aim: u64,
    extra: u64,
    pieces: u64,
    /// Number of cells along a dimension of a tile that form a chunk.
    chunk: u64,
    /// Number of bytes per piece of a tile.
    piece: usize,
}

fn grid(shape: &[(u64, u64)], tile_order: Order, cell_order: CellOrder) -> SpaceTileGrid {
    let dimension = |&(cells, extent): &(u64, u64)| {
        let (cells, extent) = (
            i32::try_from(cells).unwrap(),
            i32::try_from(extent).unwrap(),
        );
        Dimension::numbers("d", Datatype::Int32, (-3, cells - 4), extent)
    };
    let dimensions = shape.iter().map(dimension).collect();
    let mut schema = ArraySchema::new(
        ArrayType::Dense,
        dimensions,
        vec![Attribute::new("a", Datatype::UInt32)],
    );
    schema.tile_order = tile_order;
    schema.cell_order = cell_order;
    SpaceTileGrid::new(&schema).unwrap()
}

fn pair(cells: u64) -> impl Strategy<Value = (u64, u64)> + Clone {
    (0..cells, 0..cells).prop_map(|(a, b)| (a.min(b), a.max(b)))
}

fn cases() -> impl Strategy<Value = Case> {
    let shape = prop::collection::vec((1_u64..9, any::<Index>()), 1..4);
    shape.prop_flat_map(|shape| {
        let shape: Vec<(u64, u64)> = shape
            .into_iter()
            .map(|(cells, extent)| {
                (
                    cells,
                    extent.index(usize::try_from(cells).unwrap()) as u64 + 1,
                )
            })
            .collect();
        let boxes = shape
            .iter()
            .map(|&(cells, _)| pair(cells))
            .collect::<Vec<_>>();
        let to_box = |ends: Vec<(u64, u64)>| -> CellBox {
            let (lo, hi) = ends.into_iter().unzip();
            CellBox { lo, hi }
        };
        let fragments = prop::collection::vec(
            (boxes.clone().prop_map(to_box), prop::bool::weighted(0.8)),
            0..6,
        );
        let many = boxes
            .iter()
            .map(|range| prop::collection::vec(range.clone(), 0..4))
            .collect::<Vec<_>>();
        let one = boxes
            .iter()
            .map(|range| prop::collection::vec(range.clone(), 1))
            .collect::<Vec<_>>();
        let orders = [Order::RowMajor, Order::ColumnMajor];
        let asked = prop_oneof![
            (many, prop::sample::select(orders.map(Some).to_vec())),
            (one, Just(None)),
        ];
        let cell_orders = vec![CellOrder::RowMajor, CellOrder::ColumnMajor];
        let orders = (
            prop::sample::select(orders.to_vec()),
            prop::sample::select(cell_orders),
        );
        (
            Just(shape),
            fragments,
            asked,
            orders,
            (1_u64..200, 0_u64..200, 1_u64..4, 1_u64..4, 1_usize..70),
        )
            .prop_map(
                |(
                    shape,
                    fragments,
                    (ranges, order),
                    (tile_order, cell_order),
                    (aim, extra, pieces, chunk, piece),
                )| Case {
                    grid: grid(&shape, tile_order, cell_order),
                    fragments,
                    ranges,
                    order,
                    aim,
                    extra,
                    pieces,
                    chunk,
                    piece,
                },
            )
    })
}

/// Returns the value that a fragment wrote to a cell.
fn written(fragment: usize, cell: &[u64]) -> u32 {
    let place = cell
        .iter()
        .fold(0, |place, &c| place * 10 + u32::try_from(c).unwrap());
    u32::try_from(fragment).unwrap() * 10_000 + place
}

/// Returns all combinations, the last dimension of `order` varying fastest.
fn product(along: &[Vec<u64>], order: Order) -> Vec<Vec<u64>> {
    let n = along.len();
    let mut out = vec![vec![0; n]];
    for dimension in slow_to_fast(n, order) {
        let with = |cell: &Vec<u64>, value: u64| {
            let mut cell = cell.clone();
            cell[dimension] = value;
            cell
        };
        out = out
            .iter()
            .flat_map(|cell| along[dimension].iter().map(|&value| with(cell, value)))
            .collect();
    }
    out
}

/// Returns the cells of the result, one by one, in order.
fn cells_asked(case: &Case) -> Vec<Vec<u64>> {
    let along = |ranges: &Vec<(u64, u64)>| {
        ranges
            .iter()
            .flat_map(|&(lo, hi)| lo..=hi)
            .collect::<Vec<_>>()
    };
    let along: Vec<Vec<u64>> = case.ranges.iter().map(along).collect();
    if let Some(order) = case.order {
        return product(&along, order);
    }
    let mut cells = product(&along, case.grid.cell_order());
    let tile = |cell: &Vec<u64>| -> Vec<u64> {
        let numbers = case
            .grid
            .axes()
            .iter()
            .zip(cell)
            .map(|(axis, &c)| axis.tile_of(c))
            .collect::<Vec<_>>();
        slow_to_fast(numbers.len(), case.grid.tile_order())
            .map(|d| numbers[d])
            .collect()
    };
    cells.sort_by_key(tile);
    cells
}

/// Returns the expected value of a cell, by the rule of `visible`.
fn value(case: &Case, cell: &[u64]) -> u32 {
    let tile: Vec<u64> = case
        .grid
        .axes()
        .iter()
        .zip(cell)
        .map(|(axis, &c)| axis.tile_of(c))
        .collect();
    let tile = case.grid.tile_cells(&tile);
    let within = |cells: &CellBox| cells.intersection(&tile);
    for (number, (cells, has)) in case.fragments.iter().enumerate().rev() {
        let hidden = case.fragments[number + 1..].iter().any(|(newer, _)| {
            within(newer)
                .is_some_and(|newer| within(cells).is_some_and(|cells| newer.covers(&cells)))
        });
        if *has && !hidden && cells.contains(cell) {
            return written(number, cell);
        }
    }
    FILL
}

/// Brush over made-up tiles of the fragments.
struct TestBrush<'a> {
    case: &'a Case,
    shape: &'a TileShape,
    out: &'a mut [u8],
    numbers: &'a mut [u64],
    /// Values by number.
    values: &'a mut Vec<u32>,
}

impl TestBrush<'_> {
    fn fragment(&self, layer: LayerIndex) -> usize {
        self.case.fragments.len() - 1 - layer.get()
    }
}

impl Brush for TestBrush<'_> {
    fn has(&self, layer: LayerIndex) -> bool {
        self.case.fragments[self.fragment(layer)].1
    }

    fn fill(&mut self, pass: &mut Pass) -> Result<(), QueryError> {
        fill(pass, &FILL.to_le_bytes(), self.out)?;
        Ok(fill_numbers(pass, 0, self.numbers)?)
    }

    fn copy(
        &mut self,
        layer: LayerIndex,
        tile: TileNumber,
        pass: &mut Pass,
    ) -> Result<(), QueryError> {
        let number_of = self.fragment(layer);
        let cells = &self.case.fragments[number_of].0;
        let grid = &self.shape.grid;
        let coordinates = grid.tiles_of(cells).tile(tile.get()).unwrap();
        let along: Vec<Vec<u64>> = grid
            .axes()
            .iter()
            .zip(&coordinates)
            .map(|(axis, &tile)| {
                let start = axis.cells_of_tile(tile).0;
                (start..start + u64::try_from(axis.extent()).unwrap()).collect()
            })
            .collect();
        let all = product(&along, grid.cell_order());
        let values: Vec<u32> = all
            .iter()
            .map(|cell| {
                if cells.contains(cell) {
                    written(number_of, cell)
                } else {
                    PADDING
                }
            })
            .collect();
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        assert_eq!(values.len() as u64, self.shape.cells);
        number(pass, self.values.len() as u64, self.numbers)?;
        self.values.extend(values);
        let mut scatter = Scatter::new(pass, 4, self.out)?;
        let wanted = scatter.wanted();
        let (mut first, mut next) = (0, wanted.start);
        for piece in bytes.chunks(self.case.piece) {
            // Like a reader of tiles: pieces that are not needed are skipped.
            if first + piece.len() as u64 > next && first < wanted.end {
                next = scatter.take(first, piece);
            }
            first += piece.len() as u64;
        }
        Ok(scatter.finish()?)
    }

    fn place(&mut self, _: LayerIndex, _: &[PlacedCell]) -> Result<(), QueryError> {
        unreachable!("no fragment here is sparse")
    }
}

fn read(case: &Case) -> (Vec<u32>, Vec<u32>, Vec<Vec<u64>>) {
    let shape = TileShape::new(case.grid.clone()).unwrap();
    let runs: Vec<Runs> = case
        .ranges
        .iter()
        .map(|ranges| Runs::new(ranges.iter().copied()).unwrap())
        .collect();
    let fragments: Vec<Layer> = case
        .fragments
        .iter()
        .enumerate()
        .rev()
        .map(|(index, (cells, _))| Layer {
            index: FragmentIndex::new(index),
            cells: cells.clone(),
            stored: LayerSource::Tiles(case.grid.tiles_of(cells)),
            ruled_out: std::sync::Arc::default(),
        })
        .collect();
    let mut walk = match case.order {
        Some(order) => Walk::cells(&runs, order),
        None => Walk::tiles(&case.grid, &runs).unwrap(),
    };
    let (mut found, mut numbered, mut coordinates) = (Vec::new(), Vec::new(), Vec::new());
    let share = Share {
        aim: case.aim,
        most: case.aim + case.extra,
    };
    loop {
        let blocks = walk.next(&case.grid, &runs, share);
        if blocks.is_empty() {
            return (found, numbered, coordinates);
        }
        assert!(blocks.iter().map(Block::rows).sum::<u64>() <= share.most);
        for block in blocks {
            let tiles = |d, p| borders(&case.grid, &runs, d, p);
            let chunks = |d, p| chunk_borders(&case.grid, &runs, d, p, case.chunk);
            let bands = block.split(case.pieces, &tiles, Some(&chunks));
            for block in bands {
                let tiles =
                    BlockTiles::new(case.grid.axes(), case.grid.tile_order(), &runs, &block);
                let rows = usize::try_from(block.rows()).unwrap();
                let mut out = vec![0xee; rows * 4];
                let (mut numbers, mut values) = (vec![9999; rows], vec![FILL]);
                let mut brush = TestBrush {
                    case,
                    shape: &shape,
                    out: &mut out,
                    numbers: &mut numbers,
                    values: &mut values,
                };
                paint(&shape, &fragments, &tiles, &mut brush).unwrap();
                found.extend(
                    out.chunks(4)
                        .map(|cell| u32::from_le_bytes(cell.try_into().unwrap())),
                );
                numbered.extend(numbers.iter().map(|&n| values[usize::try_from(n).unwrap()]));
                coordinates.extend(coordinates_of(case, &runs, &block, rows));
            }
        }
    }
}

fn coordinates_of(case: &Case, runs: &[Runs], block: &Block, rows: usize) -> Vec<Vec<u64>> {
    let mut cells = vec![Vec::new(); rows];
    for (dimension, axis) in case.grid.axes().iter().enumerate() {
        let mut out = vec![0xee; rows * 4];
        fill_coordinates(axis, &runs[dimension], block, dimension, &mut out).unwrap();
        for (cell, value) in cells.iter_mut().zip(out.chunks(4)) {
            cell.push(axis.cell(value).unwrap());
        }
    }
    cells
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]
    #[test]
    fn a_result_is_what_a_naive_reading_gives(case in cases()) {
        let cells = cells_asked(&case);
        let expected: Vec<u32> = cells.iter().map(|cell| value(&case, cell)).collect();
        let (found, numbered, coordinates) = read(&case);
        prop_assert_eq!(&coordinates, &cells);
        prop_assert_eq!(&found, &expected);
        prop_assert_eq!(&numbered, &expected);
    }
}
