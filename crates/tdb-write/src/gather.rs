//! Gathers the cells of a tile from the input.

use std::ops::Range;

use tdb_cells::{Row, copy_text};
use tdb_tile::{Bug, Exact};

use crate::input::{CheckedCells, Input};
use crate::tile::{Buffers, Tile, TileSource, position};

/// The order in which cells are stored.
#[derive(Clone, Debug)]
pub(crate) enum Rows {
    /// A range of cells in input order.
    InPlace(Range<usize>),
    /// The cells with these indexes, in this order.
    Picked(Vec<Row>),
}

impl Rows {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::InPlace(rows) => rows.len(),
            Self::Picked(rows) => rows.len(),
        }
    }
}

/// Cells in order, divided into tiles of `capacity` cells.
#[derive(Debug)]
pub(crate) struct Sequence<'a> {
    pub(crate) cells: &'a CheckedCells,
    pub(crate) rows: &'a Rows,
    /// Number of cells in each tile; the last one may have fewer.
    pub(crate) capacity: usize,
}

impl Sequence<'_> {
    pub(crate) fn tiles(&self) -> u64 {
        self.rows.len().div_ceil(self.capacity.max(1)) as u64
    }
}

impl TileSource for Sequence<'_> {
    fn tile<'a>(
        &'a self,
        field: usize,
        tile: u64,
        buffers: &'a mut Buffers,
    ) -> Result<Tile<'a>, Bug> {
        let input = self.cells.field(field)?;
        let start = position(tile)?.exact_mul(self.capacity)?;
        let end = start.exact_add(self.capacity)?.min(self.rows.len());
        if start >= end {
            return Err(Bug::new("a tile behind the last one"));
        }
        match self.rows {
            Rows::InPlace(rows) => {
                let rows = rows.start.exact_add(start)?..rows.start.exact_add(end)?;
                in_place(input, rows, buffers)
            }
            Rows::Picked(rows) => {
                let rows = rows
                    .get(start..end)
                    .ok_or_else(|| Bug::new("a tile behind the last one"))?;
                picked(input, rows, buffers)
            }
        }
    }

    fn tile_bytes(&self) -> usize {
        let rows = self.cells.rows.max(1);
        let per_row = self.cells.size_in_memory().div_ceil(rows);
        // Hardly more than the cells take in memory.
        per_row * self.capacity.min(rows)
    }
}

/// Returns a tile of contiguous input cells, whose values are not copied.
pub(crate) fn in_place<'a>(
    input: &'a Input,
    rows: Range<usize>,
    buffers: &'a mut Buffers,
) -> Result<Tile<'a>, Bug> {
    let Buffers {
        starts, validity, ..
    } = buffers;
    if input.is_var() {
        starts.clear();
        starts.extend(input.starts(&rows)?);
    }
    if input.nullable {
        validity.clear();
        input.add_validity(&rows, validity)?;
    }
    Ok(Tile {
        cells: rows.len(),
        values: input.bytes(&rows)?,
        starts: input.is_var().then_some(starts),
        validity: input.nullable.then_some(validity),
        shared: Some(&input.values),
        ..Tile::default()
    })
}

/// Returns a tile of cells picked by index.
fn picked<'a>(input: &'a Input, rows: &[Row], buffers: &'a mut Buffers) -> Result<Tile<'a>, Bug> {
    let Buffers {
        values,
        starts,
        validity,
        ..
    } = buffers;
    values.clear();
    if input.is_var() {
        pick_var(input, rows, starts, values)?;
    } else {
        match input.size {
            1 => pick::<1>(&input.values, rows, values)?,
            2 => pick::<2>(&input.values, rows, values)?,
            4 => pick::<4>(&input.values, rows, values)?,
            8 => pick::<8>(&input.values, rows, values)?,
            _ => {
                for row in rows {
                    values.extend_from_slice(input.cell(row.index())?);
                }
            }
        }
    }
    if input.nullable {
        validity.clear();
        validity.reserve(rows.len());
        for row in rows {
            validity.push(u8::from(input.is_valid(row.index())?));
        }
    }
    Ok(Tile {
        cells: rows.len(),
        values,
        starts: input.is_var().then_some(starts),
        validity: input.nullable.then_some(validity),
        ..Tile::default()
    })
}

