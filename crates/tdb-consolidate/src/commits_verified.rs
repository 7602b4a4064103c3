//! What says which fragments count, compared with the fragments that are there: lists that were cut off, and fragments that nothing
//! commits, as a copy leaves them that missed `__commits`.

use tdb_array::directory::{FRAGMENT_METADATA, METADATA_FOLDER};
use tdb_array::{ArrayError, ErrorKind, Location, TimestampedName, Warning};

use crate::commit_objects::{CommitObjects, commit_of, is_cut_off};
use crate::{VacuumOptions, objects};

/// What is wrong with the commits of an array: the keys of objects and folders, each with what it is, and what is odd alone.
#[derive(Debug, Default)]
pub(crate) struct CommitsVerified {
    pub(crate) damages: Vec<(String, ArrayError)>,
    pub(crate) warnings: Vec<Warning>,
}

/// A list that says nothing: no program writes one.
#[derive(Debug, thiserror::Error)]
#[error("is empty: it was cut off, and what it said is lost")]
struct Emptied;

/// A list that ends within a line, as no program writes one.
#[derive(Debug, thiserror::Error)]
#[error("ends within a line: it was cut off, and what the rest said is lost")]
struct CutOff;

/// A whole fragment without a commit.
#[derive(Debug, thiserror::Error)]
#[error(
    "nothing commits it, so its cells are not read: its commit was lost, as in a copy without __commits, or its write was stopped at \
     the end; tdb clean removes it"
)]
struct Uncommitted;

/// Looks at the lists of commits and at all folders of fragments.
///
/// # Errors
/// As the store reports; lists that break the format.
pub(crate) fn commits_verified(location: &Location) -> Result<CommitsVerified, ArrayError> {
    let commits = CommitObjects::read(location)?;
    let mut found = CommitsVerified::default();
    for key in emptied(&commits) {
        let error = broken(&key, Emptied);
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
    // A write may have ended since, and a vacuum removed what it took the commit of.
    let again = CommitObjects::read(location)?;
    let still = self::uncommitted(&again);
    // Where nothing is committed, a first write that goes on is less likely than a loss of all.
    let is_all = commits.committed().is_empty() && again.committed().is_empty();
    for folder in uncommitted
        .into_iter()
        .filter(|folder| still.contains(folder))
    {
        let key = format!("{folder}/{FRAGMENT_METADATA}");
        // Without its metadata, a fragment was never finished, and holds nothing that could be read.
        let (objects, _) = objects::list(location, &folder)?;
        if !objects.contains(&key) {
            continue;
        }
        if is_all || VacuumOptions::default().is_over(location, &key)? {
            let error = broken(&folder, Uncommitted);
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

/// The keys of lists that hold no line.
fn emptied(objects: &CommitObjects) -> Vec<String> {
    let ignores = objects.ignores.iter();
    let ignores = ignores.filter(|(_, lines)| lines.is_empty());
    let vacuums = objects.vacuums.iter();
    let vacuums = vacuums.filter(|vacuum| vacuum.lines.is_empty());
    // Of lists whose commits were all taken back, a list of no time and no commit can be made.
    let is_of_no_time = |key: &str| TimestampedName::of_key(key).is_ok_and(|name| name.end() == 0);
    let merged = objects.consolidated.iter();
    let merged = merged.filter(|list| list.bytes.is_empty() && !is_of_no_time(&list.key));
    let keys = ignores.map(|(key, _)| key);
    let keys = keys.chain(vacuums.map(|vacuum| &vacuum.key));
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
            [] => broken(&key, Emptied),
            bytes if is_cut_off(bytes) => broken(&key, CutOff),
            _ => return None,
        };
        Some((key, error))
    });
    Ok(damages.collect())
}

/// The folders of fragments that no commit names, and no list of what was replaced or removed.
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
