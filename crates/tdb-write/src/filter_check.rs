//! Rejects values that the filters of a field cannot store.

use tdb_cells::CellProblem;
use tdb_schema::{ArraySchema, FieldKind, value};
use tdb_tile::{Bug, Exact};

use crate::WriteError;
use crate::fields::FieldCodec;
use crate::input::{CheckedCells, Input};
use crate::target::FragmentTarget;

/// Checks that the filters would return every non-null cell unchanged; `first` is the index of the first cell, for
/// errors. Cells that consolidation writes again are not checked.
pub(crate) fn check(
    target: &FragmentTarget,
    fields: &[FieldKind],
    cells: &CheckedCells,
    first: u64,
) -> Result<(), WriteError> {
    if target.replacement.is_some() {
        return Ok(());
    }
    let inputs = cells.first_fields(fields.len())?;
    for (kind, input) in fields.iter().zip(inputs) {
        let codec = target.codecs.iter().find(|codec| codec.kind == *kind);
        let codec = match (codec, kind) {
            (Some(codec), _) => codec,
            // Coordinates of dense cells are not stored.
            (None, FieldKind::Dimension(_)) if target.schema.is_dense() => continue,
            (None, _) => return Err(Bug::new("cells of a field that is not written").into()),
        };
        let found = first_cell(&target.schema, codec, input, cells.rows)?;
        if let Some((row, field, problem)) = found {
            let cell = first.exact_add(row as u64)?;
            return Err(WriteError::Cell {
                field,
                cell,
                problem,
            });
        }
    }
    Ok(())
}

fn first_cell(
    schema: &ArraySchema,
    codec: &FieldCodec,
    input: &Input,
    rows: usize,
) -> Result<Option<(usize, String, CellProblem)>, Bug> {
    // Most filters can check all values at once.
    if codec.first_unfit(input.bytes(&(0..rows))?).is_none() {
        return Ok(None);
    }
    for row in 0..rows {
        let cell = input.cell(row)?;
        let unfit = if input.is_valid(row)? {
            codec.first_unfit(cell)
        } else {
            None
        };
        if let Some(unfit) = unfit {
            let value = value_of(schema, codec, cell, unfit.index);
            let problem = CellProblem::Unfit {
                value: value.ok_or_else(|| Bug::new("a value that does not fit is not there"))?,
                filter: unfit.filter,
                range: format!("{} to {}", unfit.range.0, unfit.range.1),
            };
            return Ok(Some((row, codec.name.clone(), problem)));
        }
    }
    Ok(None)
}

/// Formats one value of a cell.
fn value_of(schema: &ArraySchema, codec: &FieldCodec, cell: &[u8], index: usize) -> Option<String> {
    let datatype = schema.field_of(codec.kind)?.datatype;
    let (_, values) = cell.split_at_checked(index.checked_mul(datatype.size())?)?;
    let value = value::read(datatype, values.get(..datatype.size())?)?;
    Some(value.to_string())
}
