//! The coordinates of one cell, as a position in the order of a result.

use std::cmp::Ordering;

use tdb_cells::{CellTable, Row};
use tdb_schema::FieldKind;
use tdb_schema::order::{CellComparator, Column};
use tdb_tile::Bug;
use zerocopy::little_endian::U64;

/// The coordinates of a cell.
#[derive(Clone, Debug)]
pub(crate) struct Corner {
    /// One coordinate per dimension.
    coordinates: Vec<Coordinate>,
}

#[derive(Clone, Debug)]
struct Coordinate {
    value: Vec<u8>,
    is_var: bool,
}

impl Corner {
    /// Creates a corner from the bytes of each coordinate and whether its dimension is var-sized.
    #[must_use]
    pub(crate) fn new(coordinates: Vec<(Vec<u8>, bool)>) -> Self {
        let coordinates = coordinates
            .into_iter()
            .map(|(value, is_var)| Coordinate { value, is_var });
        Self {
            coordinates: coordinates.collect(),
        }
    }

    /// Returns the coordinates in a row of a table.
    ///
    /// # Errors
    /// The coordinates are not loaded, or the table does not have the row.
    pub(crate) fn of(table: &CellTable, row: Row, dimensions: usize) -> Result<Self, Bug> {
        let coordinate = |dimension| {
            let column = table
                .column(FieldKind::Dimension(dimension))
                .ok_or_else(|| Bug::new("cells are compared whose coordinates are not loaded"))?;
            Ok(Coordinate {
                value: column.cell(row.index())?.to_vec(),
                is_var: column.offsets.is_some(),
            })
        };
        Ok(Self {
            coordinates: (0..dimensions)
                .map(coordinate)
                .collect::<Result<_, Bug>>()?,
        })
    }

    /// The bytes of the coordinate along one dimension.
    #[must_use]
    pub(crate) fn value(&self, dimension: usize) -> Option<&[u8]> {
        let coordinate = self.coordinates.get(dimension)?;
        Some(&coordinate.value)
    }

    /// Compares two corners in the order of `comparator`.
    #[must_use]
    pub(crate) fn compare(&self, other: &Self, comparator: &CellComparator) -> Ordering {
        comparator.compare_rows(&self.columns(), 0, &other.columns(), 0)
    }

    /// The coordinates as columns of one row.
    #[must_use]
    pub(crate) fn columns(&self) -> Vec<Column<'_>> {
        self.coordinates.iter().map(Coordinate::column).collect()
    }
}

impl Coordinate {
    fn column(&self) -> Column<'_> {
        if self.is_var {
            return Column::Var {
                offsets: &[U64::ZERO],
                data: &self.value,
            };
        }
        Column::Fixed(&self.value)
    }
}
