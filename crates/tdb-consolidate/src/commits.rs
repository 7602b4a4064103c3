use std::collections::BTreeSet;

use tdb_array::commits::encode_consolidated;
use tdb_array::directory::COMMITS_FOLDER;
use tdb_array::{Array, ArrayError, ChangeOptions, Location, settle};

use crate::commit_objects::{CommitObjects, fragment_of, ignore_object, span};
use crate::{Plan, objects};

/// Plans what [`consolidate_commits`] does.
///
/// # Errors
/// As [`consolidate_commits`].
pub fn plan_merged_commits(array: &Array, options: &ChangeOptions) -> Result<Plan, ArrayError> {
    Ok(planned(array, options)?.0)
}

/// Returns the plan, and the commits that it puts into one object.
fn planned(array: &Array, options: &ChangeOptions) -> Result<(Plan, Vec<String>), ArrayError> {
    let location = array.location();
    let version = array.write_version();
    if !version.has_fragment_folder() {
        return Err(ArrayError::Invalid {
            what: "format version",
            name: version.to_string(),
            why: "only arrays of format version 12 or newer keep commits that can be put together",
        });
    }
    // An object that vanishes between two reads was vacuumed, or is now in a new list, so everything is read again.
    let look = || CommitObjects::read(location);
    let attempt = |before: &CommitObjects| content(location, before).map(Some);
    let (found, _) = settle(location.prefix(), look, attempt)?;
    let mut plan = Plan::default();
    let Some((keys, bytes)) = found else {
        return Ok((plan, Vec::new()));
    };
    // If all lists are empty, the merged list has no time range either, and gets timestamp 0.
    let span = span(keys.iter().map(String::as_str)).unwrap_or((0, 0));
    let name = options.names.versioned(span, version)?;
    plan.put(format!("{COMMITS_FOLDER}/{name}.con"), bytes);
    Ok((plan, keys))
}

/// Puts all commits into one `.con` object; returns the executed plan. A vacuum removes the objects that this makes
/// superfluous.
///
/// # Errors
/// [`ArrayError::Invalid`] for an array of a version before 12; [`ArrayError::Missing`] if a committed fragment or
/// delete does not exist; or any error of the store.
pub fn consolidate_commits(array: &Array, options: &ChangeOptions) -> Result<Plan, ArrayError> {
    let location = array.location();
    let (mut plan, keys) = planned(array, options)?;
    if plan.is_empty() {
        return Ok(plan);
    }
    plan.apply(&**location.store(), location.prefix())?;

    // A concurrent vacuum may have removed fragments; this list must not bring them back.
    let after = CommitObjects::read(location)?;
    let gone = |commit: &&String| {
        let fragment = fragment_of(commit);
        fragment.is_some_and(|fragment| !after.fragments.contains(&fragment))
    };
    let gone: BTreeSet<String> = keys.iter().filter(gone).cloned().collect();
    if let Some((key, bytes)) = ignore_object(&gone, &*options.names)? {
        let mut more = Plan::default();
        more.put(key, bytes);
        more.apply(&**location.store(), location.prefix())?;
        plan.steps.append(&mut more.steps);
    }
    Ok(plan)
}

/// The commits in a list, and its bytes.
type Content = (Vec<String>, Vec<u8>);

/// Returns the content of the new list, beginning with the commits of older lists; `None` if a single list contains
/// all commits already.
fn content(location: &Location, before: &CommitObjects) -> Result<Option<Content>, ArrayError> {
    let mut commits = Vec::new();
    let mut seen = BTreeSet::new();
    for (list, commit) in before.listed() {
        if seen.insert(commit.key.clone()) {
            let delete = commit.delete.clone();
            commits.push((
                commit.key.clone(),
                delete.map(|range| list.bytes.slice(range)),
            ));
        }
    }
    // Updates are never put into lists.
    let loose: Vec<String> = before
        .loose
        .difference(&seen)
        .filter(|key| !key.ends_with(".upd"))
        .cloned()
        .collect();
    if loose.is_empty() && before.consolidated.len() <= 1 {
        return Ok(None);
    }
    let is_delete = |key: &&String| key.ends_with(".del");
    let deletes: Vec<String> = loose.iter().filter(is_delete).cloned().collect();
    let read = objects::read(location, &deletes, location.tile_limit())?;
    for key in loose {
        if !is_delete(&&key) {
            commits.push((key, None));
        }
    }
    // A delete that no longer exists is in a list that did not exist before: the caller reads again.
    let is_gone = |delete: &&String| !read.iter().any(|(key, _)| key == *delete);
    if read.len() != deletes.len()
        && let Some(gone) = deletes.iter().find(is_gone)
    {
        return Err(missing(gone));
    }
    commits.extend(read.into_iter().map(|(key, bytes)| (key, Some(bytes))));
    for (key, _) in &commits {
        let fragment = fragment_of(key);
        if fragment.is_some_and(|fragment| !before.fragments.contains(&fragment)) {
            return Err(missing(key));
        }
    }
    let bytes = encode_consolidated(commits.iter().map(|(k, d)| (k.as_str(), d.as_deref())));
    Ok(Some((
        commits.into_iter().map(|(key, _)| key).collect(),
        bytes,
    )))
}

fn missing(key: &str) -> ArrayError {
    ArrayError::Missing {
        key: key.to_owned(),
        by: "committed: others may have removed it a moment ago, so try again; if this stays, it was lost",
    }
}
