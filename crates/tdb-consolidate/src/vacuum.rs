use std::collections::BTreeSet;

use tdb_array::commits::{parse_lines, rerooted};
use tdb_array::directory::{FRAGMENT_METADATA_FOLDER, METADATA_FOLDER};
use tdb_array::{ArrayError, Location, TimestampedName};

use crate::metadata::nothing_is_left;
use crate::vacuum_commits::plan_commits;
use crate::vacuum_fragments::{apply_fragments, plan_fragments};
use crate::vacuum_options::young;
use crate::{Plan, VacuumOptions, objects};

/// The part of an array or group that is consolidated or vacuumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// The fragments of an array.
    Fragments,
    /// The consolidated footers of an array's fragments.
    FragmentMetadata,
    /// The commits of an array.
    Commits,
    /// The metadata of an array or a group.
    Metadata,
}

/// Plans a vacuum, which removes only what a committed consolidation has replaced.
///
/// [`Plan::vacuum`] executes the plan.
///
/// # Errors
/// Lists that break the format or lead out of the array, or any error of the store.
pub fn plan_vacuum(
    location: &Location,
    mode: Mode,
    options: &VacuumOptions,
) -> Result<Plan, ArrayError> {
    match mode {
        Mode::Fragments => plan_fragments(location, options),
        Mode::FragmentMetadata => plan_fragment_metadata(location, options),
        Mode::Commits => plan_commits(location, options),
        Mode::Metadata => plan_metadata(location, options),
    }
}

impl Plan {
    /// Executes a plan of [`plan_vacuum`], [`plan_fragment_removal`](crate::plan_fragment_removal) or
    /// [`debris`](crate::debris).
    ///
    /// # Errors
    /// Any error of the store. What was not done can be planned again.
    pub fn vacuum(&self, location: &Location, options: &VacuumOptions) -> Result<(), ArrayError> {
        self.apply(&**location.store(), location.prefix())?;
        apply_fragments(self, location, options)
    }
}

/// Plans to remove all objects with consolidated footers except the newest.
fn plan_fragment_metadata(
    location: &Location,
    options: &VacuumOptions,
) -> Result<Plan, ArrayError> {
    let mut all: Vec<(String, u64)> = Vec::new();
    for folder in ["", FRAGMENT_METADATA_FOLDER] {
        let (keys, _) = objects::list(location, folder)?;
        let named = keys.into_iter().filter(|key| key.ends_with(".meta"));
        all.extend(named.filter_map(|key| {
            let end = TimestampedName::of_key(&key).ok()?.end();
            Some((key, end))
        }));
    }
    let newest = all.iter().map(|(_, end)| *end).max();
    let mut plan = Plan::default();
    let (newest, older): (Vec<_>, Vec<_>) =
        all.into_iter().partition(|(_, end)| Some(*end) == newest);
    for (key, _) in &newest {
        if !options.is_over(location, key)? {
            plan.notes.push(young(key));
            return Ok(plan);
        }
    }
    plan.remove(older.into_iter().map(|(key, _)| key).collect());
    Ok(plan)
}

/// Plans to remove the metadata objects that a `.vac` object lists, if the merged object beside it exists, or if they
/// leave no key. The list is removed last.
fn plan_metadata(location: &Location, options: &VacuumOptions) -> Result<Plan, ArrayError> {
    let (keys, _) = objects::list(location, METADATA_FOLDER)?;
    let lists: Vec<String> = keys
        .iter()
        .filter(|key| key.ends_with(".vac"))
        .cloned()
        .collect();
    let mut plan = Plan::default();
    let (mut replaced, mut done) = (BTreeSet::new(), Vec::new());
    for (key, bytes) in objects::read(location, &lists, location.limits().list_bytes)? {
        let merged = key.trim_end_matches(".vac");
        if let Ok(name) = TimestampedName::of_key(merged)
            && let Some(note) = options.told_as_later(&key, &name)
        {
            plan.notes.push(note);
            continue;
        }
        if !options.is_over(location, &key)? {
            plan.notes.push(young(&key));
            continue;
        }
        let lines: BTreeSet<&str> = parse_lines(&bytes).map(rerooted).collect();
        let covered = keys.contains(merged) || !lines.iter().any(|line| keys.contains(*line));
        if !covered && !nothing_is_left(location, &lines)? {
            plan.notes.push(format!(
                "what {key} lists stays: the object that should replace it is missing"
            ));
            continue;
        }
        let listed = lines
            .into_iter()
            .filter(|line| *line != merged && keys.contains(*line));
        replaced.extend(listed.map(str::to_owned));
        done.push(key);
    }
    plan.remove(replaced.into_iter().collect());
    plan.remove(done);
    Ok(plan)
}
