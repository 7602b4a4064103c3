//! A condition over the cells of a table.

use tdb_cells::{CellTable, CellsError};
use tdb_schema::{ArraySchema, FieldKind};

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
            let cells: Vec<Option<FieldCells<'_>>> = self
                .fields
                .iter()
                .map(|field| {
                    let column = table.column((*field)?)?;
                    if column.lacks(&rows) {
                        return None;
                    }
                    let values = column.values.as_slice();
                    let size = column.cell_size;
                    let fixed = rows.start.saturating_mul(size)..rows.end.saturating_mul(size);
                    Some(FieldCells {
                        values: if column.offsets.is_some() {
                            values
                        } else {
                            values.get(fixed)?
                        },
                        offsets: column
                            .offsets
                            .as_ref()
                            .and_then(|o| o.get(rows.start..=rows.end)),
                        validity: column.validity.as_ref().and_then(|v| v.get(rows.clone())),
                    })
                })
                .collect();
            self.condition.evaluate(&cells, rows.len(), &mut part)?;
            keep.extend_from_slice(&part);
        }
        Ok(keep)
    }
}