/// Copies the cells with these indexes.
pub(crate) fn pick_cells(cells: &CheckedCells, rows: &[Row]) -> Result<CheckedCells, Bug> {
    let field = |input: &Input| {
        let mut buffers = Buffers::default();
        picked(input, rows, &mut buffers)?;
        let Buffers {
            values,
            starts,
            validity,
            ..
        } = buffers;
        Ok(input.with(values, starts, &validity))
    };
    Ok(CheckedCells {
        rows: rows.len(),
        fields: cells.fields.iter().map(field).collect::<Result<_, Bug>>()?,
    })
}

/// Copies cells of several blocks; each pick is the number of a block and of a cell in it.
pub(crate) fn pick_from(
    blocks: &[&CheckedCells],
    picks: &[(usize, usize)],
) -> Result<CheckedCells, Bug> {
    let Some(first) = blocks.first() else {
        return Err(Bug::new("cells of no block"));
    };
    let field = |(index, like): (usize, &Input)| {
        let inputs: Vec<&Input> = blocks
            .iter()
            .map(|block| block.field(index))
            .collect::<Result<_, Bug>>()?;
        let (mut values, mut starts, mut validity) = (Vec::new(), Vec::new(), Vec::new());
        for (block, row) in picks {
            let Some(input) = inputs.get(*block) else {
                return Err(Bug::new("a cell of a block that is not there"));
            };
            if like.is_var() {
                starts.push(values.len() as u64);
            }
            values.extend_from_slice(input.cell(*row)?);
            if like.nullable {
                validity.push(u8::from(input.is_valid(*row)?));
            }
        }
        Ok(like.with(values, starts, &validity))
    };
    let fields = first.fields.iter().enumerate().map(field);
    Ok(CheckedCells {
        rows: picks.len(),
        fields: fields.collect::<Result<_, Bug>>()?,
    })
}

/// Number of cells that are located before the first of them is copied, so that copying does not wait for lookups.
const LOOKED_UP: usize = 1024;

/// Copies var-sized cells to `out`, which must be empty, and collects the start of each.
fn pick_var(
    input: &Input,
    rows: &[Row],
    starts: &mut Vec<u64>,
    out: &mut Vec<u8>,
) -> Result<(), Bug> {
    let mut ranges = Vec::with_capacity(LOOKED_UP.min(rows.len()));
    starts.clear();
    for rows in rows.chunks(LOOKED_UP) {
        let begin = out.len();
        let mut end = begin;
        for row in rows {
            let range = input.range(&(row.index()..row.index().exact_add(1)?))?;
            starts.push(end as u64);
            end = end.exact_add(range.len())?;
            ranges.push(range);
        }
        out.resize(end, 0);
        let (_, mut rest) = out.split_at_mut(begin);
        for range in ranges.drain(..) {
            let behind = copy_text(&input.values, range, rest);
            rest = behind.ok_or_else(|| Bug::new("a cell that is to be written is not there"))?;
        }
    }
    Ok(())
}

fn pick<const N: usize>(from: &[u8], rows: &[Row], out: &mut Vec<u8>) -> Result<(), Bug> {
    let (cells, _) = from.as_chunks::<N>();
    out.resize(rows.len().exact_mul(N)?, 0);
    let (places, _) = out.as_chunks_mut::<N>();
    // Reported after the loop, which is the innermost one of a sorted write.
    let mut is_missing = false;
    for (place, row) in places.iter_mut().zip(rows) {
        match cells.get(row.index()) {
            Some(cell) => *place = *cell,
            None => is_missing = true,
        }
    }
    if is_missing {
        return Err(Bug::new("a cell that is to be written is not there"));
    }
    Ok(())
}
