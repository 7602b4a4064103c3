//! What coordinates must be, and how cells compare by them.

use tdb_cells::{CellProblem, Keys, Numbers, value_text};
use tdb_schema::order::{CellComparator, Column, KeyEncoder, Keys as Encoded, SortOrder};
use tdb_schema::{ArraySchema, CellValNum, Dimension};
use tdb_tile::{Range, Scalar, with_scalar};

use crate::WriteError;
use crate::input::{Cells, Input};
use crate::tile::position;

/// Fails with the first cell that lies outside the domain; `first` is the number of the first cell.
pub(crate) fn check(schema: &ArraySchema, cells: &Cells, first: u64) -> Result<(), WriteError> {
    let dimensions = schema.dimensions.iter().zip(&cells.fields).enumerate();
    for (index, (dimension, input)) in dimensions {
        let bounds = schema.bounds(index);
        let outside = bounds.and_then(|bounds| outside(dimension, bounds, input, cells.rows));
        if let Some(row) = outside {
            return Err(WriteError::Cell {
                field: dimension.name.clone(),
                cell: first.saturating_add(row as u64),
                problem: problem(dimension, input.cell(row)),
            });
        }
    }
    Ok(())
}

/// The first cell that is not within the bounds.
fn outside(dimension: &Dimension, bounds: &Range, input: &Input, rows: usize) -> Option<usize> {
    let datatype = dimension.datatype;
    if dimension.is_var() {
        return (0..rows).find(|row| !bounds.contains(datatype, input.cell(*row)));
    }
    with_scalar!(datatype, T => {
        let (lo, hi) = bounds.ends::<T>()?;
        outside_numbers::<T>(&input.values, lo, hi)
    })
}

fn outside_numbers<T: Scalar>(values: &[u8], lo: T, hi: T) -> Option<usize> {
    let is_inside = |value: &[u8]| {
        // A NaN is not.
        T::read(value).is_some_and(|value| lo <= value && value <= hi)
    };
    // Without a way out of the loop, so that many are compared at a time.
    const BLOCK: usize = 4096;
    let blocks = values.chunks(BLOCK.saturating_mul(T::SIZE));
    for (block, values) in blocks.enumerate() {
        let cells = || values.chunks_exact(T::SIZE);
        if cells().fold(true, |all, value| all & is_inside(value)) {
            continue;
        }
        let within = cells().position(|value| !is_inside(value));
        return within.map(|within| block * BLOCK + within);
    }
    None
}

fn problem(dimension: &Dimension, cell: &[u8]) -> CellProblem {
    let datatype = dimension.datatype;
    let is_nan = datatype.is_real() && datatype.compare(cell, cell).is_none();
    if is_nan {
        return CellProblem::NotANumber;
    }
    let value = value_text(datatype, dimension.cell_val_num, cell);
    let domain = dimension.domain.as_ref();
    match domain.is_none_or(|domain| domain.contains(datatype, cell)) {
        true => CellProblem::OutsideCurrentDomain { value },
        false => CellProblem::OutsideDomain { value },
    }
}

/// The coordinates of cells, dimension by dimension.
pub(crate) fn columns<'a>(schema: &ArraySchema, cells: &'a Cells) -> Vec<Column<'a>> {
    let column = |(dimension, input): (&Dimension, &'a Input)| match dimension.cell_val_num {
        CellValNum::Fixed(_) => Column::Fixed(&input.values),
        CellValNum::Var => {
            let offsets = input.offsets();
            let end = offsets.get(cells.rows).map_or(0, |end| position(end.get()));
            Column::Var {
                offsets: offsets.get(..cells.rows).unwrap_or_default(),
                data: input.values.get(..end).unwrap_or_default(),
            }
        }
    };
    schema
        .dimensions
        .iter()
        .zip(&cells.fields)
        .map(column)
        .collect()
}

/// What cells within the domain are put in global order by.
pub(crate) fn keys<'a>(schema: &ArraySchema, cells: &'a Cells) -> Keys<'a> {
    let columns = columns(schema, cells);
    let encoder = KeyEncoder::new(schema, SortOrder::Global);
    let numbers = encoder.encode(&columns).ok().map(|keys| match keys {
        Encoded::U64(keys) => Numbers::Narrow(keys),
        Encoded::U128(keys) => Numbers::Wide(keys),
    });
    match numbers {
        Some(numbers) if encoder.is_exact() => Keys::exact(numbers),
        numbers => {
            let comparator = CellComparator::new(schema, SortOrder::Global);
            let compare = move |a: u32, b: u32| {
                comparator.compare_rows(&columns, a as usize, &columns, b as usize)
            };
            Keys::compared(numbers, Box::new(compare))
        }
    }
}
