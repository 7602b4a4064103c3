//! Checks coordinates against the domain, and compares cells by their coordinates.

use tdb_cells::{CellProblem, Keys, cell_keys, value_text};
use tdb_schema::order::{Column, SortOrder};
use tdb_schema::{ArraySchema, CellValNum, Dimension};
use tdb_tile::{Bug, Exact, Range, Scalar, with_scalar};

use crate::WriteError;
use crate::input::{CheckedCells, Input};

/// Checks that all cells are within the domain; `first` is the number of the first cell, for errors.
pub(crate) fn check(
    schema: &ArraySchema,
    cells: &CheckedCells,
    first: u64,
) -> Result<(), WriteError> {
    let inputs = cells.first_fields(schema.dimensions.len())?;
    for (index, (dimension, input)) in schema.dimensions.iter().zip(inputs).enumerate() {
        // A string dimension without bounds accepts any string.
        let Some(bounds) = schema.bounds(index) else {
            if dimension.is_var() {
                continue;
            } else {
                return Err(Bug::new("a dimension of numbers without a domain").into());
            }
        };
        if let Some(row) = outside(dimension, bounds, input, cells.rows)? {
            return Err(WriteError::Cell {
                field: dimension.name.clone(),
                cell: first.exact_add(row as u64)?,
                problem: problem(dimension, input.cell(row)?),
            });
        }
    }
    Ok(())
}

/// Returns the first row whose coordinate is not within the bounds.
fn outside(
    dimension: &Dimension,
    bounds: &Range,
    input: &Input,
    rows: usize,
) -> Result<Option<usize>, Bug> {
    let datatype = dimension.datatype;
    if dimension.is_var() {
        for row in 0..rows {
            if !bounds.contains(datatype, input.cell(row)?) {
                return Ok(Some(row));
            }
        }
        return Ok(None);
    }
    let values = input.bytes(&(0..rows))?;
    with_scalar!(datatype, T => {
        let ends = bounds.ends::<T>();
        let (lo, hi) = ends.ok_or_else(|| Bug::new("a domain whose ends are no coordinates"))?;
        Ok(outside_numbers::<T>(values, lo, hi))
    })
}

fn outside_numbers<T: Scalar>(values: &[u8], lo: T, hi: T) -> Option<usize> {
    let is_inside = |value: &[u8]| {
        // False for NaN.
        T::read(value).is_some_and(|value| lo <= value && value <= hi)
    };
    // Without an early exit, so that the compiler can vectorize the comparison of a block.
    const BLOCK: usize = 4096;
    let blocks = values.chunks(BLOCK * T::SIZE);
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
    if domain.is_none_or(|domain| domain.contains(datatype, cell)) {
        CellProblem::OutsideCurrentDomain { value }
    } else {
        CellProblem::OutsideDomain { value }
    }
}

/// The coordinates of cells, one column per dimension.
pub(crate) fn columns<'a>(
    schema: &ArraySchema,
    cells: &'a CheckedCells,
) -> Result<Vec<Column<'a>>, Bug> {
    let column = |(dimension, input): (&Dimension, &'a Input)| {
        let values = &input.values;
        let column = match dimension.cell_val_num {
            CellValNum::Fixed(_) => Some(Column::Fixed(values)),
            CellValNum::Var => {
                let starts = input.offsets()?.split_at_checked(cells.rows);
                starts.and_then(|(offsets, end)| {
                    let end = usize::try_from(end.first()?.get()).ok()?;
                    let data = values.get(..end)?;
                    Some(Column::Var { offsets, data })
                })
            }
        };
        column.ok_or_else(|| Bug::new("coordinates of cells are not there"))
    };
    let inputs = cells.first_fields(schema.dimensions.len())?;
    schema.dimensions.iter().zip(inputs).map(column).collect()
}

/// Computes the sort keys for the global order of cells within the domain.
pub(crate) fn keys<'a>(schema: &ArraySchema, cells: &'a CheckedCells) -> Result<Keys<'a>, Bug> {
    cell_keys(
        schema,
        columns(schema, cells)?,
        cells.rows,
        SortOrder::Global,
    )
}
