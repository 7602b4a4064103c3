//! Progress of a merge.

use std::cell::Cell;
use std::collections::HashMap;

use tdb_array::Array;
use tdb_cells::{Activity, Progress, Session};
use tdb_schema::Subarray;

use crate::merge_step::{MergeStep, Source};

/// Progress of the steps of a plan, in cells.
pub(crate) struct MergeProgress<'a> {
    session: &'a Session,
    /// The number of cells that each step reads; it writes fewer if cells are overwritten.
    steps: Vec<u64>,
    /// The number of cells of the completed steps.
    before: u64,
    /// The last reported number. Progress never goes back, even if a step wrote more than expected.
    told: Cell<u64>,
}

impl<'a> MergeProgress<'a> {
    pub(crate) fn new(session: &'a Session, array: &Array, steps: &[MergeStep]) -> Self {
        let fragments = array.fragments().iter();
        let known: HashMap<&str, u64> = fragments
            .map(|fragment| (fragment.name.as_str(), fragment.metadata.cell_count()))
            .collect();
        let mut cells: Vec<u64> = Vec::with_capacity(steps.len());
        for step in steps {
            let sources = step.sources.iter().map(|source| match source {
                Source::Fragment(name) => known.get(name.as_str()).copied().unwrap_or(0),
                Source::Step(step) => cells.get(*step).copied().unwrap_or(0),
            });
            let together = sources.fold(0, u64::saturating_add);
            cells.push(cells_of_box(array, step).unwrap_or(together));
        }
        Self {
            session,
            steps: cells,
            before: 0,
            told: Cell::new(0),
        }
    }

    /// Reports that `cells` cells of the current step have been written.
    pub(crate) fn tell(&self, cells: u64) {
        let done = self.before.saturating_add(cells).max(self.told.get());
        self.told.set(done);
        let total = self.steps.iter().copied().fold(0, u64::saturating_add);
        let progress = Progress::new(Activity::Merging, done).with_cells(done);
        self.session.tell(&progress.of(Some(total)));
    }

    /// Records that a step is complete.
    pub(crate) fn finish(&mut self, step: usize) {
        let cells = self.steps.get(step).copied().unwrap_or(0);
        self.before = self.before.saturating_add(cells);
        self.tell(0);
    }
}

/// Returns the number of cells in the box that a step writes to a dense array; `None` for sparse arrays, or if it
/// overflows.
fn cells_of_box(array: &Array, step: &MergeStep) -> Option<u64> {
    let schema = array.schema();
    let ranges: Vec<_> = step
        .domain
        .as_ref()?
        .iter()
        .zip(&schema.dimensions)
        .map(|(range, dimension)| (dimension.name.clone(), range.clone()))
        .collect();
    let shape = Subarray::new(schema, &ranges).ok()?.result_shape(schema)?;
    shape
        .iter()
        .try_fold(1_u64, |cells, side| cells.checked_mul(*side))
}
