//! Checks the data order of attributes, as used in the arrays of dimension labels.

use bytes::Bytes;
use tdb_cells::out_of_order;
use tdb_schema::{ArraySchema, Attribute, DataOrder};
use tdb_tile::Exact;

use crate::WriteError;
use crate::input::{CheckedCells, Input};

/// Attributes of a dense array whose values must increase, or decrease, from cell to cell within a write.
///
/// Cells are only compared within a write, not with stored ones, because labels may be replaced part by part.
#[derive(Debug, Default)]
pub(crate) struct SortedAttributes {
    attributes: Vec<SortedAttribute>,
    /// Number of cells so far.
    seen: u64,
}

#[derive(Debug)]
struct SortedAttribute {
    /// Index of the attribute.
    index: usize,
    attribute: Attribute,
    /// The value of the last cell.
    last: Option<Bytes>,
}

impl SortedAttributes {
    pub(crate) fn new(schema: &ArraySchema) -> Self {
        let attributes = schema.attributes.iter().enumerate();
        let sorted = attributes
            .filter(|(_, attribute)| attribute.order != DataOrder::Unordered)
            .map(|(index, attribute)| SortedAttribute {
                index,
                attribute: attribute.clone(),
                last: None,
            });
        Self {
            attributes: sorted.collect(),
            seen: 0,
        }
    }

    /// Checks that each cell follows the one before it in order.
    pub(crate) fn check(&mut self, cells: &CheckedCells) -> Result<(), WriteError> {
        for sorted in &mut self.attributes {
            sorted.check(cells.field(sorted.index)?, cells.rows, self.seen)?;
        }
        self.seen = self.seen.exact_add(cells.rows as u64)?;
        Ok(())
    }
}

impl SortedAttribute {
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
                    cell: seen.exact_add(row as u64)?,
                    problem,
                });
            }
            before = Some(value);
        }
        self.last = before.map(Bytes::copy_from_slice);
        Ok(())
    }
}
