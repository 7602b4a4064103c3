use std::collections::BTreeSet;

use tdb_array::{ArrayError, Location, TimeWindow, TimestampedName};

use crate::commit_objects::{CommitObjects, commit_of};
use crate::vacuum_fragments::removal;
use crate::{Plan, VacuumOptions};

/// Plans the permanent removal of all fragments written within a time window, including those that a consolidation has
/// replaced.
///
/// [`Plan::vacuum`] executes the plan. If it is interrupted, some of the fragments remain; a new plan continues.
///
/// # Errors
/// [`ArrayError::Straddles`] for a fragment that also contains cells of other times. The fragments that it replaced
/// are no longer read, so removing only those would change no result. Lists that break the format or lead out of the
/// array, or any error of the store.
pub fn plan_fragment_removal(
    location: &Location,
    window: TimeWindow,
    options: &VacuumOptions,
) -> Result<Plan, ArrayError> {
    let objects = CommitObjects::read(location)?;
    check_time(&objects, window)?;
    let fragments = fragments_within(&objects, window);
    planned(&objects, &fragments, options)
}

/// Plans what [`plan_fragment_removal`] does, but leaves fragments alone that also contain cells of other times.
///
/// # Errors
/// Lists that break the format or lead out of the array, or any error of the store.
pub fn plan_contained_fragment_removal(
    location: &Location,
    window: TimeWindow,
    options: &VacuumOptions,
) -> Result<Plan, ArrayError> {
    let objects = CommitObjects::read(location)?;
    let fragments = fragments_within(&objects, window);
    planned(&objects, &fragments, options)
}

/// Plans the permanent removal of the fragments with these names.
///
/// # Errors
/// [`ArrayError::Invalid`] if there is no such fragment; lists that break the format or lead out of the array, or any
/// error of the store.
pub fn plan_named_fragment_removal(
    location: &Location,
    names: &[String],
    options: &VacuumOptions,
) -> Result<Plan, ArrayError> {
    let objects = CommitObjects::read(location)?;
    let all = fragments_within(&objects, TimeWindow::ALL);
    let found = names.iter().map(|name| {
        let mut folders = all.iter();
        let folder = folders.find(|folder| tdb_store::name(folder) == name);
        folder.cloned().ok_or_else(|| ArrayError::Invalid {
            what: "fragment",
            name: name.clone(),
            why: "is not there",
        })
    });
    let fragments = found.collect::<Result<BTreeSet<String>, ArrayError>>()?;
    planned(&objects, &fragments, options)
}

fn planned(
    objects: &CommitObjects,
    fragments: &BTreeSet<String>,
    options: &VacuumOptions,
) -> Result<Plan, ArrayError> {
    let mut plan = Plan::default();
    removal(&mut plan, objects, fragments, options)?;
    plan.remove(empty_lists(objects, fragments));
    Ok(plan)
}

/// Returns the folders of the fragments written within a time window.
pub(crate) fn fragments_within(objects: &CommitObjects, window: TimeWindow) -> BTreeSet<String> {
    let within = |folder: &str| {
        let name = TimestampedName::parse(tdb_store::name(folder));
        name.is_ok_and(|name| window.contains(&name))
    };
    // An interrupted removal may have revoked the commit of a fragment, but left the fragment.
    let begun = objects
        .fragments
        .iter()
        .map(String::as_str)
        .filter(|folder| objects.is_ignored(&commit_of(folder)));
    let links = objects.links.iter().map(String::as_str);
    let all = objects
        .committed()
        .into_iter()
        .chain(begun)
        .chain(links)
        .filter(|folder| within(folder));
    all.map(str::to_owned).collect()
}

/// Returns the keys of the lists that name no existing fragment after the removal of these fragments.
pub(crate) fn empty_lists(objects: &CommitObjects, fragments: &BTreeSet<String>) -> Vec<String> {
    let lists = objects.vacuums.iter().filter(|vacuum| {
        let mut left = vacuum.lines.intersection(&objects.fragments);
        left.all(|fragment| fragments.contains(fragment))
    });
    lists.map(|vacuum| vacuum.key.clone()).collect()
}

/// Fails if a fragment contains cells both inside and outside of the window; reports the one with the longest time
/// range.
pub(crate) fn check_time(objects: &CommitObjects, window: TimeWindow) -> Result<(), ArrayError> {
    let fragments = objects.committed().into_iter().filter_map(|folder| {
        let name = TimestampedName::parse(tdb_store::name(folder)).ok()?;
        Some((folder, name))
    });
    let straddling = fragments.filter(|(_, name)| window.overlaps(name) && !window.contains(name));
    let longest = straddling.max_by_key(|(_, name)| name.end().abs_diff(name.start()));
    match longest {
        Some((folder, name)) => Err(ArrayError::Straddles {
            key: folder.to_owned(),
            start: name.start(),
            end: name.end(),
        }),
        None => Ok(()),
    }
}
