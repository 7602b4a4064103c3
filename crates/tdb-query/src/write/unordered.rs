//! Cells in any order: sorted before they are written.

use std::sync::Arc;

use super::fragment::Target;
use super::input::Cells;
use super::options::Duplicates;
use super::series::Series;
use super::sparse::write_sorted;
use crate::QueryError;

/// Cells that wait until all are there.
#[derive(Debug)]
pub(crate) struct UnorderedWriter {
    target: Arc<Target>,
    series: Series,
    duplicates: Duplicates,
    parts: Vec<Cells>,
}

impl UnorderedWriter {
    pub(crate) fn new(target: &Arc<Target>, series: Series, duplicates: Duplicates) -> Self {
        Self {
            target: Arc::clone(target),
            series,
            duplicates,
            parts: Vec::new(),
        }
    }

    /// Adds cells whose coordinates lie within the domain.
    pub(crate) fn push(&mut self, cells: Cells) -> Result<(), QueryError> {
        self.parts.push(cells);
        Ok(())
    }

    pub(crate) fn finish(mut self) -> Result<Series, QueryError> {
        let cells = match self.parts.as_slice() {
            [_] => self.parts.pop().unwrap_or_default(),
            parts => {
                let parts: Vec<_> = parts.iter().map(|part| (part, 0..part.rows)).collect();
                Cells::join(&parts)
            }
        };
        self.parts.clear();
        if cells.rows == 0 {
            return Ok(self.series);
        }
        write_sorted(&self.target, self.series, &cells, self.duplicates)
    }
}
