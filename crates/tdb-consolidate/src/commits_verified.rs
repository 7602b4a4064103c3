//! Compares the objects that determine what is committed with the existing fragments. Finds truncated lists, and
//! fragments without a commit, as in a copy of an array that lacks `__commits`.

use tdb_array::directory::{FRAGMENT_METADATA, METADATA_FOLDER};
use tdb_array::{ArrayError, ErrorKind, Location, TimestampedName, Warning};

use crate::commit_objects::{CommitObjects, commit_of, is_cut_off};
use crate::{VacuumOptions, objects};

/// The findings about the commits of an array.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct CommitFindings {
    /// Each damaged object or folder by its key, with the error.
    pub damages: Vec<(String, ArrayError)>,
    /// Fragments without a commit that may still be in the course of being written.
    pub warnings: Vec<Warning>,
}

/// An empty list: no program writes one.
#[derive(Debug, thiserror::Error)]
#[error("is empty: it was cut off, and what it said is lost")]
struct EmptiedList;

/// A list that ends within a line, as no program writes one.
#[derive(Debug, thiserror::Error)]
#[error("ends within a line: it was cut off, and what the rest said is lost")]
struct CutOff;

/// A complete fragment without a commit.
#[derive(Debug, thiserror::Error)]
#[error(
    "nothing commits it, so its cells are not read: its commit was lost, as in a copy without __commits, or its write was stopped at \
     the end; tdb clean removes it"
)]
struct UncommittedFragment;

/// Compares the objects that determine what is committed with the existing fragments: finds lists that were cut off,
/// and fragments without a commit.
///
/// # Errors
/// Lists that break the format, or any error of the store.
pub fn verify_commits(location: &Location) -> Result<CommitFindings, ArrayError> {
    let commits = CommitObjects::read(location)?;
    let mut found = CommitFindings::default();
    for key in emptied(&commits) {
        let error = broken(&key, EmptiedList);
        found.damages.push((key, error));
    }
    for key in &commits.cut_off {
        found.damages.push((key.clone(), broken(key, CutOff)));
    }
    found.damages.extend(metadata_lists(location)?);
    let uncommitted = uncommitted(&commits);
    if uncommitted.is_empty() {
        return Ok(found);
    }
    // Meanwhile a write may have been committed, or a vacuum may have removed a fragment whose commit it had removed
    // before.
    let again = CommitObjects::read(location)?;
    let still = self::uncommitted(&again);
    // If nothing is committed, the loss of all commits is more likely than a first write in progress.
    let is_all = commits.committed().is_empty() && again.committed().is_empty();
    for folder in uncommitted
        .into_iter()
        .filter(|folder| still.contains(folder))
    {
        let key = format!("{folder}/{FRAGMENT_METADATA}");
        // Without metadata, a fragment was never completed, and contains nothing that could be read.
        let (objects, _) = objects::list(location, &folder)?;
        if !objects.contains(&key) {
            continue;
        }
        if is_all || VacuumOptions::default().is_over(location, &key)? {
            let error = broken(&folder, UncommittedFragment);
            found.damages.push((folder, error));
        } else {
            found.warnings.push(Warning::Uncommitted { key: folder });
        }
    }
    Ok(found)
}

fn broken(key: &str, what: impl std::error::Error + Send + Sync + 'static) -> ArrayError {
    ArrayError::Object {
        key: key.to_owned(),
        kind: ErrorKind::Corrupt,
        source: Box::new(what),
    }
}

/// Returns the keys of lists without any line.
fn emptied(objects: &CommitObjects) -> Vec<String> {
    let ignores = objects.ignores.iter().filter(|(_, lines)| lines.is_empty());
    let vacuums = objects
        .vacuums
        .iter()
        .filter(|vacuum| vacuum.lines.is_empty());
    // Consolidating lists whose commits have all been revoked can produce an empty list with timestamp 0.
    let is_of_no_time = |key: &str| TimestampedName::of_key(key).is_ok_and(|name| name.end() == 0);
    let merged = objects
        .consolidated
        .iter()
        .filter(|list| list.bytes.is_empty() && !is_of_no_time(&list.key));
    let keys = ignores
        .map(|(key, _)| key)
        .chain(vacuums.map(|vacuum| &vacuum.key));
    keys.chain(merged.map(|list| &list.key)).cloned().collect()
}

/// The lists of replaced metadata objects that were cut off.
fn metadata_lists(location: &Location) -> Result<Vec<(String, ArrayError)>, ArrayError> {
    let (keys, _) = objects::list(location, METADATA_FOLDER)?;
    let lists: Vec<String> = keys
        .into_iter()
        .filter(|key| key.ends_with(".vac"))
        .collect();
    // A list that is gone by now was vacuumed.
    let read = objects::read(location, &lists, location.limits().list_bytes)?;
    let damages = read.into_iter().filter_map(|(key, bytes)| {
        let error = match &*bytes {
            [] => broken(&key, EmptiedList),
            bytes if is_cut_off(bytes) => broken(&key, CutOff),
            _ => return None,
        };
        Some((key, error))
    });
    Ok(damages.collect())
}

/// Returns the folders of fragments that no commit and no list of replaced or removed fragments names.
fn uncommitted(objects: &CommitObjects) -> Vec<String> {
    let committed = objects.committed();
    let is_fragment = |folder: &&String| TimestampedName::parse(tdb_store::name(folder)).is_ok();
    let is_replaced = |folder: &str| {
        let mut vacuums = objects.vacuums.iter();
        vacuums.any(|vacuum| vacuum.lines.contains(folder))
    };
    let is_loose = |folder: &&String| {
        !committed.contains(folder.as_str())
            && !is_replaced(folder)
            && !objects.is_ignored(&commit_of(folder))
    };
    let fragments = objects.fragments.iter();
    fragments
        .filter(is_fragment)
        .filter(is_loose)
        .cloned()
        .collect()
}
