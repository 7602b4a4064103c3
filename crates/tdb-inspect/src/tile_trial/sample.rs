//! The cells on which tile layouts are tried.

use tdb_cells::Batch;
use tdb_open::{Array, Result};
use tdb_query::{ReadOptions, ResultOrder};
use tdb_schema::Dimension;
use tdb_schema::grid::{CellBox, GridAxis, SpaceTileGrid};
use tdb_tile::{Bug, Exact, Range};

use crate::batches::batches;

/// Positions of the boxes to read, in quarters of the way along each dimension.
const PLACES: [u64; 3] = [1, 2, 3];

/// A tile may be this many times larger than the sample may be; beyond that, most of what is written would not be
/// cells of the array.
const LARGE: u128 = 4;

/// Named ranges of all dimensions.
pub(super) type Ranges = Vec<(String, Range)>;

/// Some cells of an array.
pub(super) struct Sample {
    pub(super) batches: Vec<Batch>,
    pub(super) cells: u64,
    pub(super) bytes: u64,
    /// Dense arrays: the box of the sample; otherwise empty.
    pub(super) ranges: Ranges,
    /// Dense arrays: the sides of that box.
    pub(super) shape: Vec<u64>,
    /// Boxes with about a hundredth of the cells each.
    pub(super) boxes: Vec<Ranges>,
}

impl Sample {
    /// Reads approximately `most` bytes of cells; `None` if there are none, or if tiles are too large.
    pub(super) fn of(array: &Array, most: u64) -> Result<Option<Self>> {
        if array.schema().is_dense() {
            return Self::of_dense(array, most);
        }
        let options = ReadOptions::default()
            .order(Some(ResultOrder::Global))
            .enumeration_codes(true)
            .batch_bytes(Some(most.min(1 << 20)));
        let (batches, bytes) = taken(batches(array, &options)?, most)?;
        let boxes = sparse_boxes(&array.schema().dimensions, &batches);
        Ok(boxes.map(|boxes| Self {
            cells: batches.iter().map(|batch| batch.rows as u64).sum(),
            bytes,
            boxes,
            batches,
            ranges: Vec::new(),
            shape: Vec::new(),
        }))
    }

    fn of_dense(array: &Array, most: u64) -> Result<Option<Self>> {
        let schema = array.schema();
        let grid = SpaceTileGrid::new(schema)
            .ok_or_else(|| Bug::new("a dense array without a grid of tiles"))?;
        let written = array.engine().non_empty_domain();
        let Some(written) = written.and_then(|written| grid.clipped_box(&written)) else {
            return Ok(None);
        };
        let cells = (most / schema.row_bytes()).max(1);
        let Some(cells) = whole_tiles(&grid, &written, cells)? else {
            return Ok(None);
        };
        let named = |cells: &CellBox| -> Result<Ranges> {
            let ranges = grid
                .ranges(cells)
                .ok_or_else(|| Bug::new("tiles of a domain outside of it"))?;
            let names = schema.dimensions.iter().map(|d| d.name.clone());
            Ok(names.zip(ranges).collect())
        };
        let shape = cells
            .shape()
            .ok_or_else(|| Bug::new("a box that ends before it begins"))?;
        let ranges = named(&cells)?;
        let boxes = PLACES
            .map(|place| named(&within(&cells, &shape, place)?))
            .into_iter()
            .collect::<Result<Vec<Ranges>>>()?;
        let options = ReadOptions::default()
            .ranges(ranges.clone())
            .dimensions(Some(Vec::new()))
            .order(Some(ResultOrder::RowMajor))
            .enumeration_codes(true);
        let (batches, bytes) = taken(batches(array, &options)?, u64::MAX)?;
        Ok(Some(Self {
            cells: batches.iter().map(|batch| batch.rows as u64).sum(),
            bytes,
            boxes,
            batches,
            ranges,
            shape,
        }))
    }
}

/// Collects batches up to approximately `most` bytes; returns them and their bytes.
fn taken(batches: impl Iterator<Item = Result<Batch>>, most: u64) -> Result<(Vec<Batch>, u64)> {
    let (mut taken, mut bytes) = (Vec::new(), 0_u64);
    for batch in batches {
        let batch = batch?;
        for column in &batch.columns {
            bytes = bytes.exact_add(column.values.len() as u64)?;
        }
        taken.push(batch);
        if bytes >= most {
            break;
        }
    }
    Ok((taken, bytes))
}

/// Returns the number by which each side of a box is divided so that the result has about a hundredth of the cells.
fn divisor(dimensions: usize) -> u64 {
    match dimensions {
        0 | 1 => 100,
        2 => 10,
        3 => 5,
        4 => 3,
        _ => 2,
    }
}

