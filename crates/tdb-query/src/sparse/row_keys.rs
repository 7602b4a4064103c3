//! The sort keys of the rows of a table.

#[cfg(test)]
mod tests;

use tdb_cells::{CellTable, Keys, TableColumn, cell_keys};
use tdb_schema::order::{Column, SortOrder};
use tdb_schema::{ArraySchema, FieldKind};
use tdb_tile::{Bug, Datatype};
use zerocopy::little_endian::U64;

/// Datatypes of the dimensions.
#[must_use]
pub(crate) fn dimension_types(schema: &ArraySchema) -> Vec<Datatype> {
    schema
        .dimensions
        .iter()
        .map(|dimension| dimension.datatype)
        .collect()
}

/// Start offsets of the var-sized coordinates of a table, by dimension; fixed-size coordinates need no copy.
#[derive(Debug)]
pub(crate) struct Coordinates {
    starts: Vec<Option<Vec<U64>>>,
}

impl Coordinates {
    /// Prepares the coordinates of all rows of a table.
    ///
    /// # Errors
    /// The coordinates are not loaded.
    pub(crate) fn new(table: &CellTable, dimensions: usize) -> Result<Self, Bug> {
        let starts = |dimension| {
            let offsets = coordinates(table, dimension)?.offsets.as_ref();
            let rows = table.rows().len();
            Ok(offsets.map(|offsets| offsets.iter().take(rows).copied().map(U64::new).collect()))
        };
        let starts = (0..dimensions).map(starts);
        Ok(Self {
            starts: starts.collect::<Result<_, Bug>>()?,
        })
    }

    /// Returns the coordinates as columns for comparison; `table` must be the one given to [`Coordinates::new`].
    ///
    /// # Errors
    /// The coordinates are not loaded.
    pub(crate) fn columns<'a>(&'a self, table: &'a CellTable) -> Result<Vec<Column<'a>>, Bug> {
        let column = |(dimension, starts): (usize, &'a Option<Vec<U64>>)| {
            let data = coordinates(table, dimension)?.values.as_slice();
            Ok(match starts {
                Some(offsets) => Column::Var { offsets, data },
                None => Column::Fixed(data),
            })
        };
        self.starts.iter().enumerate().map(column).collect()
    }
}

fn coordinates(table: &CellTable, dimension: usize) -> Result<&TableColumn, Bug> {
    let column = table.column(FieldKind::Dimension(dimension));
    column.ok_or_else(|| Bug::new("cells are compared whose coordinates are not loaded"))
}

/// Computes the sort keys of all rows of a table from their coordinates.
///
/// # Errors
/// The coordinates are not loaded.
pub(crate) fn row_keys<'a>(
    schema: &ArraySchema,
    table: &'a CellTable,
    coordinates: &'a Coordinates,
    order: SortOrder,
) -> Result<Keys<'a>, Bug> {
    let columns = coordinates.columns(table)?;
    cell_keys(schema, columns, table.rows().len(), order)
}
