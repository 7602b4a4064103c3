//! Aggregates of a query, and their results.

use tdb::engine::aggregate::Outcome;
use tdb::engine::schema::{ArraySchema, CellValNum};
use tdb::{Aggregate, Function};

/// An aggregate of a query, with the name of the field that its result is.
#[derive(Clone, Debug)]
pub(crate) struct NamedAggregate {
    pub(crate) name: String,
    pub(crate) aggregate: Aggregate,
}

/// Returns the number of values of an aggregate's result, and whether it can be null.
pub(crate) fn result_form(aggregate: &Aggregate, schema: &ArraySchema) -> (CellValNum, bool) {
    let field = aggregate
        .field
        .as_deref()
        .and_then(|name| schema.field(name));
    match (aggregate.function, field) {
        (Function::Count | Function::NullCount, _) | (_, None) => (CellValNum::Fixed(1), false),
        (Function::Min | Function::Max, Some(field)) => (field.cell_val_num, field.nullable),
        (_, Some(field)) => (CellValNum::Fixed(1), field.nullable),
    }
}

/// Returns the bytes of an aggregate's result; `None` if there were no values.
pub(crate) fn result_bytes(outcome: &Outcome) -> Option<Vec<u8>> {
    match outcome {
        Outcome::Unsigned(number) => Some(number.to_le_bytes().to_vec()),
        Outcome::Signed(number) => Some(number.to_le_bytes().to_vec()),
        Outcome::Float(number) => Some(number.to_le_bytes().to_vec()),
        Outcome::Value(_, bytes) => Some(bytes.clone()),
        _ => None,
    }
}
