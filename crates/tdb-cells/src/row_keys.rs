//! The sort keys of the rows of a table.

use tdb_schema::order::{CellComparator, Column, KeyEncoder, SortOrder};
use tdb_schema::{ArraySchema, FieldKind, order};
use tdb_tile::{Bug, Datatype};
use zerocopy::little_endian::U64;

use crate::keys::{Keys, Numbers};
use crate::row::Row;
use crate::table::{CellTable, TableColumn};

/// The datatypes of the dimensions.
#[must_use]
pub fn dimension_types(schema: &ArraySchema) -> Vec<Datatype> {
    schema
        .dimensions
        .iter()
        .map(|dimension| dimension.datatype)
        .collect()
}

/// Coordinates of a table, dimension by dimension: numbers in place, and where strings begin.
#[derive(Debug)]
pub struct Coordinates {
    starts: Vec<Option<Vec<U64>>>,
}

impl Coordinates {
    /// Of all rows of a table.
    ///
    /// # Errors
    /// Coordinates that are not loaded.
    pub fn new(table: &CellTable, dimensions: usize) -> Result<Self, Bug> {
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

    /// As columns to compare, out of the same table.
    ///
    /// # Errors
    /// Coordinates that are not loaded.
    pub fn columns<'a>(&'a self, table: &'a CellTable) -> Result<Vec<Column<'a>>, Bug> {
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

/// The keys of all rows of a table, whose coordinates are loaded.
///
/// # Errors
/// Coordinates that are not loaded.
pub fn row_keys<'a>(
    schema: &ArraySchema,
    table: &'a CellTable,
    coordinates: &'a Coordinates,
    order: SortOrder,
) -> Result<Keys<'a>, Bug> {
    let columns = coordinates.columns(table)?;
    let encoder = KeyEncoder::new(schema, order);
    let exact = encoder.is_exact();
    // Cells outside the domain, which writers may be told to allow, have no keys.
    let numbers = encoder.encode(&columns).ok().map(|keys| match keys {
        order::Keys::U64(keys) => Numbers::Narrow(keys),
        order::Keys::U128(keys) => Numbers::Wide(keys),
    });
    Ok(match numbers {
        Some(numbers) if exact => Keys::exact(numbers),
        numbers => {
            let comparator = CellComparator::new(schema, order);
            let compare = move |a: Row, b: Row| {
                comparator.compare_rows(&columns, a.index(), &columns, b.index())
            };
            Keys::compared(numbers, Box::new(compare))
        }
    })
}
