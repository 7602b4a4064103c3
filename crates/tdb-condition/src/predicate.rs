//! A condition over the cells of a table.

use std::ops::Range;

use tdb_cells::{CellTable, CellsError, TableColumn};
use tdb_schema::{ArraySchema, FieldKind};
use tdb_tile::Bug;

use crate::{FieldCells, ResolvedCondition};

/// A condition, and where the fields that it tests stand in the schema.
#[derive(Clone, Debug)]
pub struct Predicate {
    condition: ResolvedCondition,
    fields: Vec<Option<FieldKind>>,
}

impl Predicate {
    /// A condition on fields of this schema; one that the schema lacks fails every test.
    #[must_use]
    pub fn new(condition: ResolvedCondition, schema: &ArraySchema) -> Self {
        let fields = condition
            .fields()
            .iter()
            .map(|f| schema.field(&f.name).map(|field| field.kind))
            .collect();
        Self { condition, fields }
    }

    /// A condition whose fields are known, in their order; `None` for those that are not there.
    #[must_use]
    pub fn with_fields(condition: ResolvedCondition, fields: Vec<Option<FieldKind>>) -> Self {
        Self { condition, fields }
    }

    /// The fields whose cells are looked at.
    pub fn fields(&self) -> impl Iterator<Item = FieldKind> + '_ {
        self.fields.iter().copied().flatten()
    }

    /// A byte for each row of the table, zero where the condition fails.
    ///
    /// # Errors
    /// Cells that do not hold together.
    pub fn evaluate(&self, table: &CellTable) -> Result<Vec<u8>, CellsError> {
        let mut keep = Vec::with_capacity(table.rows);
        let mut part = Vec::new();
        for segment in &table.segments {
            let rows = segment.rows.clone();
            let cells = self.fields.iter().map(|field| match field {
                // No cell has what is not there.
                None => Ok(None),
                Some(field) => {
                    let column = table.column(*field);
                    let column = column.ok_or_else(|| Bug::new("a field was not loaded"))?;
                    match column.lacks(&rows) {
                        true => Ok(None),
                        false => cells_of(column, &rows).map(Some),
                    }
                }
            });
            let cells: Vec<_> = cells.collect::<Result<_, Bug>>()?;
            self.condition.evaluate(&cells, rows.len(), &mut part)?;
            keep.extend_from_slice(&part);
        }
        Ok(keep)
    }
}

/// Some rows of a column.
fn cells_of<'a>(column: &'a TableColumn, rows: &Range<usize>) -> Result<FieldCells<'a>, Bug> {
    let values = column.values.as_slice();
    let values = match column.offsets {
        Some(_) => Some(values),
        None => {
            let at = |row: usize| row.saturating_mul(column.cell_size);
            values.get(at(rows.start)..at(rows.end))
        }
    };
    let offsets = column.offsets.as_ref();
    let offsets = offsets.map(|offsets| offsets.get(rows.start..=rows.end));
    let validity = column.validity.as_ref();
    let validity = validity.map(|validity| validity.get(rows.clone()));
    let missing = || Bug::new("a column has fewer rows than its table");
    Ok(FieldCells {
        values: values.ok_or_else(missing)?,
        offsets: offsets.map(|o| o.ok_or_else(missing)).transpose()?,
        validity: validity.map(|v| v.ok_or_else(missing)).transpose()?,
    })
}