/// Returns a box of whole tiles with about `cells` cells, from the start of the written cells on. Where possible it
/// has pairs of tiles along each dimension, so that tiles twice as large are whole, too. `None` if a tile is too large.
fn whole_tiles(
    grid: &SpaceTileGrid,
    written: &CellBox,
    cells: u64,
) -> Result<Option<CellBox>, Bug> {
    let tiles = grid.tiles_of(written);
    // A dimension may have 2^64 tiles or cells, one more than 64 bits can count, so these numbers have 128 bits.
    let extents: Vec<u128> = grid.axes().iter().map(GridAxis::extent).collect();
    let even = |tile: &u64| u128::from(tile & !1);
    let first: Vec<u128> = tiles.first().iter().map(even).collect();
    let ends = tiles.last().iter().zip(&first);
    let mut counts: Vec<u128> = ends
        .map(|(last, first)| u128::from(*last) + 1 - first)
        .collect();
    let is_more = |counts: &[u128], most: u128| {
        let sides = counts.iter().zip(&extents);
        let mut factors = sides.flat_map(|(count, extent)| [*count, *extent]);
        let cells = factors.try_fold(1, u128::checked_mul);
        cells.is_none_or(|cells| cells > most)
    };
    let cells = u128::from(cells);
    while is_more(&counts, cells) {
        let Some(longest) = counts.iter_mut().max().filter(|longest| **longest > 1) else {
            break;
        };
        *longest = if *longest < 4 { 1 } else { *longest / 4 * 2 };
    }
    if is_more(&counts, cells * LARGE) {
        return Ok(None);
    }
    let outside = |_| Bug::new("a written tile outside of the domain");
    let (mut lo, mut hi) = (Vec::new(), Vec::new());
    for ((tile, count), axis) in first.iter().zip(&counts).zip(grid.axes()) {
        let start = tile * axis.extent();
        let end = (start + count * axis.extent() - 1).min(axis.last_cell().into());
        lo.push(u64::try_from(start).map_err(outside)?);
        hi.push(u64::try_from(end).map_err(outside)?);
    }
    Ok(Some(CellBox { lo, hi }))
}

/// Returns a box with about a hundredth of the cells of another; `place` is its position, in quarters.
fn within(cells: &CellBox, shape: &[u64], place: u64) -> Result<CellBox, Bug> {
    let by = divisor(shape.len());
    let sides: Vec<u64> = shape.iter().map(|side| (side / by).max(1)).collect();
    let starts = cells.lo.iter().zip(shape).zip(&sides);
    let lo = starts
        .map(|((lo, whole), side)| {
            let free = whole.exact_sub(*side)?;
            lo.exact_add(free / 4 * place)
        })
        .collect::<Result<Vec<u64>, Bug>>()?;
    let hi = lo
        .iter()
        .zip(&sides)
        .map(|(lo, side)| lo.exact_add(side.exact_sub(1)?))
        .collect::<Result<_, Bug>>()?;
    Ok(CellBox { lo, hi })
}

/// Returns boxes that would each contain a hundredth of the cells if these were evenly distributed; `None` if there
/// are none.
fn sparse_boxes(dimensions: &[Dimension], batches: &[Batch]) -> Option<Vec<Ranges>> {
    let sorted: Vec<Vec<&[u8]>> = dimensions
        .iter()
        .map(|dimension| sorted(dimension, batches))
        .collect();
    let by = divisor(dimensions.len());
    let boxes = PLACES.iter().map(|place| {
        let ranges = dimensions.iter().zip(&sorted).map(|(dimension, values)| {
            let count = values.len() as u64;
            let side = (count / by).max(1);
            let first = count.checked_sub(side)? / 4 * place;
            let last = first + (side - 1);
            let at = |place: u64| values.get(usize::try_from(place).ok()?).map(|v| v.to_vec());
            Some((dimension.name.clone(), Range::new(at(first)?, at(last)?)))
        });
        ranges.collect::<Option<Ranges>>()
    });
    boxes.collect()
}

/// Returns the coordinates of all cells along a dimension in ascending order.
fn sorted<'a>(dimension: &Dimension, batches: &'a [Batch]) -> Vec<&'a [u8]> {
    let columns = batches
        .iter()
        .flat_map(|batch| &batch.columns)
        .filter(|column| column.name == dimension.name);
    let cells = columns.flat_map(|column| (0..).map_while(|row| column.cell(row)));
    let mut values: Vec<&[u8]> = cells.collect();
    values.sort_by(|a, b| dimension.datatype.total_order(a, b));
    values
}
