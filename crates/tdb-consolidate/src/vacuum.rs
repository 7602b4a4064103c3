use std::collections::BTreeSet;
use std::time::{Duration, SystemTime};

use tdb_array::commits::{parse_lines, rerooted};
use tdb_array::directory::{FRAGMENT_METADATA_FOLDER, METADATA_FOLDER};
use tdb_array::{ArrayError, ChangeOptions, TimestampedName};

use crate::metadata::nothing_is_left;
use crate::vacuum_commits::plan_commits;
use crate::vacuum_fragments::{apply_fragments, plan_fragments};
use crate::{Place, Plan};

/// What of an array or a group is kept in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Its fragments.
    Fragments,
    /// The footers of its fragments.
    FragmentMetadata,
    /// Its commits.
    Commits,
    /// The metadata of an array or a group.
    Metadata,
}

/// What a vacuum may remove.
#[derive(Clone, Debug)]
pub struct VacuumOptions {
    /// What was merged within this time stays: who opened the array before may still read it.
    pub grace: Duration,
    /// The time now.
    pub now: SystemTime,
    /// Where names come from.
    pub change: ChangeOptions,
}

impl Default for VacuumOptions {
    fn default() -> Self {
        Self {
            grace: Duration::from_secs(600),
            now: SystemTime::now(),
            change: ChangeOptions::default(),
        }
    }
}

impl VacuumOptions {
    /// Whether an object is older than the grace period. Where the store does not tell, only a vacuum without
    /// one removes anything.
    pub(crate) fn is_over(&self, place: &Place<'_>, key: &str) -> Result<bool, ArrayError> {
        if self.grace.is_zero() {
            return Ok(true);
        }
        let written = match place.store.modified(&place.full(key)) {
            Ok(written) => written,
            Err(error) if error.is_not_found() => None,
            Err(error) => return Err(error.into()),
        };
        let age = written.and_then(|written| self.now.duration_since(written).ok());
        Ok(age.is_some_and(|age| age >= self.grace))
    }
}

/// Works out what a vacuum removes: only what a consolidation that is committed has replaced.
///
/// [`Plan::vacuum`] carries it out.
///
/// # Errors
/// As the store reports; lists that break the format, or lead out of the array.
pub fn plan_vacuum(
    place: &Place<'_>,
    mode: Mode,
    options: &VacuumOptions,
) -> Result<Plan, ArrayError> {
    match mode {
        Mode::Fragments => plan_fragments(place, options),
        Mode::FragmentMetadata => plan_fragment_metadata(place, options),
        Mode::Commits => plan_commits(place, options),
        Mode::Metadata => plan_metadata(place, options),
    }
}

impl Plan {
    /// Carries out a plan of [`plan_vacuum`], [`plan_fragment_removal`](crate::plan_fragment_removal) or
    /// [`debris`](crate::debris).
    ///
    /// # Errors
    /// As the store reports. What was not done can be planned again.
    pub fn vacuum(&self, place: &Place<'_>, options: &VacuumOptions) -> Result<(), ArrayError> {
        self.apply(place.store, place.prefix)?;
        apply_fragments(self, place, options)
    }
}

/// Of several objects with footers the newest stay.
fn plan_fragment_metadata(place: &Place<'_>, options: &VacuumOptions) -> Result<Plan, ArrayError> {
    let mut all: Vec<(String, u64)> = Vec::new();
    for folder in ["", FRAGMENT_METADATA_FOLDER] {
        let (keys, _) = place.list(folder)?;
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
        if !options.is_over(place, key)? {
            plan.notes.push(young(key));
            return Ok(plan);
        }
    }
    plan.remove(older.into_iter().map(|(key, _)| key).collect());
    Ok(plan)
}

/// Metadata objects that a `.vac` object lists go, if the object that it stands beside is there, or they leave
/// nothing; the list goes last.
fn plan_metadata(place: &Place<'_>, options: &VacuumOptions) -> Result<Plan, ArrayError> {
    let (keys, _) = place.list(METADATA_FOLDER)?;
    let lists: Vec<String> = keys
        .iter()
        .filter(|key| key.ends_with(".vac"))
        .cloned()
        .collect();
    let mut plan = Plan::default();
    let (mut replaced, mut done) = (BTreeSet::new(), Vec::new());
    for (key, bytes) in place.read(&lists, place.limits.list_bytes)? {
        let merged = key.trim_end_matches(".vac");
        if !options.is_over(place, &key)? {
            plan.notes.push(young(&key));
            continue;
        }
        let lines: BTreeSet<&str> = parse_lines(&bytes).map(rerooted).collect();
        let covered = keys.contains(merged) || !lines.iter().any(|line| keys.contains(*line));
        if !covered && !nothing_is_left(place, &lines)? {
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

pub(crate) fn young(key: &str) -> String {
    format!("{key} stays for now: it is younger than the grace period")
}
