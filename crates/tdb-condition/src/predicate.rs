//! What chooses the cells of a table: a condition, and points.

use std::sync::Arc;

use tdb_cells::{
    CellSet, CellTable, CellsError, FieldInfo, RowList, RowRange, TableColumn, threads,
};
use tdb_schema::names::UnknownName;
use tdb_schema::{ArraySchema, FieldKind};
use tdb_tile::Bug;

use crate::{ConditionError, FieldCells, Points, ResolvedCondition};

/// What chooses cells: a condition, points that they lie at, or both; and where the fields that are looked at stand in the schema.
#[derive(Clone, Debug)]
pub struct Predicate {
    condition: Option<PlacedCondition>,
    points: Option<PlacedPoints>,
}

/// A condition, and where the fields that it tests stand, in their order.
#[derive(Clone, Debug)]
struct PlacedCondition {
    condition: ResolvedCondition,
    fields: Vec<Option<FieldKind>>,
}

/// Points, and where their dimensions stand, in their order.
#[derive(Clone, Debug)]
struct PlacedPoints {
    points: Arc<Points>,
    dimensions: Vec<usize>,
}

/// The column of a field, where there is one.
pub type ColumnOf<'f, 'a> = &'f (dyn Fn(FieldKind) -> Option<&'a TableColumn> + Sync);

impl Predicate {
    /// A condition on fields of this schema; one that the schema lacks fails every test.
    #[must_use]
    pub fn new(condition: ResolvedCondition, schema: &ArraySchema) -> Self {
        let fields = condition
            .fields()
            .iter()
            .map(|f| schema.field(&f.name).map(|field| field.kind))
            .collect();
        Self::with_fields(condition, fields)
    }

    /// A condition whose fields are known, in their order; `None` for those that are not there.
    #[must_use]
    pub fn with_fields(condition: ResolvedCondition, fields: Vec<Option<FieldKind>>) -> Self {
        Self {
            condition: Some(PlacedCondition { condition, fields }),
            points: None,
        }
    }

    /// Only cells at points whose dimensions the array has.
    ///
    /// # Errors
    /// A dimension that the array does not have, or that is of another datatype there.
    pub fn at_points(points: Arc<Points>, schema: &ArraySchema) -> Result<Self, ConditionError> {
        let place = |dimension: &FieldInfo| {
            let place = schema.dimension_index(&dimension.name);
            let found = place.and_then(|place| Some((place, schema.dimensions.get(place)?)));
            let Some((place, found)) = found else {
                let known = schema.dimensions.iter().map(|d| d.name.as_str());
                return Err(UnknownName::new("dimension", &dimension.name, known).into());
            };
            if found.datatype == dimension.datatype {
                Ok(place)
            } else {
                Err(ConditionError::PointType {
                    dimension: dimension.name.clone(),
                    datatype: found.datatype,
                    found: dimension.datatype,
                })
            }
        };
        let dimensions = points.dimensions().map(place);
        let dimensions = dimensions.collect::<Result<_, _>>()?;
        Ok(Self {
            condition: None,
            points: Some(PlacedPoints { points, dimensions }),
        })
    }

    /// Both what this chooses and what another does.
    #[must_use]
    pub fn and_points(self, other: Self) -> Self {
        Self {
            points: other.points,
            ..self
        }
    }

    /// The points that cells lie at, and where their dimensions stand in the schema.
    #[must_use]
    pub fn points(&self) -> Option<(&Points, &[usize])> {
        let placed = self.points.as_ref()?;
        Some((&placed.points, &placed.dimensions))
    }

    /// The fields whose cells are looked at.
    pub fn fields(&self) -> impl Iterator<Item = FieldKind> + '_ {
        let tested = self.condition.iter().flat_map(|placed| &placed.fields);
        let dimensions = self.points.iter().flat_map(|placed| &placed.dimensions);
        let dimensions = dimensions.map(|dimension| FieldKind::Dimension(*dimension));
        tested.copied().flatten().chain(dimensions)
    }

    /// The condition by itself, and where its fields stand, in their order.
    pub(crate) fn condition(&self) -> Option<(&ResolvedCondition, &[Option<FieldKind>])> {
        let placed = self.condition.as_ref()?;
        Some((&placed.condition, &placed.fields))
    }

    /// The rows of the table that it chooses.
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
        column: ColumnOf<'_, 'a>,
    ) -> Result<CellSet, CellsError> {
        let pieces = parts.flat_map(|part| {
            let pieces = part.parts(threads::CELLS_PER_TASK).into_iter();
            pieces.map(move |rows| (part, rows))
        });
        let sets = threads::map(pieces.collect(), |(part, rows)| {
            let mut answers = Vec::new();
            match &self.condition {
                Some(placed) => placed.evaluate((part, rows), column, &mut answers)?,
                None => answers.resize(rows.len(), 1),
            }
            if let Some(placed) = &self.points {
                placed.choose(rows, column, &mut answers)?;
            }
            // A byte for each cell is short-lived: a bit is kept.
            Ok::<_, CellsError>(CellSet::of_bytes(&answers)?)
        })?;
        Ok(CellSet::concat(&sets)?)
    }
}

impl PlacedCondition {
    fn evaluate<'a>(
        &self,
        (part, rows): (RowRange, RowRange),
        column: ColumnOf<'_, 'a>,
        answers: &mut Vec<u8>,
    ) -> Result<(), CellsError> {
        let cells = self.fields.iter().map(|field| {
            let Some(field) = field else {
                // No cell has what is not there.
                return Ok(None);
            };
            let column = column(*field).ok_or_else(not_loaded)?;
            if column.lacks(part) {
                Ok(None)
            } else {
                cells_of(column, rows).map(Some)
            }
        });
        let cells: Vec<_> = cells.collect::<Result<_, Bug>>()?;
        self.condition.evaluate(&cells, rows.len(), answers)
    }
}

impl PlacedPoints {
    fn choose<'a>(
        &self,
        rows: RowRange,
        column: ColumnOf<'_, 'a>,
        answers: &mut [u8],
    ) -> Result<(), Bug> {
        let columns = self.dimensions.iter();
        let columns = columns.map(|at| column(FieldKind::Dimension(*at)).ok_or_else(not_loaded));
        let columns = columns.collect::<Result<Vec<_>, Bug>>()?;
        self.points.choose(&columns, rows, answers)
    }
}

fn not_loaded() -> Bug {
    Bug::new("a field was not loaded")
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
