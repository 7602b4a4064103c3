//! How far a merge has come.

use std::cell::Cell;
use std::collections::HashMap;

use tdb_array::Array;
use tdb_cells::{Activity, Progress, Session};
use tdb_schema::Subarray;

use crate::merge_step::{MergeStep, Source};

/// How far the steps of a plan have come, in cells.
pub(crate) struct MergeProgress<'a> {
    session: &'a Session,
    /// The cells that each step has to do with; more than it writes, where cells are overwritten.
    steps: Vec<u64>,
    /// Those of the steps that are done.
    before: u64,
    /// What was told last: a step that wrote more than was expected does not set it back.
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

    /// So many cells are written of the step that goes on.
    pub(crate) fn tell(&self, cells: u64) {
        let done = self.before.saturating_add(cells).max(self.told.get());
        self.told.set(done);
        let total = self.steps.iter().copied().fold(0, u64::saturating_add);
        let progress = Progress::new(Activity::Merging, done).with_cells(done);
        self.session.tell(&progress.of(Some(total)));
    }

    /// A step is done.
    pub(crate) fn finish(&mut self, step: usize) {
        let cells = self.steps.get(step).copied().unwrap_or(0);
        self.before = self.before.saturating_add(cells);
        self.tell(0);
    }
}

/// The cells of the box that a step on a dense array writes.
fn cells_of_box(array: &Array, step: &MergeStep) -> Option<u64> {
    let schema = array.schema();
    let ranges = step.domain.as_ref()?.iter().zip(&schema.dimensions);
    let ranges: Vec<_> = ranges
        .map(|(range, dimension)| (dimension.name.clone(), range.clone()))
        .collect();
    let shape = Subarray::new(schema, &ranges).ok()?.result_shape(schema)?;
    shape
        .iter()
        .try_fold(1_u64, |cells, side| cells.checked_mul(*side))
}
