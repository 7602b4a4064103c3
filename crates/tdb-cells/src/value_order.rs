//! Fields whose values are ordered, as in the arrays of dimension labels: checks for reads and writes.

use std::cmp::Ordering;

use tdb_schema::{CellValNum, DataOrder, value};
use tdb_tile::Datatype;

use crate::CellProblem;

/// Checks a value that follows `before` in a field of this order; returns the problem if it does not. Equal values are
/// a problem, as in TileDB, and so are values that cannot be compared.
#[must_use]
pub fn out_of_order(
    datatype: Datatype,
    order: DataOrder,
    before: &[u8],
    value: &[u8],
) -> Option<CellProblem> {
    let (ordering, wanted) = match order {
        DataOrder::Unordered => return None,
        DataOrder::Increasing => (Ordering::Greater, "greater"),
        DataOrder::Decreasing => (Ordering::Less, "less"),
    };
    // Text has any length; all other types have one number per cell.
    let values = if datatype.is_string() {
        CellValNum::Var
    } else {
        CellValNum::Fixed(1)
    };
    (datatype.compare(value, before) != Some(ordering)).then(|| CellProblem::OutOfOrder {
        value: value_text(datatype, values, value),
        before: value_text(datatype, values, before),
        wanted,
    })
}

/// Formats the value of a cell for people.
#[must_use]
pub fn value_text(datatype: Datatype, cell_val_num: CellValNum, cell: &[u8]) -> String {
    match value::read_cell(datatype, cell_val_num, cell) {
        value::Cell::One(value::Value::Text(text)) => format!("{text:?}"),
        value::Cell::One(value) => value.to_string(),
        value::Cell::Many(_) => format!("{} bytes", cell.len()),
    }
}
