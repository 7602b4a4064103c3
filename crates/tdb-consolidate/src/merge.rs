//! Executes a [`MergePlan`]: reads the cells of fragments in global order, and writes them to new fragments.

use std::collections::HashSet;
use std::sync::Arc;

use tdb_array::{Array, ArrayError, ErrorKind, OpenOptions, TimeWindow, TimestampedName};
use tdb_cells::Session;
use tdb_query::{ReadOptions, ResultOrder, Versions};
use tdb_tile::Range;
use tdb_write::{Replacement, WriteOptions, WriteOrder};

use crate::merge_plan::keeps_times;
use crate::merge_progress::MergeProgress;
use crate::rewrite::rewrite;
use crate::{History, MergeError, MergeOptions, MergePlan, MergeStep, Source};

/// A batch takes at most 1/SHARE of the session's memory budget.
const SHARE: u64 = 4;

/// Maximum bytes of a batch: larger ones are not faster.
const MOST: u64 = 128 << 20;

/// The result of a merge.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MergeOutcome {
    /// The names of all new fragments.
    pub fragments: Vec<TimestampedName>,
    /// The reasons why steps of the plan were not executed: other programs have merged or removed fragments of the
    /// plan, or all cells are deleted.
    pub notes: Vec<String>,
}

impl MergePlan {
    /// Executes the plan step by step. Cells are read and written in batches within the session's memory budget; the
    /// session [reports](Session::with_progress) the progress.
    ///
    /// Replaced fragments stay until a vacuum. If the merge is interrupted at any point, the array reads as before,
    /// and a new plan continues. If other programs merge or remove fragments of the plan meanwhile, the merge stops
    /// and leaves the rest to a new plan.
    ///
    /// # Errors
    /// Any error of reading or writing.
    pub fn merge(
        &self,
        session: &Session,
        array: &Array,
        options: &MergeOptions,
    ) -> Result<MergeOutcome, MergeError> {
        array.finish_replacements()?;
        let mut merged = MergeOutcome::default();
        let mut made: Vec<Vec<TimestampedName>> = Vec::new();
        let mut progress = MergeProgress::new(session, array, &self.steps);
        for (number, step) in self.steps.iter().enumerate() {
            let mut names = Vec::new();
            for source in &step.sources {
                match source {
                    Source::Fragment(name) => names.push(name.clone()),
                    Source::Step(index) => {
                        let made = made.get(*index).ok_or_else(|| too_early(*index))?;
                        names.extend(made.iter().cloned());
                    }
                }
            }
            let merging = Merging {
                session,
                options,
                step,
                names: &names,
            };
            match merging.run(array, &|cells| progress.tell(cells)) {
                // If all cells are deleted, there is no new fragment: the old ones stay, and later steps use them.
                Ok(written) if written.is_empty() => {
                    merged.notes.push(all_deleted(&names));
                    made.push(names);
                }
                Ok(written) => {
                    merged.fragments.extend(written.iter().cloned());
                    made.push(written);
                }
                Err(error) => {
                    let Some(taken) = merging.taken(array, &error)? else {
                        return Err(error);
                    };
                    merged.notes.push(format!(
                        "another process has merged or removed {taken} meanwhile, so this merge ends here; run it again for what is left"
                    ));
                    break;
                }
            }
            progress.finish(number);
        }
        Ok(merged)
    }
}

/// Only a plan that the caller has built can contain this error.
fn too_early(step: usize) -> ArrayError {
    ArrayError::Invalid {
        what: "step",
        name: step.saturating_add(1).to_string(),
        why: "its result is to be merged by a step of the plan that does not come after it",
    }
}

fn all_deleted(names: &[TimestampedName]) -> String {
    let names: Vec<&str> = names.iter().map(TimestampedName::as_str).collect();
    format!(
        "{} stays: every cell of it is deleted, so that no fragment can take its place; `tdb delete --fragments` removes \
         fragments by their time",
        names.join(", ")
    )
}

/// A step in progress.
struct Merging<'a> {
    session: &'a Session,
    options: &'a MergeOptions,
    step: &'a MergeStep,
    names: &'a [TimestampedName],
}

