//! Validates the batches of a write against the schema.

use std::collections::{HashMap, HashSet};

use tdb_cells::{Batch, CellProblem, CellType, Column, ColumnProblem, unit_size};
use tdb_schema::{ArraySchema, Field, FieldKind};

use super::{CheckedCells, Input, fields_of};
use crate::WriteError;

impl CheckedCells {
    /// Validates the cells of a batch; returns them in the order of `fields`. `first` is the index of the first cell
    /// in the write, for errors.
    pub(crate) fn check(
        schema: &ArraySchema,
        fields: &[FieldKind],
        batch: &Batch,
        first: u64,
    ) -> Result<Self, WriteError> {
        let views = fields_of(schema, fields)?;
        let names: HashSet<&str> = views.iter().map(|field| field.name).collect();
        let mut columns: HashMap<&str, Vec<&Column>> = HashMap::new();
        for column in &batch.columns {
            columns.entry(&column.name).or_default().push(column);
            if !names.contains(column.name.as_str()) {
                let known: Vec<&str> = views.iter().map(|field| field.name).collect();
                return Err(WriteError::UnknownField {
                    field: column.name.clone(),
                    hint: format!("the fields are {}", known.join(", ")),
                });
            }
        }
        let inputs = views.iter().map(|field| {
            let named = columns.get(field.name).map_or(&[][..], Vec::as_slice);
            let column = match named {
                [] => Err(ColumnProblem::Missing),
                [column] => Ok(*column),
                _ => Err(ColumnProblem::Twice),
            };
            let problem = |problem| WriteError::Column {
                field: field.name.to_owned(),
                problem,
            };
            let column = column.map_err(problem)?;
            check_shape(field, column, batch.rows).map_err(problem)?;
            check_cells(field, column, batch.rows).map_err(|(cell, problem)| WriteError::Cell {
                field: field.name.to_owned(),
                cell: first + cell as u64,
                problem,
            })?;
            Ok(Input {
                values: column.values.clone(),
                offsets: column.offsets.clone(),
                validity: column.validity.clone().filter(|_| field.nullable),
                size: unit_size(field),
                nullable: field.nullable,
            })
        });
        Ok(Self {
            rows: batch.rows,
            fields: inputs.collect::<Result<_, WriteError>>()?,
        })
    }
}

fn check_shape(field: &Field<'_>, column: &Column, rows: usize) -> Result<(), ColumnProblem> {
    let wanted = CellType(field.datatype, field.cell_val_num);
    let found = CellType(column.datatype, column.cell_val_num);
    if wanted != found {
        return Err(ColumnProblem::Type { wanted, found });
    }
    let length = |what, wanted: usize, found: usize| {
        if wanted == found {
            Ok(())
        } else {
            Err(ColumnProblem::Length {
                what,
                wanted: wanted as u64,
                found: found as u64,
            })
        }
    };
    // Clamped: a length that memory cannot have is refused like any other that is not there.
    match (&column.offsets, field.is_var()) {
        (Some(offsets), true) => {
            length(
                "offsets",
                rows.saturating_add(1).saturating_mul(8),
                offsets.len(),
            )?;
        }
        (None, false) => {
            length(
                "values",
                rows.saturating_mul(unit_size(field)),
                column.values.len(),
            )?;
        }
        (_, wanted) => return Err(ColumnProblem::Offsets { wanted }),
    }
    match &column.validity {
        Some(bits) if bits.len() < rows.div_ceil(8) => {
            length("validity", rows.div_ceil(8), bits.len())
        }
        _ => Ok(()),
    }
}

/// Checks each cell: nulls, offsets and sizes.
fn check_cells(
    field: &Field<'_>,
    column: &Column,
    rows: usize,
) -> Result<(), (usize, CellProblem)> {
    if !field.nullable
        && column.validity.is_some()
        && let Some(row) = (0..rows).find(|row| !column.is_valid(*row))
    {
        return Err((row, CellProblem::Null));
    }
    if !field.is_var() {
        return Ok(());
    }
    let size = column.values.len() as u64;
    let unit = field.datatype.size() as u64;
    let offsets = column.offset_values();
    for (row, [start, end]) in offsets.array_windows().enumerate() {
        let (start, end) = (start.get(), end.get());
        if start > end || end > size {
            return Err((row, CellProblem::Offsets { start, end, size }));
        }
        let len = end - start;
        if unit > 1 && !len.is_multiple_of(unit) {
            return Err((row, CellProblem::Fraction { len, size: unit }));
        }
    }
    Ok(())
}
