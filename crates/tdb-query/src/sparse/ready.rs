//! Cells on their way out of a read.

use tdb_cells::{CellTable, Row};

use super::rows::Rows;

/// Cells of the result, more than a batch may have.
#[derive(Debug)]
pub(super) struct Ready {
    pub(super) table: CellTable,
    /// Those of the result, in its order.
    pub(super) rows: Vec<Row>,
    /// How many of them were given out.
    pub(super) given: usize,
}

/// The cells of a table that were chosen already.
#[derive(Debug)]
pub(super) struct Selected {
    pub(super) rows: Rows,
    /// Whether what is deleted or fails the condition is left out.
    pub(super) is_final: bool,
}
