//! Which rows of a table are part of a result.

use tdb_cells::{CellSet, CellTable, Row};
use tdb_tile::Bug;

/// Rows of a table: those of the result, in its order; `None` for all as they are.
pub(crate) type Rows = Option<Vec<Row>>;

/// All rows of a table, in its order.
pub(crate) fn all_rows(table: &CellTable) -> Vec<Row> {
    table.rows().iter().collect()
}

/// Keeps those rows that are in a set; where all are still in place, first writes them down.
pub(crate) fn keep_in(rows: &mut Rows, set: &CellSet) -> Result<(), Bug> {
    match rows {
        Some(kept) => return set.keep_in(kept),
        None if set.count() < set.rows() => *rows = Some(set.to_rows()),
        None => {}
    }
    Ok(())
}
