//! Selects cells of a table by a condition and by points.

use std::sync::Arc;

use tdb_cells::{
    CellSet, CellTable, CellsError, FieldInfo, RowList, RowRange, TableColumn, threads,
};
use tdb_schema::names::UnknownName;
use tdb_schema::{ArraySchema, FieldKind};
use tdb_tile::{Bug, Exact};

use crate::{ConditionError, FieldCells, Points, ResolvedCondition};

/// Selects cells by a condition, by a list of points, or by both. It knows the fields' kinds and numbers in the
/// schema.
#[derive(Clone, Debug)]
pub struct Predicate {
    condition: Option<PlacedCondition>,
    points: Option<PlacedPoints>,
}

/// A condition, and the kind and number in the schema of each of its fields.
#[derive(Clone, Debug)]
struct PlacedCondition {
    condition: ResolvedCondition,
    fields: Vec<Option<FieldKind>>,
}

/// Points, and the number in the schema of each of their dimensions.
#[derive(Clone, Debug)]
struct PlacedPoints {
    points: Arc<Points>,
    dimensions: Vec<usize>,
}

/// Looks up the column of a field; `None` if it is not loaded.
pub type ColumnOf<'f, 'a> = &'f (dyn Fn(FieldKind) -> Option<&'a TableColumn> + Sync);

impl Predicate {
    /// Creates a predicate from a condition on fields of this schema; a field that the schema lacks fails every test.
    #[must_use]
    pub fn new(condition: ResolvedCondition, schema: &ArraySchema) -> Self {
        let fields = condition
            .fields()
            .iter()
            .map(|f| schema.field(&f.name).map(|field| field.kind))
            .collect();
        Self::with_fields(condition, fields)
    }

    /// Creates a predicate from a condition whose fields are given, in their order; `None` for fields that do not
    /// exist.
    #[must_use]
    pub fn with_fields(condition: ResolvedCondition, fields: Vec<Option<FieldKind>>) -> Self {
        Self {
            condition: Some(PlacedCondition { condition, fields }),
            points: None,
        }
    }

    /// Creates a predicate that selects the cells at these points.
    ///
    /// # Errors
    /// The array lacks a dimension of the points, or has one of another datatype.
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
        let dimensions = points.dimensions().map(place).collect::<Result<_, _>>()?;
        Ok(Self {
            condition: None,
            points: Some(PlacedPoints { points, dimensions }),
        })
    }

    /// Selects only cells that this predicate and the points of another one select.
    #[must_use]
    pub fn and_points(self, other: Self) -> Self {
        Self {
            points: other.points,
            ..self
        }
    }

    /// True if the cells are selected by a condition, not by points alone.
    #[must_use]
    pub fn has_condition(&self) -> bool {
        self.condition.is_some()
    }

    /// The points, and the numbers of their dimensions in the schema.
    #[must_use]
    pub fn points(&self) -> Option<(&Points, &[usize])> {
        let placed = self.points.as_ref()?;
        Some((&placed.points, &placed.dimensions))
    }

    /// The fields whose cells are read.
    pub fn fields(&self) -> impl Iterator<Item = FieldKind> + '_ {
        let tested = self.condition.iter().flat_map(|placed| &placed.fields);
        let dimensions = self
            .points
            .iter()
            .flat_map(|placed| &placed.dimensions)
            .map(|dimension| FieldKind::Dimension(*dimension));
        tested.copied().flatten().chain(dimensions)
    }

    /// The condition without the points, and the fields that it tests, in their order.
    pub(crate) fn condition(&self) -> Option<(&ResolvedCondition, &[Option<FieldKind>])> {
        let placed = self.condition.as_ref()?;
        Some((&placed.condition, &placed.fields))
    }

    /// Returns the selected rows of a table.
    ///
    /// # Errors
    /// The cells are inconsistent, or a field is not loaded.
    pub fn evaluate(&self, table: &CellTable) -> Result<CellSet, CellsError> {
        let parts = table.segments.iter().map(|segment| segment.rows);
        self.evaluate_parts(parts, &|field| table.column(field))
    }

    /// Like [`Predicate::evaluate`], for columns whose rows come in consecutive `parts`: a fragment either has a field
    /// for all rows of a part, or [lacks](TableColumn::missing) it for all of them.
    ///
    /// # Errors
    /// The cells are inconsistent, or a field is not loaded.
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
            // The bytes per cell are temporary; the result has bits.
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
        let cells: Vec<_> = self
            .fields
            .iter()
            .map(|field| {
                let Some(field) = field else {
                    // No cell has a value of a missing field.
                    return Ok(None);
                };
                let column = column(*field).ok_or_else(not_loaded)?;
                if column.lacks(part) {
                    Ok(None)
                } else {
                    cells_of(column, rows).map(Some)
                }
            })
            .collect::<Result<_, Bug>>()?;
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
        let columns = self
            .dimensions
            .iter()
            .map(|at| column(FieldKind::Dimension(*at)).ok_or_else(not_loaded))
            .collect::<Result<Vec<_>, Bug>>()?;
        self.points.choose(&columns, rows, answers)
    }
}

fn not_loaded() -> Bug {
    Bug::new("a field was not loaded")
}

/// The cells of some rows of a column.
fn cells_of(column: &TableColumn, rows: RowRange) -> Result<FieldCells<'_>, Bug> {
    let values = column.values.as_slice();
    let values = match column.offsets {
        Some(_) => Some(values),
        None => {
            let at = |row: usize| row.exact_mul(column.cell_size);
            values.get(at(rows.start())?..at(rows.end())?)
        }
    };
    let offsets = column
        .offsets
        .as_ref()
        .map(|offsets| offsets.get(rows.start()..=rows.end()));
    let validity = column
        .validity
        .as_ref()
        .map(|validity| validity.get(rows.indices()));
    let missing = || Bug::new("a column has fewer rows than its table");
    Ok(FieldCells {
        values: values.ok_or_else(missing)?,
        offsets: offsets.map(|o| o.ok_or_else(missing)).transpose()?,
        validity: validity.map(|v| v.ok_or_else(missing)).transpose()?,
    })
}
