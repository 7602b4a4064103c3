use std::collections::BTreeSet;

use tdb_array::directory::{COMMITS_FOLDER, ENUMERATION_FOLDER, FRAGMENT_FOLDER, SCHEMA_FOLDER};
use tdb_array::{Array, ArrayError, TimestampedName};

use crate::commit_objects::CommitObjects;
use crate::{Place, Plan, VacuumOptions};

/// What abandoned writes have left: fragments without a commit, unfinished objects, enumerations that no schema names.
///
/// A write that is under way looks the same, so what is younger than the grace period is left alone, and noted.
/// [`Plan::vacuum`] removes it.
///
/// # Errors
/// As the store reports.
pub fn debris(array: &Array, options: &VacuumOptions) -> Result<Plan, ArrayError> {
    let place = Place::of_array(array);
    let objects = CommitObjects::read(&place)?;
    // A write that ended between two listings looks abandoned in the first, so that both must say so.
    let again = CommitObjects::read(&place)?;
    let mut committed: BTreeSet<&str> = objects.committed();
    committed.extend(again.committed());
    let mut plan = Plan::default();
    let mut folders = Vec::new();
    let fragments = objects.fragments.iter();
    for folder in fragments.filter(|folder| !committed.contains(folder.as_str())) {
        // What has no fragment's name is none of ours to judge, but for unfinished objects.
        let name = tdb_store::name(folder);
        if TimestampedName::parse(name).is_ok() && is_old(&place, folder, options, &mut plan)? {
            folders.push(folder.clone());
        }
    }
    let mut keys = Vec::new();
    for key in again.idle.iter().filter(|key| objects.idle.contains(key)) {
        if is_over(&place, key, options, &mut plan)? {
            keys.push(key.clone());
        }
    }
    for folder in [FRAGMENT_FOLDER, COMMITS_FOLDER, ""] {
        let (found, _) = place.list(folder)?;
        for key in found
            .iter()
            .filter(|key| tdb_store::name(key).starts_with(".tmp-"))
        {
            if is_over(&place, key, options, &mut plan)? {
                keys.push(key.clone());
            }
        }
    }
    let known: BTreeSet<&str> = array
        .schemas()
        .flat_map(|(_, schema)| &schema.enumerations)
        .map(|entry| entry.file.as_str())
        .collect();
    let (found, _) = place.list(&format!("{SCHEMA_FOLDER}/{ENUMERATION_FOLDER}"))?;
    for key in found
        .iter()
        .filter(|key| !known.contains(tdb_store::name(key)))
    {
        if is_over(&place, key, options, &mut plan)? {
            keys.push(key.clone());
        }
    }
    plan.remove(keys);
    plan.remove_folders(folders);
    Ok(plan)
}

fn is_over(
    place: &Place<'_>,
    key: &str,
    options: &VacuumOptions,
    plan: &mut Plan,
) -> Result<bool, ArrayError> {
    let over = options.is_over(place, key)?;
    if !over {
        plan.notes.push(crate::vacuum::young(key));
    }
    Ok(over)
}

/// Whether all in a folder is old.
fn is_old(
    place: &Place<'_>,
    folder: &str,
    options: &VacuumOptions,
    plan: &mut Plan,
) -> Result<bool, ArrayError> {
    let (objects, _) = place.list(folder)?;
    for key in objects {
        if !options.is_over(place, &key)? {
            plan.notes.push(crate::vacuum::young(folder));
            return Ok(false);
        }
    }
    Ok(true)
}
