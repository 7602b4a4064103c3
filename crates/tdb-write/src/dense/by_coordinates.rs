//! Cells of dense arrays that come with coordinate columns.

use tdb_cells::{CellProblem, Row};
use tdb_schema::grid::CellLayout;
use tdb_schema::{ArraySchema, Order};
use tdb_tile::{Bug, Datatype, Range};

use super::{DenseBox, Ranges, too_many};
use crate::input::{CheckedCells, Input};
use crate::options::WriteOrder;
use crate::sparse::{cell_error, check_rows};
use crate::{WriteError, coordinates};

/// Sorts cells with coordinates. Returns, for each cell of their bounding box in row-major order, its index in the
/// input, and the ranges of the box. The cells must fill the box.
pub(crate) fn placed(
    schema: &ArraySchema,
    coordinates: &CheckedCells,
) -> Result<(Vec<Row>, Ranges), WriteError> {
    coordinates::check(schema, coordinates, 0)?;
    let inputs = coordinates.first_fields(schema.dimensions.len())?;
    let dimensions = schema.dimensions.iter().zip(inputs);
    let ranges: Ranges = dimensions
        .map(|(dimension, input)| {
            let ends = ends(dimension.datatype, input, coordinates.rows)?;
            Ok((dimension.name.clone(), ends))
        })
        .collect::<Result<_, Bug>>()?;
    let dense = DenseBox::new(schema, &ranges, WriteOrder::RowMajor)?;
    let layout = CellLayout::of_box(&dense.cells, Order::RowMajor).ok_or_else(too_many)?;
    let (found, wanted) = (coordinates.rows as u64, dense.rows());
    if found != wanted {
        return Err(WriteError::Gaps { found, wanted });
    }
    let mut order: Vec<Option<Row>> = vec![None; coordinates.rows];
    for row in check_rows(coordinates.rows)?.iter() {
        let axes = dense.grid.axes().iter().zip(inputs);
        let cell: Option<Vec<u64>> = axes
            .map(|(axis, input)| Ok(axis.cell(input.cell(row.index())?)))
            .collect::<Result<_, Bug>>()?;
        let place = cell
            .and_then(|cell| usize::try_from(layout.position(&cell)?).ok())
            .and_then(|place| order.get_mut(place))
            .ok_or_else(|| Bug::new("a cell outside of the box of all cells"))?;
        if let Some(other) = place.replace(row) {
            let other = other.index() as u64;
            let problem = CellProblem::Duplicate { other };
            return Err(cell_error(schema, row.index() as u64, problem));
        }
    }
    let order = order
        .into_iter()
        .collect::<Option<Vec<Row>>>()
        .ok_or_else(|| Bug::new("as many cells as places, and one of these is empty"))?;
    Ok((order, ranges))
}

/// The least and the greatest coordinate.
fn ends(datatype: Datatype, input: &Input, rows: usize) -> Result<Range, Bug> {
    let less = |a: &[u8], b: &[u8]| datatype.compare(a, b).is_some_and(|o| o.is_lt());
    let mut ends: Option<(&[u8], &[u8])> = None;
    for row in 0..rows {
        let cell = input.cell(row)?;
        ends = Some(match ends {
            None => (cell, cell),
            Some((lo, hi)) => (
                if less(cell, lo) { cell } else { lo },
                if less(hi, cell) { cell } else { hi },
            ),
        });
    }
    let (lo, hi) = ends.ok_or_else(|| Bug::new("a box of no cells"))?;
    Ok(Range::new(lo.to_vec(), hi.to_vec()))
}
