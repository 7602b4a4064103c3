use std::collections::BTreeSet;

use tdb_array::{ArrayError, Location};

use crate::commit_objects::{CommitObjects, ConsolidatedList};
use crate::vacuum_options::young;
use crate::{Plan, VacuumOptions};

/// Plans to remove commit objects that are in a list, then lists whose commits are all in another list, and last the
/// `.ign` objects that no list needs any more.
pub(crate) fn plan_commits(
    location: &Location,
    options: &VacuumOptions,
) -> Result<Plan, ArrayError> {
    let objects = CommitObjects::read(location)?;
    let mut plan = Plan::default();
    let mut lists = Vec::new();
    for list in &objects.consolidated {
        if options.is_over(location, &list.key)? {
            lists.push(list)
        } else {
            plan.notes.push(young(&list.key))
        }
    }
    let listed: BTreeSet<&str> = lists.iter().flat_map(|list| held(list, &objects)).collect();
    let loose = objects
        .loose
        .iter()
        .filter(|key| listed.contains(key.as_str()));
    plan.remove(loose.cloned().collect());

    // A reader that opened the array before a list was superseded may still need it: the grace period begins with the
    // list that supersedes it.
    let superfluous = match superfluous(&objects) {
        Some((by, lists)) if options.is_over(location, &by.key)? => lists,
        _ => Vec::new(),
    };
    plan.remove(superfluous.iter().map(|list| list.key.clone()).collect());

    let left = objects
        .consolidated
        .iter()
        .filter(|list| !superfluous.iter().any(|gone| gone.key == list.key));
    let mentioned: BTreeSet<&str> = left
        .flat_map(|list| &list.commits)
        .map(|commit| commit.key.as_str())
        .collect();
    let unneeded = objects.ignores.iter().filter(|(_, lines)| {
        let mut lines = lines.iter();
        !lines.any(|line| mentioned.contains(line.as_str()) || objects.loose.contains(line))
    });
    plan.remove(unneeded.map(|(key, _)| key.clone()).collect());
    Ok(plan)
}

/// Returns the commits of a list that are in force.
fn held<'a>(list: &'a ConsolidatedList, objects: &'a CommitObjects) -> BTreeSet<&'a str> {
    let counts = list
        .commits
        .iter()
        .filter(|c| c.delete.is_some() || !objects.is_ignored(&c.key));
    counts.map(|commit| commit.key.as_str()).collect()
}

/// Returns the list with the most commits, and all other lists that it contains. On a tie, the last by name is kept.
fn superfluous(objects: &CommitObjects) -> Option<(&ConsolidatedList, Vec<&ConsolidatedList>)> {
    let lists = &objects.consolidated;
    let most = lists
        .iter()
        .max_by_key(|list| (held(list, objects).len(), &list.key))?;
    let kept = held(most, objects);
    let others = lists.iter().filter(|list| list.key != most.key);
    let within = others.filter(|list| held(list, objects).is_subset(&kept));
    Some((most, within.collect()))
}
