//! Buffers unordered cells, and sorts them before they are written.

use std::sync::Arc;

use tdb_tile::LimitError;

use crate::WriteError;
use crate::gather::{Rows, pick_cells};
use crate::input::CheckedCells;
use crate::options::Duplicates;
use crate::runs::{MOST_MERGED, Runs};
use crate::series::Series;
use crate::sparse::{OrderedWriter, check_rows, sorted_rows, write_sorted};
use crate::target::FragmentTarget;
use crate::tile::bound;
use crate::waiting::Waiting;

/// The bytes of a block of a run, where one sort takes `most`: as many runs as are merged at a time can be merged in that memory.
fn bytes_of_block(most: usize) -> usize {
    most / MOST_MERGED
}

fn too_many(limit: LimitError) -> WriteError {
    let hint = "sorted outside of memory, with a `sort_store`, they take less";
    WriteError::Waiting { limit, hint }
}

/// Buffers cells until all have arrived, or until they are spilled as a sorted run.
#[derive(Debug)]
pub(crate) struct UnorderedWriter {
    target: Arc<FragmentTarget>,
    series: Series,
    duplicates: Duplicates,
    waiting: Waiting,
    /// The store for sorted runs, and the number of bytes above which cells are spilled to it.
    runs: Option<(Runs, usize)>,
}

impl UnorderedWriter {
    pub(crate) fn new(
        target: &Arc<FragmentTarget>,
        series: Series,
        duplicates: Duplicates,
    ) -> Self {
        Self {
            target: Arc::clone(target),
            series,
            duplicates,
            waiting: Waiting::within(Some(target.session.limits().budget.clone())),
            runs: None,
        }
    }

    /// Spills cells to `runs` once they take more than `most` bytes.
    pub(crate) fn keep_runs(&mut self, runs: Runs, most: u64) {
        self.runs = Some((runs, bound(most)));
    }

    /// Adds cells whose coordinates lie within the domain.
    pub(crate) fn push(&mut self, cells: CheckedCells) -> Result<(), WriteError> {
        self.waiting.push(cells, too_many)?;
        match &mut self.runs {
            Some((runs, most)) if self.waiting.bytes() > *most => {
                let target = &self.target;
                spill(target, &mut self.waiting, runs, *most)
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn finish(mut self) -> Result<Series, WriteError> {
        let Some((mut runs, most)) = self.runs.filter(|(runs, _)| !runs.is_empty()) else {
            let held = self.waiting.join(too_many)?;
            return match held.cells.rows {
                0 => Ok(self.series),
                _ => write_sorted(&self.target, self.series, held, self.duplicates),
            };
        };
        spill(&self.target, &mut self.waiting, &mut runs, most)?;
        let mut ordered = OrderedWriter::new(&self.target, self.series, self.duplicates);
        let block = bytes_of_block(most);
        runs.merge(&self.target.schema, block, |cells| ordered.push(cells))?;
        ordered.finish()
    }
}

/// Sorts the buffered cells and spills them as a run.
fn spill(
    target: &FragmentTarget,
    waiting: &mut Waiting,
    runs: &mut Runs,
    most: usize,
) -> Result<(), WriteError> {
    let held = waiting.join(too_many)?;
    let cells = &held.cells;
    if cells.rows == 0 {
        return Ok(());
    }
    let schema = &target.schema;
    // Cells with equal coordinates are found when runs are merged.
    let sort = || sorted_rows(schema, cells, Duplicates::Keep);
    let rows = match target.session.install(sort)? {
        Rows::Picked(rows) => rows,
        Rows::InPlace(rows) => check_rows(rows.end)?.iter().skip(rows.start).collect(),
    };
    let size = cells.size_in_memory().div_ceil(cells.rows).max(1);
    let block = (bytes_of_block(most) / size).max(1);
    runs.add(rows.chunks(block).map(|rows| pick_cells(cells, rows)))?;
    drop(held);
    runs.merge_some(&target.schema, bytes_of_block(most))
}
