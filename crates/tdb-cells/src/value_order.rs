//! Fields whose values have an order, as the arrays of dimension labels do: what reading and writing ask of them.

use std::cmp::Ordering;

use tdb_schema::{CellValNum, DataOrder, value};
use tdb_tile::Datatype;

use crate::CellProblem;

/// What is wrong with a value that comes after another one, in this order. Equal ones are, as in TileDB, and those
/// that cannot be compared.
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
    // Text has any length, all else is one number.
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

/// The value of a cell as people write it.
#[must_use]
pub fn value_text(datatype: Datatype, cell_val_num: CellValNum, cell: &[u8]) -> String {
    match value::read_cell(datatype, cell_val_num, cell) {
        value::Cell::One(value::Value::Text(text)) => format!("{text:?}"),
        value::Cell::One(value) => value.to_string(),
        value::Cell::Many(_) => format!("{} bytes", cell.len()),
    }
}
