//! Maps row numbers of a query to cells, for errors that know only the number of a row.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use arrow_array::RecordBatch;
use datafusion::arrow::util::display::array_value_to_string;

/// Number of batches that are remembered: an error is about one of the last.
const REMEMBERED: usize = 4;

/// Coordinates of the last rows.
#[derive(Debug)]
pub(crate) struct CellPlaces {
    /// Number of columns at the front that are dimensions.
    dimensions: usize,
    /// Last batches, each with the number of its first row.
    last: Mutex<VecDeque<(u64, RecordBatch)>>,
}

impl CellPlaces {
    pub(crate) fn new(dimensions: usize) -> Self {
        Self {
            dimensions,
            last: Mutex::default(),
        }
    }

    /// Remembers the next rows. A `first` of 0 begins another result.
    pub(crate) fn note(&self, first: u64, batch: &RecordBatch) {
        let columns: Vec<usize> = (0..self.dimensions.min(batch.num_columns())).collect();
        let Ok(coordinates) = batch.project(&columns) else {
            return;
        };
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if first == 0 {
            last.clear();
        }
        while last.len() >= REMEMBERED {
            last.pop_front();
        }
        last.push_back((first, coordinates));
    }

    /// Returns the coordinates of a row, such as `x = 3, y = 4`, if the row is remembered.
    pub(crate) fn of(&self, row: u64) -> Option<String> {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let (first, batch) = last.iter().rev().find(|(first, _)| *first <= row)?;
        let row = usize::try_from(row.checked_sub(*first)?).ok()?;
        if row >= batch.num_rows() {
            return None;
        }
        let schema = batch.schema();
        let sides = batch
            .columns()
            .iter()
            .zip(schema.fields())
            .map(|(column, field)| {
                let value = array_value_to_string(column, row).ok()?;
                Some(format!("{} = {value}", field.name()))
            });
        Some(sides.collect::<Option<Vec<_>>>()?.join(", "))
    }
}
