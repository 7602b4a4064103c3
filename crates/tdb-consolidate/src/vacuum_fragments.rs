use std::collections::BTreeSet;

use tdb_array::directory::{Replacements, fragment_key};
use tdb_array::{ArrayError, Location};

use crate::commit_objects::{CommitObjects, Vacuum, commit_of, fragment_of, ignore_object};
use crate::vacuum_options::young;
use crate::{Plan, Step, VacuumOptions};

/// Plans to remove the fragments that `.vac` objects list, if those lists are in force.
pub(crate) fn plan_fragments(
    location: &Location,
    options: &VacuumOptions,
) -> Result<Plan, ArrayError> {
    let objects = CommitObjects::read(location)?;
    let mut plan = Plan::default();
    let (mut replaced, mut done) = (BTreeSet::new(), Vec::new());
    let in_force = in_force(&objects);
    for vacuum in &objects.vacuums {
        if let Some(note) = options.told_as_later(&vacuum.key, &vacuum.name) {
            plan.notes.push(note);
            continue;
        }
        if !options.is_over(location, &vacuum.key)? {
            plan.notes.push(young(&vacuum.key));
            continue;
        }
        let present: BTreeSet<String> = vacuum
            .lines
            .iter()
            .filter(|line| objects.fragments.contains(*line) || objects.links.contains(*line))
            .cloned()
            .collect();
        if !present.is_empty() && !in_force.contains(vacuum.key.as_str()) {
            let note = format!(
                "the fragments that {} lists stay: the one that should replace them is missing",
                vacuum.key
            );
            plan.notes.push(note);
            continue;
        }
        let leftover = objects.loose.iter().filter(|commit| {
            fragment_of(commit).is_some_and(|fragment| vacuum.lines.contains(&fragment))
        });
        replaced.extend(leftover.filter_map(|commit| fragment_of(commit)));
        replaced.extend(present);
        done.push(vacuum.key.clone());
    }
    removal(&mut plan, &objects, &replaced, options)?;
    // A list is removed only after the lists that it depends on: they are in force through it.
    let stays = |vacuum: &&Vacuum| !done.contains(&vacuum.key);
    let kept: BTreeSet<String> = objects
        .vacuums
        .iter()
        .filter(stays)
        .map(|vacuum| fragment_key(&vacuum.name))
        .collect();
    let needed = |vacuum: &&Vacuum| !vacuum.lines.is_disjoint(&kept);
    let needed = objects.vacuums.iter().filter(needed);
    for vacuum in needed {
        done.retain(|key| *key != vacuum.key);
    }
    plan.remove(done);
    Ok(plan)
}

/// Returns the keys of the lists in force: those whose listed fragments have been replaced by an existing one.
fn in_force(objects: &CommitObjects) -> BTreeSet<&str> {
    let mut all = Replacements::default();
    for vacuum in &objects.vacuums {
        let lines = vacuum.lines.iter().map(String::as_str);
        all.add(&vacuum.key, fragment_key(&vacuum.name), lines);
    }
    let replaced = all.in_force(objects.committed());
    let keys = objects.vacuums.iter().map(|vacuum| vacuum.key.as_str());
    keys.filter(|key| !replaced.idle.contains(key)).collect()
}

/// Plans the removal of fragments: first an `.ign` object that revokes their commits in lists, then their commit
/// objects, and last their data.
pub(crate) fn removal(
    plan: &mut Plan,
    objects: &CommitObjects,
    fragments: &BTreeSet<String>,
    options: &VacuumOptions,
) -> Result<(), ArrayError> {
    let listed: BTreeSet<&str> = objects
        .listed()
        .map(|(_, commit)| commit.key.as_str())
        .collect();
    let commits: Vec<String> = fragments
        .iter()
        .map(|fragment| commit_of(fragment))
        .collect();
    let ignored: BTreeSet<String> = commits
        .iter()
        .filter(|commit| listed.contains(commit.as_str()))
        .cloned()
        .collect();
    if let Some((key, bytes)) = ignore_object(&ignored, &*options.change.names)? {
        plan.put(key, bytes);
    }
    let is_there = |commit: &&String| {
        objects.loose.contains(*commit)
            || fragments
                .iter()
                .any(|f| commit.starts_with(&format!("{f}/")))
    };
    plan.remove(commits.iter().filter(is_there).cloned().collect());
    plan.remove_folders(fragments.iter().cloned().collect());
    Ok(())
}

/// After the removal of fragments, revokes their commits in lists written meanwhile, which would bring them back.
pub(crate) fn apply_fragments(
    plan: &Plan,
    location: &Location,
    options: &VacuumOptions,
) -> Result<(), ArrayError> {
    let removed: BTreeSet<String> = plan
        .steps
        .iter()
        .filter_map(|step| match step {
            Step::RemoveFolders(folders) => Some(folders),
            _ => None,
        })
        .flatten()
        .map(|fragment| commit_of(fragment))
        .collect();
    if removed.is_empty() {
        return Ok(());
    }
    let after = CommitObjects::read(location)?;
    let listed = after.listed().map(|(_, commit)| commit.key.clone());
    let still: BTreeSet<String> = listed.filter(|commit| removed.contains(commit)).collect();
    if let Some((key, bytes)) = ignore_object(&still, &*options.change.names)? {
        let mut more = Plan::default();
        more.put(key, bytes);
        more.apply(&**location.store(), location.prefix())?;
    }
    Ok(())
}
