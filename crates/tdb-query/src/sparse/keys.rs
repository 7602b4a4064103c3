//! What the rows of a table are sorted by.

use tdb_cells::{CellTable, Keys, Numbers};
use tdb_schema::order::{CellComparator, Column, KeyEncoder, SortOrder};
use tdb_schema::{ArraySchema, FieldKind, order};
use tdb_tile::Datatype;
use zerocopy::little_endian::U64;

use crate::options::ResultOrder;

/// The datatypes of the dimensions.
pub(crate) fn dimension_types(schema: &ArraySchema) -> Vec<Datatype> {
    schema
        .dimensions
        .iter()
        .map(|dimension| dimension.datatype)
        .collect()
}

/// Coordinates of a table, dimension by dimension: numbers in place, and where strings begin.
pub(crate) struct Coordinates {
    starts: Vec<Option<Vec<U64>>>,
}

impl Coordinates {
    pub(crate) fn new(table: &CellTable, dimensions: usize) -> Self {
        let starts = |dimension| {
            let offsets = table
                .column(FieldKind::Dimension(dimension))?
                .offsets
                .as_ref()?;
            Some(
                offsets
                    .iter()
                    .take(table.rows)
                    .map(|&start| U64::new(start))
                    .collect(),
            )
        };
        Self {
            starts: (0..dimensions).map(starts).collect(),
        }
    }

    pub(crate) fn columns<'a>(&'a self, table: &'a CellTable) -> Vec<Column<'a>> {
        let column = |(dimension, starts): (usize, &'a Option<Vec<U64>>)| {
            let data = table
                .column(FieldKind::Dimension(dimension))
                .map_or(&[][..], |c| c.values.as_slice());
            match starts {
                Some(offsets) => Column::Var { offsets, data },
                None => Column::Fixed(data),
            }
        };
        self.starts.iter().enumerate().map(column).collect()
    }
}

/// What the order of a result is called where cells are compared.
pub(crate) fn sort_order(order: ResultOrder) -> SortOrder {
    match order {
        ResultOrder::RowMajor => SortOrder::RowMajor,
        ResultOrder::ColumnMajor => SortOrder::ColumnMajor,
        ResultOrder::Global | ResultOrder::Unordered => SortOrder::Global,
    }
}

/// The keys of all rows of a table, whose coordinates are loaded.
pub(crate) fn row_keys<'a>(
    schema: &ArraySchema,
    table: &'a CellTable,
    coordinates: &'a Coordinates,
    order: ResultOrder,
) -> Keys<'a> {
    let order = sort_order(order);
    let columns = coordinates.columns(table);
    let encoder = KeyEncoder::new(schema, order);
    let exact = encoder.is_exact();
    // Cells outside the domain, which writers may be told to allow, have no keys.
    let numbers = encoder.encode(&columns).ok().map(|keys| match keys {
        order::Keys::U64(keys) => Numbers::Narrow(keys),
        order::Keys::U128(keys) => Numbers::Wide(keys),
    });
    match numbers {
        Some(numbers) if exact => Keys::exact(numbers),
        numbers => {
            let comparator = CellComparator::new(schema, order);
            let compare = move |a: u32, b: u32| {
                comparator.compare_rows(&columns, a as usize, &columns, b as usize)
            };
            Keys::compared(numbers, Box::new(compare))
        }
    }
}
