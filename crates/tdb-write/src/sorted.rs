//! Checks attributes with a data order, as the arrays of dimension labels have.

use bytes::Bytes;
use tdb_cells::out_of_order;
use tdb_schema::{ArraySchema, Attribute, DataOrder};

use crate::WriteError;
use crate::input::{CheckedCells, Input};

/// The attributes of a dense array whose values must increase, or decrease, from cell to cell of a write.
///
/// Only cells of the same write are compared, not stored ones: labels may be replaced part by part.
#[derive(Debug, Default)]
pub(crate) struct SortedAttributes {
    attributes: Vec<Sorted>,
    /// Cells so far.
    seen: u64,
}

#[derive(Debug)]
struct Sorted {
    /// Its place among the attributes.
    index: usize,
    attribute: Attribute,
    /// The value of the last cell.
    last: Option<Bytes>,
}

impl SortedAttributes {
    pub(crate) fn new(schema: &ArraySchema) -> Self {
        let attributes = schema.attributes.iter().enumerate();
        let sorted = attributes.filter(|(_, attribute)| attribute.order != DataOrder::Unordered);
        let sorted = sorted.map(|(index, attribute)| Sorted {
            index,
            attribute: attribute.clone(),
            last: None,
        });
        Self {
            attributes: sorted.collect(),
            seen: 0,
        }
    }

    /// Fails at the first of these cells whose value is out of order with the one before it.
    pub(crate) fn check(&mut self, cells: &CheckedCells) -> Result<(), WriteError> {
        for sorted in &mut self.attributes {
            sorted.check(cells.field(sorted.index)?, cells.rows, self.seen)?;
        }
        self.seen = self.seen.saturating_add(cells.rows as u64);
        Ok(())
    }
}

impl Sorted {
    fn check(&mut self, input: &Input, rows: usize, seen: u64) -> Result<(), WriteError> {
        let Attribute {
            name,
            datatype,
            order,
            ..
        } = &self.attribute;
        let mut before = self.last.as_deref();
        for row in 0..rows {
            let value = input.cell(row)?;
            let problem = before.and_then(|before| out_of_order(*datatype, *order, before, value));
            if let Some(problem) = problem {
                return Err(WriteError::Cell {
                    field: name.clone(),
                    cell: seen.saturating_add(row as u64),
                    problem,
                });
            }
            before = Some(value);
        }
        self.last = before.map(Bytes::copy_from_slice);
        Ok(())
    }
}