impl Merging<'_> {
    fn run(&self, array: &Array, tell: &dyn Fn(u64)) -> Result<Vec<TimestampedName>, MergeError> {
        let array = self.open(array)?;
        let adds_deletions = self.options.history == History::WithoutDeleted
            && keeps_times(&array)
            && conditions_outlive_fields(&array);
        let read = self.read_options(&array);
        let write = self.write_options(&array, adds_deletions);
        rewrite(self.session, &array, &read, &write, tell)
    }

    /// If the error occurred because other programs have replaced, removed or claimed a fragment of the step, returns
    /// that fragment.
    fn taken(&self, array: &Array, error: &MergeError) -> Result<Option<String>, MergeError> {
        if let MergeError::Array(ArrayError::Superseded { key }) = error {
            return Ok(Some(key.clone()));
        }
        if error.kind() != ErrorKind::NotFound {
            return Ok(None);
        }
        let live: HashSet<TimestampedName> = array
            .live_now(TimeWindow::ALL)?
            .fragments
            .iter()
            .map(|entry| Ok(entry?.name))
            .collect::<Result<_, ArrayError>>()?;
        let is_there = |name: &&TimestampedName| live.contains(*name);
        let taken = self.names.iter().find(|name| !is_there(name));
        Ok(taken.map(ToString::to_string))
    }

    /// Opens the array restricted to the fragments of the step.
    fn open(&self, array: &Array) -> Result<Arc<Array>, MergeError> {
        let options = OpenOptions::default().window(TimeWindow::ALL);
        let opened = Array::open_location(array.location(), options)?;
        let last = self.options.deletes_until(self.step.times.1);
        let opened = opened
            .with_deletes_until(last)
            .with_fragments(|fragment| self.names.contains(&fragment.name));
        let is_there =
            |name: &&TimestampedName| opened.fragments().iter().any(|f| f.name == **name);
        match self.names.iter().find(|name| !is_there(name)) {
            None => Ok(Arc::new(opened)),
            Some(name) => Err(ArrayError::Superseded {
                key: name.to_string(),
            }
            .into()),
        }
    }

    fn read_options(&self, array: &Array) -> ReadOptions {
        let memory = self.session.limits().budget.limit();
        ReadOptions::default()
            // Cells of dense arrays have no coordinates to copy.
            .dimensions(array.schema().is_dense().then(Vec::new))
            .ranges(self.ranges(array))
            .order(Some(ResultOrder::Global))
            .versions(self.versions(array))
            .enumeration_codes(true)
            .batch_bytes(Some((memory / SHARE).min(MOST)))
    }

    /// Returns the ranges of a dense array that are read and written.
    fn ranges(&self, array: &Array) -> Vec<(String, Range)> {
        let ranges = self
            .step
            .domain
            .iter()
            .flatten()
            .zip(&array.schema().dimensions);
        ranges
            .map(|(range, dimension)| (dimension.name.clone(), range.clone()))
            .collect()
    }

    fn versions(&self, array: &Array) -> Versions {
        match self.options.history {
            _ if !keeps_times(array) => Versions::Current,
            History::Kept => Versions::All,
            History::WithoutDeleted => Versions::Undeleted,
            History::Dropped => Versions::Current,
        }
    }

    fn write_options(&self, array: &Array, has_deletions: bool) -> WriteOptions {
        let keeps_markers = array.write_version().stores_processed_conditions();
        let markers = array.deletes().iter().map(|delete| delete.marker.clone());
        WriteOptions::default()
            .order(Some(WriteOrder::Global))
            .ranges(self.ranges(array))
            .max_fragment_bytes(self.options.max_fragment_bytes)
            .replacement(Some(Replacement {
                fragments: self.names.to_vec(),
                times: self.step.times,
                has_timestamps: self.versions(array) != Versions::Current,
                has_deletions,
                deletes: markers.filter(|_| keeps_markers).collect(),
                uri: self.options.uri.clone(),
            }))
            .names(Arc::clone(&self.options.names))
    }
}

/// True if a delete's condition uses a field that the newest schema lacks, or defines differently. Such a delete
/// matches all cells of fragments without the field, so merged fragments must record that it has been applied.
fn conditions_outlive_fields(array: &Array) -> bool {
    let schema = array.schema();
    let mut asked = array
        .deletes()
        .iter()
        .flat_map(|delete| delete.condition.values());
    asked.any(|value| {
        let now = schema.field(value.field());
        let mut before = array
            .fragments()
            .iter()
            .map(|f| f.schema.field(value.field()));
        let is_other = |before: Option<tdb_schema::Field<'_>>| match (before, now) {
            (Some(before), Some(now)) => {
                before.datatype != now.datatype
                    || before.cell_val_num != now.cell_val_num
                    || before.nullable != now.nullable
            }
            (before, now) => before.is_some() != now.is_some(),
        };
        now.is_none() || before.any(is_other)
    })
}
