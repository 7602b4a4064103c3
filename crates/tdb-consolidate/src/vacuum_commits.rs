use std::collections::BTreeSet;

use tdb_array::{ArrayError, Location};

use crate::commit_objects::{CommitObjects, Consolidated};
use crate::vacuum_options::young;
use crate::{Plan, VacuumOptions};

/// Loose commits that stand in a list go, then lists that another one holds all of, and last the `.ign` objects that no
/// list needs any more.
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

    // Who opened the array before a list was superseded may still want it: its age counts from then.
    let superfluous = match superfluous(&objects) {
        Some((by, lists)) if options.is_over(location, &by.key)? => lists,
        _ => Vec::new(),
    };
    plan.remove(superfluous.iter().map(|list| list.key.clone()).collect());

    let left = objects.consolidated.iter();
    let left = left.filter(|list| !superfluous.iter().any(|gone| gone.key == list.key));
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

/// The commits that count by this list.
fn held<'a>(list: &'a Consolidated, objects: &'a CommitObjects) -> BTreeSet<&'a str> {
    let counts = list.commits.iter();
    let counts = counts.filter(|c| c.delete.is_some() || !objects.is_ignored(&c.key));
    counts.map(|commit| commit.key.as_str()).collect()
}

/// The list that holds most, and those that it holds all of; of equal ones the last by name stays.
fn superfluous(objects: &CommitObjects) -> Option<(&Consolidated, Vec<&Consolidated>)> {
    let lists = &objects.consolidated;
    let most = lists
        .iter()
        .max_by_key(|list| (held(list, objects).len(), &list.key))?;
    let kept = held(most, objects);
    let others = lists.iter().filter(|list| list.key != most.key);
    let within = others.filter(|list| held(list, objects).is_subset(&kept));
    Some((most, within.collect()))
}
