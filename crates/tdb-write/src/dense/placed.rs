//! Cells that come with their coordinates.

use tdb_cells::CellProblem;
use tdb_schema::grid::CellLayout;
use tdb_schema::{ArraySchema, Order};
use tdb_tile::Range;

use super::{DenseBox, Ranges, too_many};
use crate::input::{Cells, Input};
use crate::options::WriteOrder;
use crate::tile::position;
use crate::{WriteError, coordinates};

/// The order in which the cells of a box came, where each says its place: for each cell of the box in
/// row-major order, which of the cells handed in it is, and the box.
pub(crate) fn placed(
    schema: &ArraySchema,
    coordinates: &Cells,
) -> Result<(Vec<u32>, Ranges), WriteError> {
    coordinates::check(schema, coordinates, 0)?;
    let bounds = |(dimension, input): (&tdb_schema::Dimension, &Input)| {
        let datatype = dimension.datatype;
        let cells = (0..coordinates.rows).map(|row| input.cell(row));
        let ends = cells.fold(None, |ends: Option<(&[u8], &[u8])>, cell| {
            let Some((lo, hi)) = ends else {
                return Some((cell, cell));
            };
            let less = |a: &[u8], b: &[u8]| datatype.compare(a, b).is_some_and(|o| o.is_lt());
            let lo = if less(cell, lo) { cell } else { lo };
            Some((lo, if less(hi, cell) { cell } else { hi }))
        });
        let (lo, hi) = ends.unwrap_or_default();
        (dimension.name.clone(), Range::new(lo.to_vec(), hi.to_vec()))
    };
    let dimensions = schema.dimensions.iter().zip(&coordinates.fields);
    let ranges: Ranges = dimensions.map(bounds).collect();
    let dense = DenseBox::new(schema, &ranges, WriteOrder::RowMajor)?;
    let layout = CellLayout::of_box(&dense.cells, Order::RowMajor).ok_or_else(too_many)?;
    let incomplete = || {
        WriteError::invalid_with_hint(
            format!(
                "{} cells do not fill the box of {} that their coordinates span",
                coordinates.rows,
                dense.rows()
            ),
            "a dense array takes boxes of cells: write them box by box",
        )
    };
    if dense.rows() != coordinates.rows as u64 {
        return Err(incomplete());
    }
    let mut order = vec![u32::MAX; coordinates.rows];
    for row in 0..coordinates.rows {
        let axes = dense.grid.axes().iter().zip(&coordinates.fields);
        let cell: Option<Vec<u64>> = axes
            .map(|(axis, input)| axis.cell(input.cell(row)))
            .collect();
        let place = cell.and_then(|cell| layout.position(&cell)).map(position);
        let place = place
            .and_then(|place| order.get_mut(place))
            .ok_or_else(incomplete)?;
        if *place != u32::MAX {
            return Err(WriteError::Cell {
                field: schema
                    .dimensions
                    .first()
                    .map(|d| d.name.clone())
                    .unwrap_or_default(),
                cell: row as u64,
                problem: CellProblem::Duplicate {
                    other: (*place).into(),
                },
            });
        }
        *place = u32::try_from(row).unwrap_or(u32::MAX);
    }
    Ok((order, ranges))
}
