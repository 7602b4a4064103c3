//! Rows of a table that are part of a result.

use tdb_cells::{CellSet, CellTable, Row};
use tdb_tile::Bug;

/// Rows of the result, in its order; `None` for all rows of the table in their order.
pub(crate) type Rows = Option<Vec<Row>>;

/// Returns all rows of a table, in its order.
pub(crate) fn all_rows(table: &CellTable) -> Vec<Row> {
    table.rows().iter().collect()
}

/// Keeps only rows that are in a set. `None` becomes a list only if the set lacks a row.
pub(crate) fn keep_in(rows: &mut Rows, set: &CellSet) -> Result<(), Bug> {
    match rows {
        Some(kept) => return set.keep_in(kept),
        None if set.count() < set.rows() => *rows = Some(set.to_rows()),
        None => {}
    }
    Ok(())
}
