//! A condition over the cells of a table.

use tdb_cells::{CellSet, CellTable, CellsError, RowRange, TableColumn};
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

    /// Where its fields stand, in their order.
    pub(crate) fn stored_in(&self) -> impl Iterator<Item = Option<FieldKind>> + '_ {
        self.fields.iter().copied()
    }

    /// The condition by itself.
    pub(crate) fn condition(&self) -> &ResolvedCondition {
        &self.condition
    }

    /// The rows of the table for which the condition holds.
    ///
    /// # Errors
    /// Cells that do not hold together.
    pub fn evaluate(&self, table: &CellTable) -> Result<CellSet, CellsError> {
        let parts = table.segments.iter().map(|segment| segment.rows);
        self.evaluate_parts(parts, &|field| table.column(field))
    }

    /// As [`Predicate::evaluate`], for columns of rows that come in `parts`, one behind the other: a fragment has the
    /// field of a column for all rows of a part, or [lacks](TableColumn::missing) it for all of them.
    ///
    /// # Errors
    /// Cells that do not hold together.
    pub fn evaluate_parts<'a>(
        &self,
        parts: impl Iterator<Item = RowRange>,
        column: &dyn Fn(FieldKind) -> Option<&'a TableColumn>,
    ) -> Result<CellSet, CellsError> {
        let mut keep = Vec::new();
        let mut answers = Vec::new();
        for rows in parts {
            let cells = self.fields.iter().map(|field| {
                let Some(field) = field else {
                    // No cell has what is not there.
                    return Ok(None);
                };
                let column = column(*field).ok_or_else(|| Bug::new("a field was not loaded"))?;
                if column.lacks(rows) {
                    Ok(None)
                } else {
                    cells_of(column, rows).map(Some)
                }
            });
            let cells: Vec<_> = cells.collect::<Result<_, Bug>>()?;
            self.condition.evaluate(&cells, rows.len(), &mut answers)?;
            keep.extend_from_slice(&answers);
        }
        Ok(CellSet::of_bytes(&keep)?)
    }
}

/// Some rows of a column.
fn cells_of(column: &TableColumn, rows: RowRange) -> Result<FieldCells<'_>, Bug> {
    let values = column.values.as_slice();
    let values = match column.offsets {
        Some(_) => Some(values),
        None => {
            let at = |row: usize| row.saturating_mul(column.cell_size);
            values.get(at(rows.start())..at(rows.end()))
        }
    };
    let offsets = column.offsets.as_ref();
    let offsets = offsets.map(|offsets| offsets.get(rows.start()..=rows.end()));
    let validity = column.validity.as_ref();
    let validity = validity.map(|validity| validity.get(rows.indices()));
    let missing = || Bug::new("a column has fewer rows than its table");
    Ok(FieldCells {
        values: values.ok_or_else(missing)?,
        offsets: offsets.map(|o| o.ok_or_else(missing)).transpose()?,
        validity: validity.map(|v| v.ok_or_else(missing)).transpose()?,
    })
}
