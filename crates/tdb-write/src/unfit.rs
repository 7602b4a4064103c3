//! Values that filters cannot store.

use tdb_cells::CellProblem;
use tdb_schema::{ArraySchema, FieldKind, value};

use crate::WriteError;
use crate::fields::FieldCodec;
use crate::fragment::Target;
use crate::input::{Cells, Input};

/// Fails with the first cell that filters would give back as quite another, null cells apart; `first` is the number
/// of the first cell. What was stored before is not asked: it is what it is.
pub(crate) fn check(
    target: &Target,
    fields: &[FieldKind],
    cells: &Cells,
    first: u64,
) -> Result<(), WriteError> {
    if target.replacement.is_some() {
        return Ok(());
    }
    for (kind, input) in fields.iter().zip(&cells.fields) {
        let codec = target.codecs.iter().find(|codec| codec.kind == *kind);
        let found = codec.and_then(|codec| first_cell(&target.schema, codec, input, cells.rows));
        if let Some((row, field, problem)) = found {
            let cell = first.saturating_add(row as u64);
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
) -> Option<(usize, String, CellProblem)> {
    // Most filters say of all values at once that they fit.
    codec.first_unfit(input.bytes(&(0..rows)))?;
    let mut valid = (0..rows).filter(|row| input.is_valid(*row));
    let (row, unfit) = valid.find_map(|row| Some((row, codec.first_unfit(input.cell(row))?)))?;
    let datatype = schema.field_of(codec.kind)?.datatype;
    let (_, values) = input
        .cell(row)
        .split_at_checked(unfit.index.checked_mul(datatype.size())?)?;
    let problem = CellProblem::Unfit {
        value: value::read(datatype, values.get(..datatype.size())?)?.to_string(),
        filter: unfit.filter,
        range: format!("{} to {}", unfit.range.0, unfit.range.1),
    };
    Some((row, codec.name.clone(), problem))
}
