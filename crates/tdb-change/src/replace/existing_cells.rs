use tdb_cells::{Batch, Column, Session};
use tdb_open::{Error, Result};
use tdb_schema::{ArraySchema, Attribute};
use tdb_tile::{Budget, Exact, Grant};

use super::column::CellsOfColumn;
use super::coordinates::{Places, lost};

/// The existing cells at some places, and their values of some attributes.
#[derive(Debug)]
pub(super) struct ExistingCells {
    /// Number of cells at each place.
    counts: Vec<u64>,
    /// Values of each attribute.
    values: Vec<ExistingValues>,
    budget: Budget,
    held: Vec<Grant>,
}

/// Values of one attribute.
#[derive(Debug)]
struct ExistingValues {
    attribute: String,
    bytes: Vec<u8>,
    /// For each place, the start and end of its value in `bytes`, and whether it is valid.
    spans: Vec<(usize, usize, bool)>,
}

impl ExistingCells {
    /// Creates an empty collection.
    pub(super) fn new(places: &Places, attributes: &[&Attribute], session: &Session) -> Self {
        let values = attributes.iter().map(|attribute| ExistingValues {
            attribute: attribute.name.clone(),
            bytes: Vec::new(),
            spans: vec![(0, 0, false); places.len()],
        });
        Self {
            counts: vec![0; places.len()],
            values: values.collect(),
            budget: session.limits().budget.clone(),
            held: Vec::new(),
        }
    }

    /// Adds the cells of a batch that lie at the places.
    pub(super) fn take(
        &mut self,
        schema: &ArraySchema,
        places: &Places,
        batch: &Batch,
    ) -> Result<()> {
        let before = self.bytes();
        let mut key = Vec::new();
        for row in 0..batch.rows {
            let Some(place) = places.place(schema, batch, row, &mut key)? else {
                continue;
            };
            let count = self.counts.get_mut(place).ok_or_else(lost)?;
            *count += 1;
            for kept in &mut self.values {
                let column = batch.column(&kept.attribute).ok_or_else(lost)?;
                let begin = kept.bytes.len();
                kept.bytes
                    .extend_from_slice(column.cell(row).ok_or_else(lost)?);
                let span = (begin, kept.bytes.len(), column.is_valid(row));
                *kept.spans.get_mut(place).ok_or_else(lost)? = span;
            }
        }
        let more = self.bytes().exact_sub(before)?;
        self.held.push(self.budget.take(more).map_err(Error::from)?);
        Ok(())
    }

    fn bytes(&self) -> u64 {
        let bytes = self.values.iter().map(|kept| kept.bytes.len() as u64);
        bytes.sum()
    }

    /// Returns the number of places with at least one cell.
    pub(super) fn found(&self) -> u64 {
        self.counts.iter().filter(|count| **count > 0).count() as u64
    }

    /// Returns the number of cells.
    pub(super) fn cells(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// True if there is a cell at a place.
    pub(super) fn is_at(&self, place: usize) -> bool {
        self.counts.get(place).is_some_and(|count| *count > 0)
    }

    /// Returns the first place with more than one cell.
    pub(super) fn first_repeated(&self) -> Option<usize> {
        self.counts.iter().position(|count| *count > 1)
    }

    /// Returns the existing values for rows at these places. Where no cell exists, the value is null if the attribute
    /// is nullable, otherwise an error; `text` describes the coordinates of a row for it.
    pub(super) fn columns(
        &self,
        attributes: &[&Attribute],
        places: &[usize],
        text: &dyn Fn(usize) -> String,
    ) -> Result<Vec<Column>> {
        let columns = attributes
            .iter()
            .zip(&self.values)
            .map(|(attribute, kept)| {
                let mut cells = CellsOfColumn::new(attribute);
                for (row, &place) in places.iter().enumerate() {
                    if self.is_at(place) {
                        let (begin, end, is_valid) = *kept.spans.get(place).ok_or_else(lost)?;
                        let cell = kept.bytes.get(begin..end).ok_or_else(lost)?;
                        cells.push(cell, is_valid);
                    } else if attribute.nullable {
                        cells.push_null();
                    } else {
                        return Err(new_without_value(attribute, &text(row)));
                    }
                }
                Ok(cells.finish())
            });
        columns.collect()
    }
}

fn new_without_value(attribute: &Attribute, place: &str) -> Error {
    let name = &attribute.name;
    let what = format!("there is no cell at {place} from which to keep {name:?}");
    let hint = format!("give a column for {name:?}: new cells need all values that cannot be null");
    Error::invalid(what).with_hint(hint)
}
