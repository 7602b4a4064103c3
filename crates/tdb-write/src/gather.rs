//! Picks the cells of a tile out of those that were handed in.

use std::ops::Range;

use crate::input::{Cells, Input};
use crate::tile::{Buffers, Tile, TileSource, position};

/// The order in which cells are stored.
#[derive(Clone, Debug)]
pub(crate) enum Rows {
    /// As they came in.
    InPlace(Range<usize>),
    /// These, one after the other.
    Picked(Vec<u32>),
}

impl Rows {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::InPlace(rows) => rows.len(),
            Self::Picked(rows) => rows.len(),
        }
    }
}

/// Cells in order, cut every so many.
#[derive(Debug)]
pub(crate) struct Sequence<'a> {
    pub(crate) cells: &'a Cells,
    pub(crate) rows: &'a Rows,
    /// Cells of a tile; the last one may have fewer.
    pub(crate) capacity: usize,
}

impl Sequence<'_> {
    pub(crate) fn tiles(&self) -> u64 {
        self.rows.len().div_ceil(self.capacity.max(1)) as u64
    }
}

impl TileSource for Sequence<'_> {
    fn tile<'a>(&'a self, field: usize, tile: u64, buffers: &'a mut Buffers) -> Tile<'a> {
        let Some(input) = self.cells.fields.get(field) else {
            return Tile::default();
        };
        let start = position(tile).saturating_mul(self.capacity);
        let end = start.saturating_add(self.capacity).min(self.rows.len());
        match self.rows {
            Rows::InPlace(rows) => {
                let rows = rows.start.saturating_add(start)..rows.start.saturating_add(end);
                in_place(input, rows, buffers)
            }
            Rows::Picked(rows) => {
                let rows = rows.get(start..end);
                rows.map_or(Tile::default(), |rows| picked(input, rows, buffers))
            }
        }
    }

    fn tile_bytes(&self) -> usize {
        let rows = self.cells.rows.max(1);
        let per_row = self.cells.size_in_memory().div_ceil(rows);
        per_row.saturating_mul(self.capacity.min(rows))
    }
}

/// Cells that stand one behind the other already.
pub(crate) fn in_place<'a>(
    input: &'a Input,
    rows: Range<usize>,
    buffers: &'a mut Buffers,
) -> Tile<'a> {
    let Buffers {
        starts, validity, ..
    } = buffers;
    if input.is_var() {
        starts.clear();
        let offsets = input.offsets().get(rows.clone()).unwrap_or_default();
        let first = offsets.first().map_or(0, |offset| offset.get());
        starts.extend(offsets.iter().map(|offset| offset.get() - first));
    }
    if input.nullable {
        validity.clear();
        match input.is_all_valid() {
            true => validity.resize(rows.len(), 1),
            false => validity.extend(rows.clone().map(|row| u8::from(input.is_valid(row)))),
        }
    }
    Tile {
        cells: rows.len(),
        values: input.bytes(&rows),
        starts: input.is_var().then_some(starts),
        validity: input.nullable.then_some(validity),
        shared: Some(&input.values),
        ..Tile::default()
    }
}

/// Cells from anywhere.
fn picked<'a>(input: &'a Input, rows: &[u32], buffers: &'a mut Buffers) -> Tile<'a> {
    let Buffers {
        values,
        starts,
        validity,
        ..
    } = buffers;
    values.clear();
    if input.is_var() {
        starts.clear();
        for row in rows {
            starts.push(values.len() as u64);
            values.extend_from_slice(input.cell(*row as usize));
        }
    } else {
        match input.size {
            1 => pick::<1>(&input.values, rows, values),
            2 => pick::<2>(&input.values, rows, values),
            4 => pick::<4>(&input.values, rows, values),
            8 => pick::<8>(&input.values, rows, values),
            _ => {
                for row in rows {
                    values.extend_from_slice(input.cell(*row as usize));
                }
            }
        }
    }
    if input.nullable {
        validity.clear();
        let valid = rows
            .iter()
            .map(|row| u8::from(input.is_valid(*row as usize)));
        validity.extend(valid);
    }
    Tile {
        cells: rows.len(),
        values,
        starts: input.is_var().then_some(starts),
        validity: input.nullable.then_some(validity),
        ..Tile::default()
    }
}

/// A copy of these cells.
pub(crate) fn pick_cells(cells: &Cells, rows: &[u32]) -> Cells {
    let field = |input: &Input| {
        let mut buffers = Buffers::default();
        picked(input, rows, &mut buffers);
        let Buffers {
            values,
            starts,
            validity,
            ..
        } = buffers;
        input.with(values, starts, &validity)
    };
    Cells {
        rows: rows.len(),
        fields: cells.fields.iter().map(field).collect(),
    }
}

/// A copy of cells of several blocks: which block, and which cell of it.
pub(crate) fn pick_from(blocks: &[&Cells], picks: &[(usize, usize)]) -> Cells {
    let Some(first) = blocks.first() else {
        return Cells::default();
    };
    let field = |(index, like): (usize, &Input)| {
        let inputs: Vec<Option<&Input>> = blocks.iter().map(|b| b.fields.get(index)).collect();
        let input = |block: usize| inputs.get(block).copied().flatten().unwrap_or(like);
        let (mut values, mut starts, mut validity) = (Vec::new(), Vec::new(), Vec::new());
        for (block, row) in picks {
            let input = input(*block);
            if like.is_var() {
                starts.push(values.len() as u64);
            }
            values.extend_from_slice(input.cell(*row));
            if like.nullable {
                validity.push(u8::from(input.is_valid(*row)));
            }
        }
        like.with(values, starts, &validity)
    };
    Cells {
        rows: picks.len(),
        fields: first.fields.iter().enumerate().map(field).collect(),
    }
}

fn pick<const N: usize>(from: &[u8], rows: &[u32], out: &mut Vec<u8>) {
    let (cells, _) = from.as_chunks::<N>();
    out.resize(rows.len().saturating_mul(N), 0);
    let (places, _) = out.as_chunks_mut::<N>();
    for (place, row) in places.iter_mut().zip(rows) {
        *place = cells.get(*row as usize).copied().unwrap_or([0; N]);
    }
}
